// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/line_folds.hpp>
#include <twofold/backends/matrix_host.hpp>
#include <twofold/portable/fold.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>

/// @file
/// The portable engine of sum_rows and sum_columns: fold order 1 on each line of a matrix (along), or at each place of
/// its lines (across), level by level of the order; the chunk results of all folds are the next level's matrix.

namespace twofold::portable_engine {

/// `count` folds of `n` elements. Element i of fold f lies at data[f * fold_step + i * element_step].
template <class T>
struct many_folds {
  const T* data;
  std::size_t count;
  std::size_t n;
  std::ptrdiff_t fold_step;
  std::ptrdiff_t element_step;

  /// The rows of M.
  static many_folds of_rows(const backends::matrix<const T>& M) {
    return {M.data, M.rows, M.columns, M.row_stride, M.column_stride};
  }
  /// Neighbouring folds lie side by side, and their own elements do not: memory is met across them.
  bool across() const { return count > 1 && fold_step == 1 && (element_step != 1 || n <= 1); }
  backends::strided<T> fold(std::size_t f) const {
    return {data + static_cast<std::ptrdiff_t>(f) * fold_step, element_step};
  }
};

/// Where the results of a level go: chunk results packed, final ones with the one NaN.
template <class A>
struct level_results {
  A* data;
  std::ptrdiff_t step;
  bool last;
  KOKKOS_FUNCTION void write(std::size_t at, A value) const {
    data[static_cast<std::ptrdiff_t>(at) * step] = last ? backends::canonical(value) : value;
  }
};

// ---- host -------------------------------------------------------------------------------------------

/// Elements of a step: enough to hide what a step costs.
inline constexpr std::size_t fold_step_elements = std::size_t{1} << 13;

/// Chunk results [f * chunks + c].
template <class T, class A>
struct host_folds_along {
  many_folds<T> folds;
  backends::fold_shape shape;
  std::size_t per_step;  // chunks
  level_results<A> out;

  std::size_t chunks() const { return folds.count * shape.chunks; }
  void operator()(std::size_t step) const {
    for (std::size_t i = step * per_step; i < std::min(chunks(), (step + 1) * per_step); ++i) {
      const std::size_t f = i / shape.chunks, c = i % shape.chunks;
      out.write(i, backends::host::fold_chunk(backends::sum_source<T, A>{folds.fold(f)}, c * shape.chunk,
                                              shape.count_of(c)));
    }
  }
};

/// Chunk results [c * pitch + f], a stretch of neighbouring folds at a time.
template <class T, class A>
struct host_folds_across {
  many_folds<T> folds;
  backends::fold_shape shape;
  std::size_t stretch;  // folds
  level_results<A> out;
  std::size_t pitch;

  std::size_t stretches() const { return (folds.count + stretch - 1) / stretch; }
  void operator()(std::size_t step) const {
    A results[backends::host::most_places];
    const std::size_t c = step / stretches(), begin = step % stretches() * stretch;
    const std::size_t end = std::min(folds.count, begin + stretch);
    for (std::size_t f = begin; f < end; f += backends::host::most_places) {
      const std::size_t places = std::min(end - f, backends::host::most_places);
      const std::ptrdiff_t from = static_cast<std::ptrdiff_t>(c * shape.chunk) * folds.element_step;
      backends::host::fold_lines<A>(folds.data + from + f, folds.element_step, places, shape.count_of(c),
                                    results);
      for (std::size_t k = 0; k < places; ++k) out.write(c * pitch + f + k, results[k]);
    }
  }
};

template <class Exec, class Work>
void run_steps(const char* label, const Exec& exec, std::size_t steps, const Work& work) {
  if (steps == 1) return work(0);  // a parallel region costs more
  backends::for_each_index(label, exec, steps, work);
}

template <class Exec, class T, class A>
void host_level(const char* label, const Exec& exec, const many_folds<T>& folds,
                const backends::fold_shape& shape, const level_results<A>& out, std::size_t pitch) {
  if (folds.across()) {
    host_folds_across<T, A> work{folds, shape, backends::host::most_places, out, pitch};
    const std::size_t count = std::min(folds.n, shape.chunk);
    work.stretch *= std::max<std::size_t>(1, fold_step_elements / (count * backends::host::most_places));
    return run_steps(label, exec, work.stretches() * shape.chunks, work);
  }
  host_folds_along<T, A> work{folds, shape, 1, out};
  work.per_step = std::max<std::size_t>(1, fold_step_elements / std::min(folds.n, shape.chunk));
  run_steps(label, exec, (work.chunks() + work.per_step - 1) / work.per_step, work);
}

// ---- device -----------------------------------------------------------------------------------------

inline constexpr unsigned line_team = 128;

struct nothing_between {
  template <class A>
  KOKKOS_FUNCTION A operator()(A value) const {
    return value;
  }
};

struct neighbours_between {
  template <class A>
  KOKKOS_FUNCTION A operator()(A value) const {
    return fold_neighbours(value);
  }
};

/// 32 neighbouring threads per chunk.
template <unsigned Rows, bool Packed, class T, class A, class Exec>
struct device_folds_along {
  using member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr std::size_t scratch_bytes = 0;
  static constexpr unsigned width = backends::neighbour_threads;

  many_folds<T> folds;
  backends::fold_shape shape;
  level_results<A> out;

  std::size_t teams() const { return (folds.count * shape.chunks * width + line_team - 1) / line_team; }

  KOKKOS_FUNCTION void operator()(const member& team) const {
    const unsigned t = static_cast<unsigned>(team.team_rank()), thread = t % width;
    const std::size_t chunk = (static_cast<std::size_t>(team.league_rank()) * line_team + t) / width;
    // Surplus threads, 32 at a time, fold nothing instead of returning: that takes fewer registers.
    const bool mine = chunk < folds.count * shape.chunks;
    std::size_t f = mine ? chunk : 0, c = 0;
    if (shape.chunks > 1) {  // a 64-bit division costs more than a short line
      c = f % shape.chunks;
      f /= shape.chunks;
    }
    const backends::strided<T> line{folds.data + static_cast<std::ptrdiff_t>(f) * folds.fold_step,
                                    folds.element_step};
    const A folded = backends::fold_along<Rows, Packed, A>(
        line.from(c * shape.chunk), mine ? shape.count_of(c) : 0, 4 * thread, shape.lanes / (4 * width),
        4 * width, neighbours_between{});
    if (thread == 0 && mine) out.write(chunk, folded);
  }
};

/// Several short lines for 32 neighbouring threads, or for fewer.
template <bool Packed, class T, class A, class Exec>
struct device_folds_short {
  using member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr std::size_t scratch_bytes = 0;

  many_folds<T> folds;
  unsigned width_log;
  level_results<A> out;

  static device_folds_short of(const many_folds<T>& folds, const backends::fold_shape& shape,
                               const level_results<A>& out) {
    device_folds_short work{folds, 0, out};
    while ((4u << work.width_log) < shape.lanes) ++work.width_log;
    return work;
  }
  std::size_t teams() const {
    const std::size_t groups =
        (folds.count + backends::short_lines_at_once - 1) / backends::short_lines_at_once;
    return ((groups << width_log) + line_team - 1) / line_team;
  }

  KOKKOS_FUNCTION void operator()(const member& team) const {
    const unsigned t = static_cast<unsigned>(team.team_rank());
    const std::size_t item = static_cast<std::size_t>(team.league_rank()) * line_team + t;
    backends::fold_short_lines<Packed, A>(folds.data, folds.fold_step, folds.element_step, folds.count,
                                          static_cast<unsigned>(folds.n), width_log, item >> width_log,
                                          t & ((1u << width_log) - 1), *this, *this);
  }
  KOKKOS_FUNCTION A operator()(A value, unsigned distance) const {
    return backends::from_neighbour(value, distance);
  }
  KOKKOS_FUNCTION void operator()(std::size_t line, A value) const { out.write(line, value); }
};

/// A team per chunk, where chunks are few.
template <unsigned Rows, bool Packed, class T, class A, class Exec>
struct device_folds_along_by_teams {
  using member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using room = typename team_tree<A>::room;
  static constexpr std::size_t scratch_bytes = room_bytes<room>;

  many_folds<T> folds;
  backends::fold_shape shape;
  level_results<A> out;

  KOKKOS_FUNCTION void operator()(const member& team) const {
    const auto rank = static_cast<std::size_t>(team.league_rank());
    const std::size_t f = rank / shape.chunks, c = rank % shape.chunks;
    const backends::strided<T> line{folds.data + static_cast<std::ptrdiff_t>(f) * folds.fold_step,
                                    folds.element_step};
    const A mine = backends::fold_along<Rows, Packed, A>(line.from(c * shape.chunk), shape.count_of(c),
                                                         4 * static_cast<unsigned>(team.team_rank()), 1, 4,
                                                         nothing_between{});
    const A folded = team_tree<A>(*room_of<room>(team)).fold(team, mine);
    if (team.team_rank() == 0) out.write(rank, folded);
  }
};

/// Fewer chunks than this get a team each. A row of 2048 elements is one load for each of 512 threads: a team then costs more
/// than it folds, and more so in Kokkos' loop than in a kernel of its own (one H200, 2048 x 2048 floats, node of a graph: 7.65
/// us by teams, 3.94 by 32 threads a line; 512 x 2048: 2.99 and 2.71; 256 x 2048: 2.24 and 2.49).
template <unsigned Rows, class A>
inline constexpr std::size_t few_chunks = 132 * (Rows > 1        ? 16
                                                 : sizeof(A) > 4 ? 5
                                                                 : 3);

template <class Member>
struct across_team {
  const Member& member;
  KOKKOS_FUNCTION unsigned rank() const { return static_cast<unsigned>(member.team_rank()); }
  KOKKOS_FUNCTION void barrier() const { member.team_barrier(); }
  template <class A>
  KOKKOS_FUNCTION A fold_neighbours(A value, unsigned first) const {
    return portable_engine::fold_neighbours(value, first);
  }
};

template <unsigned Rows, unsigned E, class T, class A, class Exec>
struct device_folds_across {
  using member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr std::size_t scratch_bytes = backends::across_room<E> * sizeof(A) + 2 * alignof(A);

  many_folds<T> folds;
  backends::fold_shape shape;
  backends::across_plan plan;
  level_results<A> out;
  std::size_t pitch;

  KOKKOS_FUNCTION void operator()(const member& team) const {
    A* const nodes = static_cast<A*>(
        team.team_scratch(0).get_shmem_aligned(backends::across_room<E> * sizeof(A), alignof(A)));
    backends::fold_across_team<Rows, E>(across_team<member>{team}, folds.data,
                                        static_cast<std::size_t>(folds.element_step), folds.count, shape,
                                        plan, static_cast<std::size_t>(team.league_rank()), nodes, *this);
  }
  KOKKOS_FUNCTION void operator()(std::size_t place, std::size_t chunk, A value) const {
    out.write(chunk * pitch + place, value);
  }
};

/// `AtOnce` teams on a multiprocessor, for which the compiler saves registers.
template <unsigned Threads, unsigned AtOnce = 1, class Exec, class Work>
void run_teams(const char* label, const Exec& exec, std::size_t teams, const Work& work) {
  backends::expects(teams <= 2147483647u, label,
                    [&] { return "needs " + std::to_string(teams) + " teams, more than 2^31 - 1"; });
  using policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<Threads, AtOnce>>;
  Kokkos::parallel_for(label,
                       policy(exec, static_cast<int>(teams), static_cast<int>(Threads))
                           .set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Work::scratch_bytes))),
                       work);
}

/// Teams on a multiprocessor where 32 threads have a line: as many as registers allow without spills. (One H200, node of a
/// graph, 3000 x 3000 doubles: 29.8 us with five, 21.4 with six, 22.8 with eight, which spill.)
template <bool Packed, class A>
inline constexpr unsigned lines_at_once = Packed || sizeof(A) > 4 ? 6 : 8;

template <class Exec, class T, class A>
void device_level(const char* label, const Exec& exec, const many_folds<T>& folds,
                  const backends::fold_shape& shape, const level_results<A>& out, std::size_t pitch) {
  const auto with_rows = [&](const auto& run) {
    if (shape.rows == 1) return run.template operator()<1>();
    if (shape.rows == fold_order::short_rows) return run.template operator()<fold_order::short_rows>();
    run.template operator()<fold_order::long_rows>();
  };
  if (folds.across()) {
    const auto run = [&]<unsigned Rows, unsigned E>() {
      const auto plan = backends::across_plan::of(folds.count, E, shape);
      run_teams<backends::across_team_size>(
          label, exec, plan.teams * shape.chunks,
          device_folds_across<Rows, E, T, A, Exec>{folds, shape, plan, out, pitch});
    };
    constexpr unsigned E = sizeof(T) < 4 ? 1 : backends::pack16<T>::size;
    if (E > 1 &&
        backends::lines_in_packs(folds.data, static_cast<std::size_t>(folds.element_step), folds.n)) {
      return with_rows([&]<unsigned Rows>() { run.template operator()<Rows, E>(); });
    }
    return with_rows([&]<unsigned Rows>() { run.template operator()<Rows, 1>(); });
  }
  const std::size_t chunks = folds.count * shape.chunks;
  const auto run = [&]<unsigned Rows, bool Packed>() {
    if (shape.n <= backends::longest_short_line) {
      const auto work = device_folds_short<Packed, T, A, Exec>::of(folds, shape, out);
      return run_teams<line_team>(label, exec, work.teams(), work);
    }
    if (shape.lanes == fold_order::lanes && chunks < few_chunks<Rows, A>) {
      return run_teams<backends::team_threads>(
          label, exec, chunks, device_folds_along_by_teams<Rows, Packed, T, A, Exec>{folds, shape, out});
    }
    const device_folds_along<Rows, Packed, T, A, Exec> work{folds, shape, out};
    run_teams<line_team, lines_at_once<Packed, A>>(label, exec, work.teams(), work);
  };
  const bool packed =
      folds.element_step == 1 && sizeof(T) >= 4 &&
      backends::lines_in_packs(folds.data, static_cast<std::size_t>(folds.fold_step), folds.count);
  with_rows([&]<unsigned Rows>() {
    packed ? run.template operator()<Rows, true>() : run.template operator()<Rows, false>();
  });
}

// ---- levels -----------------------------------------------------------------------------------------

template <class A>
struct write_zeros {
  level_results<A> out;
  KOKKOS_FUNCTION void operator()(std::size_t i) const { out.write(i, A(0)); }
};

/// results(f) = fold f. Asynchronous where the execution space is.
template <class Exec, class T, class A>
void fold_each(const char* label, const Exec& exec, many_folds<T> folds, A* results,
               std::ptrdiff_t result_step) {
  if (folds.count == 0) return;
  const level_results<A> final{results, result_step, true};
  const auto run = [&] {
    if (folds.n == 0) {
      const write_zeros<A> zeros{final};
      if constexpr (backends::host_execution<Exec>) {
        return backends::for_each_index(label, exec, folds.count, zeros);
      } else {
        using policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>;
        return Kokkos::parallel_for(label, policy(exec, 0, folds.count), zeros);
      }
    }
    if (folds.count == 1)
      return fold(label, exec, backends::sum_source<T, A>{folds.fold(0)}, folds.n, results);

    const bool across = folds.across();
    const auto level = [&]<class E>(const many_folds<E>& these, const backends::fold_shape& shape,
                                    const level_results<A>& out, std::size_t pitch) {
      if constexpr (backends::host_execution<Exec>) {
        host_level(label, exec, these, shape, out, pitch);
      } else {
        device_level(label, exec, these, shape, out, pitch);
      }
    };
    auto shape = backends::fold_shape::of(folds.n);
    const std::size_t pitch = (folds.count + 3) / 4 * 4;  // of chunk results across, so that packs fit
    [[maybe_unused]] backends::host_memory held;
    A* partials = nullptr;
    if (shape.chunks > 1) {
      const std::size_t values = pitch * fold_order::partial_count(folds.n);
      if constexpr (backends::host_execution<Exec>) {
        partials = held.at_least<A>(values);
      } else {
        partials = static_cast<A*>(
            backends::workspace_of(backends::stream_of(exec)).at_least(values * sizeof(A), 0).partials);
      }
    }
    const auto out_of = [&](bool last) { return last ? final : level_results<A>{partials, 1, false}; };
    level(folds, shape, out_of(shape.chunks == 1), pitch);
    while (shape.chunks > 1) {
      const std::size_t m = shape.chunks;
      const many_folds<A> next =
          across ? many_folds<A>{partials, folds.count, m, 1, static_cast<std::ptrdiff_t>(pitch)}
                 : many_folds<A>{partials, folds.count, m, static_cast<std::ptrdiff_t>(m), 1};
      partials += across ? pitch * m : folds.count * m;
      shape = backends::fold_shape::of(m);
      level(next, shape, out_of(shape.chunks == 1), pitch);
    }
  };
  if constexpr (backends::host_execution<Exec>) {
    run();
  } else {
    const backends::device_of device(exec);
    run();
  }
}

}  // namespace twofold::portable_engine
