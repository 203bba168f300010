// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/stencil_tile_device.hpp>

#include <cstddef>

/// @file
/// What a thread of a GPU does for short windows of adjacent elements, with weights and without: all in registers.

namespace twofold::backends {
namespace stencil_device {

/// Elements side by side, which 16-byte loads and stores need.
template <class Vector>
inline constexpr bool adjacent = !requires(const Vector& v) { v.stride; };

/// How the two vectors lie: some number of elements, the input's `misaligned`, leads both to a 16-byte boundary, or each is
/// led there by another.
enum class alignment { together, apart };

template <class In, class Out>
TWOFOLD_FUNCTION bool aligned_together(const In& in, const Out& out) {
  return out.misaligned(16) == in.misaligned(16) % (16 / sizeof(*out(0)));
}

/// Calls run.operator()<alignment>() with how `in` and `out` lie.
template <class In, class Out, class Run>
void with_alignment(const In& in, const Out& out, const Run& run) {
  aligned_together(in, out) ? run.template operator()<alignment::together>()
                            : run.template operator()<alignment::apart>();
}

/// In the place of weights where all are one.
struct no_weights {};

template <class Weights>
inline constexpr bool is_weighted = !std::is_same_v<Weights, no_weights>;

/// Packs of results of one thread: one, and two where long windows of 8-byte elements would load nine packs for one of
/// results, and where a thread needs a weight for each term. On one H200, 2^28 doubles, radius 8: 1077 us with two, 1143
/// with one (cudaMemcpy: 1004); with weights, radius 4: 1032, 1161. Two have their price: each store writes half sectors.
/// So floats take one (2^27, radius 8: 504 us with two at best, 871 at worst, 510 with one).
template <int K, class Weights, class T>
inline constexpr int short_packs = K > (is_weighted<Weights> ? 2 : 5) && sizeof(T) == 8 ? 2 : 1;

/// Threads of a block, and the blocks that an SM should hold at once: as many as registers allow without spills, also inside
/// Kokkos' loop, which takes a few for itself (one H200, floats, radius 8, vectors apart: 860 us with eight blocks, 632 with
/// six). Left alone, the compiler takes more, and a quarter of the threads goes: 564 us at radius 8, for 519.
template <int K, class Weights, class R>
inline constexpr unsigned short_block_size = K > (is_weighted<Weights> ? 2 : 5) && sizeof(R) == 8 ? 128 : 256;
template <int K, alignment Lie, class Weights, class R>
inline constexpr unsigned short_blocks_at_once =
    is_weighted<Weights> ? (K > (sizeof(R) == 8 ? 2 : 4) ? 6 : 8)
    : sizeof(R) == 8     ? (K == 5 ? 6 : 8)
                         : (Lie == alignment::apart && K > 7 ? 6 : 8);

/// Results before element 0 that the first thread has, so that each thread's are aligned together.
template <alignment Lie, class In, class Out>
TWOFOLD_FUNCTION index short_lead(const In& in, const Out& out) {
  return Lie == alignment::together ? in.misaligned(16) : out.misaligned(16);
}

/// Threads for n results.
template <int K, alignment Lie, class Weights, class In, class Out>
TWOFOLD_FUNCTION index short_items(const In& in, const Out& out, index n) {
  using T = std::remove_cvref_t<decltype(*in(0))>;
  constexpr index P = short_packs<K, Weights, T> * pack_size<T>;
  return (n + short_lead<Lie>(in, out) + P - 1) / P;
}

/// What a work item needs: loads elements `first` to first + Count, from packs on the boundaries of `in`, which lie `over`
/// elements before. Returns whether all exist; those that do not are absent.
template <int Count, int Loaded, class T, class In>
TWOFOLD_FUNCTION bool load_around(const In& in, index n, index first, int over, T (&x)[Loaded]) {
  constexpr int V = pack_size<T>;
  if (first >= over && first - over + Loaded <= n) {
    TWOFOLD_UNROLL
    for (int e = 0; e < Loaded; e += V) {
      const auto p = load_pack<T>(in(first - over + e));
      TWOFOLD_UNROLL
      for (int u = 0; u < V; ++u) x[e + u] = p.element[u];
    }
    if constexpr (Loaded > Count) {
      // No register is indexed by a variable: elements move over by one, and by two.
      TWOFOLD_UNROLL
      for (int by = 1; by < V; by *= 2) {
        TWOFOLD_UNROLL
        for (int e = 0; e + by < Loaded; ++e) x[e] = (over & by) != 0 ? x[e + by] : x[e];
      }
    }
    return true;
  }
  TWOFOLD_UNROLL
  for (int e = 0; e < Count; ++e) x[e] = first + e >= 0 && first + e < n ? *in(first + e) : absent<T>();
  return false;
}

/// Windows of radius K, of which work item `item` has one pack of results or two. It loads all packs of elements that
/// these touch: most of them come from L1, where its neighbours' loads have put them. Where the vectors lie apart, one
/// pack more, and all elements move over by what is between their boundaries. `weights`: 2 K + 1, or no_weights.
template <int K, alignment Lie, class R, class In, class Out, class Weights>
TWOFOLD_FUNCTION void short_windows(const In& in, const Weights& weights, const Out& out, index n,
                                    index item) {
  using T = std::remove_cvref_t<decltype(*in(0))>;
  constexpr bool Weighted = is_weighted<Weights>;
  constexpr int V = pack_size<T>, P = short_packs<K, Weights, T> * V, Before = (K + V - 1) / V * V,
                Count = 2 * Before + P, Loaded = Lie == alignment::together ? Count : Count + V;
  const index i = item * P - short_lead<Lie>(in, out), first = i - Before;
  if (i >= n) return;
  const int over =
      Lie == alignment::together ? 0 : static_cast<int>(V + in.misaligned(16) - out.misaligned(16)) % V;
  T x[Loaded];
  const bool inside = load_around<Count>(in, n, first, over, x);

  pack<R, P> sums;
  const auto add_up = [&](const auto& exists) {
    TWOFOLD_UNROLL
    for (int r = 0; r < P; ++r) sums.element[r] = absent<R>();
    TWOFOLD_UNROLL
    for (int j = 0; j <= 2 * K; ++j) {
      [[maybe_unused]] R weight{};
      if constexpr (Weighted) weight = static_cast<R>(*weights(j));
      TWOFOLD_UNROLL
      for (int r = 0; r < P; ++r) {
        const int e = Before + r - K + j;
        R& sum = sums.element[r];
        if constexpr (!Weighted) {
          sum = j == 0 ? static_cast<R>(x[e]) : add(sum, static_cast<R>(x[e]));
        } else {
          if (exists(e)) sum = multiply_add(weight, static_cast<R>(x[e]), sum);
        }
      }
    }
    TWOFOLD_UNROLL
    for (int r = 0; r < P; ++r) sums.element[r] = canonical(sums.element[r]);
  };
  if (inside) {
    add_up([](int) { return true; });
    store_results(out(i), sums);
  } else {
    add_up([&](int e) { return first + e >= 0 && first + e < n; });
    TWOFOLD_UNROLL
    for (int r = 0; r < P; ++r) {
      if (i + r >= 0 && i + r < n) *out(i + r) = sums.element[r];
    }
  }
}

/// The longest windows that are summed in registers. Weighted ones of radius 7 and 8 are faster through memory on chip (one
/// H200, 2^28 floats, radius 8: 613 us, in registers 618; off a boundary 611 and 717; doubles 1301 and 1339).
template <class Weights>
inline constexpr index longest_in_registers = is_weighted<Weights> ? 6 : stencil_order::longest_direct;

/// Calls run.operator()<K>() for the radius k, at most `longest_in_registers`.
template <class Weights, int K = 0, class Run>
void with_radius(index k, const Run& run) {
  if constexpr (K < longest_in_registers<Weights>) {
    if (k > K) return with_radius<Weights, K + 1>(k, run);
  }
  run.template operator()<K>();
}

}  // namespace stencil_device
}  // namespace twofold::backends
