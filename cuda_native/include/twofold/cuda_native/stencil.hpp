// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/stencil_order.hpp>
#include <twofold/cuda_native/workspace.hpp>

#include <cstddef>
#include <cstdint>

namespace twofold::cuda_native {

/// Whether `stencil` of elements T with results R exists here.
template <class T, class R = T>
concept stencils = stencils_in<T, R>;

/// out[i] = sum of in[j] with |j - i| <= k and 0 <= j < n, in the order of docs/algorithms/stencil.md.
/// Asynchronous on `stream`.
///
/// @param in device-accessible memory of n elements.
/// @param n the number of elements; may be 0.
/// @param k any radius; beyond n every result is the sum of all.
/// @param out n results; written by the kernel, never read.
/// @param scratch used for windows that exceed on-chip memory; after `scratch.reserve(n)` no call allocates.
/// @param stream a cudaStream_t of the current device.
///
/// Preconditions: pointers are accessible on the current device, aligned for their type, not null where n > 0.
/// Allocates: only to grow the workspace.
/// Synchronises: never. Can be captured into a graph.
/// Overlap: refused, in place too.
/// Bits: equal on every path, device, stream and alignment.
/// Passes over memory: reads in once and writes out once, one kernel; for long windows in is read twice or
///   three times, by three kernels or more.
/// Throws: precondition_error, cuda_error.
template <class R, class T>
  requires stencils<T, R>
void stencil(const T* in, std::size_t n, std::uint64_t k, R* out, workspace& scratch, stream_handle stream);

/// The same with a workspace that the library keeps for `stream`: allocates on first use and growth.
template <class R, class T>
  requires stencils<T, R>
void stencil(const T* in, std::size_t n, std::uint64_t k, R* out, stream_handle stream) {
  stencil<R>(in, n, k, out, backends::workspace_of(stream), stream);
}

/// out[i] = sum of weights[j] * in[i + j - k] over 0 <= j <= 2k, terms outside in skipped, each product
/// entering through one fused rounding. Needs no workspace; otherwise as above.
template <class R, class T>
  requires stencils<T, R>
void stencil(const T* in, std::size_t n, const T* weights, std::size_t k, R* out, stream_handle stream);

}  // namespace twofold::cuda_native
