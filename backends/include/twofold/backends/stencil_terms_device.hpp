// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/stencil_tile_device.hpp>

#include <cstddef>
#include <type_traits>

/// @file
/// What the teams of a GPU do for windows that are summed term by term, through memory on chip: long weighted ones, and short
/// ones of elements that are not adjacent (of adjacent ones: stencil_registers_device.hpp). Teams and their memory are those
/// of stencil_tile_device.hpp.

namespace twofold::backends {
namespace stencil_device {

/// Neighbouring results of one thread, which share the elements that it reads. An odd number: threads side by side then read
/// from different banks, without gaps between the elements. With weights as many as registers allow, since a thread reads
/// two numbers for so many multiply-adds.
template <bool Weighted, class R>
inline constexpr unsigned results_per_thread = !Weighted        ? 5
                                               : sizeof(R) == 4 ? 15
                                                                : 7;

inline constexpr unsigned direct_team_size = 256;

/// Teams that an SM should hold at once: each waits for its elements and then only computes, so others must be there.
template <class R>
inline constexpr unsigned direct_teams_at_once = sizeof(R) == 4 ? 4 : 3;

/// Weights that are on chip at a time.
inline constexpr unsigned weights_at_once = 512;

template <bool Weighted>
TWOFOLD_FUNCTION constexpr unsigned terms_at_once(index k) {
  return Weighted && 2 * k + 1 > index{weights_at_once} ? weights_at_once : static_cast<unsigned>(2 * k + 1);
}

/// Elements on chip; the weights follow.
template <bool Weighted, class R>
TWOFOLD_FUNCTION constexpr unsigned direct_slots(index k) {
  return results_per_thread<Weighted, R> * direct_team_size + terms_at_once<Weighted>(k) - 1;
}

template <bool Weighted, class R>
TWOFOLD_FUNCTION constexpr std::size_t direct_bytes(index k) {
  return (std::size_t{direct_slots<Weighted, R>(k)} + (Weighted ? terms_at_once<Weighted>(k) : 0)) *
         sizeof(R);
}

/// Results before element 0 that the first team has, so that packs of results are aligned.
template <class Out>
TWOFOLD_FUNCTION index direct_lead(const Out& out) {
  return out.misaligned(16);
}

template <bool Weighted, class Out>
TWOFOLD_FUNCTION index direct_teams(const Out& out, index n) {
  using R = std::remove_cvref_t<decltype(*out(0))>;
  constexpr index per_team = results_per_thread<Weighted, R> * direct_team_size;
  return (n + direct_lead(out) + per_team - 1) / per_team;
}

/// One element for the results first .. last - 1: result r takes it with weight(r), or as it is.
template <bool Weighted, unsigned P, class R, class WeightOf>
TWOFOLD_FUNCTION void add_element(R (&sums)[P], unsigned first, unsigned last, R x, const WeightOf& weight) {
  TWOFOLD_UNROLL
  for (unsigned r = 0; r < P; ++r) {
    if (r < first || r >= last) continue;
    if constexpr (Weighted) {
      sums[r] = multiply_add(weight(r), x, sums[r]);
    } else {
      sums[r] = add(sums[r], x);
    }
  }
}

/// Adds `terms` terms to the sums, however few: result r of the thread takes elements r .. r + terms - 1 of `x`. With weights,
/// only elements valid_from <= p < valid_to exist, counted in the same way.
template <unsigned P, bool Weighted, class R>
TWOFOLD_FUNCTION void add_some_terms(R (&sums)[P], const R* x, const R* weights, unsigned terms,
                                     int valid_from, int valid_to) {
  TWOFOLD_DO_NOT_UNROLL
  for (unsigned p = 0; p < terms + P - 1; ++p) {
    if (Weighted && (static_cast<int>(p) < valid_from || static_cast<int>(p) >= valid_to)) continue;
    const R element = x[p];
    TWOFOLD_UNROLL
    for (unsigned r = 0; r < P; ++r) {
      if (r > p || p - r >= terms) continue;
      if constexpr (Weighted) {
        sums[r] = multiply_add(weights[p - r], element, sums[r]);
      } else {
        sums[r] = add(sums[r], element);
      }
    }
  }
}

/// The same for at least P - 1 terms of elements that all exist, without a question: first the elements that not all results
/// take yet, then P elements at a time for all results, then the rest of those one by one, then the elements that not all
/// results take any more. The weights move through registers, so that a thread reads each once, but for the last.
template <unsigned P, bool Weighted, class R>
TWOFOLD_FUNCTION void add_all_terms(R (&sums)[P], const R* x, const R* weights, unsigned terms) {
  R w[P];  // weight j in w[j % P]
  TWOFOLD_UNROLL
  for (unsigned p = 0; p < P - 1; ++p) {
    if constexpr (Weighted) w[p] = weights[p];
    add_element<Weighted>(sums, 0, p + 1, x[p], [&](unsigned r) { return w[p - r]; });
  }
  x += P - 1;
  weights += P - 1;
  unsigned left = terms - (P - 1);
  const auto for_all = [&](unsigned u) {
    if constexpr (Weighted) w[(P - 1 + u) % P] = weights[u];
    add_element<Weighted>(sums, 0, P, x[u], [&](unsigned r) { return w[(2 * P - 1 + u - r) % P]; });
  };
  TWOFOLD_DO_NOT_UNROLL
  for (; left >= P; left -= P, x += P, weights += P) {
    TWOFOLD_UNROLL
    for (unsigned u = 0; u < P; ++u) for_all(u);
  }
  TWOFOLD_UNROLL
  for (unsigned u = 0; u < P - 1; ++u) {
    if (u >= left) break;
    for_all(u);
  }
  x += left;
  weights += left;
  // The last weights again, in registers that do not depend on how many were left.
  if constexpr (Weighted) {
    TWOFOLD_UNROLL
    for (unsigned d = 0; d < P - 1; ++d) w[d] = *(weights - 1 - d);
  }
  TWOFOLD_UNROLL
  for (unsigned t = 0; t < P - 1; ++t)
    add_element<Weighted>(sums, t + 1, P, x[t], [&](unsigned r) { return w[r - 1 - t]; });
}

/// Copies elements first .. first + count - 1 to `slots`, at least P of them for each thread and at most two more.
template <unsigned P, class R, class Team, class In>
TWOFOLD_FUNCTION void load_direct(const Team& team, const In& in, index n, index first, unsigned count,
                                  R* slots) {
  using T = std::remove_cvref_t<decltype(*in(0))>;
  const unsigned rank = team.rank(), size = team.size();
  if (first < 0 || first + static_cast<index>(count) > n) {
    return load_each_from<P + 2, R>(rank, team, in, n, first, count,
                                    [slots](unsigned e, R x) { slots[e] = x; });
  }
  T v[P + 2];
  TWOFOLD_UNROLL
  for (unsigned u = 0; u < P + 2; ++u) {
    v[u] = u < P || rank + u * size < count ? *in(first + (rank + u * size)) : T{};
  }
  TWOFOLD_UNROLL
  for (unsigned u = 0; u < P + 2; ++u) {
    if (u < P || rank + u * size < count) slots[rank + u * size] = static_cast<R>(v[u]);
  }
}

/// Results first .. first + count - 1, which lie on chip, to where they belong, those of them that exist.
template <class R, class Team, class Out>
TWOFOLD_FUNCTION void write_direct(const Team& team, const Out& out, index n, index first, unsigned count,
                                   const R* results) {
  if constexpr (requires { out.stride; }) {
    for (unsigned e = team.rank(); e < count; e += team.size()) {
      const index i = first + e;
      if (i >= 0 && i < n) team.write(out(i), results[e]);
    }
  } else {
    constexpr unsigned V = pack_size<R>;
    for (unsigned e = V * team.rank(); e < count; e += V * team.size()) {
      const index i = first + e;
      if (i >= 0 && i + static_cast<index>(V) <= n) {
        team.write_pack(out(i), *reinterpret_cast<const pack<R>*>(results + e));
      } else {
        for (unsigned v = 0; v < V; ++v) {
          if (i + v >= 0 && i + v < n) team.write(out(i + v), results[e + v]);
        }
      }
    }
  }
}

template <bool Weighted, class R, class Team, class In, class Weights, class Out>
TWOFOLD_FUNCTION void direct(const Team& team, const In& in, const Weights& weights, const Out& out, index n,
                             index k, index league_rank, R* memory) {
  constexpr unsigned P = results_per_thread<Weighted, R>;
  const unsigned per_team = P * team.size();
  const index first = league_rank * per_team - direct_lead(out);
  R* const slots = memory;
  R* const on_chip = memory + direct_slots<Weighted, R>(k);

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
    static_assert(weights_at_once <= 2 * direct_team_size &&
                  2 * stencil_order::longest_direct < direct_team_size);
    load_direct<P>(team, in, n, from, count, slots);
    if constexpr (Weighted) {
      for (unsigned t = team.rank(); t < terms; t += team.size())
        on_chip[t] = static_cast<R>(*weights(j + t));
    }
    team.barrier();  // the elements and weights are there
    const R* const mine = slots + P * team.rank();
    const bool all_valid = from >= 0 && from + static_cast<index>(count) <= n;
    if ((all_valid || !Weighted) && terms >= P - 1) {
      add_all_terms<P, Weighted>(sums, mine, on_chip, terms);
    } else {
      const int own = static_cast<int>(P * team.rank());
      const int valid_from = (from < 0 ? static_cast<int>(-from) : 0) - own;
      const int valid_to =
          (n - from < static_cast<index>(count) ? static_cast<int>(n - from) : static_cast<int>(count)) - own;
      add_some_terms<P, Weighted>(sums, mine, on_chip, terms, valid_from, valid_to);
    }
  }

  // Through memory on chip, where each thread's results lie side by side, so that neighbours write neighbouring packs.
  team.barrier();  // the elements are read
  TWOFOLD_UNROLL
  for (unsigned r = 0; r < P; ++r) slots[P * team.rank() + r] = canonical(sums[r]);
  team.barrier();  // the results are there
  write_direct(team, out, n, first, per_team, slots);
}

}  // namespace stencil_device
}  // namespace twofold::backends
