// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/annotate.hpp>

#include <cstddef>

/// @file
/// Order 1: which elements a fold adds to which, as a function of the element count alone.
/// The specification in prose is docs/fold_order.md. Changing a number here is a breaking change.
///
/// The shape was chosen by a sweep on one H200 (CUDA 13.0): with 2048 lanes a chunk of 16 rows is the
/// fastest for large counts (4591 GB/s for 2^30 floats), one of 4 rows up to 2^21 (4.5 us at 2^20).

namespace twofold::fold_order {

/// Elements of a row: one per virtual lane.
inline constexpr std::size_t lanes = 2048;

/// Rows of a chunk for short inputs.
inline constexpr unsigned short_rows = 4;
/// Rows of a chunk for long inputs.
inline constexpr unsigned long_rows = 16;

/// The largest count that is folded in chunks of `short_rows`.
inline constexpr std::size_t longest_short = std::size_t{1} << 21;

/// Rows of a chunk of n elements.
TWOFOLD_FUNCTION constexpr unsigned rows_per_chunk(std::size_t n) {
  return n <= longest_short ? short_rows : long_rows;
}

/// Elements of a chunk of n elements; the last chunk may have fewer.
TWOFOLD_FUNCTION constexpr std::size_t chunk_size(std::size_t n) { return lanes * rows_per_chunk(n); }

/// Chunks of n elements. By constants: divisions by a number that is not one were a good part of a short fold.
TWOFOLD_FUNCTION constexpr std::size_t chunk_count(std::size_t n) {
  const std::size_t whole = n <= longest_short ? n / (lanes * short_rows) : n / (lanes * long_rows);
  return whole + (whole * chunk_size(n) != n);
}

/// Chunk results of all levels together: those of n elements, those of these results, and so on to one.
TWOFOLD_FUNCTION constexpr std::size_t partial_count(std::size_t n) {
  std::size_t total = 0;
  while (n > 1) {
    n = chunk_count(n);
    total += n;
  }
  return total == 0 ? 1 : total;
}

}  // namespace twofold::fold_order
