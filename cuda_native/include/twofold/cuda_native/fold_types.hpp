// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/accumulator.hpp>

#include <concepts>
#include <cstdint>

namespace twofold::cuda_native {

/// The pairs of element type T and accumulator R for which the folds are compiled. A pointer to another integer type of
/// the same size and sign (`long long` where std::int64_t is `long`) is passed as twofold::as_fixed_width(pointer).
template <class T, class R>
concept folds_in = (std::same_as<T, float> && (std::same_as<R, float> || std::same_as<R, double>)) ||
                   (std::same_as<T, double> && std::same_as<R, double>) ||
                   (std::same_as<T, std::int32_t> && std::same_as<R, std::int64_t>) ||
                   (std::same_as<T, std::uint32_t> && std::same_as<R, std::uint64_t>) ||
                   (std::same_as<T, std::int64_t> && std::same_as<R, std::int64_t>) ||
                   (std::same_as<T, std::uint64_t> && std::same_as<R, std::uint64_t>);

/// The pairs of element type T and result type R for which the norm is compiled.
template <class T, class R>
concept norms_in =
    (std::same_as<T, float> && (std::same_as<R, float> || std::same_as<R, double>)) ||
    ((std::same_as<T, double> || std::same_as<T, std::int32_t> || std::same_as<T, std::uint32_t> ||
      std::same_as<T, std::int64_t> || std::same_as<T, std::uint64_t>)&&std::same_as<R, double>);

}  // namespace twofold::cuda_native
