// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/cuda_native/ladder/element.hpp>
#include <twofold/cuda_native/workspace.hpp>

#include <cstddef>

namespace twofold::cuda_native::ladder {

/// C(i, j) = x[i] * y[j] for a row-major matrix of `rows` x `columns`; row i starts i * pitch_bytes bytes after C.
/// Bytes between the rows are not touched. int32 wraps.
///
/// Preconditions: pointers device-accessible; C overlaps neither x nor y; pitch_bytes is a multiple of
///   sizeof(T) and at least columns * sizeof(T), and equal to it for the rungs without a pitch, see rungs.hpp.
///   Any number of rows and columns.
/// Allocates: nothing.
/// Synchronises: never.
/// Bits: one rounding per element.
/// Throws: precondition_error, cuda_error.
template <element T>
using outer_product_function = void(const T* x, const T* y, T* c, std::size_t rows, std::size_t columns,
                                    std::size_t pitch_bytes, stream_handle stream);

namespace outer_product {

/// Neighbouring threads write neighbouring rows. Packed.
template <element T>
void swapped(const T* x, const T* y, T* c, std::size_t rows, std::size_t columns, std::size_t pitch_bytes,
             stream_handle);
/// Neighbouring threads write neighbouring columns. Packed.
template <element T>
void coalesced(const T* x, const T* y, T* c, std::size_t rows, std::size_t columns, std::size_t pitch_bytes,
               stream_handle);
/// Rows that start at aligned addresses, as from cudaMallocPitch.
template <element T>
void pitched(const T* x, const T* y, T* c, std::size_t rows, std::size_t columns, std::size_t pitch_bytes,
             stream_handle);
/// Pitched; the block's part of y in shared memory, used for many rows.
template <element T>
void shared_vector(const T* x, const T* y, T* c, std::size_t rows, std::size_t columns,
                   std::size_t pitch_bytes, stream_handle);
/// twofold::cuda_native::outer_product, pitched.
template <element T>
void tuned(const T* x, const T* y, T* c, std::size_t rows, std::size_t columns, std::size_t pitch_bytes,
           stream_handle);

}  // namespace outer_product
}  // namespace twofold::cuda_native::ladder
