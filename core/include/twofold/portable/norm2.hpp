// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/portable/fold.hpp>

#include <cstddef>

namespace twofold::portable_engine {

/// Writes the Euclidean norm of x to *result.
template <class R, class T, class Exec>
void norm2(const Exec& exec, backends::strided<T> x, std::size_t n, R* result) {
  fold("twofold::norm2", exec, backends::norm2_source<T, R>{x}, n, result);
}

/// Returns it.
template <class R, class T, class Exec>
R norm2(const Exec& exec, backends::strided<T> x, std::size_t n) {
  return fold_to_host("twofold::norm2", exec, backends::norm2_source<T, R>{x}, n);
}

}  // namespace twofold::portable_engine
