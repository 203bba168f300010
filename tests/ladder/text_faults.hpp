// SPDX-License-Identifier: Apache-2.0
// What the tests of the course texts' faults share.
#pragma once

#include "device.hpp"

#include <twofold/cuda_native/workspace.hpp>

#include <cstdint>

namespace ladder_test {

inline constexpr std::int32_t poison =
    std::int32_t(0xa5a5a5a5u);  // what memory that nobody has set holds, see device.hpp

class text_faults : public on_gpu {
 protected:
  /// What the last launch came to. A refusal must leave no trace: the calls after it work.
  static cudaError_t launch_status() {
    const cudaError_t status = cudaGetLastError();
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    return status;
  }
  void wait() const { ASSERT_EQ(cudaStreamSynchronize(stream()), cudaSuccess); }

  twofold::cuda_native::workspace scratch_;
};

__device__ inline int global_thread() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

/// Wraps, as the hardware does.
__device__ inline int product(int x, int y) {
  return static_cast<int>(static_cast<unsigned>(x) * static_cast<unsigned>(y));
}

}  // namespace ladder_test
