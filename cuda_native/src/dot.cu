// SPDX-License-Identifier: Apache-2.0
// The engine of detail/fold.cuh over x * y; two streams of loads, so half as many rows in flight.
#include <twofold/cuda_native/detail/fold.cuh>
#include <twofold/cuda_native/detail/operands.hpp>
#include <twofold/cuda_native/dot.hpp>

namespace twofold::cuda_native {

template <class R, class T>
  requires dots<T, R>
void dot(const T* x, const T* y, std::size_t n, R* result, workspace& scratch, stream_handle stream) {
  detail::expects_operand("cuda_native::dot", x, n, "x");
  detail::expects_operand("cuda_native::dot", y, n, "y");
  detail::expects_result("cuda_native::dot", result);
  detail::fold("twofold::cuda_native::dot", backends::dot_source<T, R>{{x}, {y}}, n, result, scratch, stream);
}

template <class R, class T>
  requires dots<T, R>
R dot(const T* x, const T* y, std::size_t n, stream_handle stream) {
  detail::expects_operand("cuda_native::dot", x, n, "x");
  detail::expects_operand("cuda_native::dot", y, n, "y");
  return detail::fold_to_host("twofold::cuda_native::dot", backends::dot_source<T, R>{{x}, {y}}, n, stream);
}

template void dot<float, float>(const float*, const float*, std::size_t, float*, workspace&, stream_handle);
template float dot<float, float>(const float*, const float*, std::size_t, stream_handle);
template void dot<double, float>(const float*, const float*, std::size_t, double*, workspace&, stream_handle);
template double dot<double, float>(const float*, const float*, std::size_t, stream_handle);
template void dot<double, double>(const double*, const double*, std::size_t, double*, workspace&,
                                  stream_handle);
template double dot<double, double>(const double*, const double*, std::size_t, stream_handle);
template void dot<std::int64_t, std::int32_t>(const std::int32_t*, const std::int32_t*, std::size_t,
                                              std::int64_t*, workspace&, stream_handle);
template std::int64_t dot<std::int64_t, std::int32_t>(const std::int32_t*, const std::int32_t*, std::size_t,
                                                      stream_handle);
template void dot<std::uint64_t, std::uint32_t>(const std::uint32_t*, const std::uint32_t*, std::size_t,
                                                std::uint64_t*, workspace&, stream_handle);
template std::uint64_t dot<std::uint64_t, std::uint32_t>(const std::uint32_t*, const std::uint32_t*,
                                                         std::size_t, stream_handle);
template void dot<std::int64_t, std::int64_t>(const std::int64_t*, const std::int64_t*, std::size_t,
                                              std::int64_t*, workspace&, stream_handle);
template std::int64_t dot<std::int64_t, std::int64_t>(const std::int64_t*, const std::int64_t*, std::size_t,
                                                      stream_handle);
template void dot<std::uint64_t, std::uint64_t>(const std::uint64_t*, const std::uint64_t*, std::size_t,
                                                std::uint64_t*, workspace&, stream_handle);
template std::uint64_t dot<std::uint64_t, std::uint64_t>(const std::uint64_t*, const std::uint64_t*,
                                                         std::size_t, stream_handle);

}  // namespace twofold::cuda_native
