// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/annotate.hpp>

#include <concepts>
#include <cstdint>

namespace twofold::cuda_native::ladder {

/// The element types of the rungs: the texts compute in int, the measurements are made in float.
template <class T>
concept element = std::same_as<T, float> || std::same_as<T, std::int32_t>;

}  // namespace twofold::cuda_native::ladder
