// SPDX-License-Identifier: Apache-2.0
// The engine of detail/fold.cuh over x.
#include <twofold/cuda_native/detail/fold.cuh>
#include <twofold/cuda_native/detail/operands.hpp>
#include <twofold/cuda_native/sum.hpp>

namespace twofold::cuda_native {

template <class R, class T>
  requires sums<T, R>
void sum(const T* x, std::size_t n, R* result, workspace& scratch, stream_handle stream) {
  detail::expects_operand("cuda_native::sum", x, n, "x");
  detail::expects_result("cuda_native::sum", result);
  detail::fold("twofold::cuda_native::sum", backends::sum_source<T, R>{{x}}, n, result, scratch, stream);
}

template <class R, class T>
  requires sums<T, R>
R sum(const T* x, std::size_t n, stream_handle stream) {
  detail::expects_operand("cuda_native::sum", x, n, "x");
  return detail::fold_to_host("twofold::cuda_native::sum", backends::sum_source<T, R>{{x}}, n, stream);
}

template void sum<float, float>(const float*, std::size_t, float*, workspace&, stream_handle);
template float sum<float, float>(const float*, std::size_t, stream_handle);
template void sum<double, float>(const float*, std::size_t, double*, workspace&, stream_handle);
template double sum<double, float>(const float*, std::size_t, stream_handle);
template void sum<double, double>(const double*, std::size_t, double*, workspace&, stream_handle);
template double sum<double, double>(const double*, std::size_t, stream_handle);
template void sum<std::int64_t, std::int32_t>(const std::int32_t*, std::size_t, std::int64_t*, workspace&,
                                              stream_handle);
template std::int64_t sum<std::int64_t, std::int32_t>(const std::int32_t*, std::size_t, stream_handle);
template void sum<std::uint64_t, std::uint32_t>(const std::uint32_t*, std::size_t, std::uint64_t*, workspace&,
                                                stream_handle);
template std::uint64_t sum<std::uint64_t, std::uint32_t>(const std::uint32_t*, std::size_t, stream_handle);
template void sum<std::int64_t, std::int64_t>(const std::int64_t*, std::size_t, std::int64_t*, workspace&,
                                              stream_handle);
template std::int64_t sum<std::int64_t, std::int64_t>(const std::int64_t*, std::size_t, stream_handle);
template void sum<std::uint64_t, std::uint64_t>(const std::uint64_t*, std::size_t, std::uint64_t*, workspace&,
                                                stream_handle);
template std::uint64_t sum<std::uint64_t, std::uint64_t>(const std::uint64_t*, std::size_t, stream_handle);

}  // namespace twofold::cuda_native
