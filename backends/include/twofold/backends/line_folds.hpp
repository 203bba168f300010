// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/accumulator.hpp>
#include <twofold/backends/fold_order.hpp>
#include <twofold/backends/matrix.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

/// @file
/// sum_rows and sum_columns: fold order 1 applied to each line of a matrix ("along"), or to the elements at each place
/// of the lines ("across"). Below: what one GPU thread does, the same for the portable and the native kernel. What
/// threads do together is given to it as a function (shuffles) or follows it (scratch memory).
///
/// Absent lanes are filled with the value that changes nothing when added, so that no tree has ragged ends.

namespace twofold::backends {

/// The smallest power of two that is not less than n.
TWOFOLD_FUNCTION constexpr unsigned power_of_two_from(std::size_t n) {
  unsigned p = 1;
  while (p < n) p *= 2;
  return p;
}

/// The shape of one fold among many, as its kernels see it.
struct fold_shape {
  std::size_t n;
  std::size_t chunk;   // elements of a chunk
  std::size_t chunks;  // of this fold
  unsigned rows;       // 1 where no lane gets a second element, else as the order says
  unsigned lanes;      // a power of two that covers the lanes in use

  TWOFOLD_FUNCTION static fold_shape of(std::size_t n) {
    const bool single = n <= fold_order::lanes;
    return {n, fold_order::chunk_size(n), fold_order::chunk_count(n),
            single ? 1 : fold_order::rows_per_chunk(n), power_of_two_from(single ? n : fold_order::lanes)};
  }
  TWOFOLD_FUNCTION std::size_t count_of(std::size_t c) const {
    return n - c * chunk < chunk ? n - c * chunk : chunk;
  }
};

/// The tree over nodes that come in order, one at a time: `Levels` waiting nodes of E values in registers.
template <class A, unsigned E, unsigned Levels>
struct tree_stack {
  A waiting[Levels][E];

  /// Node `number`, 0, 1, 2 ... `node` becomes all that is complete up to here: of 2^k nodes, after the last, the fold.
  TWOFOLD_FUNCTION void push(A (&node)[E], unsigned number) {
    bool carry = true;  // no break: with one, nvcc keeps the loop and `waiting` in local memory
    TWOFOLD_UNROLL
    for (unsigned level = 0; level < Levels; ++level) {
      const bool partner = (number >> level & 1) != 0;
      TWOFOLD_UNROLL
      for (unsigned e = 0; e < E; ++e) {
        if (carry && !partner) waiting[level][e] = node[e];
        if (carry && partner) node[e] = combine(waiting[level][e], node[e]);
      }
      carry = carry && partner;
    }
  }
};

/// Bytes that a thread loads before it uses the first.
inline constexpr unsigned line_bytes_in_flight = 128;

/// Nodes in flight at once, and rows of each.
template <unsigned Rows, unsigned E, class T, class A>
struct in_flight {
  static constexpr unsigned loads = at_most(at_least_one(line_bytes_in_flight / (E * sizeof(T))), 32);
  static constexpr unsigned rows = at_most(Rows, loads);
  static constexpr unsigned nodes = at_most(
      at_most(at_least_one(loads / rows), at_least_one(unsigned(line_bytes_in_flight / (E * sizeof(A))))), 8);
};

/// Most levels of waiting nodes that any kernel needs: a thread takes at most 128 nodes.
inline constexpr unsigned stack_levels = 8;

/// Whether the E = 4 neighbours that a thread takes of each line can be had in 16-byte loads.
template <class T>
bool lines_in_packs(const T* data, std::size_t pitch, std::size_t count) {
  return sizeof(T) >= 4 && reinterpret_cast<std::uintptr_t>(data) % 16 == 0 &&
         (count <= 1 || pitch * sizeof(T) % 16 == 0);
}

// ---- along a line -----------------------------------------------------------------------------------

/// The fold of `nodes` (a power of two, at most 128) nodes of a chunk of `count` elements. A node is four neighbouring
/// lanes: the first begins at `lane`, the others follow `step` lanes apart. `across_threads(value)` folds a node with
/// those of the neighbouring threads; all threads come by there alike.
template <unsigned Rows, bool Packed, class A, class T, class Threads>
TWOFOLD_FUNCTION A fold_along(strided<T> chunk, std::size_t count, unsigned lane, unsigned nodes,
                              unsigned step, const Threads& across_threads) {
  constexpr unsigned L = 4;
  using flight = in_flight<Rows, L, T, A>;
  constexpr unsigned U = flight::nodes, B = flight::rows;
  tree_stack<A, 1, stack_levels> stack;
  A folded[1];
  TWOFOLD_DO_NOT_UNROLL
  for (unsigned node = 0; node < nodes; node += U) {
    A lanes[U][L];
    TWOFOLD_UNROLL
    for (unsigned u = 0; u < U; ++u) {
      TWOFOLD_UNROLL
      for (unsigned k = 0; k < L; ++k) lanes[u][k] = nothing<A>();
    }
    TWOFOLD_DO_NOT_UNROLL
    for (unsigned r = 0; r < Rows; r += B) {
      pack4<T> four[U][B];
      TWOFOLD_UNROLL
      for (unsigned u = 0; u < U; ++u) {
        TWOFOLD_UNROLL
        for (unsigned b = 0; b < B; ++b) {
          const std::size_t at = (r + b) * fold_order::lanes + lane + (node + u) * std::size_t{step};
          const bool mine = node + u < nodes;
          TWOFOLD_UNROLL
          for (unsigned k = 0; k < L; ++k) four[u][b].element[k] = nothing<T>();
          if constexpr (Packed) {
            if (mine && at + L <= count) four[u][b] = *reinterpret_cast<const pack4<T>*>(chunk.data + at);
          } else {
            TWOFOLD_UNROLL
            for (unsigned k = 0; k < L; ++k) {
              if (mine && at + k < count)
                four[u][b].element[k] = chunk.data[static_cast<std::ptrdiff_t>(at + k) * chunk.stride];
            }
          }
        }
      }
      if constexpr (Packed) {
        // The one pack at the end that is not whole. After the loads above, so that it does not keep them waiting.
        TWOFOLD_UNROLL
        for (unsigned u = 0; u < U; ++u) {
          TWOFOLD_UNROLL
          for (unsigned b = 0; b < B; ++b) {
            const std::size_t at = (r + b) * fold_order::lanes + lane + (node + u) * std::size_t{step};
            if (node + u < nodes && at < count && at + L > count) {
              TWOFOLD_UNROLL
              for (unsigned k = 0; k < L - 1; ++k) {
                if (at + k < count) four[u][b].element[k] = chunk.data[at + k];
              }
            }
          }
        }
      }
      TWOFOLD_UNROLL
      for (unsigned u = 0; u < U; ++u) {
        TWOFOLD_UNROLL
        for (unsigned b = 0; b < B; ++b) {
          TWOFOLD_UNROLL
          for (unsigned k = 0; k < L; ++k)
            lanes[u][k] = add(lanes[u][k], static_cast<A>(four[u][b].element[k]));
        }
      }
    }
    A value[U];
    TWOFOLD_UNROLL
    for (unsigned u = 0; u < U; ++u) {
      value[u] =
          across_threads(combine(combine(lanes[u][0], lanes[u][1]), combine(lanes[u][2], lanes[u][3])));
    }
    TWOFOLD_UNROLL
    for (unsigned width = 1; width < U; width *= 2) {
      TWOFOLD_UNROLL
      for (unsigned u = 0; u + width < U; u += 2 * width) value[u] = combine(value[u], value[u + width]);
    }
    folded[0] = value[0];
    stack.push(folded, node / U);
  }
  return folded[0];
}

/// Lines of at most this many elements are folded several at a time: one of them is a single load of a thread, and a tree
/// that waits for it.
inline constexpr std::size_t longest_short_line = 128;
inline constexpr unsigned short_lines_at_once = 4;

/// Groups of 2^log threads fold `short_lines_at_once` lines each, of n <= 128 elements; `group` is the calling thread's,
/// `thread` its place in it. from_neighbour(value, distance) is the value of the thread so far on; all threads come by
/// there. write(line, value) takes a result.
template <bool Packed, class A, class T, class FromNeighbour, class Write>
TWOFOLD_FUNCTION void fold_short_lines(const T* data, std::ptrdiff_t line_step, std::ptrdiff_t element_step,
                                       std::size_t count, unsigned n, unsigned log, std::size_t group,
                                       unsigned thread, const FromNeighbour& from_neighbour,
                                       const Write& write) {
  constexpr unsigned U = short_lines_at_once, L = 4;
  const std::size_t first = group * U;
  const unsigned at = L * thread;
  pack4<T> four[U];
  TWOFOLD_UNROLL
  for (unsigned u = 0; u < U; ++u) {
    const T* const line = data + static_cast<std::ptrdiff_t>(first + u) * line_step;
    const bool there = first + u < count;
    TWOFOLD_UNROLL
    for (unsigned k = 0; k < L; ++k) four[u].element[k] = nothing<T>();
    if (Packed && there && at + L <= n) {
      four[u] = *reinterpret_cast<const pack4<T>*>(line + at);
    } else {
      TWOFOLD_UNROLL
      for (unsigned k = 0; k < L; ++k) {
        if (there && at + k < n)
          four[u].element[k] = line[static_cast<std::ptrdiff_t>(at + k) * element_step];
      }
    }
  }
  A folded[U];
  TWOFOLD_UNROLL
  for (unsigned u = 0; u < U; ++u) {
    folded[u] = combine(combine(static_cast<A>(four[u].element[0]), static_cast<A>(four[u].element[1])),
                        combine(static_cast<A>(four[u].element[2]), static_cast<A>(four[u].element[3])));
  }
  for (unsigned distance = 1; distance < 1u << log; distance *= 2) {
    TWOFOLD_UNROLL
    for (unsigned u = 0; u < U; ++u) folded[u] = combine(folded[u], from_neighbour(folded[u], distance));
  }
  TWOFOLD_UNROLL
  for (unsigned u = 0; u < U; ++u) {
    if (thread == 0 && first + u < count) write(first + u, folded[u]);
  }
}

// ---- across the lines -------------------------------------------------------------------------------

/// The folds at E neighbouring places of the lines, over `nodes` (a power of two, at most 128) lanes: the first is
/// `lane`, the others follow `step` lanes apart. `first` is the element at the first place and the first line of a
/// chunk of `count` lines; `places` of the E exist. `across_threads(values)` folds a node with those of neighbouring
/// threads; all threads come by there alike.
template <unsigned Rows, unsigned E, class A, class T, class Threads>
TWOFOLD_FUNCTION void fold_across(const T* first, std::size_t pitch, unsigned places, std::size_t count,
                                  unsigned lane, unsigned nodes, unsigned step, A (&folded)[E],
                                  const Threads& across_threads) {
  using flight = in_flight<Rows, E, T, A>;
  constexpr unsigned U = flight::nodes, B = flight::rows;
  tree_stack<A, E, stack_levels> stack;
  TWOFOLD_DO_NOT_UNROLL
  for (unsigned node = 0; node < nodes; node += U) {
    A sums[U][E];
    TWOFOLD_UNROLL
    for (unsigned u = 0; u < U; ++u) {
      TWOFOLD_UNROLL
      for (unsigned e = 0; e < E; ++e) sums[u][e] = nothing<A>();
    }
    TWOFOLD_DO_NOT_UNROLL
    for (unsigned r = 0; r < Rows; r += B) {
      T loaded[U][B][E];
      TWOFOLD_UNROLL
      for (unsigned u = 0; u < U; ++u) {
        TWOFOLD_UNROLL
        for (unsigned b = 0; b < B; ++b) {
          const std::size_t line = (r + b) * fold_order::lanes + lane + (node + u) * std::size_t{step};
          const bool there = node + u < nodes && line < count;
          const T* p = first + line * pitch;
          TWOFOLD_UNROLL
          for (unsigned e = 0; e < E; ++e) loaded[u][b][e] = nothing<T>();
          if constexpr (E == 1) {
            if (there && places == 1) loaded[u][b][0] = *p;
          } else {
            if (there && places == E) {
              const pack16<T> pack = *reinterpret_cast<const pack16<T>*>(p);
              TWOFOLD_UNROLL
              for (unsigned e = 0; e < E; ++e) loaded[u][b][e] = pack.element[e];
            }
          }
        }
      }
      if constexpr (E > 1) {
        if (places != E) {
          TWOFOLD_UNROLL
          for (unsigned u = 0; u < U; ++u) {
            TWOFOLD_UNROLL
            for (unsigned b = 0; b < B; ++b) {
              const std::size_t line = (r + b) * fold_order::lanes + lane + (node + u) * std::size_t{step};
              TWOFOLD_UNROLL
              for (unsigned e = 0; e < E; ++e) {
                if (node + u < nodes && line < count && e < places) loaded[u][b][e] = first[line * pitch + e];
              }
            }
          }
        }
      }
      TWOFOLD_UNROLL
      for (unsigned u = 0; u < U; ++u) {
        TWOFOLD_UNROLL
        for (unsigned b = 0; b < B; ++b) {
          TWOFOLD_UNROLL
          for (unsigned e = 0; e < E; ++e) sums[u][e] = add(sums[u][e], static_cast<A>(loaded[u][b][e]));
        }
      }
    }
    TWOFOLD_UNROLL
    for (unsigned u = 0; u < U; ++u) {
      TWOFOLD_UNROLL
      for (unsigned e = 0; e < E; ++e) sums[u][e] = across_threads(sums[u][e]);
    }
    TWOFOLD_UNROLL
    for (unsigned width = 1; width < U; width *= 2) {
      TWOFOLD_UNROLL
      for (unsigned u = 0; u + width < U; u += 2 * width) {
        TWOFOLD_UNROLL
        for (unsigned e = 0; e < E; ++e) sums[u][e] = combine(sums[u][e], sums[u + width][e]);
      }
    }
    TWOFOLD_UNROLL
    for (unsigned e = 0; e < E; ++e) folded[e] = sums[0][e];
    stack.push(folded, node / U);
  }
}

/// Threads of a team across the lines, and how many times 32 they are: what 32 threads leave meets in memory on chip.
inline constexpr unsigned across_team_size = 256;
inline constexpr unsigned across_groups = across_team_size / 32;

/// Two teams on every SM of an H200.
inline constexpr std::size_t enough_teams = 264;

/// How the threads of a team are laid over places and lanes.
struct across_plan {
  std::size_t strips;  // of neighbouring places that 32 threads cover
  std::size_t teams;   // for all strips of a chunk
  unsigned log_width;  // threads of the 32 that lie side by side; the others take further lanes
  unsigned groups;     // of 32 threads that share out the lanes of a chunk

  static across_plan of(std::size_t places, unsigned places_per_thread, const fold_shape& shape) {
    const std::size_t packs = packs_of(places, places_per_thread);
    unsigned log_width = 0;
    while (log_width < 5 && (1u << log_width) < packs) ++log_width;
    // Narrower strips, down to 64 bytes, where teams would be too few for the GPU. A last chunk of few lines is no work for a
    // team, unless it is the only one.
    const unsigned narrowest = 2 + (places_per_thread == 1 ? 2 : 0);
    const std::size_t lines = std::max(shape.n, shape.chunk);
    while (log_width > narrowest && (packs >> log_width) * lines < enough_teams * shape.chunk) --log_width;
    return with_width(places, places_per_thread, shape, log_width);
  }

  /// The plan whose strips are 2^log_width threads wide, at most 32.
  static across_plan with_width(std::size_t places, unsigned places_per_thread, const fold_shape& shape,
                                unsigned log_width) {
    across_plan plan{};
    plan.log_width = log_width;
    plan.strips = (packs_of(places, places_per_thread) + (1u << log_width) - 1) >> log_width;
    // Each group keeps eight lanes at least, and one for each of its threads that do not lie side by side.
    const unsigned slots = 32u >> log_width;
    plan.groups = std::clamp(shape.lanes / std::max(8u, slots), 1u, across_groups);
    const unsigned strips_per_team = across_groups / plan.groups;
    plan.teams = (plan.strips + strips_per_team - 1) / strips_per_team;
    return plan;
  }

 private:
  static std::size_t packs_of(std::size_t places, unsigned places_per_thread) {
    return (places + places_per_thread - 1) / places_per_thread;
  }
};

/// Values that a team across the lines needs on chip.
template <unsigned E>
inline constexpr std::size_t across_room = std::size_t{across_groups} * 32 * E;

/// Team `rank` of plan.teams * shape.chunks: all lanes of a chunk at some places of the lines. A team is
///
///   rank(), barrier()             of the calling thread, and for all of them and what they wrote to `nodes`
///   fold_neighbours(value, first) the tree over 32 neighbours, `first` ranks apart, then twice as far; the first gets it
///
/// and write(place, chunk, value) puts a result of this level. A thread walks neighbouring lanes, so that most of the tree is in
/// its registers: with lanes shared out in turn, three shuffles for each value cost more than memory (one H200, 4096 x
/// 4096 floats: 35 us instead of 23.5). Teams of 512 take 25.5.
template <unsigned Rows, unsigned E, class A, class T, class Team, class Write>
TWOFOLD_FUNCTION void fold_across_team(const Team& team, const T* data, std::size_t pitch, std::size_t places,
                                       const fold_shape& shape, const across_plan& plan, std::size_t rank,
                                       A* nodes, const Write& write) {
  const unsigned group = team.rank() / 32, thread = team.rank() % 32;
  const unsigned width = 1u << plan.log_width;
  const unsigned side = thread & (width - 1), slot = thread >> plan.log_width;
  const unsigned turn = group & (plan.groups - 1);
  const std::size_t chunk = rank / plan.teams;
  const std::size_t strip = rank % plan.teams * (across_groups / plan.groups) + group / plan.groups;
  const std::size_t place = ((strip << plan.log_width) + side) * E;
  const unsigned here = place >= places ? 0 : places - place < E ? static_cast<unsigned>(places - place) : E;

  const unsigned lanes = shape.lanes / plan.groups;  // of this group
  const unsigned mine = at_least_one(lanes >> (5 - plan.log_width));
  A folded[E];
  fold_across<Rows, E, A>(data + chunk * shape.chunk * pitch + place, pitch, here, shape.count_of(chunk),
                          turn * lanes + slot * mine, mine, 1, folded, [](A value) { return value; });
  TWOFOLD_UNROLL
  for (unsigned e = 0; e < E; ++e) folded[e] = team.fold_neighbours(folded[e], width);

  if (plan.groups > 1) {
    if (slot == 0) {
      TWOFOLD_UNROLL
      for (unsigned e = 0; e < E; ++e) nodes[(group * E + e) * 32 + side] = folded[e];
    }
    team.barrier();  // all groups' nodes are there
    if (turn == 0 && slot == 0) {
      TWOFOLD_UNROLL
      for (unsigned e = 0; e < E; ++e) {
        A v[across_groups];
        TWOFOLD_UNROLL
        for (unsigned g = 0; g < across_groups; ++g)
          v[g] = g < plan.groups ? nodes[((group + g) * E + e) * 32 + side] : nothing<A>();
        TWOFOLD_UNROLL
        for (unsigned apart = 1; apart < across_groups; apart *= 2) {
          TWOFOLD_UNROLL
          for (unsigned g = 0; g + apart < across_groups; g += 2 * apart) v[g] = combine(v[g], v[g + apart]);
        }
        folded[e] = v[0];
      }
    }
  }
  if (turn == 0 && slot == 0) {
    TWOFOLD_UNROLL
    for (unsigned e = 0; e < E; ++e) {
      if (e < here) write(place + e, chunk, folded[e]);
    }
  }
}

}  // namespace twofold::backends
