// SPDX-License-Identifier: Apache-2.0
// The calls that the pages of the algorithms show, on pointers; no Kokkos.
#include <twofold/cuda_native/outer_product.hpp>
#include <twofold/cuda_native/scale_columns.hpp>
#include <twofold/cuda_native/stencil.hpp>
#include <twofold/cuda_native/sum.hpp>
#include <twofold/cuda_native/sum_columns.hpp>
#include <twofold/cuda_native/sum_rows.hpp>

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "no_gpu.hpp"

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
  std::exit(1);
}

__global__ void fill(float* x, std::size_t n, float value) {
  for (std::size_t i = 0; i < n; ++i) x[i] = value;
}

/// n floats of one value.
float* floats(std::size_t n, float value, cudaStream_t stream) {
  float* memory;
  check(cudaMalloc(&memory, n * sizeof(float)));
  fill<<<1, 1, 0, stream>>>(memory, n, value);
  check(cudaGetLastError());
  return memory;
}

void matrices(cudaStream_t stream) {
  const std::size_t rows = 3, columns = 5;
  // Leading dimensions: elements from row to row of a row-major matrix, from column to column of a column-major one.
  const std::size_t ld = columns, ld_by_columns = rows;
  float* x = floats(rows, 2, stream);
  float* y = floats(columns, 3, stream);
  float* M = floats(rows * columns, 0, stream);
  float* r = floats(columns, 0, stream);

  // Row-major; the leading dimension ld is the number of elements from row to row.
  twofold::cuda_native::outer_product(x, rows, y, columns, M, ld, stream);
  // Column-major, with ld_by_columns elements from column to column: the transposed, y xᵀ, is row-major.
  twofold::cuda_native::outer_product(y, columns, x, rows, M, ld_by_columns, stream);
  std::printf("outer_product: %g\n", twofold::cuda_native::sum(M, rows * columns, stream));

  // Row-major, in place; the leading dimension ld is the number of elements from row to row.
  twofold::cuda_native::scale_columns(M, rows, columns, ld, y, M, ld, stream);
  // Column-major, with ld_by_columns elements from column to column: its columns are the rows of its transposed.
  twofold::cuda_native::scale_rows(M, columns, rows, ld_by_columns, y, M, ld_by_columns, stream);
  std::printf("scale_columns: %g\n", twofold::cuda_native::sum(M, rows * columns, stream));

  // Row-major; the leading dimension ld is the number of elements from row to row.
  twofold::cuda_native::sum_rows(M, rows, columns, ld, r, stream);
  // Column-major, with ld_by_columns elements from column to column: its rows are the columns of its transposed.
  twofold::cuda_native::sum_columns(M, columns, rows, ld_by_columns, r, stream);
  std::printf("sum_rows: %g\n", twofold::cuda_native::sum(r, rows, stream));

  // Row-major; the leading dimension ld is the number of elements from row to row.
  twofold::cuda_native::sum_columns(M, rows, columns, ld, r, stream);
  std::printf("sum_columns: %g\n", twofold::cuda_native::sum(r, columns, stream));

  check(cudaFree(x));
  check(cudaFree(y));
  check(cudaFree(M));
  check(cudaFree(r));
}

void stencil(cudaStream_t stream) {
  const std::size_t n = 4000, k = 1000;
  float* in = floats(n, 1, stream);
  float* out = floats(n, 0, stream);

  twofold::cuda_native::stencil<float>(in, n, k, out, stream);  // no Kokkos

  std::printf("stencil: %g\n", twofold::cuda_native::sum(out, n, stream));
  check(cudaFree(in));
  check(cudaFree(out));
}

int main() {
  if (no_gpu()) return 77;

  cudaStream_t stream;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  matrices(stream);
  stencil(stream);
  check(cudaStreamDestroy(stream));
}
