// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether lines of a result are right. Only the lines that are looked at are copied to the host.

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "reference.hpp"

namespace twofold::bench {

/// Any View of rank 1 as a vector on the host.
template <class Exec, class View>
auto on_host(const Exec& exec, const View& view) {
  using T = typename View::non_const_value_type;
  Kokkos::View<T*, typename Exec::memory_space> packed("twofold_bench packed", view.extent(0));
  std::vector<T> host(view.extent(0));
  Kokkos::deep_copy(exec, packed, view);
  Kokkos::deep_copy(
      exec,
      Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(host.data(), host.size()),
      packed);
  exec.fence("twofold_bench: line is copied");
  return host;
}

/// Whether a result is what is expected, or within so many units of its last digit.
template <class T>
bool near(T found, T expected, double units) {
  if constexpr (std::is_floating_point_v<T>) {
    const double allowed =
        units * std::numeric_limits<T>::epsilon() * std::abs(static_cast<double>(expected));
    return std::abs(static_cast<double>(found) - static_cast<double>(expected)) <= allowed;
  }
  return found == expected;
}

/// The verdict on a matrix of products: line(i) gives the expected elements of row i.
template <class Exec, class Matrix, class Line>
Verdict judge_products(const Exec& exec, const Matrix& result, const std::vector<std::int64_t>& rows,
                       Line line, double units = 0) {
  using T = typename Matrix::non_const_value_type;
  Verdict verdict;
  verdict.ok = true;
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a, of the rows that are looked at
  for (const std::int64_t i : rows) {
    const std::vector<T> found = on_host(exec, Kokkos::subview(result, i, Kokkos::ALL)), expected = line(i);
    for (std::size_t j = 0; j < found.size(); ++j) {
      if (!near(found[j], expected[j], units) && verdict.ok) {
        verdict.ok = false;
        verdict.reason = "element (" + std::to_string(i) + ", " + std::to_string(j) + ") is " +
                         std::to_string(found[j]) + ", expected " + std::to_string(expected[j]);
      }
    }
    const auto* bytes = reinterpret_cast<const unsigned char*>(found.data());
    for (std::size_t b = 0; b < found.size() * sizeof(T); ++b) hash = (hash ^ bytes[b]) * 1099511628211u;
  }
  verdict.bits = std::to_string(hash);
  return verdict;
}

/// The verdict on sums of lines: line(k) gives the elements that sum k is of. Bits are those of all sums.
template <class T, class Exec, class Sums, class Line>
Verdict judge_sums(const Exec& exec, const Sums& sums, const std::vector<std::int64_t>& lines, Order order,
                   Line line) {
  using R = typename Sums::non_const_value_type;
  const std::vector<R> found = on_host(exec, sums);
  Verdict verdict;
  for (const std::int64_t k : lines) {
    Folded reference;
    const std::vector<T> elements = line(k);
    for (const T x : elements) {
      const auto wide = static_cast<long double>(x);
      reference.value += wide;
      reference.magnitude += wide < 0 ? -wide : wide;
    }
    verdict = judge(Fold::sum, reference, static_cast<std::int64_t>(elements.size()), order,
                    found[static_cast<std::size_t>(k)]);
    if (!verdict.ok) {
      verdict.reason = "sum " + std::to_string(k) + ": " + verdict.reason;
      return verdict;
    }
  }
  std::uint64_t hash = 14695981039346656037u;
  const auto* bytes = reinterpret_cast<const unsigned char*>(found.data());
  for (std::size_t b = 0; b < found.size() * sizeof(R); ++b) hash = (hash ^ bytes[b]) * 1099511628211u;
  verdict.bits = std::to_string(hash);
  return verdict;
}

}  // namespace twofold::bench
