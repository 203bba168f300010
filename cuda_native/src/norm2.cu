// SPDX-License-Identifier: Apache-2.0
// The engine of detail/fold.cuh over x * x, in double or in three scaled parts.
#include <twofold/cuda_native/detail/fold.cuh>
#include <twofold/cuda_native/detail/operands.hpp>
#include <twofold/cuda_native/norm2.hpp>

namespace twofold::cuda_native {

template <class R, class T>
  requires norms<T, R>
void norm2(const T* x, std::size_t n, R* result, workspace& scratch, stream_handle stream) {
  detail::expects_operand("cuda_native::norm2", x, n, "x");
  detail::expects_result("cuda_native::norm2", result);
  detail::fold("twofold::cuda_native::norm2", backends::norm2_source<T, R>{{x}}, n, result, scratch, stream);
}

template <class R, class T>
  requires norms<T, R>
R norm2(const T* x, std::size_t n, stream_handle stream) {
  detail::expects_operand("cuda_native::norm2", x, n, "x");
  return detail::fold_to_host("twofold::cuda_native::norm2", backends::norm2_source<T, R>{{x}}, n, stream);
}

template void norm2<float, float>(const float*, std::size_t, float*, workspace&, stream_handle);
template float norm2<float, float>(const float*, std::size_t, stream_handle);
template void norm2<double, float>(const float*, std::size_t, double*, workspace&, stream_handle);
template double norm2<double, float>(const float*, std::size_t, stream_handle);
template void norm2<double, double>(const double*, std::size_t, double*, workspace&, stream_handle);
template double norm2<double, double>(const double*, std::size_t, stream_handle);
template void norm2<double, std::int32_t>(const std::int32_t*, std::size_t, double*, workspace&,
                                          stream_handle);
template double norm2<double, std::int32_t>(const std::int32_t*, std::size_t, stream_handle);
template void norm2<double, std::uint32_t>(const std::uint32_t*, std::size_t, double*, workspace&,
                                           stream_handle);
template double norm2<double, std::uint32_t>(const std::uint32_t*, std::size_t, stream_handle);
template void norm2<double, std::int64_t>(const std::int64_t*, std::size_t, double*, workspace&,
                                          stream_handle);
template double norm2<double, std::int64_t>(const std::int64_t*, std::size_t, stream_handle);
template void norm2<double, std::uint64_t>(const std::uint64_t*, std::size_t, double*, workspace&,
                                           stream_handle);
template double norm2<double, std::uint64_t>(const std::uint64_t*, std::size_t, stream_handle);

}  // namespace twofold::cuda_native
