// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/matrix.hpp>
#include <twofold/views.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>

/// @file
/// What the functions on matrices take, and the checks of their shapes: the one place where they are made.

namespace twofold {

/// A View of rank 2 that elements are read from; const or not, of any layout and any traits.
template <class M>
concept matrix_view = Kokkos::is_view_v<M> && bool(M::rank == 2);

/// A View of rank 2 that elements are written to.
template <class M>
concept writable_matrix = matrix_view<M> && !std::is_const_v<typename M::value_type>;

/// Whether the elements of a row lie side by side, as the type of the View tells; pads between rows or not.
template <class M>
concept packed_rows = matrix_view<M> && std::same_as<typename M::array_layout, Kokkos::LayoutRight>;
/// Whether the elements of a column do.
template <class M>
concept packed_columns = matrix_view<M> && std::same_as<typename M::array_layout, Kokkos::LayoutLeft>;

/// What a native path asks of matrices: all with packed rows, or all with packed columns.
template <class... M>
concept packed_alike = (packed_rows<M> && ...) || (packed_columns<M> && ...);

/// What every native path on matrices asks for: kernels were built, the space is CUDA, lines lie side by side.
template <class Exec, class... M>
concept native_matrix_space =
    backends::cuda_native_built && backends::cuda_execution<Exec> && packed_alike<M...>;

namespace detail {

/// Elements as numbers of element_t, const where those of the View are.
template <class X>
using number_t = std::remove_pointer_t<decltype(data_of(std::declval<const X&>()))>;

template <class M>
backends::matrix<number_t<M>> matrix_of(const M& m) {
  return {data_of(m), m.extent(0), m.extent(1), static_cast<std::ptrdiff_t>(m.stride(0)),
          static_cast<std::ptrdiff_t>(m.stride(1))};
}

/// A vector as a row, or as a column where it steps like one of `like`.
template <class X, class Like>
backends::matrix<number_t<X>> as_matrix(const X& x, const backends::matrix<Like>& like) {
  const backends::matrix<number_t<X>> row{data_of(x), 1, x.extent(0),
                                          static_cast<std::ptrdiff_t>(x.extent(0)),
                                          static_cast<std::ptrdiff_t>(x.stride(0))};
  return row.column_stride == like.row_stride ? row.transposed() : row;
}

/// Elements from row to row, as BLAS counts them: of the rows of a row-major, the columns of a column-major matrix.
template <class M>
std::size_t leading_dimension(const M& m) {
  const bool rows = packed_rows<M>;
  const std::size_t lines = m.extent(rows ? 0 : 1), length = m.extent(rows ? 1 : 0);
  return lines > 1 ? static_cast<std::size_t>(m.stride(rows ? 0 : 1)) : length;
}

template <class M>
std::string shape_of(const M& m) {
  return std::to_string(m.extent(0)) + " x " + std::to_string(m.extent(1));
}

template <class M>
void expects_matrix(const char* where, const char* which, const M& m) {
  backends::expects(m.data() != nullptr || m.extent(0) == 0 || m.extent(1) == 0, where,
                    [&] { return std::string(which) + " is null with shape " + shape_of(m); });
}

/// A matrix that is written: besides, no two of its elements may share memory.
template <class M>
void expects_output(const char* where, const char* which, const M& m) {
  expects_matrix(where, which, m);
  if (m.size() <= 1) return;
  // i rows down and j columns back lead to the same place first for i = across / common, j = down / common: rows and
  // columns may interleave as long as one of the two leads out of the matrix.
  const auto down = static_cast<std::size_t>(m.stride(0)), across = static_cast<std::size_t>(m.stride(1));
  const std::size_t common = std::max<std::size_t>(std::gcd(down, across), 1);  // both strides may be 0
  const bool apart = across / common >= m.extent(0) || down / common >= m.extent(1);
  backends::expects(apart, where, [&] {
    return std::string(which) + " is " + shape_of(m) + " with strides " + std::to_string(m.stride(0)) + ", " +
           std::to_string(m.stride(1)) + ": elements share memory";
  });
}

/// `x` has one element per row (column) of `m`: "x has extent 3, C is 2 x 3: x needs one element per row".
template <class X, class M>
void expects_per_row(const char* where, const char* which_x, const X& x, const char* which_m, const M& m) {
  backends::expects(x.extent(0) == m.extent(0), where, [&] {
    return std::string(which_x) + " has extent " + std::to_string(x.extent(0)) + ", " + which_m + " is " +
           shape_of(m) + "; " + which_x + " needs one element per row";
  });
}
template <class X, class M>
void expects_per_column(const char* where, const char* which_x, const X& x, const char* which_m, const M& m) {
  backends::expects(x.extent(0) == m.extent(1), where, [&] {
    return std::string(which_x) + " has extent " + std::to_string(x.extent(0)) + ", " + which_m + " is " +
           shape_of(m) + "; " + which_x + " needs one element per column";
  });
}

template <class M, class R>
void expects_same_shape(const char* where, const char* which_m, const M& m, const char* which_r, const R& r) {
  backends::expects(m.extent(0) == r.extent(0) && m.extent(1) == r.extent(1), where, [&] {
    return std::string(which_m) + " is " + shape_of(m) + ", " + which_r + " is " + shape_of(r) +
           "; they must be equal";
  });
}

inline std::string overlap_text(const char* a, const char* b) {
  return std::string(a) + " and " + b + " share memory";
}

template <class X, class M>
void expects_vector_apart(const char* where, const char* which_x, const X& x, const char* which_m,
                          const M& m) {
  const auto matrix = matrix_of(m);
  backends::expects(!backends::overlap(as_matrix(x, matrix), matrix), where,
                    [&] { return overlap_text(which_x, which_m); });
}

/// Apart, or one and the same.
template <class M, class R>
void expects_apart_or_same(const char* where, const char* which_m, const M& m, const char* which_r,
                           const R& r) {
  const auto a = matrix_of(m);
  const auto b = matrix_of(r);
  const bool same = static_cast<const void*>(a.data) == static_cast<const void*>(b.data) &&
                    (a.rows <= 1 || a.row_stride == b.row_stride) &&
                    (a.columns <= 1 || a.column_stride == b.column_stride);
  backends::expects(same || !backends::overlap(a, b), where,
                    [&] { return overlap_text(which_m, which_r) + "; only one and the same matrix may"; });
}

}  // namespace detail
}  // namespace twofold
