// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/cuda_native/matrix_types.hpp>
#include <twofold/cuda_native/workspace.hpp>

#include <cstddef>

namespace twofold::cuda_native {

/// Whether `scale_columns` of elements T exists here.
template <class T>
concept scales_columns = multiplies_in<T>;

/// R(i, j) = M(i, j) * v[j] for row-major matrices: element (i, j) lies at M[i * leading_dimension_m + j].
///
/// @param M, R device-accessible memory of the two matrices; R is written by the kernel.
/// @param rows, columns the shape of both.
/// @param v device-accessible memory of as many elements as M has columns.
/// @param leading_dimension_m, leading_dimension_r elements, not bytes, from row to row.
/// @param stream a cudaStream_t of the current device.
///
/// Preconditions: pointers are accessible on the current device, aligned for T, and not null where the matrices have
///   elements; leading dimensions >= columns where there are several rows.
/// Allocates: nothing.
/// Synchronises: never; asynchronous on `stream`. Can be captured into a graph.
/// Overlap: R may be M (with the same leading dimension); otherwise R must not share elements with M or v (not checked
///   here). Pads between rows are neither read nor written.
/// Bits: one rounding per element, one NaN; integers wrap. Equal on every path, device and alignment.
/// Passes over memory: M read once, R written once, in one kernel.
/// Throws: precondition_error, cuda_error.
template <class T>
  requires scales_columns<T>
void scale_columns(const T* M, std::size_t rows, std::size_t columns, std::size_t leading_dimension_m,
                   const T* v, T* R, std::size_t leading_dimension_r, stream_handle stream);

/// R(i, j) = M(i, j) * v[i], with the same rules: the columns of a column-major matrix are the rows of its transposed.
template <class T>
  requires scales_columns<T>
void scale_rows(const T* M, std::size_t rows, std::size_t columns, std::size_t leading_dimension_m,
                const T* v, T* R, std::size_t leading_dimension_r, stream_handle stream);

}  // namespace twofold::cuda_native
