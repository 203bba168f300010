// SPDX-License-Identifier: Apache-2.0
// Window sums, written down once more from docs/algorithms/stencil.md, with nothing of the library's in it: one
// window at a time, plain loops and recursion, absent terms really absent. Every path is compared by ==.
#pragma once

#include "reference.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace reference {

template <class R>
std::optional<R> plus_if(const std::optional<R>& a, const std::optional<R>& b) {
  return a && b ? std::optional<R>(plus(*a, *b)) : a ? a : b;
}

template <class R>
R one_nan(R value) {
  if constexpr (std::is_floating_point_v<R>) {
    if (value != value) return std::numeric_limits<R>::quiet_NaN();
  }
  return value;
}

/// The windows of one input and radius. Element indices may be anything: what is outside is absent.
template <class R, class T>
class window_sums {
 public:
  window_sums(const std::vector<T>& x, std::int64_t k) : x_(x), k_(k), block_(k < 16 ? 16 : 32) {
    const auto n = static_cast<std::int64_t>(x.size());
    std::vector<std::optional<R>> level;
    for (std::int64_t b = 0; b * block_ < n; ++b) {
      std::optional<R> sum;
      for (std::int64_t j = b * block_; j < (b + 1) * block_; ++j) sum = plus_if(sum, element(j));
      level.push_back(sum);
    }
    levels_.push_back(level);
    while (level.size() > 1) {
      std::vector<std::optional<R>> above((level.size() + 1) / 2);
      for (std::size_t b = 0; b < above.size(); ++b) {
        above[b] = plus_if(level[2 * b], 2 * b + 1 < level.size() ? level[2 * b + 1] : std::nullopt);
      }
      level = above;
      levels_.push_back(level);
    }
  }

  R operator()(std::int64_t i) const {
    const std::int64_t first = i - k_, last = i + k_;
    std::optional<R> sum;
    if (k_ <= 8) {
      for (std::int64_t j = first; j <= last; ++j) sum = plus_if(sum, element(j));
      return one_nan(*sum);
    }
    const std::int64_t a = quotient(first, block_), c = quotient(last, block_);
    std::optional<R> to_end, from_begin;
    for (std::int64_t j = (a + 1) * block_ - 1; j >= first; --j) to_end = plus_if(to_end, element(j));
    for (std::int64_t j = c * block_; j <= last; ++j) from_begin = plus_if(from_begin, element(j));
    return one_nan(*plus_if(plus_if(to_end, between(a + 1, c)), from_begin));
  }

 private:
  static std::int64_t quotient(std::int64_t a, std::int64_t b) {
    return a >= 0 ? a / b : -((-a + b - 1) / b);
  }

  std::optional<R> element(std::int64_t j) const {
    if (j < 0 || j >= static_cast<std::int64_t>(x_.size())) return std::nullopt;
    return static_cast<R>(x_[static_cast<std::size_t>(j)]);
  }

  /// Node b of a level: 2^level blocks.
  std::optional<R> node(std::size_t level, std::int64_t b) const {
    if (level >= levels_.size()) return b == 0 ? levels_.back().at(0) : std::nullopt;
    const auto& nodes = levels_[level];
    return b >= 0 && b < static_cast<std::int64_t>(nodes.size()) ? nodes[static_cast<std::size_t>(b)]
                                                                 : std::nullopt;
  }

  /// Blocks begin .. end - 1.
  std::optional<R> between(std::int64_t begin, std::int64_t end) const {
    std::optional<R> left, right;
    for (std::size_t level = 0; begin < end; ++level) {
      if (begin % 2 != 0) {
        left = plus_if(left, node(level, begin));
        begin += 1;
      }
      if (end % 2 != 0) {
        end -= 1;
        right = plus_if(node(level, end), right);
      }
      begin /= 2;  // both are even
      end /= 2;
    }
    return plus_if(left, right);
  }

  const std::vector<T>& x_;
  std::int64_t k_;
  std::int64_t block_;
  std::vector<std::vector<std::optional<R>>> levels_;
};

template <class R, class T>
std::vector<R> stencil(const std::vector<T>& x, std::int64_t k) {
  const window_sums<R, T> sums(x, k);
  std::vector<R> out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = sums(static_cast<std::int64_t>(i));
  return out;
}

template <class R, class T>
std::vector<R> stencil(const std::vector<T>& x, const std::vector<T>& w) {
  const auto n = static_cast<std::int64_t>(x.size()), k = static_cast<std::int64_t>(w.size() / 2);
  std::vector<R> out(x.size());
  for (std::int64_t i = 0; i < n; ++i) {
    std::optional<R> sum;
    for (std::int64_t j = 0; j <= 2 * k; ++j) {
      if (i + j - k < 0 || i + j - k >= n) continue;
      const R weight = static_cast<R>(w[static_cast<std::size_t>(j)]);
      const R value = static_cast<R>(x[static_cast<std::size_t>(i + j - k)]);
      if (sum) {
        sum = fused(weight, value, *sum);
      } else if constexpr (std::is_integral_v<R>) {
        sum = fused(weight, value, R(0));
      } else {
        volatile R product = weight * value;
        sum = product;
      }
    }
    out[static_cast<std::size_t>(i)] = one_nan(*sum);
  }
  return out;
}

}  // namespace reference
