// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/stencil_tile_device.hpp>

#include <cstddef>

/// @file
/// What the teams of a GPU do for windows that are summed term by term, through memory on chip: long weighted ones, and short
/// ones of elements that are not adjacent (of adjacent ones: stencil_registers_device.hpp). Teams and their memory are those
/// of stencil_tile_device.hpp.

namespace twofold::backends {
namespace stencil_device {

/// Neighbouring results of one thread, which share the elements that it reads.
template <bool Weighted>
inline constexpr unsigned results_per_thread = Weighted ? 8 : 4;

inline constexpr unsigned direct_team_size = 256;

/// Teams that an SM should hold at once: each waits for its elements and then only computes, so others must be there.
template <class R>
inline constexpr unsigned direct_teams_at_once = sizeof(R) == 4 ? 4 : 3;

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
    // As many at once as there are: elements for P results of each thread, and for at most two more turns of terms.
    static_assert(weights_at_once <= 2 * direct_team_size &&
                  2 * stencil_order::longest_direct < direct_team_size);
    load_each_from<P + 2, R>(team.rank(), team, in, n, from, count,
                             [slots](unsigned e, R x) { slots[spread_slot<P>(e)] = x; });
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
