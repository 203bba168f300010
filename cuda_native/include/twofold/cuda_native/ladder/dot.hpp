// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/accumulator.hpp>
#include <twofold/cuda_native/ladder/element.hpp>
#include <twofold/cuda_native/workspace.hpp>

#include <cstddef>

namespace twofold::cuda_native::ladder {

/// *result = sum of x[i] * y[i]; int32 is summed in int64, where the texts' int would overflow.
///
/// Preconditions: pointers device-accessible.
/// Allocates: to grow the workspace; rungs that finish on the host, host memory too.
/// Synchronises: rungs that finish on the host copy partial sums there, wait for `stream`, add them and copy
///   the value back; so they cannot be captured into a graph. The others never.
/// Bits: integers exact; of the float rungs only `tuned` promises the bits of twofold::dot.
/// Throws: precondition_error, cuda_error.
template <element T>
using dot_function = void(const T* x, const T* y, std::size_t n, default_sum_t<T>* result, workspace& scratch,
                          stream_handle stream);

namespace dot {

/// Blocks of every rung but the tuned one.
inline constexpr unsigned blocks = 256;
/// Threads of a block.
inline constexpr unsigned threads = 256;

/// A contiguous slice per thread (uncoalesced), a partial sum per thread, finished on the host.
template <element T>
void host_slices(const T* x, const T* y, std::size_t n, default_sum_t<T>* result, workspace&, stream_handle);
/// Neighbouring threads take neighbouring elements; otherwise the same.
template <element T>
void host_strided(const T* x, const T* y, std::size_t n, default_sum_t<T>* result, workspace&, stream_handle);
/// Thread 0 adds the block's partial sums in shared memory; a value per block is finished on the host.
template <element T>
void shared_serial(const T* x, const T* y, std::size_t n, default_sum_t<T>* result, workspace&,
                   stream_handle);
/// A tree in shared memory in place of thread 0.
template <element T>
void shared_tree(const T* x, const T* y, std::size_t n, default_sum_t<T>* result, workspace&, stream_handle);
/// Shuffles in place of shared memory, and the last block finishes in place of the host.
template <element T>
void shuffle_tree(const T* x, const T* y, std::size_t n, default_sum_t<T>* result, workspace&, stream_handle);
/// twofold::cuda_native::dot.
template <element T>
void tuned(const T* x, const T* y, std::size_t n, default_sum_t<T>* result, workspace&, stream_handle);

}  // namespace dot
}  // namespace twofold::cuda_native::ladder
