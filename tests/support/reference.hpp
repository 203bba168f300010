// SPDX-License-Identifier: Apache-2.0
// Order 1, written down once more from docs/fold_order.md, with nothing of the library's in it: plain loops over
// vectors, one lane at a time, absent lanes really absent. Every path is compared with it by ==.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

namespace reference {

template <class A>
A plus(A a, A b) {
  if constexpr (std::is_integral_v<A>) {
    using U = std::make_unsigned_t<A>;
    return static_cast<A>(static_cast<U>(a) + static_cast<U>(b));
  } else {
    return a + b;
  }
}

/// The balanced tree over neighbours; an absent partner leaves a value as it is.
template <class A, class Plus>
std::optional<A> tree(std::vector<std::optional<A>> lanes, Plus plus) {
  while (lanes.size() > 1) {
    std::vector<std::optional<A>> next((lanes.size() + 1) / 2);
    for (std::size_t k = 0; k < next.size(); ++k) {
      const auto& left = lanes[2 * k];
      const auto right = 2 * k + 1 < lanes.size() ? lanes[2 * k + 1] : std::nullopt;
      next[k] = left && right ? plus(*left, *right) : left ? left : right;
    }
    lanes = std::move(next);
  }
  return lanes.at(0);
}

/// The fold of n elements. `enter(lane, i)` is the accumulator of a lane (or nothing yet) after element i.
template <class A>
A fold(std::size_t n, const std::function<A(const std::optional<A>&, std::size_t)>& enter, A (*plus)(A, A)) {
  const std::size_t rows = n <= 2097152 ? 4 : 16;
  std::vector<A> results;
  for (std::size_t start = 0; start < n; start += rows * 2048) {
    std::vector<std::optional<A>> lanes(2048);
    for (std::size_t i = start; i < n && i < start + rows * 2048; ++i) {
      auto& lane = lanes[(i - start) % 2048];
      lane = enter(lane, i);
    }
    results.push_back(*tree(lanes, plus));
  }
  if (results.size() == 1) return results[0];
  return fold<A>(
      results.size(),
      [&](const std::optional<A>& lane, std::size_t i) {
        return lane ? plus(*lane, results[i]) : results[i];
      },
      plus);
}

template <class R, class T>
R sum(const std::vector<T>& x) {
  if (x.empty()) return R(0);
  return fold<R>(
      x.size(),
      [&](const std::optional<R>& lane, std::size_t i) {
        const R value = static_cast<R>(x[i]);
        return lane ? plus(*lane, value) : value;
      },
      plus<R>);
}

/// x * y + a, rounded once; wraps for integers.
template <class R>
R fused(R x, R y, R a) {
  if constexpr (std::is_integral_v<R>) {
    const auto product = static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y);
    return static_cast<R>(product + static_cast<std::uint64_t>(a));
  } else {
    return std::fma(x, y, a);
  }
}

template <class R, class T>
R dot(const std::vector<T>& x, const std::vector<T>& y) {
  if (x.empty()) return R(0);
  return fold<R>(
      x.size(),
      [&](const std::optional<R>& lane, std::size_t i) {
        const R a = static_cast<R>(x[i]), b = static_cast<R>(y[i]);
        if (lane) return fused(a, b, *lane);
        if constexpr (std::is_integral_v<R>) {
          return fused(a, b, R(0));
        } else {
          volatile R product = a * b;  // the first product of a lane: rounded, added to nothing
          return static_cast<R>(product);
        }
      },
      plus<R>);
}

/// Squares in double for floats and integers.
template <class R, class T>
R norm2(const std::vector<T>& x) {
  if (x.empty()) return R(0);
  std::vector<double> wide(x.begin(), x.end());
  return static_cast<R>(std::sqrt(dot<double>(wide, wide) + 0.0));
}

/// Doubles: three sums by magnitude.
template <class R>
R norm2(const std::vector<double>& x) {
  std::vector<double> large(x.size()), ordinary(x.size()), small(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (std::abs(x[i]) > 0x1p486) {
      large[i] = x[i] * 0x1p-538;
    } else if (std::abs(x[i]) < 0x1p-511) {
      small[i] = x[i] * 0x1p537;
    } else {
      ordinary[i] = x[i];
    }
  }
  double l = dot<double>(large, large), o = dot<double>(ordinary, ordinary), s = dot<double>(small, small);
  if (l > 0) {
    if (!(o <= 0)) l = std::fma(o * 0x1p-538, 0x1p-538, l);
    return static_cast<R>(std::sqrt(l) * 0x1p538);
  }
  if (s > 0) {
    const double rs = std::sqrt(s) * 0x1p-537;
    if (o == 0) return static_cast<R>(rs);
    const double ro = std::sqrt(o);
    const double larger = ro < rs ? rs : ro, smaller = ro < rs ? ro : rs;
    const double q = smaller / larger;
    return static_cast<R>(larger * std::sqrt(std::fma(q, q, 1.0)));
  }
  return static_cast<R>(std::sqrt(std::abs(o)));
}

/// The composite trapezoidal rule; the abscissae as docs/fold_order.md gives them.
template <class T, class F>
T integrate(F f, T a, T b, std::size_t n) {
  const T low = b < a ? b : a, high = b < a ? a : b;
  const double length = static_cast<double>(high) - static_cast<double>(low);
  double h = length / static_cast<double>(n);
  if (low == high) return T(0);
  const bool subnormal = h < std::numeric_limits<double>::min();
  if (subnormal && std::fma(static_cast<double>(n), h, -length) > 0) h = std::nextafter(h, 0.0);
  const std::size_t chunk = 2048 * std::size_t{n + 1 <= 2097152 ? 4u : 16u};
  std::vector<T> values(n + 1);
  for (std::size_t i = 0; i <= n; ++i) {
    const std::size_t lane = i % chunk % 2048, start = i - lane;
    volatile T x;
    if constexpr (std::is_same_v<T, float>) {
      const double base = std::fma(static_cast<double>(start), h, static_cast<double>(low));
      const float bh = static_cast<float>(base), bl = static_cast<float>(base - static_cast<double>(bh));
      volatile float offset = static_cast<float>(static_cast<double>(lane) * h);
      volatile float rest = offset + bl;
      x = bh + rest;
    } else {
      x = std::fma(static_cast<double>(i), h, low);
    }
    if (i == 0) x = low;
    if (i == n) x = high;
    values[i] = i == 0 || i == n ? T(0.5) * f(static_cast<T>(x)) : f(static_cast<T>(x));
  }
  const double sign = b < a ? -1 : 1;
  if (subnormal)
    return static_cast<T>(sign * (length * 0x1p128 / static_cast<double>(n)) * sum<T>(values) * 0x1p-128);
  return static_cast<T>(sign * h * static_cast<double>(sum<T>(values)));
}

}  // namespace reference
