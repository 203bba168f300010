// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/cuda_native/ladder/element.hpp>
#include <twofold/cuda_native/workspace.hpp>

#include <cstddef>

namespace twofold::cuda_native::ladder {

/// out[i] = in[i - k] + ... + in[i + k], elements outside 0 .. n - 1 counting as 0; int32 wraps.
///
/// Preconditions: pointers device-accessible; in and out do not overlap; k is accepted by the rung, see rungs.hpp.
/// Allocates: nothing below `tuned`, which may grow the workspace.
/// Synchronises: never.
/// Bits: the rungs below `tuned` add from left to right, starting at 0.
/// Throws: precondition_error, also for a k that the rung's shared memory cannot hold; cuda_error.
template <element T>
using stencil_function = void(const T* in, T* out, std::size_t n, std::size_t k, workspace& scratch,
                              stream_handle stream);

namespace stencil {

/// Threads of a block.
inline constexpr unsigned threads = 256;
/// The largest radius of static_shared: its tile is sized when it is compiled.
inline constexpr std::size_t static_radius = 128;

/// Every thread reads its whole window from global memory. Any k.
template <element T>
void global_memory(const T* in, T* out, std::size_t n, std::size_t k, workspace&, stream_handle);
/// The block's elements and both halos in a tile of fixed size. k up to static_radius.
template <element T>
void static_shared(const T* in, T* out, std::size_t n, std::size_t k, workspace&, stream_handle);
/// The same, in a tile sized at launch. k as far as the shared memory of a block reaches.
template <element T>
void dynamic_shared(const T* in, T* out, std::size_t n, std::size_t k, workspace&, stream_handle);
/// twofold::cuda_native::stencil. Any k.
template <element T>
void tuned(const T* in, T* out, std::size_t n, std::size_t k, workspace&, stream_handle);

/// For rungs that take any k.
inline bool any_radius(std::size_t) { return true; }
/// Whether the tile of static_shared is large enough.
inline bool fits_static(std::size_t k) { return k <= static_radius; }
/// Whether a block's tile fits the shared memory that a block of the current device may opt in to.
bool fits_dynamic(std::size_t k);

}  // namespace stencil
}  // namespace twofold::cuda_native::ladder
