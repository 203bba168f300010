// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/annotate.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

/// @file
/// Integers by size and sign. C++ has more integer types than machines have integers: where `long` has 64 bits, so has
/// `long long`, and std::int64_t is one of the two. Kernels are compiled for the fixed-width type alone.

namespace twofold {

namespace backends {

/// fixed_width_t as a trait: types that are no integers stay what they are.
template <class T>
struct fixed_width {
  /// T itself.
  using type = T;
};
/// Integers become the std::[u]int*_t of their size and sign.
template <std::integral T>
  requires(!std::same_as<T, bool> && sizeof(T) <= 8)
struct fixed_width<T> {
  /// The one of four types that has the size of T.
  template <class I8, class I16, class I32, class I64>
  using of_size = std::conditional_t<
      sizeof(T) == 1, I8,
      std::conditional_t<sizeof(T) == 2, I16, std::conditional_t<sizeof(T) == 4, I32, I64>>>;
  /// By size and sign.
  using type =
      std::conditional_t<std::is_signed_v<T>, of_size<std::int8_t, std::int16_t, std::int32_t, std::int64_t>,
                         of_size<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>>;
};
/// const stays.
template <class T>
struct fixed_width<const T> {
  /// That of T, const.
  using type = const typename fixed_width<T>::type;
};

}  // namespace backends

/// The type that numbers of type T are computed as: std::int64_t for `long long`, std::uint32_t for `unsigned`, and so
/// on for every integer; bool and all other types stay what they are.
template <class T>
using fixed_width_t = typename backends::fixed_width<T>::type;

/// The same numbers in memory, for functions that are compiled for the fixed-width types:
/// cuda_native::sum(as_fixed_width(x), n, stream). Not to be read in code that also accesses them as T: compilers assume
/// that accesses through `long` and `long long` never meet.
template <class T>
fixed_width_t<T>* as_fixed_width(T* numbers) {
  return reinterpret_cast<fixed_width_t<T>*>(numbers);
}

}  // namespace twofold
