// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/trapezoids.hpp>
#include <twofold/portable/fold.hpp>

#include <cstddef>

namespace twofold::backends::host {

/// Folds one chunk of function values, a row at a time. The library computes the abscissae and adds the values;
/// the loop over `f` in between is compiled and vectorised with the caller's flags. So the compiler can fuse
/// nothing of `f` with our additions, and a build without FMA instructions does not call fma an element.
template <class F, class T>
T fold_chunk(const trapezoids_source<F, T>& source, std::size_t start, std::size_t count) {
  alignas(64) T lanes[fold_order::lanes];
  alignas(64) T x[fold_order::lanes];
  alignas(64) T values[fold_order::lanes];
  const std::size_t used = count < fold_order::lanes ? count : fold_order::lanes;
  for (std::size_t j = 0; j < used; ++j) lanes[j] = absent<T>();
  for (std::size_t r = 0; r < count; r += fold_order::lanes) {
    const std::size_t m = count - r < fold_order::lanes ? count - r : fold_order::lanes;
    const auto row = source.row(start + r);
    if constexpr (std::is_same_v<T, float>) {
      fill_abscissae(row.high, row.low, source.h, x, m);
    } else {
      fill_abscissae(row.base, source.h, source.a, x, m);
    }
    const bool first = start + r == 0, last = source.n - (start + r) < m;
    const std::size_t at_b = source.n - (start + r);
    if (first) x[0] = source.a;
    if (last) x[at_b] = source.b;
    for (std::size_t j = 0; j < m; ++j) values[j] = static_cast<T>(source.f(x[j]));
    if (first) values[0] *= T(0.5);
    if (last) values[at_b] *= T(0.5);
    add_row(lanes, values, m);
  }
  return fold_lanes(lanes, used);
}

}  // namespace twofold::backends::host

namespace twofold::portable_engine {

/// Writes the integral of f from a to b by n trapezoids to *result.
template <class T, class Exec, class F>
void integrate(const Exec& exec, const F& f, T a, T b, std::size_t n, T* result) {
  fold("twofold::integrate", exec, backends::trapezoids<T>(f, a, b, n), n + 1, result);
}

/// Returns it.
template <class T, class Exec, class F>
T integrate(const Exec& exec, const F& f, T a, T b, std::size_t n) {
  return fold_to_host("twofold::integrate", exec, backends::trapezoids<T>(f, a, b, n), n + 1);
}

}  // namespace twofold::portable_engine
