// SPDX-License-Identifier: Apache-2.0
// Folds as nodes of a CUDA graph: captured once, replayed on other data, the same bits as called directly.
#include <twofold/cuda_native/dot.hpp>
#include <twofold/cuda_native/norm2.hpp>

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "no_gpu.hpp"

namespace native = twofold::cuda_native;

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
  std::exit(1);
}

__global__ void fill(double* x, double* y, std::size_t n, int round) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i >= n) return;
  x[i] = 1.0 / static_cast<double>(i + 1);
  y[i] = static_cast<double>(i % 5 + static_cast<std::size_t>(round));
}

int main() {
  if (no_gpu()) return 77;

  const std::size_t n = 1 << 20;
  double *x, *y, *results;
  cudaStream_t stream;
  check(cudaMalloc(&x, n * sizeof(double)));
  check(cudaMalloc(&y, n * sizeof(double)));
  check(cudaMalloc(&results, 2 * sizeof(double)));
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

  // What is captured: no host value, and nothing that allocates.
  native::workspace workspace;
  workspace.reserve(n);
  cudaGraph_t graph;
  cudaGraphExec_t replayable;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  native::dot(x, y, n, results, workspace, stream);
  native::norm2(y, n, results + 1, workspace, stream);
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&replayable, graph, 0));

  bool same = true;
  for (int round = 1; round <= 3; ++round) {
    fill<<<n / 256, 256, 0, stream>>>(x, y, n, round);
    check(cudaGetLastError());
    check(cudaGraphLaunch(replayable, stream));
    double replayed[2];
    check(cudaMemcpyAsync(replayed, results, sizeof replayed, cudaMemcpyDefault, stream));
    check(cudaStreamSynchronize(stream));

    std::printf("round %d: dot %a, norm %a\n", round, replayed[0], replayed[1]);
    same = same && replayed[0] == native::dot(x, y, n, stream) && replayed[1] == native::norm2(y, n, stream);
  }

  check(cudaGraphExecDestroy(replayable));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
  check(cudaFree(results));
  check(cudaFree(y));
  check(cudaFree(x));
  return same ? 0 : 1;
}
