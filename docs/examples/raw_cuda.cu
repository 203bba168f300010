// SPDX-License-Identifier: Apache-2.0
// The dot product of two arrays in device memory: pointers, a count, a stream; no Kokkos.
#include <twofold/cuda_native/dot.hpp>

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

__global__ void fill(double* x, double* y, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i >= n) return;
  x[i] = 1.0 / static_cast<double>(i + 1);
  y[i] = i % 2 == 0 ? 1.0 : -1.0;
}

int main() {
  if (no_gpu()) return 77;

  const std::size_t n = 1 << 20;
  double *x, *y, *result;
  cudaStream_t stream;
  check(cudaMalloc(&x, n * sizeof(double)));
  check(cudaMalloc(&y, n * sizeof(double)));
  check(cudaMalloc(&result, sizeof(double)));
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  fill<<<n / 256, 256, 0, stream>>>(x, y, n);
  check(cudaGetLastError());

  twofold::cuda_native::workspace workspace;
  workspace.reserve(n);  // no call for up to n elements allocates from here on
  twofold::cuda_native::dot(x, y, n, result, workspace, stream);  // asynchronous

  const double value = twofold::cuda_native::dot(x, y, n, stream);  // waits for the value, and only for it
  std::printf("%.17g = %a\n", value, value);

  double same = 0;
  check(cudaMemcpy(&same, result, sizeof(double), cudaMemcpyDefault));
  check(cudaStreamDestroy(stream));
  check(cudaFree(result));
  check(cudaFree(y));
  check(cudaFree(x));
  return same == value ? 0 : 1;
}
