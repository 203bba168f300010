// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/cuda_native/matrix_types.hpp>
#include <twofold/cuda_native/workspace.hpp>

#include <cstddef>

namespace twofold::cuda_native {

/// Whether `outer_product` of elements T exists here.
template <class T>
concept outer_products = multiplies_in<T>;

/// C(i, j) = x[i] * y[j] for a row-major C: element (i, j) lies at C[i * leading_dimension + j]. What C held is not
/// read. For a column-major C of m x n call it with y, n, x, m: its transposed is y x^T, row-major.
///
/// @param x, y device-accessible memory of as many elements as C has rows, columns.
/// @param rows, columns the shape of C.
/// @param C device-accessible memory, written by the kernel.
/// @param leading_dimension elements, not bytes, from row to row; cudaMallocPitch's pitch / sizeof(T).
/// @param stream a cudaStream_t of the current device.
///
/// Preconditions: pointers are accessible on the current device, aligned for T, and not null where C has elements;
///   leading_dimension >= columns where there are several rows.
/// Allocates: nothing.
/// Synchronises: never; asynchronous on `stream`. Can be captured into a graph.
/// Overlap: x and y must not lie in C (not checked here). Pads between rows are neither read nor written.
/// Bits: one rounding per element, one NaN; integers wrap. Equal on every path, device and alignment.
/// Passes over memory: C written once, in one kernel.
/// Throws: precondition_error, cuda_error.
template <class T>
  requires outer_products<T>
void outer_product(const T* x, std::size_t rows, const T* y, std::size_t columns, T* C,
                   std::size_t leading_dimension, stream_handle stream);

}  // namespace twofold::cuda_native
