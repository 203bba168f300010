// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/portable/fold.hpp>

#include <cstddef>

namespace twofold::portable_engine {

/// Writes the sum of the products x[i] * y[i] to *result.
template <class R, class T, class Exec>
void dot(const Exec& exec, backends::strided<T> x, backends::strided<T> y, std::size_t n, R* result) {
  fold("twofold::dot", exec, backends::dot_source<T, R>{x, y}, n, result);
}

/// Returns it.
template <class R, class T, class Exec>
R dot(const Exec& exec, backends::strided<T> x, backends::strided<T> y, std::size_t n) {
  return fold_to_host("twofold::dot", exec, backends::dot_source<T, R>{x, y}, n);
}

}  // namespace twofold::portable_engine
