// SPDX-License-Identifier: Apache-2.0
// The engine of detail/line_products.cuh over M(i, j) * v(j), and over M(i, j) * v(i) for column-major matrices.
#include <twofold/cuda_native/detail/line_products.cuh>
#include <twofold/cuda_native/detail/operands.hpp>
#include <twofold/cuda_native/scale_columns.hpp>

namespace twofold::cuda_native {

namespace {
template <template <class> class Lines, class T>
void scale(const char* where, const char* name, const T* M, std::size_t rows, std::size_t columns,
           std::size_t leading_dimension_m, const T* v, std::size_t n, T* R, std::size_t leading_dimension_r,
           stream_handle stream) {
  detail::expects_matrix(where, M, rows, columns, leading_dimension_m, "M");
  detail::expects_matrix(where, R, rows, columns, leading_dimension_r, "R");
  if (rows == 0 || columns == 0) return;
  detail::expects_operand(where, v, n, "v");
  using K = detail::product_element<T>;
  const auto in = backends::row_major(detail::as_product_element(M), rows, columns, leading_dimension_m);
  const auto out = backends::row_major(detail::as_product_element(R), rows, columns, leading_dimension_r);
  const backends::strided<K> factors{detail::as_product_element(v)};
  detail::multiply(name, Lines<K>::on(in, out, factors, factors), stream);
}
}  // namespace

template <class T>
  requires scales_columns<T>
void scale_columns(const T* M, std::size_t rows, std::size_t columns, std::size_t leading_dimension_m,
                   const T* v, T* R, std::size_t leading_dimension_r, stream_handle stream) {
  scale<backends::scaled_along>("cuda_native::scale_columns", "twofold::cuda_native::scale_columns", M, rows,
                                columns, leading_dimension_m, v, columns, R, leading_dimension_r, stream);
}

template <class T>
  requires scales_columns<T>
void scale_rows(const T* M, std::size_t rows, std::size_t columns, std::size_t leading_dimension_m,
                const T* v, T* R, std::size_t leading_dimension_r, stream_handle stream) {
  scale<backends::scaled_across>("cuda_native::scale_rows", "twofold::cuda_native::scale_rows", M, rows,
                                 columns, leading_dimension_m, v, rows, R, leading_dimension_r, stream);
}

template void scale_columns<float>(const float*, std::size_t, std::size_t, std::size_t, const float*, float*,
                                   std::size_t, stream_handle);
template void scale_columns<double>(const double*, std::size_t, std::size_t, std::size_t, const double*,
                                    double*, std::size_t, stream_handle);
template void scale_columns<std::int32_t>(const std::int32_t*, std::size_t, std::size_t, std::size_t,
                                          const std::int32_t*, std::int32_t*, std::size_t, stream_handle);
template void scale_columns<std::uint32_t>(const std::uint32_t*, std::size_t, std::size_t, std::size_t,
                                           const std::uint32_t*, std::uint32_t*, std::size_t, stream_handle);
template void scale_columns<std::int64_t>(const std::int64_t*, std::size_t, std::size_t, std::size_t,
                                          const std::int64_t*, std::int64_t*, std::size_t, stream_handle);
template void scale_columns<std::uint64_t>(const std::uint64_t*, std::size_t, std::size_t, std::size_t,
                                           const std::uint64_t*, std::uint64_t*, std::size_t, stream_handle);
template void scale_rows<float>(const float*, std::size_t, std::size_t, std::size_t, const float*, float*,
                                std::size_t, stream_handle);
template void scale_rows<double>(const double*, std::size_t, std::size_t, std::size_t, const double*, double*,
                                 std::size_t, stream_handle);
template void scale_rows<std::int32_t>(const std::int32_t*, std::size_t, std::size_t, std::size_t,
                                       const std::int32_t*, std::int32_t*, std::size_t, stream_handle);
template void scale_rows<std::uint32_t>(const std::uint32_t*, std::size_t, std::size_t, std::size_t,
                                        const std::uint32_t*, std::uint32_t*, std::size_t, stream_handle);
template void scale_rows<std::int64_t>(const std::int64_t*, std::size_t, std::size_t, std::size_t,
                                       const std::int64_t*, std::int64_t*, std::size_t, stream_handle);
template void scale_rows<std::uint64_t>(const std::uint64_t*, std::size_t, std::size_t, std::size_t,
                                        const std::uint64_t*, std::uint64_t*, std::size_t, stream_handle);

}  // namespace twofold::cuda_native
