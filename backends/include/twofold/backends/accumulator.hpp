// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/arithmetic.hpp>
#include <twofold/backends/fixed_width.hpp>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <type_traits>

/// @file
/// What a fold accumulates: the default for each element type, and the three-part sum of squares.

namespace twofold {

/// The type in which elements of T are summed unless another is asked for:
/// T itself for floating point, the 64-bit integer of the same signedness for integers.
template <class T>
using default_sum_t =
    std::conditional_t<std::is_floating_point_v<T>, T,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

/// The type of a Euclidean norm of elements of T: T for floating point, double for integers.
template <class T>
using default_norm_t = std::conditional_t<std::is_floating_point_v<T>, T, double>;

/// Element types that a fold takes.
template <class T>
concept foldable = std::same_as<T, float> || std::same_as<T, double> || (std::integral<T> && sizeof(T) <= 8);

/// Accumulators that a fold of T may use: integers in integers of 32 or 64 bits or floating point, floating point in
/// floating point.
template <class R, class T>
concept accumulator_for = foldable<T> && (std::same_as<R, float> || std::same_as<R, double> ||
                                          (std::integral<R> && std::integral<T> && !std::is_const_v<R> &&
                                           (sizeof(fixed_width_t<R>) == 4 || sizeof(fixed_width_t<R>) == 8)));

namespace backends {

/// Sum of squares of doubles that neither overflows nor underflows (J. L. Blue 1978; E. Anderson 2017,
/// as in LAPACK 3.10): large, ordinary and small elements are summed apart, the outer two scaled.
struct scaled_squares {
  double large = absent<double>();
  double ordinary = absent<double>();
  double small = absent<double>();

  static constexpr double large_from = 0x1p486;
  static constexpr double small_below = 0x1p-511;
  static constexpr double large_scale = 0x1p-538;
  static constexpr double small_scale = 0x1p537;

  /// Adds x * x. A NaN is ordinary, an infinity large.
  TWOFOLD_FUNCTION static scaled_squares with(scaled_squares sum, double x) {
    const double magnitude = x < 0 ? -x : x;
    if (magnitude > large_from) {
      const double y = x * large_scale;
      sum.large = multiply_add(y, y, sum.large);
    } else if (magnitude < small_below) {
      const double y = x * small_scale;
      sum.small = multiply_add(y, y, sum.small);
    } else {
      sum.ordinary = multiply_add(x, x, sum.ordinary);
    }
    return sum;
  }

  TWOFOLD_FUNCTION static scaled_squares combined(scaled_squares a, scaled_squares b) {
    return {add(a.large, b.large), add(a.ordinary, b.ordinary), add(a.small, b.small)};
  }

  /// The square root of the whole sum. Every step is one rounding; none can be contracted.
  TWOFOLD_FUNCTION static double root(scaled_squares s) {
    const bool has_ordinary = !(s.ordinary <= 0);  // true for NaN as well
    if (s.large > 0) {
      if (has_ordinary) s.large = multiply_add(s.ordinary * large_scale, large_scale, s.large);
      return std::sqrt(s.large) * (1 / large_scale);
    }
    if (s.small > 0) {
      const double small_root = std::sqrt(s.small) * (1 / small_scale);
      if (!has_ordinary) return small_root;
      const double ordinary_root = std::sqrt(s.ordinary);
      // Not fmin/fmax: they would drop a NaN.
      const bool ordinary_larger = !(ordinary_root < small_root);
      const double larger = ordinary_larger ? ordinary_root : small_root;
      const double ratio = (ordinary_larger ? small_root : ordinary_root) / larger;
      return larger * std::sqrt(multiply_add(ratio, ratio, 1.0));
    }
    return has_ordinary ? std::sqrt(s.ordinary) : 0.0;
  }
};

/// The folding operation on accumulators: addition, part by part.
template <class A>
TWOFOLD_FUNCTION A combine(A a, A b) {
  return add(a, b);
}
TWOFOLD_FUNCTION scaled_squares combine(scaled_squares a, scaled_squares b) {
  return scaled_squares::combined(a, b);
}

/// The accumulator of a lane that got no element.
template <class A>
TWOFOLD_FUNCTION A nothing() {
  if constexpr (std::is_arithmetic_v<A>) {
    return absent<A>();
  } else {
    return A{};
  }
}

}  // namespace backends
}  // namespace twofold
