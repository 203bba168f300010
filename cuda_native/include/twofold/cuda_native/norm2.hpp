// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/cuda_native/fold_types.hpp>
#include <twofold/cuda_native/workspace.hpp>

#include <cstddef>

namespace twofold::cuda_native {

/// Whether `norm2` of elements T with result R exists here.
template <class T, class R = default_norm_t<T>>
concept norms = norms_in<T, R>;

/// *result = square root of the sum of squares of x[0 .. n), free of overflow and underflow, in fold order 1. Asynchronous on `stream`.
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
  requires norms<T, R>
void norm2(const T* x, std::size_t n, R* result, workspace& scratch, stream_handle stream);

/// The same with a workspace that the library keeps for `stream`: allocates on first use and growth.
template <class R, class T>
  requires norms<T, R>
void norm2(const T* x, std::size_t n, R* result, stream_handle stream) {
  norm2<R>(x, n, result, backends::workspace_of(stream), stream);
}

/// Returns the value; waits for it on `stream`, and for nothing else. Earlier work of the stream is complete then, as far as device
/// memory goes: to read pinned memory that it wrote, synchronise. Cannot be captured into a graph (throws).
template <class R, class T>
  requires norms<T, R>
R norm2(const T* x, std::size_t n, stream_handle stream);

/// Returns the value in the default result type of T. (The first parameter keeps a named R from meaning T here.)
template <int = 0, class T>
  requires norms<T>
default_norm_t<T> norm2(const T* x, std::size_t n, stream_handle stream) {
  return norm2<default_norm_t<T>>(x, n, stream);
}

}  // namespace twofold::cuda_native
