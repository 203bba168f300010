// SPDX-License-Identifier: Apache-2.0
// For the CUDA examples, which are run as tests on machines without a GPU too.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>

inline bool no_gpu() {
  int devices = 0;
  const bool none = cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0;
  if (none) std::printf("skipped: no GPU here\n");
  return none;
}
