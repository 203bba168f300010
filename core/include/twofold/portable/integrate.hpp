// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/trapezoids.hpp>
#include <twofold/portable/fold.hpp>

#include <cstddef>

namespace twofold::backends::host {

/// Folds one chunk of function values. `f` is evaluated a row at a time into memory, by a loop that the
/// caller's compiler sees and vectorises with the caller's flags; what follows is the library's. So the
/// compiler can fuse nothing of `f` with our additions.
template <class F, class T>
T fold_chunk(const trapezoids_source<F, T>& source, std::size_t start, std::size_t count) {
  alignas(64) T lanes[fold_order::lanes];
  alignas(64) T values[fold_order::lanes];
  const std::size_t used = count < fold_order::lanes ? count : fold_order::lanes;
  for (std::size_t j = 0; j < used; ++j) lanes[j] = absent<T>();
  for (std::size_t r = 0; r < count; r += fold_order::lanes) {
    const auto row = source.row(start + r);
    const std::size_t m = count - r < fold_order::lanes ? count - r : fold_order::lanes;
    for (unsigned j = 0; j < m; ++j) values[j] = source.load(row, source.lane(j));
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
