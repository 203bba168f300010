// SPDX-License-Identifier: Apache-2.0
#include <twofold/cuda_native/sum.hpp>

#include <cuda_runtime.h>

#include <cstdlib>
#include <iostream>
#include <vector>

double sum_from_cpp(const double* x, std::size_t n);

namespace {

void check(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  std::cerr << what << ": " << cudaGetErrorString(code) << '\n';
  std::exit(EXIT_FAILURE);
}

}  // namespace

int main() {
  constexpr std::size_t n = 5000;
  const double wanted = n * (n + 1.0) / 2;
  std::vector<double> host(n);
  for (std::size_t i = 0; i < n; ++i) host[i] = i + 1.0;

  cudaStream_t stream = nullptr;
  double* x = nullptr;
  double* result = nullptr;
  check(cudaStreamCreate(&stream), "cudaStreamCreate");
  check(cudaMalloc(&x, n * sizeof(double)), "cudaMalloc");
  check(cudaMalloc(&result, sizeof(double)), "cudaMalloc");
  check(cudaMemcpy(x, host.data(), n * sizeof(double), cudaMemcpyHostToDevice), "cudaMemcpy");

  double got = 0;
  {
    twofold::cuda_native::workspace workspace;
    twofold::cuda_native::sum(x, n, result, workspace, stream);
    check(cudaMemcpyAsync(&got, result, sizeof(double), cudaMemcpyDeviceToHost, stream), "cudaMemcpyAsync");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }
  const double got_from_cpp = sum_from_cpp(x, n);
  std::cout << "sum = " << got << ", from C++ " << got_from_cpp << ", expected " << wanted << '\n';

  check(cudaFree(result), "cudaFree");
  check(cudaFree(x), "cudaFree");
  check(cudaStreamDestroy(stream), "cudaStreamDestroy");
  return got == wanted && got_from_cpp == wanted ? EXIT_SUCCESS : EXIT_FAILURE;
}
