// SPDX-License-Identifier: Apache-2.0
// The folds of detail/line_folds.cuh across the rows.
#include <twofold/cuda_native/detail/line_folds.cuh>
#include <twofold/cuda_native/detail/operands.hpp>
#include <twofold/cuda_native/sum_columns.hpp>

namespace twofold::cuda_native {

template <class R, class T>
  requires sums_columns<T, R>
void sum_columns(const T* M, std::size_t rows, std::size_t columns, std::size_t leading_dimension, R* r,
                 stream_handle stream) {
  detail::expects_matrix("cuda_native::sum_columns", M, rows, columns, leading_dimension, "M");
  if (columns > 0) detail::expects_result("cuda_native::sum_columns", r);
  detail::fold_lines_across("twofold::cuda_native::sum_columns", M, leading_dimension, columns, rows, r,
                            stream);
}

template void sum_columns<float, float>(const float*, std::size_t, std::size_t, std::size_t, float*,
                                        stream_handle);
template void sum_columns<double, float>(const float*, std::size_t, std::size_t, std::size_t, double*,
                                         stream_handle);
template void sum_columns<double, double>(const double*, std::size_t, std::size_t, std::size_t, double*,
                                          stream_handle);
template void sum_columns<std::int64_t, std::int32_t>(const std::int32_t*, std::size_t, std::size_t,
                                                      std::size_t, std::int64_t*, stream_handle);
template void sum_columns<std::uint64_t, std::uint32_t>(const std::uint32_t*, std::size_t, std::size_t,
                                                        std::size_t, std::uint64_t*, stream_handle);
template void sum_columns<std::int64_t, std::int64_t>(const std::int64_t*, std::size_t, std::size_t,
                                                      std::size_t, std::int64_t*, stream_handle);
template void sum_columns<std::uint64_t, std::uint64_t>(const std::uint64_t*, std::size_t, std::size_t,
                                                        std::size_t, std::uint64_t*, stream_handle);

}  // namespace twofold::cuda_native
