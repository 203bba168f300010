// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/fold_device.hpp>

#include <bit>
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

/// Chunks that one team takes at most where elements are computed: what it learns of its lanes serves all of them, and
/// their trees share a barrier. As many as 48 KiB on chip allow.
template <class Source>
inline constexpr unsigned most_chunks_of_team = sizeof(typename Source::accumulator) > 4 ? 8 : 16;

/// Which chunks of computed elements a team takes. Short chunks have a team each, or more. Of long ones, two teams fit on a
/// multiprocessor; they are its places. Teams of as many chunks as possible fill them for as long as there are enough chunks,
/// then come teams of fewer, the same for every place, and what is left then, if it is at most half a chunk a place, one by
/// one: so that at the end few places have nothing to do. (One H200, x * x + 1 of floats: 2128 chunks, sixteen more than 264
/// teams of eight, took 19.5 us in teams of eight and take 15.0.) Where the teams of fewer lie in two groups, their chunks are
/// a power of two, and the last round may be less even.
struct dealt_chunks {
  unsigned most;     // chunks of each of the first teams,
  unsigned whole;    // which are so many
  unsigned several;  // chunks of each of the teams behind them,
  unsigned shared;   // up to this one; the others have one each
  unsigned teams;    // all of them

  template <unsigned Rows>
  static dealt_chunks of(const fold_levels& levels, unsigned most, unsigned multiprocessors) {
    if (Rows == fold_order::short_rows) return {most, 0, 1, 0, levels.parts()};
    const unsigned places = 2 * multiprocessors;
    const unsigned whole = levels.chunks / (places * most) * places;
    const unsigned rest = levels.chunks - whole * most;
    unsigned several = rest / places, left = rest % places;
    if (2 * left > places) {
      ++several;
      left = 0;
    }
    // No team has chunks of two groups: `most` divides a group, and so does any power of two below it.
    if (several > 1 && levels.group_of(whole * most) != levels.group_of(levels.chunks - 1 - left)) {
      several = std::bit_ceil(several);
      left = 0;
    }
    if (several <= 1) return {most, whole, 1, whole, whole + rest};
    const unsigned shared = (rest - left + several - 1) / several;
    return {most, whole, several, whole + shared, whole + shared + left};
  }
  /// Chunks of the largest team.
  unsigned largest() const { return whole > 0 ? most : several; }
  /// Whether every team has one chunk, or a part of one.
  TWOFOLD_FUNCTION bool one_each() const { return shared == 0; }
  TWOFOLD_FUNCTION unsigned first_of(unsigned team) const {
    if (team <= whole) return team * most;
    if (team <= shared) return whole * most + (team - whole) * several;
    return whole * most + (shared - whole) * several + (team - shared);
  }
  /// The last of those with several may find fewer.
  TWOFOLD_FUNCTION unsigned count_of(unsigned team) const {
    return team < whole ? most : team < shared ? several : 1;
  }
};

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
/// in place k ^ L % 16 of its 16, so that no two of 16 threads, which is as many as 16 times 8 bytes serve at once, meet in a
/// memory bank; of values of 4 bytes, which 32 threads read at once, k ^ L / 2.
inline constexpr unsigned values_per_thread = team_threads / 32;
template <class A>
TWOFOLD_FUNCTION unsigned value_slot(unsigned thread) {
  constexpr unsigned neighbours = sizeof(A) > 4 ? 1 : 2;
  return thread ^ (thread / (neighbours * values_per_thread) % values_per_thread);
}
/// The part of one of 32 threads; their parts are neighbours in the tree.
template <class A>
TWOFOLD_FUNCTION A fold_thread_of_values(const A* values, unsigned thread) {
  A v[values_per_thread];
  TWOFOLD_UNROLL
  for (unsigned k = 0; k < values_per_thread; ++k)
    v[k] = values[value_slot<A>(values_per_thread * thread + k)];
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

/// What a thread of a team makes of `of_team` chunks from chunk `first` on, of `chunks` for n computed elements: use(value) for
/// each of those that exist, in turn. It is thread `thread` of a chunk, and `rank` of its team, which is another number where
/// teams share a chunk. barrier() makes what the team wrote into `rooms` visible to all of it.
template <unsigned Rows, class Source, class Barrier, class Use>
TWOFOLD_FUNCTION void fold_thread_of_chunks(const Source& source, std::size_t n, unsigned chunks,
                                            unsigned first, unsigned of_team, unsigned thread, unsigned rank,
                                            const chunk_rooms<Source>& rooms, const Barrier& barrier,
                                            const Use& use) {
  constexpr std::size_t chunk = Rows * fold_order::lanes;
  constexpr unsigned L = lanes_per_thread;
  using pack = row_pack<Source>;
  constexpr unsigned packs = Rows / pack::rows;  // of a chunk
  static_assert(Rows * most_chunks_of_team<Source> <= team_threads);
  static_assert(fold_order::short_rows <= team_threads >> fold_levels::log_most_parts);
  const std::size_t begin = first * chunk;
  if (rank < Rows * of_team) {
    rooms.rows[rank / pack::rows].row[rank % pack::rows] = source.base(begin + rank * fold_order::lanes);
  }
  typename chunk_rooms<Source>::offsets offsets;
  TWOFOLD_UNROLL
  for (unsigned k = 0; k < L; ++k) offsets.element[k] = source.lane(L * thread + k).value;
  if constexpr (Source::keeps_offsets) rooms.kept[rank] = offsets;
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
      if constexpr (Source::keeps_offsets) offsets = rooms.kept[rank];
      use(fold_thread_inside<Rows>(source, rooms.rows, next, offsets));
    }
    if (next >= here * packs) return;
    if constexpr (Source::keeps_offsets) offsets = rooms.kept[rank];
    use(fold_thread_at_end<Rows>(source, rooms.rows + next, n,
                                 begin + next * (pack::rows * fold_order::lanes), thread, offsets));
    next += packs;
  }
}

}  // namespace twofold::backends
