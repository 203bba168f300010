// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/error.hpp>
#include <twofold/backends/sources.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <utility>

/// @file
/// The source behind `integrate`: f at n + 1 abscissae, the two ends with half weight.
///
/// Abscissae come from the index, never from a running sum, and the last one is exactly b:
///   double   x_i = fma(i, h, a)
///   float    B = fma(s, h, a) in double for the row that starts at s, split as bh = float(B) and
///            bl = float(B - bh); x_i = bh + (float(j h) + bl) for lane j = i - s. Two float additions an
///            element, and an error that does not grow with n, where i itself would not fit into a float.

namespace twofold::backends {

template <class F, class T>
struct trapezoids_source {
  using element = T;
  using accumulator = T;
  using result = T;

  F f;
  T a;
  T b;
  double h;  // width of a trapezoid, >= 0: a <= b here
  double
      scale;    // what the sum is multiplied with: h / unit, negative where the caller's bounds were reversed
  double unit;  // 1, or a power of two with which a subnormal h has all its digits in `scale`
  std::size_t n;  // trapezoids; there is one abscissa more

  struct row_start {
    T base;  // float: bh, see above; double: the row's first index
    T low;   // float: bl
    unsigned has_end;
    std::size_t index;
  };
  struct lane_offset {
    unsigned index;
    T value;
  };

  TWOFOLD_FUNCTION row_start row(std::size_t start) const {
    row_start r{static_cast<T>(start), T(0), start == 0 || n - start < fold_order::lanes ? 1u : 0u, start};
    if constexpr (std::is_same_v<T, float>) {
      const double base = multiply_add(static_cast<double>(start), h, static_cast<double>(a));
      r.base = static_cast<float>(base);
      r.low = static_cast<float>(base - static_cast<double>(r.base));
    }
    return r;
  }
  /// Whether what lane() computes is worth keeping in memory on chip: two conversions from and to double at an eighth of
  /// the rate of an addition or less. The compiler would rather compute them again for each chunk than hold registers.
  static constexpr bool keeps_offsets = std::is_same_v<T, float>;
  TWOFOLD_FUNCTION lane_offset lane(unsigned j) const {
    if constexpr (std::is_same_v<T, float>) {
      return {j, static_cast<float>(j * h)};
    } else {
      return {j, static_cast<double>(j)};
    }
  }
  TWOFOLD_FUNCTION T abscissa(const row_start& row, T offset) const {
    if constexpr (std::is_same_v<T, float>) {
      return add(row.base, add(offset, row.low));
    } else {
      return multiply_add(row.base + offset, h, a);  // the index: exact up to 2^53
    }
  }
  /// The value at a place that is no end.
  TWOFOLD_ANY_CALLEE
  TWOFOLD_FUNCTION T inside(const row_start& row, T offset) const {
    return static_cast<T>(f(abscissa(row, offset)));
  }
  TWOFOLD_ANY_CALLEE
  TWOFOLD_FUNCTION T load(const row_start& row, const lane_offset& lane) const {
    T x = abscissa(row, lane.value);
    if (row.has_end == 0) return static_cast<T>(f(x));
    const std::size_t i = row.index + lane.index;
    if (i == 0) x = a;
    if (i == n) x = b;
    return (i == 0 || i == n ? T(0.5) : T(1)) * static_cast<T>(f(x));
  }
  TWOFOLD_FUNCTION static T with(T sum, T value) { return add(sum, value); }
  TWOFOLD_FUNCTION result finish(T sum) const {
    // An empty interval has no area, whatever f is there (it may be infinite).
    return a == b ? T(0) : canonical(static_cast<T>(scale * static_cast<double>(sum) * unit));
  }
  TWOFOLD_FUNCTION result of_nothing() const { return T(0); }
};

/// Throws precondition_error unless an integral from `a` to `b` by `n` trapezoids has an answer. The length of the
/// interval must be a finite T: abscissae are offsets from one end.
template <class T>
void expects_interval(const char* where, T a, T b, std::size_t n) {
  expects(n >= 1 && n <= std::size_t{1} << 53, where,
          [&] { return "n = " + std::to_string(n) + " trapezoids; expected 1 to 2^53"; });
  const T length = b - a;
  expects(length - length == 0, where, [&] {
    return "bounds [" + std::to_string(a) + ", " + std::to_string(b) +
           "]; expected finite numbers at a finite distance";
  });
}

/// The source of the integral from `a` to `b`. Reversed bounds walk the same abscissae and change the
/// sign, so that the two integrals differ in nothing else.
template <class T, class F>
trapezoids_source<F, T> trapezoids(F f, T a, T b, std::size_t n) {
  const bool reversed = b < a;
  if (reversed) std::swap(a, b);
  const double length = static_cast<double>(b) - static_cast<double>(a), parts = static_cast<double>(n);
  double h = length / parts, scale = h, unit = 1;
  if (h < std::numeric_limits<double>::min() && a != b) {
    // A subnormal width (doubles alone have one) has lost digits: n of it must not reach beyond b, and it is no scale.
    if (multiply_add(parts, h, -length) > 0) h -= std::numeric_limits<double>::denorm_min();
    unit = 0x1p-128;
    scale = length / unit / parts;
  }
  return {f, a, b, h, reversed ? -scale : scale, unit, n};
}

}  // namespace twofold::backends
