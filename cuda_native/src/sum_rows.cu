// SPDX-License-Identifier: Apache-2.0
// The folds of detail/line_folds.cuh along the rows.
#include <twofold/cuda_native/detail/line_folds.cuh>
#include <twofold/cuda_native/detail/operands.hpp>
#include <twofold/cuda_native/sum_rows.hpp>

namespace twofold::cuda_native {

template <class R, class T>
  requires sums_rows<T, R>
void sum_rows(const T* M, std::size_t rows, std::size_t columns, std::size_t leading_dimension, R* r,
              stream_handle stream) {
  detail::expects_matrix("cuda_native::sum_rows", M, rows, columns, leading_dimension, "M");
  if (rows > 0) detail::expects_result("cuda_native::sum_rows", r);
  detail::fold_lines_along("twofold::cuda_native::sum_rows", M, leading_dimension, rows, columns, r, stream);
}

template void sum_rows<float, float>(const float*, std::size_t, std::size_t, std::size_t, float*,
                                     stream_handle);
template void sum_rows<double, float>(const float*, std::size_t, std::size_t, std::size_t, double*,
                                      stream_handle);
template void sum_rows<double, double>(const double*, std::size_t, std::size_t, std::size_t, double*,
                                       stream_handle);
template void sum_rows<std::int64_t, std::int32_t>(const std::int32_t*, std::size_t, std::size_t, std::size_t,
                                                   std::int64_t*, stream_handle);
template void sum_rows<std::uint64_t, std::uint32_t>(const std::uint32_t*, std::size_t, std::size_t,
                                                     std::size_t, std::uint64_t*, stream_handle);
template void sum_rows<std::int64_t, std::int64_t>(const std::int64_t*, std::size_t, std::size_t, std::size_t,
                                                   std::int64_t*, stream_handle);
template void sum_rows<std::uint64_t, std::uint64_t>(const std::uint64_t*, std::size_t, std::size_t,
                                                     std::size_t, std::uint64_t*, stream_handle);

}  // namespace twofold::cuda_native
