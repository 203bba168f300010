// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/stencil_tile_device.hpp>

#include <cstddef>

/// @file
/// What the teams of a GPU do for windows that are summed term by term: short ones in registers alone, where 16-byte
/// loads and stores are possible, and otherwise short and weighted ones of any length through memory on chip. Teams and
/// their memory are those of stencil_tile_device.hpp.

namespace twofold::backends {
namespace stencil_device {

// ---- short windows in registers ----------------------------------------------------------------------

/// Elements side by side, which 16-byte loads and stores need.
template <class Vector>
inline constexpr bool adjacent = !requires(const Vector& v) { v.stride; };

/// Whether some number of elements leads both vectors to a 16-byte boundary; then that number is the input's.
template <class In, class Out>
  requires(adjacent<In> && adjacent<Out>)
TWOFOLD_FUNCTION bool fits_registers(const In& in, const Out& out) {
  return out.misaligned(16) == in.misaligned(16) % (16 / sizeof(*out(0)));
}

/// Packs of results of one thread: one, and two where long windows of 8-byte elements would load nine packs for one of
/// results. On one H200, 2^27 doubles, radius 8: 531 us with two, 583 with one (cudaMemcpy: 507). Two have their price:
/// each store writes half sectors. So floats take one (504 us with two at best, 871 at worst, 510 with one).
template <int K, class T>
inline constexpr int short_packs = K > 5 && sizeof(T) == 8 ? 2 : 1;

/// Threads of a block, and the blocks that an SM should hold at once: as many as registers allow without spills. Left
/// alone, the compiler takes a few registers more and a quarter of the threads goes: 564 us for floats at radius 8.
template <int K, class R>
inline constexpr unsigned short_block_size = K > 5 && sizeof(R) == 8 ? 128 : 256;
template <int K, class R>
inline constexpr unsigned short_blocks_at_once = K == 5 && sizeof(R) == 8 ? 6 : 8;

/// Threads for n results.
template <int K, class In>
TWOFOLD_FUNCTION index short_items(const In& in, index n) {
  using T = std::remove_cvref_t<decltype(*in(0))>;
  constexpr index P = short_packs<K, T> * pack_size<T>;
  return (n + in.misaligned(16) + P - 1) / P;
}

/// Windows of radius K, of which work item `item` has one pack of results or two. It loads all packs of elements that
/// these touch: most of them come from L1, where its neighbours' loads have put them.
template <int K, class R, class In, class Out>
TWOFOLD_FUNCTION void short_windows(const In& in, const Out& out, index n, index item) {
  using T = std::remove_cvref_t<decltype(*in(0))>;
  constexpr int V = pack_size<T>, P = short_packs<K, T> * V, Before = (K + V - 1) / V * V,
                Count = 2 * Before + P;
  const index i = item * P - in.misaligned(16), first = i - Before;
  if (i >= n) return;
  T x[Count];
  const bool inside = first >= 0 && first + Count <= n;
  if (inside) {
    TWOFOLD_UNROLL
    for (int e = 0; e < Count; e += V) {
      const auto p = load_pack<T>(in(first + e));
      TWOFOLD_UNROLL
      for (int u = 0; u < V; ++u) x[e + u] = p.element[u];
    }
  } else {
    TWOFOLD_UNROLL
    for (int e = 0; e < Count; ++e) x[e] = first + e >= 0 && first + e < n ? *in(first + e) : absent<T>();
  }
  pack<R, P> sums;
  TWOFOLD_UNROLL
  for (int r = 0; r < P; ++r) {
    R sum = static_cast<R>(x[Before + r - K]);
    TWOFOLD_UNROLL
    for (int j = 1; j <= 2 * K; ++j) sum = add(sum, static_cast<R>(x[Before + r - K + j]));
    sums.element[r] = canonical(sum);
  }
  if (inside) {
    *reinterpret_cast<pack<R, P>*>(out(i)) = sums;
  } else {
    TWOFOLD_UNROLL
    for (int r = 0; r < P; ++r) {
      if (i + r >= 0 && i + r < n) *out(i + r) = sums.element[r];
    }
  }
}

/// Calls run.operator()<K>() for the radius k, at most `longest_direct`.
template <int K = 0, class Run>
void with_radius(index k, const Run& run) {
  if constexpr (K < stencil_order::longest_direct) {
    if (k > K) return with_radius<K + 1>(k, run);
  }
  run.template operator()<K>();
}

// ---- through memory on chip --------------------------------------------------------------------------

/// Neighbouring results of one thread, which share the elements that it reads.
template <bool Weighted>
inline constexpr unsigned results_per_thread = Weighted ? 8 : 4;

inline constexpr unsigned direct_team_size = 256;

/// Where element e is kept, with a gap of one after every `Every`.
template <unsigned Every>
TWOFOLD_FUNCTION constexpr unsigned spread_slot(unsigned e) {
  return e + e / Every;
}

/// Weights that are on chip at a time.
inline constexpr unsigned weights_at_once = 512;

template <bool Weighted>
TWOFOLD_FUNCTION constexpr unsigned terms_at_once(index k) {
  return Weighted && 2 * k + 1 > index{weights_at_once} ? weights_at_once : static_cast<unsigned>(2 * k + 1);
}

template <bool Weighted>
TWOFOLD_FUNCTION constexpr unsigned direct_slots(index k) {
  constexpr unsigned P = results_per_thread<Weighted>;
  return spread_slot<P>(P * direct_team_size + terms_at_once<Weighted>(k) - 1);
}

template <bool Weighted, class R>
TWOFOLD_FUNCTION constexpr std::size_t direct_bytes(index k) {
  return (std::size_t{direct_slots<Weighted>(k)} + (Weighted ? terms_at_once<Weighted>(k) : 0)) * sizeof(R);
}

/// Results before element 0 that the first team has, so that each thread's results are aligned together.
template <bool Weighted, class Out>
TWOFOLD_FUNCTION index direct_lead(const Out& out) {
  constexpr unsigned P = results_per_thread<Weighted>;
  return out.misaligned(P * sizeof(*out(0)));
}

template <bool Weighted, class Out>
TWOFOLD_FUNCTION index direct_teams(const Out& out, index n) {
  constexpr index per_team = results_per_thread<Weighted> * direct_team_size;
  return (n + direct_lead<Weighted>(out) + per_team - 1) / per_team;
}

/// One term, for all results of the thread to which it belongs.
template <unsigned P, bool Weighted, class R>
TWOFOLD_FUNCTION void add_term(R (&sums)[P], unsigned r, const R* weights, unsigned j, R x) {
  if constexpr (Weighted) {
    sums[r] = multiply_add(weights[j], x, sums[r]);
  } else {
    sums[r] = add(sums[r], x);
  }
}

/// Adds `terms` terms to the sums: result r of the thread takes elements r .. r + terms - 1 behind `slots`.
/// With weights, only elements valid_from <= e < valid_to exist, counted in the same way.
template <unsigned P, bool Weighted, class R>
TWOFOLD_FUNCTION void add_terms(R (&sums)[P], const R* slots, const R* weights, unsigned terms,
                                bool all_valid, int valid_from, int valid_to) {
  const auto some = [&](unsigned p) {
    if (Weighted && !all_valid && (static_cast<int>(p) < valid_from || static_cast<int>(p) >= valid_to))
      return;
    const R x = slots[spread_slot<P>(p)];
    TWOFOLD_UNROLL
    for (unsigned r = 0; r < P; ++r) {
      if (r <= p && p - r < terms) add_term<P, Weighted>(sums, r, weights, p - r, x);
    }
  };
  unsigned p = 0;
  for (; p < P - 1; ++p) some(p);
  if (all_valid || !Weighted) {
    // All results take part. The weights move through registers: each is read once per thread.
    R w[P];
    if constexpr (Weighted) {
      TWOFOLD_UNROLL
      for (unsigned u = 1; u < P; ++u) w[u] = u - 1 < terms ? weights[u - 1] : R{};
    }
    TWOFOLD_DO_NOT_UNROLL
    for (; p + P <= terms; p += P) {
      TWOFOLD_UNROLL
      for (unsigned u = 0; u < P; ++u) {
        const R x = slots[spread_slot<P>(p + u)];
        if constexpr (Weighted) w[u] = weights[p + u];
        TWOFOLD_UNROLL
        for (unsigned r = 0; r < P; ++r) {
          if constexpr (Weighted) {
            sums[r] = multiply_add(w[(P + u - r) % P], x, sums[r]);
          } else {
            sums[r] = add(sums[r], x);
          }
        }
      }
    }
  }
  for (; p < terms + P - 1; ++p) some(p);
}

template <bool Weighted, class R, class Team, class In, class Weights, class Out>
TWOFOLD_FUNCTION void direct(const Team& team, const In& in, const Weights& weights, const Out& out, index n,
                             index k, index league_rank, R* memory) {
  constexpr unsigned P = results_per_thread<Weighted>;
  const unsigned per_team = P * team.size();
  const index first = league_rank * per_team - direct_lead<Weighted>(out);
  R* const slots = memory;
  R* const on_chip = memory + direct_slots<Weighted>(k);

  // Only the terms that exist for some result of this team.
  const index past = k - (first + per_team - 1);
  const index begin = past > 0 ? past : 0;
  const index end = k + n - first < 2 * k + 1 ? k + n - first : 2 * k + 1;

  R sums[P];
  TWOFOLD_UNROLL
  for (unsigned r = 0; r < P; ++r) sums[r] = absent<R>();
  TWOFOLD_DO_NOT_UNROLL
  for (index j = begin; j < end; j += terms_at_once<Weighted>(k)) {
    const index left = end - j;
    const unsigned terms =
        left < index{terms_at_once<Weighted>(k)} ? static_cast<unsigned>(left) : terms_at_once<Weighted>(k);
    const unsigned count = per_team + terms - 1;
    const index from = first - k + j;
    if (j != begin) team.barrier();  // the elements before are read
    load_each<R>(team, in, n, from, count, [slots](unsigned e, R x) { slots[spread_slot<P>(e)] = x; });
    if constexpr (Weighted) {
      for (unsigned t = team.rank(); t < terms; t += team.size())
        on_chip[t] = static_cast<R>(*weights(j + t));
    }
    team.barrier();  // the elements and weights are there
    const bool all_valid = from >= 0 && from + static_cast<index>(count) <= n;
    const int own = static_cast<int>(P * team.rank());
    const int valid_from = (from < 0 ? static_cast<int>(-from) : 0) - own;
    const int valid_to =
        (n - from < static_cast<index>(count) ? static_cast<int>(n - from) : static_cast<int>(count)) - own;
    add_terms<P, Weighted>(sums, slots + spread_slot<P>(P * team.rank()), on_chip, terms, all_valid,
                           valid_from, valid_to);
  }

  const index i = first + P * team.rank();
  TWOFOLD_UNROLL
  for (unsigned r = 0; r < P; ++r) sums[r] = canonical(sums[r]);
  if constexpr (requires { out.stride; }) {
    for (unsigned r = 0; r < P; ++r) {
      if (i + r >= 0 && i + r < n) team.write(out(i + r), sums[r]);
    }
  } else {
    if (i >= 0 && i + static_cast<index>(P) <= n) {
      pack<R, P> packed;
      TWOFOLD_UNROLL
      for (unsigned r = 0; r < P; ++r) packed.element[r] = sums[r];
      team.write_pack(out(i), packed);
    } else {
      for (unsigned r = 0; r < P; ++r) {
        if (i + r >= 0 && i + r < n) team.write(out(i + r), sums[r]);
      }
    }
  }
}

}  // namespace stencil_device
}  // namespace twofold::backends
