// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/portable/line_folds.hpp>

namespace twofold::portable_engine {

/// r(j) = the sum of column j, results `step` elements apart.
template <class R, class T, class Exec>
void sum_columns(const Exec& exec, const backends::matrix<const T>& M, R* r, std::ptrdiff_t step) {
  fold_each("twofold::sum_columns", exec, many_folds<T>::of_rows(M.transposed()), r, step);
}

}  // namespace twofold::portable_engine
