// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/error.hpp>
#include <twofold/backends/fold_computed_device.hpp>
#include <twofold/backends/fold_device.hpp>
#include <twofold/backends/fold_host.hpp>
#include <twofold/backends/kokkos/device.hpp>
#include <twofold/backends/kokkos/execution.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <string>

/// @file
/// The portable engine: folds any source in order 1 on any execution space of Kokkos.
/// On the host a chunk per work item; on a GPU a team per chunk, or more where they are few, and the last team folds what the
/// others left.

namespace twofold::portable_engine {

using backends::combine;

// ---- host -------------------------------------------------------------------------------------------

/// Folds chunk c of n elements.
template <class Source>
typename Source::accumulator folded_chunk(const Source& source, std::size_t n, std::size_t chunk,
                                          std::size_t c) {
  const std::size_t start = c * chunk;
  return backends::host::fold_chunk(source, start, n - start < chunk ? n - start : chunk);
}

template <class Source>
struct chunks_of {
  Source source;
  std::size_t n;
  std::size_t chunk;
  typename Source::accumulator* partials;

  void operator()(std::size_t c) const { partials[c] = folded_chunk(source, n, chunk, c); }
};

/// Whether the calling thread alone folds n elements sooner: a parallel region costs a microsecond or two. That much
/// time takes one core 256 KiB from its caches; how long a user's function takes nobody knows, so that few chunks count.
template <class Source>
constexpr bool too_few_for_threads(std::size_t n) {
  if constexpr (backends::loads_packs<Source>) {
    return n <= (std::size_t{1} << 18) / sizeof(typename Source::element);
  } else {
    return fold_order::chunk_count(n) < 4;
  }
}

/// Whether `exec` is one thread that could as well be this one: a region of one thread costs up to half a microsecond in
/// Kokkos. Profilers see the kernels that they came for.
template <class Exec>
bool is_one_thread(const Exec& exec) {
  if constexpr (backends::returns_when_done<Exec>) {
    return backends::threads_of(exec) == 1 && !Kokkos::Tools::profileLibraryLoaded();
  } else {
    return false;
  }
}

template <class Source, class Exec>
typename Source::accumulator fold_chunks(const char* label, const Exec& exec, const Source& source,
                                         std::size_t n) {
  using A = typename Source::accumulator;
  const std::size_t chunk = fold_order::chunk_size(n);
  const std::size_t chunks = fold_order::chunk_count(n);
  if (chunks == 1) return backends::host::fold_chunk(source, 0, n);

  // Chunk results of short inputs lie on the stack.
  constexpr std::size_t few = fold_order::partial_count(fold_order::longest_short);
  alignas(A) std::byte on_stack[few * sizeof(A)];
  backends::host_memory held;
  const std::size_t count_of_all = fold_order::partial_count(n);
  A* partials = count_of_all <= few ? reinterpret_cast<A*>(on_stack) : held.at_least<A>(count_of_all);
  if (too_few_for_threads<Source>(n) || is_one_thread(exec)) {
    // The source where it lies: a copy reads its members together, which the caller has just written one by one. Such a
    // read waits until they are in the cache, so that no call could begin before the one before it has ended.
    for (std::size_t c = 0; c < chunks; ++c) partials[c] = folded_chunk(source, n, chunk, c);
  } else {
    backends::for_each_index(label, exec, chunks, chunks_of<Source>{source, n, chunk, partials});
  }
  // The chunk results, by the same rule; few enough for one thread.
  std::size_t count = chunks;
  A last{};
  while (count > 1) {
    A* next = partials + count;
    const backends::partials_source<A> level{partials};
    const std::size_t nodes = fold_order::chunk_count(count);
    for (std::size_t c = 0; c < nodes; ++c) {
      next[c] = last = folded_chunk(level, count, fold_order::chunk_size(count), c);
    }
    partials = next;
    count = nodes;
  }
  return last;
}

// ---- device -----------------------------------------------------------------------------------------

/// Bytes of elements that a thread loads before it uses the first. On one H200, 2^28 floats, dot takes 473 us with
/// 128 and 517 us with 256, where the registers of the tree come on top; sum does not mind. A short chunk's bytes are all in
/// flight: nothing else covers their way, so that two turns take twice as long.
template <unsigned Rows>
inline constexpr unsigned bytes_in_flight = Rows == fold_order::short_rows ? 256 : 128;

/// The tree over neighbouring threads, `first` ranks apart, then twice as far, up to a distance of `end`, at most 32.
/// The first of them gets the result.
template <class A>
KOKKOS_FUNCTION A fold_neighbours(A value, unsigned first = 1, unsigned end = backends::neighbour_threads) {
  TWOFOLD_UNROLL
  for (unsigned distance = first; distance < end; distance *= 2) {
    value = combine(value, backends::from_neighbour(value, distance));
  }
  return value;
}

/// A team's scratch memory as one Room, all that a kernel has in it, and `more` bytes behind. Each request costs a team some
/// twenty instructions that wait for each other, before its first element.
template <class Room>
inline constexpr std::size_t room_bytes = sizeof(Room) + 16;
template <class Room, class Member>
KOKKOS_FUNCTION Room* room_of(const Member& team, std::size_t more = 0) {
  return static_cast<Room*>(
      team.team_scratch(0).get_shmem_aligned(static_cast<std::ptrdiff_t>(sizeof(Room) + more), 16));
}

/// The tree over the team's threads: 32 neighbours hand each other their values, and what they leave meets in team
/// scratch memory, behind one barrier.
template <class A>
struct team_tree {
  static constexpr unsigned threads = backends::team_threads;
  static constexpr unsigned nodes = threads / backends::neighbour_threads;

  /// In team scratch memory.
  struct room {
    alignas(A) std::byte slots[nodes * sizeof(A)];  // of the nodes, uninitialised
    int is_last;  // what thread 0 tells the others after it has counted its team
  };

  A* slots;
  int* is_last;

  KOKKOS_FUNCTION explicit team_tree(room& of)
      : slots(reinterpret_cast<A*>(of.slots)), is_last(&of.is_last) {}

  /// Thread 0 gets the result. The scratch may be used again after another barrier.
  template <class Member>
  KOKKOS_FUNCTION A fold(const Member& team, A value) const {
    const unsigned t = static_cast<unsigned>(team.team_rank());
    const A node = fold_neighbours(value);
    if (t % backends::neighbour_threads == 0) slots[t / backends::neighbour_threads] = node;
    team.team_barrier();  // all nodes are there
    return t == 0 ? backends::fold_array<nodes>(slots) : node;
  }

  /// The same in a team of fewer threads, as many as a power of two.
  template <class Member>
  KOKKOS_FUNCTION A fold_of(unsigned here, const Member& team, A value) const {
    const unsigned t = static_cast<unsigned>(team.team_rank());
    const A node = fold_neighbours(value);
    if (here == backends::neighbour_threads) return node;
    if (t % backends::neighbour_threads == 0) slots[t / backends::neighbour_threads] = node;
    team.team_barrier();  // all nodes are there
    return t == 0 ? backends::fold_some<nodes>(slots, here / backends::neighbour_threads, 0) : node;
  }
};

/// What the teams of a fold share, and what they do once they have folded chunks.
template <unsigned Rows, class Source, class Exec>
struct fold_results {
  using A = typename Source::accumulator;
  using member = typename Kokkos::TeamPolicy<Exec>::member_type;

  Source source;
  backends::fold_levels levels;
  A* partials;
  unsigned* counters;
  typename Source::result* result;

  static constexpr bool short_chunks = Rows == fold_order::short_rows;
  /// Results that the first 32 threads fold. None of the three parts of a norm of doubles in long chunks: Kokkos' loop over
  /// the league makes all that this code reads an invariant, which takes registers from the loop over elements. (One H200,
  /// 2^28 doubles: 553 us instead of 483.)
  static constexpr unsigned few = sizeof(A) > 8 && !short_chunks ? 1 : backends::few_chunks<A>;

  /// Which chunk this thread works in, and which of the chunk's threads it is.
  KOKKOS_FUNCTION backends::place_in_chunks place(const member& team) const {
    return backends::place_of<Rows>(levels, static_cast<unsigned>(team.league_rank()),
                                    static_cast<unsigned>(team.team_rank()));
  }

  /// Each team has one chunk, or a part of one. This thread has `mine` of it.
  KOKKOS_FUNCTION void of_chunk(const member& team, const team_tree<A>& tree, A mine) const {
    A folded = short_chunks ? tree.fold_of(levels.threads(), team, mine) : tree.fold(team, mine);
    const unsigned t = static_cast<unsigned>(team.team_rank());
    const unsigned rank = static_cast<unsigned>(team.league_rank());
    if (levels.chunks > few) {
      if (t == 0) partials[rank] = folded;
      return of_chunks(team, tree, rank, 1);
    }
    if constexpr (few > 1) {
      const unsigned parts = short_chunks ? levels.parts() : levels.chunks;
      if (parts > 1 && !fold_few(t, folded, partials, rank, parts, counters)) return;
    }
    if (t == 0) *result = source.finish(folded);
  }

  /// The results of the team's chunks, `count` from `first` on and all of one group, lie in memory, written by thread 0 or
  /// before a barrier.
  KOKKOS_FUNCTION void of_chunks(const member& team, const team_tree<A>& tree, unsigned first,
                                 unsigned count) const {
    const unsigned t = static_cast<unsigned>(team.team_rank());
    A* const group_results = partials + levels.chunks;
    const unsigned group = levels.group_of(first);
    if (!last_to_arrive(team, tree, counters + 1 + group, count, levels.members_of(group))) return;
    // A chunk of the next level.
    A folded =
        tree.fold(team, backends::fold_thread_of_partials(partials + levels.first_of(group), 0,
                                                          levels.members_of(group), levels.short_groups, t));
    if (levels.groups > few) {
      if (t == 0) group_results[group] = folded;
      if (!last_to_arrive(team, tree, counters, 1, levels.groups)) return;
      folded = fold_partials(team, tree, group_results, levels.groups, group_results + levels.groups);
    } else if constexpr (few > 1) {
      if (levels.groups > 1 && !fold_few(t, folded, group_results, group, levels.groups, counters)) return;
    }
    if (t == 0) *result = source.finish(folded);
  }

 private:
  /// Hands in `mine` as one of `count` results, which are few. Whether this thread is one of the 32 that came last and have
  /// the fold of all, in thread 0; the others may leave: no barrier follows.
  KOKKOS_FUNCTION static bool fold_few(unsigned t, A& mine, A* results, unsigned which, unsigned count,
                                       unsigned* counter) {
    if (t >= backends::neighbour_threads) return false;
    unsigned last = 0;
    if (t == 0) {
      results[which] = mine;
      last = backends::arrive(counter, 1) == count - 1;
      if (last) *counter = 0;
    }
    if (backends::from_first(last) == 0) return false;
    mine = fold_neighbours(backends::fold_thread_of_few(results, count, t));
    return true;
  }

  /// Whether this team, which hands in `count` of `total` results, is the last to arrive; the counter is zero again afterwards.
  KOKKOS_FUNCTION static bool last_to_arrive(const member& team, const team_tree<A>& tree, unsigned* counter,
                                             unsigned count, unsigned total) {
    if (team.team_rank() == 0) {
      const bool last = backends::arrive(counter, count) == total - count;
      if (last) *counter = 0;
      *tree.is_last = last;
    }
    team.team_barrier();  // the answer is there, the tree's slots are free
    return *tree.is_last != 0;
  }

  /// Folds partial results level by level, as the order says. Thread 0 gets the result.
  KOKKOS_FUNCTION static A fold_partials(const member& team, const team_tree<A>& tree, const A* values,
                                         std::size_t count, A* next) {
    const unsigned t = static_cast<unsigned>(team.team_rank());
    for (;;) {
      const std::size_t chunk = fold_order::chunk_size(count);
      const bool is_short = count <= fold_order::longest_short;
      A folded = backends::nothing<A>();
      for (std::size_t start = 0, c = 0; start < count; start += chunk, ++c) {
        const std::size_t m = count - start < chunk ? count - start : chunk;
        const A mine = backends::fold_thread_of_partials(values, start, m, is_short, t);
        folded = tree.fold(team, mine);
        if (count > chunk && t == 0) next[c] = folded;
        team.team_barrier();  // next[c] is written, the tree's slots are free
      }
      if (count <= chunk) return folded;
      values = next;
      next += fold_order::chunk_count(count);
      count = fold_order::chunk_count(count);
    }
  }
};

/// A team per chunk, or per part of one.
template <unsigned Rows, bool Packed, class Source, class Exec>
struct fold_teams {
  using A = typename Source::accumulator;
  std::size_t n;
  fold_results<Rows, Source, Exec> results;

  static constexpr std::size_t scratch_bytes = room_bytes<typename team_tree<A>::room>;

  KOKKOS_FUNCTION void operator()(const typename Kokkos::TeamPolicy<Exec>::member_type& team) const {
    constexpr std::size_t chunk = Rows * fold_order::lanes;
    constexpr unsigned in_flight = backends::rows_in_flight<Source, bytes_in_flight<Rows>>;
    const team_tree<A> tree(*room_of<typename team_tree<A>::room>(team));
    const auto at = results.place(team);
    const std::size_t start = at.chunk * chunk;
    const std::size_t count = n - start < chunk ? n - start : chunk;
    const A mine = backends::fold_thread<Rows, Packed, in_flight>(results.source, start, count, at.thread);
    results.of_chunk(team, tree, mine);
  }
};

/// Elements that are computed: a team takes some chunks in a row.
template <unsigned Rows, class Source, class Exec>
struct fold_computed_teams {
  using A = typename Source::accumulator;
  using rooms = backends::chunk_rooms<Source>;
  using row_pack = backends::row_pack<Source>;
  using offsets = typename rooms::offsets;
  static constexpr bool takes_several = Rows == fold_order::long_rows;
  std::size_t n;
  backends::dealt_chunks dealt;
  fold_results<Rows, Source, Exec> results;

  /// In team scratch memory: the bases of the chunks' rows, the lanes' offsets, and, where teams have several chunks, a value
  /// per thread and chunk behind it.
  struct room {
    row_pack rows[rooms::row_packs((takes_several ? backends::most_chunks_of_team<Source> : 1) * Rows)];
    offsets kept[rooms::offset_packs + 1];
    alignas(16) typename team_tree<A>::room tree;
  };
  KOKKOS_FUNCTION static constexpr std::size_t value_bytes(unsigned of_team) {
    return takes_several ? of_team * backends::team_threads * sizeof(A) : 0;
  }
  static constexpr std::size_t scratch_bytes(unsigned of_team) {
    return room_bytes<room> + value_bytes(of_team);
  }

  // Kokkos keeps a double a thread and two for itself, of the 48 KiB that every GPU gives a team.
  static_assert(scratch_bytes(backends::most_chunks_of_team<Source>) +
                    (backends::team_threads + 2) * sizeof(double) <=
                std::size_t{48} * 1024);

  KOKKOS_FUNCTION void operator()(const typename Kokkos::TeamPolicy<Exec>::member_type& team) const {
    const auto at = results.place(team);
    const unsigned first = takes_several ? dealt.first_of(at.chunk) : at.chunk;
    const unsigned of_team = takes_several ? dealt.count_of(at.chunk) : 1;
    room* const scratch = room_of<room>(team, value_bytes(of_team));
    const team_tree<A> tree(scratch->tree);
    const rooms on_chip{scratch->rows, scratch->kept};
    A* const values = reinterpret_cast<A*>(scratch + 1);
    const unsigned t = static_cast<unsigned>(team.team_rank());
    A mine = backends::nothing<A>();
    A* slot = values + backends::value_slot<A>(t);
    backends::fold_thread_of_chunks<Rows>(
        results.source, n, results.levels.chunks, first, of_team, at.thread, t, on_chip,
        [&] { team.team_barrier(); },
        [&](A value) {
          mine = value;
          if constexpr (takes_several) {
            *slot = value;
            slot += backends::team_threads;
          }
        });
    if (!takes_several || dealt.one_each()) return results.of_chunk(team, tree, mine);

    team.team_barrier();  // the values are there
    // 32 neighbours per chunk.
    const unsigned chunks = results.levels.chunks;
    const unsigned until = chunks - first < of_team ? chunks : first + of_team;
    const unsigned c = t / backends::neighbour_threads, neighbour = t % backends::neighbour_threads;
    if (first + c < until) {
      const A folded =
          fold_neighbours(backends::fold_thread_of_values(values + c * backends::team_threads, neighbour));
      if (neighbour == 0) results.partials[first + c] = folded;
    }
    team.team_barrier();  // thread 0 will say so for all
    results.of_chunks(team, tree, first, until - first);
  }
};

template <class Source>
struct write_of_nothing {
  Source source;
  typename Source::result* result;
  KOKKOS_FUNCTION void operator()(int) const { *result = source.of_nothing(); }
};

template <class Source, class Exec>
void launch_teams(const char* label, const Exec& exec, const Source& source, std::size_t n,
                  typename Source::result* result) {
  using A = typename Source::accumulator;
  if (n == 0) {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec>(exec, 0, 1),
                         write_of_nothing<Source>{source, result});
    return;
  }
  backends::expects(fold_order::chunk_count(n) <= 2147483647u, label,
                    [&] { return "n = " + std::to_string(n) + " needs more than 2^31 - 1 teams"; });
  auto levels = backends::fold_levels::of(n);
  backends::device_workspace::memory memory{};
  if (levels.chunks > 1) {
    constexpr unsigned few = backends::few_chunks<A>;
    memory = backends::workspace_of(backends::stream_of(exec))
                 .at_least(std::max<std::size_t>(fold_order::partial_count(n), few) * sizeof(A),
                           std::size_t{1} + levels.groups);
    levels.spread_over(memory.multiprocessors, few, n);
  }
  const auto run = [&](const auto& work, unsigned teams, std::size_t scratch_bytes) {
    using policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<backends::team_threads, 2>>;
    Kokkos::parallel_for(label,
                         policy(exec, static_cast<int>(teams), static_cast<int>(levels.threads()))
                             .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_bytes))),
                         work);
  };
  backends::with_shape(source, n, [&]<unsigned Rows, bool Packed>() {
    const fold_results<Rows, Source, Exec> results{source, levels, static_cast<A*>(memory.partials),
                                                   memory.counters, result};
    if constexpr (backends::computes_elements<Source>) {
      const auto dealt = backends::dealt_chunks::of<Rows>(levels, backends::most_chunks_of_team<Source>,
                                                          memory.multiprocessors);
      const fold_computed_teams<Rows, Source, Exec> work{n, dealt, results};
      run(work, dealt.teams, work.scratch_bytes(dealt.largest()));
    } else {
      const fold_teams<Rows, Packed, Source, Exec> work{n, results};
      run(work, levels.parts(), work.scratch_bytes);
    }
  });
}

/// Folds elements 0 .. n - 1 of `source` into *result, memory that `exec` can access.
/// Asynchronous where the execution space is.
template <class Source, class Exec>
void fold(const char* label, const Exec& exec, const Source& source, std::size_t n,
          typename Source::result* result) {
  if constexpr (backends::host_execution<Exec>) {
    *result = n == 0 ? source.of_nothing() : source.finish(fold_chunks(label, exec, source, n));
  } else {
    const backends::device_of device(exec);
    launch_teams(label, exec, source, n, result);
  }
}

/// The value of a fold, as soon as it is there.
template <class Source, class Exec>
typename Source::result fold_to_host(const char* label, const Exec& exec, const Source& source,
                                     std::size_t n) {
  using R = typename Source::result;
  if constexpr (backends::host_execution<Exec>) {
    R value;
    fold(label, exec, source, n, &value);
    return value;
  } else {
    if (n == 0) return source.of_nothing();
    const backends::device_of device(exec);
    backends::refuse_capture(backends::stream_of(exec), label);
    const backends::host_value<R> value;  // pinned: the kernel writes it, no copy follows
    fold(label, exec, source, n, value.address());
    return value.wait(backends::stream_of(exec), label);
  }
}

}  // namespace twofold::portable_engine
