// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/portable/line_products.hpp>

namespace twofold::portable_engine {

/// R(i, j) = M(i, j) v(j). R may be M.
template <class T, class Exec>
void scale_columns(const Exec& exec, backends::matrix<const T> M, backends::strided<T> v,
                   backends::matrix<T> R) {
  constexpr const char* label = "twofold::scale_columns";
  if (R.empty()) return;
  switch (backends::orientation_of(M, R)) {
    case backends::orientation::rows:
      return multiply(label, exec, backends::scaled_along<T>::on(M, R, v, v));
    case backends::orientation::columns:  // each line is a column, with one factor
      return multiply(label, exec, backends::scaled_across<T>::on(M.transposed(), R.transposed(), v, v));
    case backends::orientation::neither:
      return multiply_strided(label, exec, strided_products<T, true>{M, R, v, v});
  }
}

}  // namespace twofold::portable_engine
