// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/cuda_native/workspace.hpp>

#include <concepts>
#include <cstddef>

/// @file
/// What native integration takes. The function itself needs nvcc, since it compiles the caller's functor into
/// its kernel: include <twofold/cuda_native/integrate.cuh> from a CUDA source.

namespace twofold::cuda_native {

#if defined(__CUDACC_EXTENDED_LAMBDA__)
/// Whether F is a lambda for the device alone. Host code cannot call it, so nothing can be asked of its value.
template <class F>
concept device_lambda = __nv_is_extended_device_lambda_closure_type(F);
#else
/// Whether F is a lambda for the device alone: `__device__`, by nvcc with --extended-lambda. Elsewhere there are none.
template <class F>
concept device_lambda = false;
#endif

/// Whether f(x) can be integrated over x in T. Whether F can be called on the device only nvcc knows; of a lambda for the
/// device alone it says so much.
template <class F, class T>
concept integrates =
    (std::same_as<T, float> || std::same_as<T, double>)&&(device_lambda<F> || requires(const F& f, T x) {
      { f(x) } -> std::convertible_to<T>;
    });

/// *result = the integral of f from a to b by the composite trapezoidal rule with n trapezoids of equal width,
/// in fold order 1. Asynchronous on `stream`.
///
/// Preconditions: a, b and b - a finite in T, n in 1 .. 2^53; f is callable on the device and free of side effects.
///   b < a gives the negative of the integral from b to a, exactly; a == b gives 0 whatever f is there.
/// Allocates: only to grow the workspace.
/// Synchronises: never. Can be captured into a graph.
/// Overlap: no memory is read but by f, which must not read `result`.
/// Bits: as portable as f is: explicit fma and exact arithmetic are, sin is not; nvcc contracts a * b + c in f
///   unless it is told -fmad=false.
/// Passes over memory: none, one kernel.
/// Throws: precondition_error, cuda_error.
template <class T, class F>
  requires integrates<F, T>
void integrate(const F& f, T a, T b, std::size_t n, T* result, workspace& scratch, stream_handle stream);

/// The same with the library's workspace for `stream`.
template <class T, class F>
  requires integrates<F, T>
void integrate(const F& f, T a, T b, std::size_t n, T* result, stream_handle stream);

/// Returns the value; waits for it on `stream`, and for nothing else. Earlier work of the stream is complete then, as far as device
/// memory goes: to read pinned memory that it wrote, synchronise. Cannot be captured into a graph (throws).
template <class T, class F>
  requires integrates<F, T>
T integrate(const F& f, T a, T b, std::size_t n, stream_handle stream);

}  // namespace twofold::cuda_native
