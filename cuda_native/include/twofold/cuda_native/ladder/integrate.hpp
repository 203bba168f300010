// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/cuda_native/workspace.hpp>

#include <cstddef>

/// @file
/// The rungs of `integrate` for the text's function, f(x) = x^2 + 1. For a function of your own include
/// <twofold/cuda_native/ladder/integrate.cuh> from a CUDA source: the same names with f as first argument.

namespace twofold::cuda_native::ladder {

/// *result = the integral of x^2 + 1 from a to b by the trapezoidal rule with n trapezoids, both ends included.
///
/// Preconditions: a and b finite, n at least 1, result device-accessible.
/// Allocates: only to grow the workspace.
/// Synchronises: never.
/// Bits: those that end in atomics add in the order of arrival, so their last digits differ from call to call;
///   `fold_order` and `tuned` give the bits of twofold::integrate.
/// Throws: precondition_error, cuda_error.
using integrate_function = void(float a, float b, std::size_t n, float* result, workspace& scratch,
                                stream_handle stream);

namespace integrate {

/// One thread per abscissa, one atomic addition each. In this and the next three `Threads` is 32 (the text's blocks) or 256.
template <unsigned Threads>
void atomic_per_thread(float a, float b, std::size_t n, float* result, workspace&, stream_handle);
/// One thread per abscissa; a warp adds by shuffles, then one atomic addition.
template <unsigned Threads>
void warp_shuffle(float a, float b, std::size_t n, float* result, workspace&, stream_handle);
/// One thread per abscissa; a warp adds by dissemination in shared memory, then one atomic addition.
template <unsigned Threads>
void shared_dissemination(float a, float b, std::size_t n, float* result, workspace&, stream_handle);
/// One thread per abscissa; a block adds by a tree, then one atomic addition.
template <unsigned Threads>
void block_tree(float a, float b, std::size_t n, float* result, workspace&, stream_handle);

/// Many abscissae per thread, in fold order 1; one launch per level of the order.
void fold_order(float a, float b, std::size_t n, float* result, workspace&, stream_handle);
/// twofold::cuda_native::integrate.
void tuned(float a, float b, std::size_t n, float* result, workspace&, stream_handle);

}  // namespace integrate
}  // namespace twofold::cuda_native::ladder
