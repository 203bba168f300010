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

}  // namespace twofold::cuda_native::detail
