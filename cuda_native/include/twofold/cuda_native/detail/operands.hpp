// SPDX-License-Identifier: Apache-2.0
// Checks of raw operands, once for all algorithms.
#pragma once

#include <twofold/backends/error.hpp>

#include <cstddef>
#include <string>

namespace twofold::cuda_native::detail {

inline void expects_operand(const char* name, const void* pointer, std::size_t n, const char* which) {
  backends::expects(pointer != nullptr || n == 0, name,
                    [&] { return std::string(which) + " is null with n = " + std::to_string(n); });
}

inline void expects_result(const char* name, const void* result) {
  backends::expects(result != nullptr, name, [] { return std::string("result is null"); });
}

/// A row-major matrix.
inline void expects_matrix(const char* name, const void* pointer, std::size_t rows, std::size_t columns,
                           std::size_t leading_dimension, const char* which) {
  const auto shape = [&] { return std::to_string(rows) + " x " + std::to_string(columns); };
  backends::expects(pointer != nullptr || rows == 0 || columns == 0, name,
                    [&] { return std::string(which) + " is null with shape " + shape(); });
  backends::expects(rows <= 1 || leading_dimension >= columns, name, [&] {
    return std::string(which) + " is " + shape() + " with leading dimension " +
           std::to_string(leading_dimension) + "; it must be at least the number of columns";
  });
}

}  // namespace twofold::cuda_native::detail
