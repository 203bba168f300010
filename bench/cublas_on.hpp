// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the sources of CUDA peers share: checked calls, and cuBLAS' handles.

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

#include "peers.hpp"

namespace twofold::bench {

inline void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
}

inline void check(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw std::runtime_error(std::string(call) + ": " + cublasGetStatusString(status));
  }
}

/// One handle per stream and place of its scalars. Calls with results on the host would block; factors there do not.
cublasHandle_t cublas_on(Stream stream, cublasPointerMode_t scalars);

}  // namespace twofold::bench
