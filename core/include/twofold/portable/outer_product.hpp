// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/portable/line_products.hpp>

namespace twofold::portable_engine {

/// C(i, j) = x(i) y(j).
template <class T, class Exec>
void outer_product(const Exec& exec, backends::strided<T> x, backends::strided<T> y, backends::matrix<T> C) {
  constexpr const char* label = "twofold::outer_product";
  if (C.empty()) return;
  const auto along = backends::orientation_of(C);
  if (along == backends::orientation::neither) {
    return multiply_strided(label, exec, strided_products<T, false>{C.constant(), C, x, y});
  }
  if (along == backends::orientation::columns) {  // the transposed: rows of y x^T
    C = C.transposed();
    std::swap(x, y);
  }
  multiply(label, exec, backends::outer_lines<T>::on(C.constant(), C, y, x));
}

}  // namespace twofold::portable_engine
