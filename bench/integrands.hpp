// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#if defined(__CUDACC__)
#define TWOFOLD_BENCH_FUNCTION __host__ __device__
#else
#define TWOFOLD_BENCH_FUNCTION
#endif

namespace twofold::bench {

/// The textbook's integrand, x*x + 1, in one rounding where the machine can: an explicit fma in a build
/// without FMA code would be a library call per element, and time that instead.
struct SquarePlusOne {
  template <class T>
  TWOFOLD_BENCH_FUNCTION T operator()(T x) const {
#if defined(__CUDA_ARCH__)
    return fma(x, x, T(1));
#elif defined(__FMA__) || defined(__ARM_FEATURE_FMA)
    return std::fma(x, x, T(1));  // the global one of the C library takes floats for doubles
#else
    return x * x + T(1);
#endif
  }
};

/// The other one that everybody integrates, for pi: a division an element.
struct FourOverOnePlusSquare {
  template <class T>
  TWOFOLD_BENCH_FUNCTION T operator()(T x) const {
    return T(4) / SquarePlusOne{}(x);
  }
};

}  // namespace twofold::bench
