// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/arithmetic.hpp>
#include <twofold/backends/sources.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

/// @file
/// Matrices in memory, and products of their elements whose bits do not depend on the machine.

namespace twofold::backends {

/// x * y, rounded once; wraps for integers; a NaN is always the same NaN.
template <class T>
TWOFOLD_FUNCTION T product(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    return canonical(static_cast<T>(x * y));  // nothing is added to it that it could be contracted with
  } else {
    return static_cast<T>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y));
  }
}

/// Element (i, j) lies at data[i * row_stride + j * column_stride].
template <class T>
struct matrix {
  T* data;
  std::size_t rows;
  std::size_t columns;
  std::ptrdiff_t row_stride;
  std::ptrdiff_t column_stride;

  matrix transposed() const { return {data, columns, rows, column_stride, row_stride}; }
  bool empty() const { return rows == 0 || columns == 0; }

  /// Whether the elements of every row stand side by side.
  bool has_packed_rows() const { return column_stride == 1 || columns <= 1; }

  matrix<const std::remove_const_t<T>> constant() const {
    return {data, rows, columns, row_stride, column_stride};
  }
};

/// Row-major with `leading_dimension` elements from row to row.
template <class T>
matrix<T> row_major(T* data, std::size_t rows, std::size_t columns, std::size_t leading_dimension) {
  return {data, rows, columns, static_cast<std::ptrdiff_t>(leading_dimension), 1};
}

/// Lines side by side, `pitch` elements from one to the next.
template <class T>
struct lines_of {
  T* data;
  std::size_t pitch;
  TWOFOLD_FUNCTION T* line(std::size_t l) const { return data + l * pitch; }
};

/// What one 16-byte access moves.
template <class T>
struct alignas(16) pack16 {
  static constexpr unsigned size = 16 / sizeof(T);
  T element[size];
};

/// Which dimension of a set of matrices lies side by side in all of them.
enum class orientation { rows, columns, neither };

/// Where both do (a single column that is packed, say), the longer lines.
template <class... M>
orientation orientation_of(const M&... m) {
  const bool rows = (m.has_packed_rows() && ...);
  const bool columns = (m.transposed().has_packed_rows() && ...);
  if (rows && columns) return ((m.rows > m.columns) && ...) ? orientation::columns : orientation::rows;
  return rows ? orientation::rows : columns ? orientation::columns : orientation::neither;
}

/// Whether some element of `a` is an element of `b`. Exact where both step alike from row to row and from column to
/// column; elsewhere true as soon as the one lies in the span of the other.
template <class A, class B>
bool overlap(const matrix<A>& a, const matrix<B>& b) {
  if (a.empty() || b.empty()) return false;
  const auto begin = [](const auto& m) { return reinterpret_cast<std::intptr_t>(m.data); };
  const auto span = [](const auto& m) {
    return (static_cast<std::ptrdiff_t>(m.rows - 1) * m.row_stride +
            static_cast<std::ptrdiff_t>(m.columns - 1) * m.column_stride + 1) *
           static_cast<std::ptrdiff_t>(sizeof(*m.data));
  };
  if (begin(a) + span(a) <= begin(b) || begin(b) + span(b) <= begin(a)) return false;

  // A stride along which there is one element only is no stride.
  const auto same = [](std::ptrdiff_t s, std::size_t n, std::ptrdiff_t t, std::size_t m) {
    return s == t || n == 1 || m == 1;
  };
  const bool alike = sizeof(A) == sizeof(B) && same(a.row_stride, a.rows, b.row_stride, b.rows) &&
                     same(a.column_stride, a.columns, b.column_stride, b.columns);
  if (!alike) return true;
  // Where neither has a second row (column), any stride will do that steps over the other dimension.
  const auto extent_along = [](std::size_t n, std::size_t m, std::ptrdiff_t s, std::ptrdiff_t t) {
    return static_cast<std::ptrdiff_t>(n > m ? n : m) * (s > t ? s : t) + 1;
  };
  std::ptrdiff_t p = a.rows > 1   ? a.row_stride
                     : b.rows > 1 ? b.row_stride
                                  : extent_along(a.columns, b.columns, a.column_stride, b.column_stride);
  std::ptrdiff_t q = a.columns > 1   ? a.column_stride
                     : b.columns > 1 ? b.column_stride
                                     : extent_along(a.rows, b.rows, a.row_stride, b.row_stride);
  std::ptrdiff_t rows_a = a.rows, rows_b = b.rows, columns_a = a.columns, columns_b = b.columns;
  if (p < q) {
    std::swap(p, q);
    std::swap(rows_a, columns_a);
    std::swap(rows_b, columns_b);
  }
  const std::ptrdiff_t bytes = begin(b) - begin(a);
  if (bytes % static_cast<std::ptrdiff_t>(sizeof(A)) != 0 || q <= 0 || p <= 0) return true;
  const std::ptrdiff_t distance = bytes / static_cast<std::ptrdiff_t>(sizeof(A));
  // distance = di p + dj q with steps di, dj that some pair of elements makes?
  const auto some = [](std::ptrdiff_t d, std::ptrdiff_t n_a, std::ptrdiff_t n_b) {
    return -n_b < d && d < n_a;
  };
  const std::ptrdiff_t down = distance / p - (distance % p < 0);
  const std::ptrdiff_t widest = (columns_a > columns_b ? columns_a : columns_b) * q / p + 1;
  if (widest > 8) return true;  // rows that run into one another: not worth an exact answer
  for (std::ptrdiff_t di = down - widest; di <= down + widest + 1; ++di) {
    const std::ptrdiff_t rest = distance - di * p;
    if (rest % q == 0 && some(di, rows_a, rows_b) && some(rest / q, columns_a, columns_b)) return true;
  }
  return false;
}

}  // namespace twofold::backends
