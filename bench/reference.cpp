// SPDX-License-Identifier: Apache-2.0
#include "reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <type_traits>

namespace twofold::bench {
namespace {

constexpr std::int64_t block = 1 << 14;
constexpr std::int64_t slab = 1 << 22;  // elements fetched from a device at a time

static_assert(std::numeric_limits<long double>::digits >= 64, "the reference must be wider");

template <class T>
long double term(Fold fold, const T* x, const T* y, std::int64_t i) {
  const long double factor = x[i];
  switch (fold) {
    case Fold::dot:
      return factor * static_cast<long double>(y[i]);
    case Fold::norm2:
      return factor * factor;
    case Fold::sum:
      break;
  }
  return factor;
}

Folded add(const Folded& left, const Folded& right) {
  return {left.value + right.value, left.magnitude + right.magnitude};
}

template <class T>
Folded fold_pairwise(Fold fold, const T* x, const T* y, std::int64_t first, std::int64_t last) {
  if (last - first > 128) {
    const std::int64_t middle = first + (last - first) / 2;
    return add(fold_pairwise(fold, x, y, first, middle), fold_pairwise(fold, x, y, middle, last));
  }
  Folded folded;
  for (std::int64_t i = first; i < last; ++i) {
    const long double t = term(fold, x, y, i);
    folded.value += t;
    folded.magnitude += std::abs(t);
  }
  return folded;
}

Folded fold_blocks(const std::vector<Folded>& blocks, std::int64_t first, std::int64_t last) {
  if (last - first == 1) return blocks[static_cast<std::size_t>(first)];
  if (last - first < 1) return {};
  const std::int64_t middle = first + (last - first) / 2;
  return add(fold_blocks(blocks, first, middle), fold_blocks(blocks, middle, last));
}

template <class R>
std::string hex_bits(R value) {
  unsigned char bytes[sizeof(R)];
  std::memcpy(bytes, &value, sizeof(R));
  std::string hex = "0x";
  char digits[3];
  for (std::size_t i = sizeof(R); i-- > 0;) {  // little-endian machines only
    std::snprintf(digits, sizeof digits, "%02x", bytes[i]);
    hex += digits;
  }
  return hex;
}

template <class R>
Verdict within(long double reference, long double tolerance, R result) {
  Verdict verdict;
  verdict.bits = hex_bits(result);
  const long double error = std::abs(static_cast<long double>(result) - reference);
  verdict.error = static_cast<double>(error);
  verdict.tolerance = static_cast<double>(tolerance);
  verdict.ok = error <= tolerance;  // false for NaN, so for a result that was never written
  if (!verdict.ok) {
    char text[160];
    std::snprintf(text, sizeof text, "got %.21Lg, expected %.21Lg within %.3Lg",
                  static_cast<long double>(result), reference, tolerance);
    verdict.reason = text;
  }
  return verdict;
}

template <class R>
constexpr long double rounding_unit() {
  if constexpr (std::is_floating_point_v<R>) return 0.5L * std::numeric_limits<R>::epsilon();
  return 0;
}

}  // namespace

template <class T>
Folded PrefixReference<T>::operator()(Fold fold, std::int64_t n) {
  const auto pointers = [&](std::int64_t first, std::int64_t count) {
    const T* x = fetch_(0, first, count);
    return std::pair{x, fold == Fold::dot ? fetch_(1, first, count) : nullptr};
  };
  std::vector<Folded>& blocks = blocks_[fold];
  std::int64_t done = static_cast<std::int64_t>(blocks.size()) * block;
  const std::int64_t whole = n / block * block;
  while (done < whole) {
    const std::int64_t count = std::min(slab, whole - done);
    const auto [x, y] = pointers(done, count);
    const std::int64_t known = done / block;
    blocks.resize(static_cast<std::size_t>(known + count / block));
#pragma omp parallel for schedule(static)
    for (std::int64_t b = 0; b < count / block; ++b) {
      blocks[static_cast<std::size_t>(known + b)] = fold_pairwise(fold, x, y, b * block, (b + 1) * block);
    }
    done += count;
  }
  Folded folded = fold_blocks(blocks, 0, n / block);
  if (n > whole) {
    const auto [x, y] = pointers(whole, n - whole);
    folded = add(folded, fold_pairwise(fold, x, y, 0, n - whole));
  }
  return folded;
}

template <class R>
Verdict judge(Fold fold, const Folded& reference, std::int64_t n, Order order, R result) {
  const long double u = rounding_unit<R>();
  if constexpr (!std::is_floating_point_v<R>) return within(reference.value, 0, result);
  const long double count = static_cast<long double>(std::max<std::int64_t>(n, 1));
  if (fold == Fold::norm2) {
    const long double norm = std::sqrt(reference.value);
    // Squares only add up: beside a sum that has grown large small ones are rounded away, always in the same direction. A
    // plain loop of floats on two threads loses 5e-4 of a norm of 2^26 that way.
    const long double units = order == Order::tree ? 16 : 64 + std::sqrt(count) + count / 256;
    return within(norm, u * units * norm, result);
  }
  const long double mean = reference.magnitude / count;
  const long double depth = std::log2(count) + 32;
  const long double drift = order == Order::tree
                                ? 8 * std::sqrt(count * depth) * mean
                                : 8 * std::sqrt(count * depth) * mean + 4 * reference.magnitude;
  return within(reference.value, u * (8 * std::abs(reference.value) + drift), result);
}

template <class R>
Verdict judge_value(long double reference, double units, R result) {
  return within(reference, rounding_unit<R>() * units * std::abs(reference), result);
}

long double trapezoids_of_parabola(long double a, long double b, std::int64_t n) {
  const long double length = b - a;
  const long double integral = (b * b * b - a * a * a) / 3 + length;
  const long double count = static_cast<long double>(n);
  return integral + length * length * length / (6 * count * count);
}

long double trapezoids_of_arctangent(long double a, long double b, std::int64_t n) {
  const long double h = (b - a) / static_cast<long double>(n);
  const auto square = [](long double x) { return 1 + x * x; };
  if (n <= 4096) {
    long double sum = (4 / square(a) + 4 / square(b)) / 2;
    for (std::int64_t i = 1; i < n; ++i) sum += 4 / square(a + static_cast<long double>(i) * h);
    return h * sum;
  }
  const auto first = [&](long double x) { return -8 * x / (square(x) * square(x)); };
  const auto third = [&](long double x) {
    return 96 * x * (1 - x * x) / (square(x) * square(x) * square(x) * square(x));
  };
  const long double integral = 4 * (std::atan(b) - std::atan(a));
  return integral + h * h / 12 * (first(b) - first(a)) - h * h * h * h / 720 * (third(b) - third(a));
}

template class PrefixReference<float>;
template class PrefixReference<double>;
template class PrefixReference<std::int32_t>;
template class PrefixReference<std::int64_t>;
template class PrefixReference<std::uint32_t>;
template class PrefixReference<std::uint64_t>;

template Verdict judge(Fold, const Folded&, std::int64_t, Order, float);
template Verdict judge(Fold, const Folded&, std::int64_t, Order, double);
template Verdict judge(Fold, const Folded&, std::int64_t, Order, std::int64_t);
template Verdict judge(Fold, const Folded&, std::int64_t, Order, std::uint64_t);
template Verdict judge_value(long double, double, float);
template Verdict judge_value(long double, double, double);

}  // namespace twofold::bench
