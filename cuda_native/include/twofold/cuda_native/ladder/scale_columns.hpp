// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/cuda_native/ladder/element.hpp>
#include <twofold/cuda_native/workspace.hpp>

#include <cstddef>

namespace twofold::cuda_native::ladder {

/// R(i, j) = M(i, j) * v[j] for row-major matrices of `rows` x `columns`; row i starts i * pitch_bytes bytes after M
/// and after R. Bytes between the rows are not touched. int32 wraps.
///
/// Preconditions: pointers device-accessible; R is M or does not overlap it, and does not overlap v;
///   pitch_bytes as for outer_product. Any number of rows and columns.
/// Allocates: nothing.
/// Synchronises: never.
/// Bits: one rounding per element.
/// Throws: precondition_error, cuda_error.
template <element T>
using scale_columns_function = void(const T* m, const T* v, T* r, std::size_t rows, std::size_t columns,
                                    std::size_t pitch_bytes, stream_handle stream);

namespace scale_columns {

/// Neighbouring threads take neighbouring rows, as the text's RowScalingGPU does. Packed.
template <element T>
void swapped(const T* m, const T* v, T* r, std::size_t rows, std::size_t columns, std::size_t pitch_bytes,
             stream_handle);
/// Neighbouring threads take neighbouring columns. Packed.
template <element T>
void coalesced(const T* m, const T* v, T* r, std::size_t rows, std::size_t columns, std::size_t pitch_bytes,
               stream_handle);
/// Rows that start at aligned addresses, as from cudaMallocPitch.
template <element T>
void pitched(const T* m, const T* v, T* r, std::size_t rows, std::size_t columns, std::size_t pitch_bytes,
             stream_handle);
/// Pitched; the block's part of v in shared memory, used for many rows.
template <element T>
void shared_vector(const T* m, const T* v, T* r, std::size_t rows, std::size_t columns,
                   std::size_t pitch_bytes, stream_handle);
/// twofold::cuda_native::scale_columns, pitched.
template <element T>
void tuned(const T* m, const T* v, T* r, std::size_t rows, std::size_t columns, std::size_t pitch_bytes,
           stream_handle);

}  // namespace scale_columns
}  // namespace twofold::cuda_native::ladder
