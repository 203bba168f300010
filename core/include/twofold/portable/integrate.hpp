// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/trapezoids.hpp>
#include <twofold/portable/fold.hpp>

#include <cstddef>

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
