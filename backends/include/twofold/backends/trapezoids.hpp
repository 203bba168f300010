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

/// What the elements of a row share.
template <class T>
struct trapezoids_row {
  T index;  // of the row's first element
};
template <>
struct trapezoids_row<float> {
  float high;  // bh, see above
  float low;   // bl
};

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

  using row_base = trapezoids_row<T>;
  static constexpr unsigned no_lane = ~0u;
  struct row_start {
    row_base base;
    unsigned lane_of_a;  // where the row's ends are, or no_lane
    unsigned lane_of_b;
  };
  struct lane_offset {
    unsigned index;
    T value;
  };

  /// What all elements of the row that starts at `start` share: all that those between the ends need.
  TWOFOLD_FUNCTION row_base base(std::size_t start) const {
    if constexpr (std::is_same_v<T, float>) {
      const double exact = multiply_add(static_cast<double>(start), h, static_cast<double>(a));
      const float high = static_cast<float>(exact);
      return {high, static_cast<float>(exact - static_cast<double>(high))};
    } else {
      return {static_cast<double>(start)};
    }
  }
  TWOFOLD_FUNCTION row_start row(std::size_t start, const row_base& base) const {
    return {base, start == 0 ? 0 : no_lane,
            n - start < fold_order::lanes ? static_cast<unsigned>(n - start) : no_lane};
  }
  TWOFOLD_FUNCTION row_start row(std::size_t start) const { return row(start, base(start)); }
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
  TWOFOLD_FUNCTION T abscissa(const row_base& row, T offset) const {
    if constexpr (std::is_same_v<T, float>) {
      return add(row.high, add(offset, row.low));
    } else {
      return multiply_add(row.index + offset, h, a);  // the index: exact up to 2^53
    }
  }
  /// The value at a place that is no end.
  TWOFOLD_ANY_CALLEE
  TWOFOLD_FUNCTION T inside(const row_base& row, T offset) const {
    return static_cast<T>(f(abscissa(row, offset)));
  }
  TWOFOLD_ANY_CALLEE
  TWOFOLD_FUNCTION T load(const row_start& row, const lane_offset& lane) const {
    T x = abscissa(row.base, lane.value);
    const bool at_a = lane.index == row.lane_of_a, at_b = lane.index == row.lane_of_b;
    if (at_a) x = a;
    if (at_b) x = b;
    const T value = static_cast<T>(f(x));
    return at_a || at_b ? T(0.5) * value : value;
  }
  /// The same in a row that ends at b; behind it there is nothing, and f is not asked what it would be there.
  TWOFOLD_ANY_CALLEE
  TWOFOLD_FUNCTION T load_until_b(const row_start& row, const lane_offset& lane) const {
    const bool behind = lane.index > row.lane_of_b;
    const T value = load(row, {behind ? row.lane_of_b : lane.index, lane.value});
    return behind ? absent<T>() : value;
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
