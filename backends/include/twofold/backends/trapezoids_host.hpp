// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/fold_order.hpp>

#include <cstddef>

/// @file
/// How the library and the loop over the caller's function take turns on a chunk of an integral.

namespace twofold::backends::host {

/// One chunk of an integral, walked in strips of neighbouring lanes, each over all rows of the chunk. The library writes a
/// strip's abscissae to `x`, the caller replaces each by the value of f there, and the library folds them: a strip's lanes
/// are complete then and never leave registers before the tree has folded them.
template <class T>
struct trapezoid_walk {
  /// Elements of a strip at most: 16 KiB stay in any L1 with all else that is touched. One row fits in whole.
  static constexpr std::size_t room = 16384 / sizeof(T);
  static_assert(room >= fold_order::lanes);
  /// As many lanes as a vector has elements leave one sum, and no vector has less than 16 bytes.
  static constexpr std::size_t most_sums = fold_order::lanes * sizeof(T) / 16;

  // What the caller sets.
  T a, b;
  double h;            // width of a trapezoid
  std::size_t start;   // index of the chunk's first abscissa
  std::size_t count;   // abscissae of the chunk, 1 to 16 rows
  bool to_end;         // the last of them is b
  std::size_t filled;  // abscissae in x: the caller sets 0 before the first strip, the library the rest

  // The library's.
  T sum;
  std::size_t rows;      // full rows
  std::size_t rest;      // elements of the row after them
  std::size_t lane;      // the first of the strip in x
  std::size_t of_strip;  // lanes
  T base[fold_order::long_rows];
  T low[fold_order::long_rows];
  alignas(64) T sums[most_sums];
  alignas(64) T x[room];
};

/// Folds the values that lie in `x`, if any do, and writes the abscissae of the next strip there. Returns their number;
/// or 0 when the whole chunk is folded, into `sum`.
std::size_t next_strip(trapezoid_walk<float>& walk);
std::size_t next_strip(trapezoid_walk<double>& walk);

}  // namespace twofold::backends::host
