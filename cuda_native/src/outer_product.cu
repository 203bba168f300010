// SPDX-License-Identifier: Apache-2.0
// The engine of detail/line_products.cuh over x(i) * y(j): writes C and reads next to nothing.
#include <twofold/cuda_native/detail/line_products.cuh>
#include <twofold/cuda_native/detail/operands.hpp>
#include <twofold/cuda_native/outer_product.hpp>

namespace twofold::cuda_native {

template <class T>
  requires outer_products<T>
void outer_product(const T* x, std::size_t rows, const T* y, std::size_t columns, T* C,
                   std::size_t leading_dimension, stream_handle stream) {
  constexpr const char* where = "cuda_native::outer_product";
  detail::expects_matrix(where, C, rows, columns, leading_dimension, "C");
  if (rows == 0 || columns == 0) return;
  detail::expects_operand(where, x, rows, "x");
  detail::expects_operand(where, y, columns, "y");
  const auto out = backends::row_major(detail::as_product_element(C), rows, columns, leading_dimension);
  using map = backends::outer_lines<detail::product_element<T>>;
  detail::multiply(
      "twofold::cuda_native::outer_product",
      map::on(out.constant(), out, {detail::as_product_element(y)}, {detail::as_product_element(x)}), stream);
}

template void outer_product<float>(const float*, std::size_t, const float*, std::size_t, float*, std::size_t,
                                   stream_handle);
template void outer_product<double>(const double*, std::size_t, const double*, std::size_t, double*,
                                    std::size_t, stream_handle);
template void outer_product<std::int32_t>(const std::int32_t*, std::size_t, const std::int32_t*, std::size_t,
                                          std::int32_t*, std::size_t, stream_handle);
template void outer_product<std::uint32_t>(const std::uint32_t*, std::size_t, const std::uint32_t*,
                                           std::size_t, std::uint32_t*, std::size_t, stream_handle);
template void outer_product<std::int64_t>(const std::int64_t*, std::size_t, const std::int64_t*, std::size_t,
                                          std::int64_t*, std::size_t, stream_handle);
template void outer_product<std::uint64_t>(const std::uint64_t*, std::size_t, const std::uint64_t*,
                                           std::size_t, std::uint64_t*, std::size_t, stream_handle);

}  // namespace twofold::cuda_native
