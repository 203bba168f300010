// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/accumulator.hpp>
#include <twofold/backends/fold_order.hpp>
#include <twofold/backends/matrix.hpp>

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

TWOFOLD_FUNCTION constexpr unsigned at_least_one(unsigned x) { return x < 1 ? 1 : x; }
TWOFOLD_FUNCTION constexpr unsigned at_most(unsigned x, unsigned limit) { return x < limit ? x : limit; }

/// Nodes in flight at once, and rows of each.
template <unsigned Rows, unsigned E, class T, class A>
struct in_flight {
  static constexpr unsigned loads = at_most(at_least_one(line_bytes_in_flight / (E * sizeof(T))), 16);
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

}  // namespace twofold::backends
