// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/cuda_native/fold_types.hpp>
#include <twofold/cuda_native/workspace.hpp>

#include <cstddef>

namespace twofold::cuda_native {

/// Whether `sum_rows` of elements T with results R exists here.
template <class T, class R = default_sum_t<T>>
concept sums_rows = folds_in<T, R>;

/// r[i] = sum over j of M[i * leading_dimension + j], each in fold order 1: to the bit what `sum` gives for that row.
/// For a column-major matrix call `sum_columns`: its rows are the columns of its transposed, which is row-major.
///
/// @param M device-accessible memory of the matrix.
/// @param rows, columns the shape of M.
/// @param leading_dimension elements, not bytes, from row to row.
/// @param r device-accessible memory of as many elements as M has rows; written by the kernel.
/// @param stream a cudaStream_t of the current device.
///
/// Preconditions: pointers are accessible on the current device, aligned for their types, and not null where there are
///   elements; leading_dimension >= columns where there are several rows.
/// Allocates: where columns > 8192, chunk results in the workspace that the library keeps for `stream`, on
///   first use and growth; elsewhere nothing.
/// Synchronises: never; asynchronous on `stream`. Can be captured into a graph.
/// Overlap: r must not lie in M (not checked here). Pads between rows are not read. 0 columns: r is all 0.
/// Bits: equal on every path, device, stream, alignment and leading dimension.
/// Passes over memory: M read once. Kernels: one, and one more for each level of the order beyond the first chunk.
/// Throws: precondition_error, cuda_error.
template <class R, class T>
  requires sums_rows<T, R>
void sum_rows(const T* M, std::size_t rows, std::size_t columns, std::size_t leading_dimension, R* r,
              stream_handle stream);

}  // namespace twofold::cuda_native
