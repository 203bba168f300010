// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/portable/fold.hpp>

#include <cstddef>

namespace twofold::portable_engine {

/// Writes the sum of x to *result.
template <class R, class T, class Exec>
void sum(const Exec& exec, backends::strided<T> x, std::size_t n, R* result) {
  fold("twofold::sum", exec, backends::sum_source<T, R>{x}, n, result);
}

/// Returns it.
template <class R, class T, class Exec>
R sum(const Exec& exec, backends::strided<T> x, std::size_t n) {
  return fold_to_host("twofold::sum", exec, backends::sum_source<T, R>{x}, n);
}

}  // namespace twofold::portable_engine
