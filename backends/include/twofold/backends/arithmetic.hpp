// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/annotate.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

/// @file
/// Additions and products whose bits do not depend on the compiler: a + b is never contracted with a
/// product that happens to stand next to it, products enter sums through one rounding, integers wrap.

namespace twofold::backends {

/// a + b, rounded once, whatever stands around it.
template <class T>
TWOFOLD_FUNCTION T add(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
#if defined(__CUDA_ARCH__)
    // The device compiler contracts a product and a plain + that it sees together; never this form.
    if constexpr (std::is_same_v<T, float>) {
      return __fadd_rn(a, b);
    } else {
      return __dadd_rn(a, b);
    }
#else
    return a + b;
#endif
  } else {
    using U = std::make_unsigned_t<T>;  // wraps; signed overflow would be undefined
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  }
}

/// x * y + a with one rounding; wraps for integers.
template <class T>
TWOFOLD_FUNCTION T multiply_add(T x, T y, T a) {
  if constexpr (std::is_floating_point_v<T>) {
#if defined(__CUDA_ARCH__)
    return ::fma(x, y, a);
#else
    return std::fma(x, y, a);
#endif
  } else {
    // At least 64 bits wide, so that narrow operands are not promoted to a signed int that overflows.
    using U = std::uint64_t;
    return static_cast<T>(static_cast<U>(x) * static_cast<U>(y) + static_cast<U>(a));
  }
}

/// The value that changes nothing when added. For floating point that is -0.0, not 0.0: a lane that got
/// no element must not turn the sum of negative zeros into a positive one.
template <class T>
TWOFOLD_FUNCTION constexpr T absent() {
  if constexpr (std::is_floating_point_v<T>) {
    return T(-0.0);
  } else {
    return T(0);
  }
}

/// A constant, since device code may not call std::numeric_limits.
template <class T>
inline constexpr T quiet_nan = std::numeric_limits<T>::quiet_NaN();

/// Hardware disagrees on the sign and payload of a NaN that arithmetic made; results carry this one.
template <class T>
TWOFOLD_FUNCTION T canonical(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return value == value ? value : quiet_nan<T>;
  } else {
    return value;
  }
}

// For shapes of kernels.
TWOFOLD_FUNCTION constexpr unsigned at_least_one(unsigned x) { return x < 1 ? 1 : x; }
TWOFOLD_FUNCTION constexpr unsigned at_most(unsigned x, unsigned limit) { return x < limit ? x : limit; }

}  // namespace twofold::backends
