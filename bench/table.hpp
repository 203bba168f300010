// SPDX-License-Identifier: Apache-2.0
#pragma once

// One row per algorithm: what a call must move and compute per element of its count n.
// Everything the report divides by comes from here.

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

namespace twofold::bench {

/// Which measured memory limit a call is held against.
enum class Access { none, read, write, copy };

struct Row {
  std::string_view algorithm;
  int reads;   ///< elements read per element of n
  int writes;  ///< elements written per element of n
  int flops;   ///< floating-point operations per element of n
  Access access;
};

inline constexpr std::array table{
    Row{"launch", 0, 0, 0, Access::none},  // an empty kernel or parallel region
    Row{"read", 1, 0, 0, Access::read},    // the limits: n bytes each
    Row{"memset", 0, 1, 0, Access::write},       Row{"memcpy", 1, 1, 0, Access::copy},
    Row{"sum", 1, 0, 1, Access::read},           Row{"dot", 2, 0, 2, Access::read},
    Row{"norm2", 1, 0, 2, Access::read},         Row{"stencil", 1, 1, 4, Access::copy},
    Row{"scale_columns", 1, 1, 1, Access::copy}, Row{"outer_product", 0, 1, 1, Access::write},
    Row{"sum_rows", 1, 0, 1, Access::read},      Row{"sum_columns", 1, 0, 1, Access::read},
    Row{"integrate", 0, 0, 4, Access::none},  // abscissa: 2; x*x + 1: 1 fma; add
};

inline const Row& row_of(std::string_view algorithm) {
  for (const Row& row : table) {
    if (row.algorithm == algorithm) return row;
  }
  throw std::invalid_argument("bench/table.hpp has no row for '" + std::string(algorithm) + "'");
}

inline std::size_t order_in_table(std::string_view algorithm) {
  return static_cast<std::size_t>(&row_of(algorithm) - table.data());
}

}  // namespace twofold::bench
