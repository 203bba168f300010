// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// The one annotation that code shared by host and device needs where Kokkos is not included. And since every public header
/// comes by here first: what the compiler must have been told.

// In one sentence, ahead of the hundred with which an older standard fails at concepts.
#if __cplusplus < 202002L
#error \
    "twofold needs C++20: set CMAKE_CXX_STANDARD, and for CUDA sources CMAKE_CUDA_STANDARD, to 20 or later, or leave them unset."
#endif

#if defined(__CUDACC__)
#define TWOFOLD_FUNCTION __host__ __device__ inline
// A caller's functor may be host-only or device-only; the call sites that pass it through stay silent.
#define TWOFOLD_ANY_CALLEE _Pragma("nv_exec_check_disable")
#else
#define TWOFOLD_FUNCTION inline
#define TWOFOLD_ANY_CALLEE
#endif

// Loops of device code; the host compiler decides for itself.
#if defined(__CUDA_ARCH__)
#define TWOFOLD_UNROLL _Pragma("unroll")
#define TWOFOLD_DO_NOT_UNROLL _Pragma("unroll 1")
#else
#define TWOFOLD_UNROLL
#define TWOFOLD_DO_NOT_UNROLL
#endif

// The fold order is a promise about rounding; these flags let the compiler break it silently.
#if (defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) ||      \
     (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)) && \
    !defined(TWOFOLD_ALLOW_FAST_MATH)
#error \
    "twofold: -ffast-math lets the compiler reorder sums, which voids the same-bits promise. Build without it, or define TWOFOLD_ALLOW_FAST_MATH to give the promise up."
#endif
