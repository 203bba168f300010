// SPDX-License-Identifier: Apache-2.0
// The only place that launches kernels: every launch is checked here and carries a name.
#pragma once

#include <twofold/backends/device_workspace.hpp>
#include <twofold/backends/error.hpp>
#include <twofold/cuda_native/detail/named_range.hpp>

#include <cuda_runtime.h>

#include <cstddef>
#include <string>

namespace twofold::cuda_native::detail {

/// Launches `kernel` on `stream`; throws cuda_error naming `name` when the launch is refused. A
/// profile shows it under `name`.
template <class... Parameters, class... Arguments>
void launch(const char* name, void (*kernel)(Parameters...), dim3 blocks, dim3 threads,
            std::size_t shared_bytes, stream_handle stream, Arguments... arguments) {
  const named_range range(name);
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  // Its own status, not cudaGetLastError: an earlier failure of somebody else's is not ours to report.
  backends::check_cuda(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...), name);
}

/// One-dimensional grids of up to 2^31 - 1 blocks.
inline unsigned grid_of(const char* name, std::size_t blocks) {
  backends::expects(blocks <= 2147483647u, name, [&] {
    return "needs " + std::to_string(blocks) + " blocks, a grid has at most 2147483647";
  });
  return static_cast<unsigned>(blocks);
}

}  // namespace twofold::cuda_native::detail
