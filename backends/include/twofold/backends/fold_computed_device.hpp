// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/fold_device.hpp>

#include <cstddef>

/// @file
/// What one GPU thread does in chunks of elements that are computed, not loaded, the same for the portable and the native
/// kernel. Instructions are the limit there, so that whatever is not an element is made once for many of them: bases of rows
/// and offsets of lanes once a team, for several chunks, in memory on chip.
///
/// Asked of a source beside what all sources have (trapezoids.hpp is one):
///   row_base, base(start)         what elements inside a row share
///   lane(j).value, keeps_offsets  what an element has of its lane, and whether that is kept on chip
///   inside(base, offset)          an element that is no end
///   row_start, load_until_b(...)  a row with ends, and an element of it, or nothing behind the last

namespace twofold::backends {

/// Whether elements are computed, not loaded. What such a source needs to know of a row is worth computing once for a
/// team: its threads then read it from memory on chip. (A row's base of trapezoids of floats is six conversions and additions
/// of doubles, most at an eighth of the rate of an addition of floats, for four elements of a thread.)
template <class Source>
inline constexpr bool computes_elements = requires { typename Source::row_start; };

/// Chunks that one team takes where elements are computed: what it learns of its lanes serves all of them, and their trees
/// share a barrier. Only where there are teams for every multiprocessor all the same. As many as 48 KiB on chip allow.
template <class Source>
inline constexpr unsigned most_chunks_of_team = sizeof(typename Source::accumulator) > 4 ? 8 : 16;
template <class Source>
unsigned chunks_of_team(const fold_levels& levels) {
  constexpr unsigned enough = 256;  // teams
  unsigned chunks = 1;
  if constexpr (computes_elements<Source>) {
    while (chunks < most_chunks_of_team<Source> && levels.chunks >= 2 * chunks * enough) chunks *= 2;
  }
  return chunks;
}

/// What a thread needs of rows that hold no end, packed for loads of 16 bytes on chip.
template <class Source>
struct alignas(16) row_pack {
  using base = typename Source::row_base;
  static constexpr unsigned rows = 16 / sizeof(base);
  base row[rows];
};

/// The folded lanes 4t .. 4t + 3 of thread t over a chunk that holds neither the first element nor the last. Its rows' bases
/// begin at rows[next]; `next` moves on to the chunk behind.
template <unsigned Rows, class Source>
TWOFOLD_FUNCTION typename Source::accumulator fold_thread_inside(
    const Source& source, const row_pack<Source>* rows, unsigned& next,
    const pack4<typename Source::element>& offsets) {
  using A = typename Source::accumulator;
  using pack = row_pack<Source>;
  constexpr unsigned group = at_most(4, Rows) / pack::rows;
  static_assert(Rows % (group * pack::rows) == 0);
  A lanes[lanes_per_thread];
  TWOFOLD_UNROLL
  for (unsigned k = 0; k < lanes_per_thread; ++k) lanes[k] = nothing<A>();
  // Left to the compiler, which makes one piece of it where f is short, and a loop where it is long.
  for (unsigned g = 0; g < Rows / (pack::rows * group); ++g) {
    TWOFOLD_UNROLL
    for (unsigned u = 0; u < group; ++u) {
      const pack now = rows[next + u];
      TWOFOLD_UNROLL
      for (unsigned i = 0; i < pack::rows; ++i) {
        TWOFOLD_UNROLL
        for (unsigned k = 0; k < lanes_per_thread; ++k)
          lanes[k] = Source::with(lanes[k], source.inside(now.row[i], offsets.element[k]));
      }
    }
    next += group;
  }
  return combine(combine(lanes[0], lanes[1]), combine(lanes[2], lanes[3]));
}

/// The same over the chunk from element `start` on that holds the first element, the last or both; lanes behind the last
/// stay as they are. One row at a time: more would take registers from the chunks above.
template <unsigned Rows, class Source>
TWOFOLD_FUNCTION typename Source::accumulator fold_thread_at_end(
    const Source& source, const row_pack<Source>* rows, std::size_t n, std::size_t start, unsigned thread,
    const pack4<typename Source::element>& offsets) {
  using A = typename Source::accumulator;
  using pack = row_pack<Source>;
  constexpr std::size_t chunk = Rows * fold_order::lanes;
  const unsigned last = static_cast<unsigned>(n - start < chunk ? n - start : chunk) - 1;
  const bool has_a = start == 0, has_b = n - start <= chunk;
  const unsigned last_row = last / fold_order::lanes;
  A lanes[lanes_per_thread];
  TWOFOLD_UNROLL
  for (unsigned k = 0; k < lanes_per_thread; ++k) lanes[k] = nothing<A>();
  TWOFOLD_DO_NOT_UNROLL
  for (unsigned r = 0; r <= last_row; ++r) {
    const auto base = rows[r / pack::rows].row[r % pack::rows];
    const bool with_a = has_a && r == 0, with_b = has_b && r == last_row;
    if (!with_a && !with_b) {
      TWOFOLD_UNROLL
      for (unsigned k = 0; k < lanes_per_thread; ++k)
        lanes[k] = Source::with(lanes[k], source.inside(base, offsets.element[k]));
    } else {
      const typename Source::row_start row{
          base, with_a ? 0 : Source::no_lane,
          with_b ? static_cast<unsigned>(last % fold_order::lanes) : Source::no_lane};
      TWOFOLD_UNROLL
      for (unsigned k = 0; k < lanes_per_thread; ++k)
        lanes[k] = Source::with(
            lanes[k], source.load_until_b(row, {lanes_per_thread * thread + k, offsets.element[k]}));
    }
  }
  return combine(combine(lanes[0], lanes[1]), combine(lanes[2], lanes[3]));
}

/// What the threads of a team have of a chunk lies on chip, and 32 threads fold it, 16 neighbours each: value k of thread L's
/// in place k ^ L % 16 of its 16, so that at most two of the 32 meet in a memory bank.
inline constexpr unsigned values_per_thread = team_threads / 32;
TWOFOLD_FUNCTION unsigned value_slot(unsigned thread) {
  return thread ^ (thread / values_per_thread % values_per_thread);
}
/// The part of one of 32 threads; their parts are neighbours in the tree.
template <class A>
TWOFOLD_FUNCTION A fold_thread_of_values(const A* values, unsigned thread) {
  A v[values_per_thread];
  TWOFOLD_UNROLL
  for (unsigned k = 0; k < values_per_thread; ++k) v[k] = values[value_slot(values_per_thread * thread + k)];
  return fold_array<values_per_thread>(v);
}

/// Memory on chip for what a team learns of its chunks of computed elements before it folds them.
template <class Source>
struct chunk_rooms {
  using offsets = pack4<typename Source::element>;
  static constexpr unsigned offset_packs = Source::keeps_offsets ? team_threads : 0;

  row_pack<Source>* rows;  // of all chunks
  offsets* kept;           // the lanes' offsets, a pack per thread, or nothing

  TWOFOLD_FUNCTION static constexpr unsigned row_packs(unsigned rows_of_chunks) {
    return rows_of_chunks / row_pack<Source>::rows;
  }
};

/// What thread `thread` of a team makes of `of_team` chunks from chunk `first` on, of `chunks` for n computed elements:
/// use(value) for each of those that exist, in turn. barrier() makes what the team wrote into `rooms` visible to all of it.
template <unsigned Rows, class Source, class Barrier, class Use>
TWOFOLD_FUNCTION void fold_thread_of_chunks(const Source& source, std::size_t n, unsigned chunks,
                                            unsigned first, unsigned of_team, unsigned thread,
                                            const chunk_rooms<Source>& rooms, const Barrier& barrier,
                                            const Use& use) {
  constexpr std::size_t chunk = Rows * fold_order::lanes;
  constexpr unsigned L = lanes_per_thread;
  using pack = row_pack<Source>;
  constexpr unsigned packs = Rows / pack::rows;  // of a chunk
  static_assert(Rows * most_chunks_of_team<Source> <= team_threads);
  const std::size_t begin = first * chunk;
  if (thread < Rows * of_team) {
    rooms.rows[thread / pack::rows].row[thread % pack::rows] =
        source.base(begin + thread * fold_order::lanes);
  }
  typename chunk_rooms<Source>::offsets offsets;
  TWOFOLD_UNROLL
  for (unsigned k = 0; k < L; ++k) offsets.element[k] = source.lane(L * thread + k).value;
  if constexpr (Source::keeps_offsets) rooms.kept[thread] = offsets;
  // Counted in row packs, as the loop over a chunk does: what is asked between two chunks costs as much as some elements.
  const unsigned here = chunks - first < of_team ? chunks - first : of_team;
  const unsigned inside =
      (first + here == chunks ? here - 1 : here) * packs;  // up to the chunk with the last element
  barrier();                                               // the rows are there
  unsigned next = 0;
  TWOFOLD_DO_NOT_UNROLL
  for (unsigned until = first == 0 ? 0 : inside;; until = inside) {
    TWOFOLD_DO_NOT_UNROLL
    while (next < until) {
      if constexpr (Source::keeps_offsets) offsets = rooms.kept[thread];
      use(fold_thread_inside<Rows>(source, rooms.rows, next, offsets));
    }
    if (next >= here * packs) return;
    if constexpr (Source::keeps_offsets) offsets = rooms.kept[thread];
    use(fold_thread_at_end<Rows>(source, rooms.rows + next, n,
                                 begin + next * (pack::rows * fold_order::lanes), thread, offsets));
    next += packs;
  }
}

}  // namespace twofold::backends
