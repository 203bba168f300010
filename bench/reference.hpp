// SPDX-License-Identifier: Apache-2.0
#pragma once

// The wider reference that results are verified against, and the tolerance they are granted.
// Host code without Kokkos, in long double (64 bits of mantissa): exact for the integer inputs.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness.hpp"

namespace twofold::bench {

enum class Fold { sum, dot, norm2 };

struct Folded {
  long double value = 0;      // of the fold; the sum of squares for norm2
  long double magnitude = 0;  // the same over absolute values
};

/// Folds of prefixes of a data set, remembered in blocks: a larger count continues a smaller one.
template <class T>
class PrefixReference {
 public:
  /// Copies (or points to) `count` elements from `first` on, of operand 0 (x) or 1 (y).
  using Fetch = std::function<const T*(int operand, std::int64_t first, std::int64_t count)>;

  explicit PrefixReference(Fetch fetch) : fetch_(std::move(fetch)) {}
  Folded operator()(Fold fold, std::int64_t n);

 private:
  Fetch fetch_;
  std::map<Fold, std::vector<Folded>> blocks_;
};

/// How an implementation adds: along a tree, whose error is small, or in any order.
enum class Order { tree, any };

/// Compares a fold's result with the reference. Inputs are random: the signs of the rounding errors
/// are too, so the tolerance grows with the square root of the count along a tree. docs/benchmarking.md
/// derives it.
template <class R>
Verdict judge(Fold fold, const Folded& reference, std::int64_t n, Order order, R result);

/// For a value known in closed form, to `units` units of rounding.
template <class R>
Verdict judge_value(long double reference, double units, R result);

/// The composite trapezoidal rule of x*x + 1: for a parabola, the exact integral plus (b-a)^3 / (6 n^2).
long double trapezoids_of_parabola(long double a, long double b, std::int64_t n);

/// The same of 4 / (1 + x*x): term by term where they are few, else by the Euler-Maclaurin formula, whose third
/// correction is below 1e-21 of the integral then.
long double trapezoids_of_arctangent(long double a, long double b, std::int64_t n);

}  // namespace twofold::bench
