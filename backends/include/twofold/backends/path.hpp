// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/annotate.hpp>

#include <concepts>

namespace twofold {

/// The implementation written once in Kokkos terms; runs on every execution space.
struct portable_path {
  static constexpr const char* name = "portable";  ///< for messages
};

/// The hand-written CUDA implementation; exists for CUDA spaces and the types that its header names.
struct native_path {
  static constexpr const char* name = "native";  ///< for messages
};

/// Names the portable path in a call.
inline constexpr portable_path portable{};
/// Names the native path in a call.
inline constexpr native_path native{};

/// A tag that names one of the two implementations.
template <class P>
concept path = std::same_as<P, portable_path> || std::same_as<P, native_path>;

}  // namespace twofold
