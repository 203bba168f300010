// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/fold_order.hpp>
#include <twofold/backends/sources.hpp>

#include <cstddef>

/// @file
/// What one GPU thread does in a chunk, the same for the portable and the native kernel: add its four
/// lanes' elements row by row, many loads in flight, then fold the four. Everything across threads (and
/// with it the difference between the paths) is in core/ and cuda_native/.

namespace twofold::backends {

/// Lanes of one thread; a team of `team_threads` covers a row.
inline constexpr unsigned lanes_per_thread = 4;
inline constexpr unsigned team_threads = fold_order::lanes / lanes_per_thread;

/// A fold over more chunks than this folds them in groups, each by the last team of the group, so that no
/// single team walks them all at the end. The group is the chunk of the next level, so bits do not change.
struct fold_levels {
  std::size_t chunks;  // of the elements: the teams of the kernel
  std::size_t group;   // chunks per group
  std::size_t groups;  // chunk results of the next level

  TWOFOLD_FUNCTION static fold_levels of(std::size_t n) {
    const std::size_t chunks = fold_order::chunk_count(n);
    return {chunks, fold_order::chunk_size(chunks), fold_order::chunk_count(chunks)};
  }
};

/// Calls run.operator()<Rows, Packed>() with what fits n elements of `source`: decided here for both paths.
template <class Source, class Run>
void with_shape(const Source& source, std::size_t n, Run&& run) {
  constexpr unsigned s = fold_order::short_rows, l = fold_order::long_rows;
  const bool is_short = n <= fold_order::longest_short;
  if constexpr (loads_packs<Source>) {
    if (source.packed()) {
      is_short ? run.template operator()<s, true>() : run.template operator()<l, true>();
      return;
    }
  }
  is_short ? run.template operator()<s, false>() : run.template operator()<l, false>();
}

/// Bytes of elements that a thread loads before it uses the first.
inline constexpr unsigned bytes_in_flight_per_thread = 256;

template <class Source>
inline constexpr unsigned rows_in_flight = [] {
  const unsigned per_row = lanes_per_thread * sizeof(typename Source::element);
  const unsigned rows = bytes_in_flight_per_thread / per_row;
  return rows < 1 ? 1u : rows > fold_order::long_rows ? fold_order::long_rows : rows;
}();

namespace detail {

template <class Source, class Four>
TWOFOLD_FUNCTION void add_four(typename Source::accumulator (&lanes)[lanes_per_thread], const Four& four) {
  if constexpr (requires { four.y; }) {
    TWOFOLD_UNROLL
    for (unsigned k = 0; k < lanes_per_thread; ++k) {
      lanes[k] = Source::with(lanes[k], typename Source::element{four.x.element[k], four.y.element[k]});
    }
  } else {
    TWOFOLD_UNROLL
    for (unsigned k = 0; k < lanes_per_thread; ++k) lanes[k] = Source::with(lanes[k], four.element[k]);
  }
}

}  // namespace detail

/// The folded lanes 4t .. 4t + 3 of thread t, over `count` elements from `start` on, at most `Rows` rows.
/// `Packed`: the source allows 16-byte loads.
template <unsigned Rows, bool Packed, class Source>
TWOFOLD_FUNCTION typename Source::accumulator fold_thread(const Source& source, std::size_t start,
                                                          std::size_t count, unsigned thread) {
  using A = typename Source::accumulator;
  constexpr unsigned L = lanes_per_thread;
  const unsigned first = L * thread;
  A lanes[L];
  TWOFOLD_UNROLL
  for (unsigned k = 0; k < L; ++k) lanes[k] = nothing<A>();

  if (count == Rows * fold_order::lanes) {
    constexpr unsigned in_flight = rows_in_flight<Source> < Rows ? rows_in_flight<Source> : Rows;
    if constexpr (Packed) {
      TWOFOLD_DO_NOT_UNROLL  // unrolled, all rows' loads are hoisted and spill
      for (unsigned r = 0; r < Rows; r += in_flight) {
        decltype(source.load4(source.row(start), first)) four[in_flight];
        TWOFOLD_UNROLL
        for (unsigned u = 0; u < in_flight; ++u) {
          four[u] = source.load4(source.row(start + (r + u) * fold_order::lanes), first);
        }
        TWOFOLD_UNROLL
        for (unsigned u = 0; u < in_flight; ++u) detail::add_four<Source>(lanes, four[u]);
      }
    } else {
      const decltype(source.lane(0)) lane[L] = {source.lane(first), source.lane(first + 1),
                                                source.lane(first + 2), source.lane(first + 3)};
      TWOFOLD_UNROLL
      for (unsigned r = 0; r < Rows; ++r) {
        const auto row = source.row(start + r * fold_order::lanes);
        TWOFOLD_UNROLL
        for (unsigned k = 0; k < L; ++k) lanes[k] = Source::with(lanes[k], source.load(row, lane[k]));
      }
    }
  } else {
    TWOFOLD_UNROLL
    for (unsigned r = 0; r < Rows; ++r) {
      const std::size_t begin = r * fold_order::lanes + first;
      if (begin < count) {
        const auto row = source.row(start + r * fold_order::lanes);
        bool whole = false;
        if constexpr (Packed) {
          whole = begin + L <= count;
          if (whole) detail::add_four<Source>(lanes, source.load4(row, first));
        }
        if (!whole) {
          TWOFOLD_UNROLL
          for (unsigned k = 0; k < L; ++k) {
            if (begin + k < count) {
              lanes[k] = Source::with(lanes[k], source.load(row, source.lane(first + k)));
            }
          }
        }
      }
    }
  }
  return combine(combine(lanes[0], lanes[1]), combine(lanes[2], lanes[3]));
}

}  // namespace twofold::backends
