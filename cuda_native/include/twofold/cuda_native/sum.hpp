// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/cuda_native/fold_types.hpp>
#include <twofold/cuda_native/workspace.hpp>

#include <cstddef>

namespace twofold::cuda_native {

/// Whether `sum` of elements T with result R exists here.
template <class T, class R = default_sum_t<T>>
concept sums = folds_in<T, R>;

/// *result = sum of x[0 .. n), in fold order 1. Asynchronous on `stream`.
///
/// @param x device-accessible memory of n elements.
/// @param n the number of elements; may be 0.
/// @param result device-accessible memory for one R; written by the kernel, never read.
/// @param scratch grown if it is too small for `n`; after `scratch.reserve(n)` the call allocates nothing.
/// @param stream a cudaStream_t of the current device.
///
/// Preconditions: pointers are readable on the current device, aligned for T, and not null where n > 0.
/// Allocates: only to grow the workspace.
/// Synchronises: never. Can be captured into a graph.
/// Overlap: `result` must not lie in the input.
/// Bits: equal on every path, device, stream and alignment.
/// Passes over memory: one, one kernel.
/// Throws: precondition_error, cuda_error.
template <class R, class T>
  requires sums<T, R>
void sum(const T* x, std::size_t n, R* result, workspace& scratch, stream_handle stream);

/// The same with a workspace that the library keeps for `stream`: allocates on first use and growth.
template <class R, class T>
  requires sums<T, R>
void sum(const T* x, std::size_t n, R* result, stream_handle stream) {
  sum<R>(x, n, result, backends::workspace_of(stream), stream);
}

/// Returns the value; waits for it on `stream`, and for nothing else. Earlier work of the stream is complete then, as far as device
/// memory goes: to read pinned memory that it wrote, synchronise. Cannot be captured into a graph (throws).
template <class R, class T>
  requires sums<T, R>
R sum(const T* x, std::size_t n, stream_handle stream);

/// Returns the value in the default result type of T. (The first parameter keeps a named R from meaning T here.)
template <int = 0, class T>
  requires sums<T>
default_sum_t<T> sum(const T* x, std::size_t n, stream_handle stream) {
  return sum<default_sum_t<T>>(x, n, stream);
}

}  // namespace twofold::cuda_native
