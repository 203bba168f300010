// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/error.hpp>
#include <twofold/backends/fold_device.hpp>
#include <twofold/backends/fold_host.hpp>
#include <twofold/backends/kokkos/device.hpp>
#include <twofold/backends/kokkos/execution.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>

/// @file
/// The portable engine: folds any source in order 1 on any execution space of Kokkos.
/// On the host a chunk per work item; on a GPU a team per chunk, the last team folds what the others left.

namespace twofold::portable_engine {

using backends::combine;

// ---- host -------------------------------------------------------------------------------------------

template <class Source>
struct chunks_of {
  Source source;
  std::size_t n;
  std::size_t chunk;
  typename Source::accumulator* partials;

  void operator()(std::size_t c) const {
    const std::size_t start = c * chunk;
    partials[c] = backends::host::fold_chunk(source, start, n - start < chunk ? n - start : chunk);
  }
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
  const chunks_of<Source> work{source, n, chunk, partials};
  if (too_few_for_threads<Source>(n)) {
    for (std::size_t c = 0; c < chunks; ++c) work(c);
  } else {
    backends::for_each_index(label, exec, chunks, work);
  }
  // The chunk results, by the same rule; few enough for one thread.
  std::size_t count = chunks;
  while (count > 1) {
    A* next = partials + count;
    const chunks_of<backends::partials_source<A>> level{
        {partials}, count, fold_order::chunk_size(count), next};
    const std::size_t nodes = fold_order::chunk_count(count);
    for (std::size_t c = 0; c < nodes; ++c) level(c);
    partials = next;
    count = nodes;
  }
  return *partials;  // NOLINT(clang-analyzer-core.uninitialized.UndefReturn): `work` and `level` wrote it
}

// ---- device -----------------------------------------------------------------------------------------

/// Bytes of elements that a thread loads before it uses the first. On one H200, 2^28 floats, dot takes 473 us with
/// 128 and 517 us with 256, where the registers of the tree come on top; sum does not mind.
inline constexpr unsigned bytes_in_flight = 128;

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

/// The tree over the team's threads: 32 neighbours hand each other their values, and what they leave meets in team
/// scratch memory, behind one barrier.
template <class A>
struct team_tree {
  static constexpr unsigned threads = backends::team_threads;
  static constexpr unsigned nodes = threads / backends::neighbour_threads;
  static constexpr std::size_t scratch_bytes = nodes * sizeof(A) + 2 * alignof(A) + sizeof(int);

  A* slots;      // of the nodes
  int* is_last;  // what thread 0 tells the others after it has counted its team

  template <class Member>
  KOKKOS_FUNCTION static team_tree in(const Member& team) {
    auto* slots = static_cast<A*>(team.team_scratch(0).get_shmem_aligned(nodes * sizeof(A), alignof(A)));
    auto* flag = static_cast<int*>(team.team_scratch(0).get_shmem_aligned(sizeof(int), alignof(int)));
    return {slots, flag};
  }

  /// Thread 0 gets the result. The scratch may be used again after another barrier.
  template <class Member>
  KOKKOS_FUNCTION A fold(const Member& team, A value) const {
    const unsigned t = static_cast<unsigned>(team.team_rank());
    const A node = fold_neighbours(value);
    if (t % backends::neighbour_threads == 0) slots[t / backends::neighbour_threads] = node;
    team.team_barrier();  // all nodes are there
    return t == 0 ? tree<nodes>(slots) : node;
  }

  /// The balanced tree over N neighbours, all loaded before the first addition.
  template <unsigned N>
  KOKKOS_FUNCTION static A tree(const A* from) {
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
};

template <unsigned Rows, bool Packed, class Source, class Exec>
struct fold_teams {
  using A = typename Source::accumulator;
  using member = typename Kokkos::TeamPolicy<Exec>::member_type;

  Source source;
  std::size_t n;
  backends::fold_levels levels;
  A* partials;
  unsigned* counters;
  typename Source::result* result;

  static constexpr std::size_t scratch_bytes = team_tree<A>::scratch_bytes + [] {
    if constexpr (backends::computes_elements<Source>) {
      return (Rows + 1) * sizeof(typename Source::row_start);
    } else {
      return std::size_t{0};
    }
  }();

  KOKKOS_FUNCTION void operator()(const member& team) const {
    constexpr std::size_t chunk = Rows * fold_order::lanes;
    const auto tree = team_tree<A>::in(team);
    const unsigned t = static_cast<unsigned>(team.team_rank());
    const unsigned rank = static_cast<unsigned>(team.league_rank());
    const std::size_t start = rank * chunk;
    const std::size_t count = n - start < chunk ? n - start : chunk;
    constexpr unsigned in_flight = backends::rows_in_flight<Source, bytes_in_flight>;
    A mine;
    if constexpr (backends::computes_elements<Source>) {
      using row_start = typename Source::row_start;
      auto* rows = static_cast<row_start*>(
          team.team_scratch(0).get_shmem_aligned(Rows * sizeof(row_start), alignof(row_start)));
      mine = backends::fold_thread_of_team<Rows, in_flight>(source, start, count, t, rows,
                                                            [&] { team.team_barrier(); });
    } else {
      mine = backends::fold_thread<Rows, Packed, in_flight>(source, start, count, t);
    }
    A folded = tree.fold(team, mine);

    if (levels.chunks > 1) {
      A* const group_results = partials + levels.chunks;
      const unsigned group = levels.group_of(rank);
      const unsigned members = levels.members_of(group);

      if (t == 0) partials[rank] = folded;
      if (!last_to_arrive(team, tree, counters + 1 + group, members)) return;
      // A chunk of the next level.
      folded = tree.fold(team, backends::fold_thread_of_partials(partials + levels.first_of(group), 0,
                                                                 members, levels.short_groups, t));

      if (levels.groups > 1) {
        if (t == 0) group_results[group] = folded;
        if (!last_to_arrive(team, tree, counters, levels.groups)) return;
        folded = fold_partials(team, tree, group_results, levels.groups, group_results + levels.groups);
      }
    }
    if (t == 0) *result = source.finish(folded);
  }

  /// Whether this team is the last of `total` to arrive; the counter is zero again afterwards.
  KOKKOS_FUNCTION static bool last_to_arrive(const member& team, const team_tree<A>& tree, unsigned* counter,
                                             unsigned total) {
    if (team.team_rank() == 0) {
      const bool last = backends::arrive(counter) == total - 1;
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
  const auto levels = backends::fold_levels::of(n);
  backends::device_workspace::memory memory{};
  if (levels.chunks > 1) {
    memory = backends::workspace_of(backends::stream_of(exec))
                 .at_least(fold_order::partial_count(n) * sizeof(A), std::size_t{1} + levels.groups);
  }
  backends::with_shape(source, n, [&]<unsigned Rows, bool Packed>() {
    using work = fold_teams<Rows, Packed, Source, Exec>;
    using policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<backends::team_threads, 2>>;
    Kokkos::parallel_for(
        label,
        policy(exec, static_cast<int>(levels.chunks), static_cast<int>(backends::team_threads))
            .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(work::scratch_bytes))),
        work{source, n, levels, static_cast<A*>(memory.partials), memory.counters, result});
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

/// The value of a fold, after waiting for `exec` and nothing else.
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
    const backends::host_slot slot;  // pinned: the kernel writes it, no copy follows
    fold(label, exec, source, n, static_cast<R*>(slot.address()));
    backends::wait_for(backends::stream_of(exec), label);
    return *static_cast<const volatile R*>(slot.address());
  }
}

}  // namespace twofold::portable_engine
