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
/// Made on the host and passed to the kernel: every team would pay for the divisions otherwise.
struct fold_levels {
  unsigned chunks;            // of the elements
  unsigned groups;            // chunk results of the next level
  unsigned log_parts;         // of the teams that share a chunk, see spread_over()
  unsigned char group_shift;  // chunks per group, a power of two
  // Whether a group's chunks lie in short rows or long ones: all of them say so, not the group.
  bool short_groups;

  static fold_levels of(std::size_t n) {
    const std::size_t chunks = fold_order::chunk_count(n);
    const std::size_t group = fold_order::chunk_size(chunks);
    static_assert(
        (fold_order::lanes * fold_order::short_rows & (fold_order::lanes * fold_order::short_rows - 1)) ==
            0 &&
        (fold_order::lanes * fold_order::long_rows & (fold_order::lanes * fold_order::long_rows - 1)) == 0);
    unsigned shift = 0;
    while (std::size_t{1} << shift < group) ++shift;
    return {static_cast<unsigned>(chunks), static_cast<unsigned>(fold_order::chunk_count(chunks)), 0,
            static_cast<unsigned char>(shift), chunks <= fold_order::longest_short};
  }

  /// Of n elements: deals every short chunk to two or four teams, each with neighbouring lanes of it, as long as each team
  /// finds a multiprocessor of its own: a few chunks would leave most of them idle. The tree over the lanes of a chunk goes
  /// on as the tree over chunks, so what the teams have is folded as if they were so many chunks: 32 threads must be able
  /// to. (One H200, as nodes of a graph: dot of 2^15 doubles 3.03 us -> 2.34.)
  void spread_over(unsigned multiprocessors, unsigned few, std::size_t n) {
    const unsigned most = multiprocessors < few ? multiprocessors : few;
    if (chunks == 1 || n > fold_order::longest_short) return;
    while (log_parts < log_most_parts && parts() * 2 <= most) ++log_parts;
  }
  static constexpr unsigned log_most_parts = 2;
  /// Chunks, or the parts of them that teams share.
  TWOFOLD_FUNCTION unsigned parts() const { return chunks << log_parts; }
  /// Threads of a team.
  TWOFOLD_FUNCTION unsigned threads() const { return team_threads >> log_parts; }

  TWOFOLD_FUNCTION unsigned group_of(unsigned chunk) const { return chunk >> group_shift; }
  TWOFOLD_FUNCTION unsigned first_of(unsigned group) const { return group << group_shift; }
  TWOFOLD_FUNCTION unsigned members_of(unsigned group) const {
    const unsigned rest = chunks - first_of(group), whole = 1u << group_shift;
    return rest < whole ? rest : whole;
  }
};

/// Which chunk a thread of a team works in, and which of the chunk's threads it is. Kernels read this from `levels`, beside
/// what they read anyway: the size of a grid or of a block lies elsewhere, and asking for it takes 0.05 us.
struct place_in_chunks {
  unsigned chunk, thread;
};
template <unsigned Rows>
TWOFOLD_FUNCTION place_in_chunks place_of(const fold_levels& levels, unsigned team, unsigned rank) {
  if constexpr (Rows == fold_order::short_rows) {
    return {team >> levels.log_parts, ((team * team_threads) >> levels.log_parts) % team_threads + rank};
  } else {
    return {team, rank};  // long chunks are not shared
  }
}

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

/// Rows whose elements a thread loads before it uses the first, for `Bytes` of them in flight a thread.
template <class Source, unsigned Bytes>
inline constexpr unsigned rows_in_flight = [] {
  const unsigned per_row = lanes_per_thread * sizeof(typename Source::element);
  const unsigned rows = Bytes / per_row;
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

/// The `Group` whole rows from `start` on, all loaded before the first is used.
template <unsigned Group, class Source>
TWOFOLD_FUNCTION void add_rows(const Source& source, typename Source::accumulator (&lanes)[lanes_per_thread],
                               std::size_t start, unsigned first) {
  constexpr unsigned L = lanes_per_thread;
  typename Source::element e[Group][L];
  TWOFOLD_UNROLL
  for (unsigned u = 0; u < Group; ++u) {
    const auto row = source.row(start + u * fold_order::lanes);
    TWOFOLD_UNROLL
    for (unsigned k = 0; k < L; ++k) e[u][k] = source.load(row, source.lane(first + k));
  }
  TWOFOLD_UNROLL
  for (unsigned u = 0; u < Group; ++u) {
    TWOFOLD_UNROLL
    for (unsigned k = 0; k < L; ++k) lanes[k] = Source::with(lanes[k], e[u][k]);
  }
}

}  // namespace detail

/// The folded lanes 4t .. 4t + 3 of thread t, over `count` elements from `start` on, at most `Rows` rows, `InFlight`
/// of them loaded before the first is used. `Packed`: the source allows 16-byte loads.
template <unsigned Rows, bool Packed, unsigned InFlight, class Source>
TWOFOLD_FUNCTION typename Source::accumulator fold_thread(const Source& source, std::size_t start,
                                                          std::size_t count, unsigned thread) {
  using A = typename Source::accumulator;
  constexpr unsigned L = lanes_per_thread;
  constexpr unsigned group = at_most(InFlight, Rows);
  static_assert(Rows % group == 0);
  const unsigned first = L * thread;
  A lanes[L];
  TWOFOLD_UNROLL
  for (unsigned k = 0; k < L; ++k) lanes[k] = nothing<A>();

  // Groups of rows stay a loop: unrolled, the compiler hoists the loads of all rows and spills.
  TWOFOLD_DO_NOT_UNROLL
  for (unsigned r = 0; r < Rows; r += group) {
    const std::size_t begin = r * fold_order::lanes;
    if (count >= begin + group * fold_order::lanes) {
      if constexpr (Packed) {
        decltype(source.load4(source.row(start), first)) four[group];
        TWOFOLD_UNROLL
        for (unsigned u = 0; u < group; ++u) {
          four[u] = source.load4(source.row(start + begin + u * fold_order::lanes), first);
        }
        TWOFOLD_UNROLL
        for (unsigned u = 0; u < group; ++u) detail::add_four<Source>(lanes, four[u]);
      } else {
        detail::add_rows<group>(source, lanes, start + begin, first);
      }
    } else {
      TWOFOLD_UNROLL
      for (unsigned u = 0; u < group; ++u) {
        const std::size_t i = begin + u * fold_order::lanes + first;
        if (i >= count) continue;
        const auto row = source.row(start + (r + u) * fold_order::lanes);
        bool whole = false;
        if constexpr (Packed) {
          whole = i + L <= count;
          if (whole) detail::add_four<Source>(lanes, source.load4(row, first));
        }
        if (!whole) {
          TWOFOLD_UNROLL
          for (unsigned k = 0; k < L; ++k) {
            if (i + k < count) lanes[k] = Source::with(lanes[k], source.load(row, source.lane(first + k)));
          }
        }
      }
    }
  }
  return combine(combine(lanes[0], lanes[1]), combine(lanes[2], lanes[3]));
}

/// The balanced tree over N neighbours, all loaded before the first addition.
template <unsigned N, class A>
TWOFOLD_FUNCTION A fold_array(const A* from) {
  A v[N];
  TWOFOLD_UNROLL
  for (unsigned k = 0; k < N; ++k) v[k] = from[k];
  TWOFOLD_UNROLL
  for (unsigned count = N / 2; count > 0; count /= 2) {
    TWOFOLD_UNROLL
    for (unsigned k = 0; k < N / 2; ++k) {
      if (k < count) v[k] = combine(v[2 * k], v[2 * k + 1]);
    }
  }
  return v[0];
}

/// Chunk results, or results of the parts of chunks that teams share, that 32 neighbouring threads fold without the rest of
/// their team, and without a barrier: those of nearly all inputs that a launch takes longer than.
template <class A>
inline constexpr unsigned few_chunks = sizeof(A) > 8 ? 128 : 512;

/// The part of thread `thread`, N of them, in `count` values.
template <unsigned N, class A>
TWOFOLD_FUNCTION A fold_some(const A* partials, unsigned count, unsigned thread) {
  A v[N];
  TWOFOLD_UNROLL
  for (unsigned k = 0; k < N; ++k) v[k] = thread * N + k < count ? partials[thread * N + k] : nothing<A>();
  if constexpr (N == 1) {
    return v[0];
  } else {
    return fold_array<N>(v);
  }
}

/// The part of one of 32 threads in `count` chunk results; their parts are neighbours in the tree.
template <class A>
TWOFOLD_FUNCTION A fold_thread_of_few(const A* partials, unsigned count, unsigned thread) {
  if (count <= 32) return fold_some<1>(partials, count, thread);
  if (few_chunks<A> == 128 || count <= 128) return fold_some<4>(partials, count, thread);
  return fold_some<few_chunks<A> / 32>(partials, count, thread);
}

/// A thread's part of partial results, for a team that has nothing else to do: two rows in flight keep it from raising the
/// register count of the kernel around it (with four it spills).
template <class A>
TWOFOLD_FUNCTION A fold_thread_of_partials(const A* partials, std::size_t start, std::size_t count,
                                           bool is_short, unsigned thread) {
  const partials_source<A> source{partials};
  return is_short ? fold_thread<fold_order::short_rows, false, 2>(source, start, count, thread)
                  : fold_thread<fold_order::long_rows, false, 2>(source, start, count, thread);
}

}  // namespace twofold::backends
