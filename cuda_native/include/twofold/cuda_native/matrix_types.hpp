// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/fixed_width.hpp>

#include <concepts>
#include <cstdint>

namespace twofold::cuda_native {

/// The element types for which products of matrix elements are compiled. A pointer to another integer type of the same
/// size and sign is passed as twofold::as_fixed_width(pointer).
template <class T>
concept multiplies_in =
    std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, std::int32_t> ||
    std::same_as<T, std::uint32_t> || std::same_as<T, std::int64_t> || std::same_as<T, std::uint64_t>;

}  // namespace twofold::cuda_native
