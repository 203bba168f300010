// SPDX-License-Identifier: Apache-2.0
// The only place that launches kernels: every launch is checked here and carries a name.
#pragma once

#include <twofold/backends/device_workspace.hpp>
#include <twofold/backends/error.hpp>
#include <twofold/cuda_native/detail/named_range.hpp>

#include <cuda_runtime.h>

#include <cstddef>
#include <initializer_list>
#include <string>

namespace twofold::cuda_native::detail {

/// Waits until the work before this kernel in its stream is done and its writes are seen. The first statement of every
/// kernel that `launch_early` launches, in every thread, before it reads or writes memory: a block that ended without it
/// would let later kernels overtake earlier ones.
#if defined(__CUDACC__)
__device__ __forceinline__ void await_earlier_work() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
#endif

/// Whether all device code of this translation unit waits in await_earlier_work(). The architectures that it is compiled
/// for decide, not the device: code for an older one that is translated for a newer device has no wait.
constexpr bool device_code_waits() {
#if defined(__CUDA_ARCH_LIST__)
  for (const int architecture : {__CUDA_ARCH_LIST__}) {
    if (architecture < 900) return false;
  }
  return true;
#else
  return false;
#endif
}

template <class... Parameters, class... Arguments>
void launch_with(const char* name, cudaLaunchConfig_t config, void (*kernel)(Parameters...),
                 Arguments... arguments) {
  const named_range range(name);
  // Its own status, not cudaGetLastError: an earlier failure of somebody else's is not ours to report.
  backends::check_cuda(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...), name);
}

inline cudaLaunchConfig_t configuration(dim3 blocks, dim3 threads, std::size_t shared_bytes,
                                        stream_handle stream) {
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  return config;
}

/// Launches `kernel` on `stream`; throws cuda_error naming `name` when the launch is refused. A
/// profile shows it under `name`.
template <class... Parameters, class... Arguments>
void launch(const char* name, void (*kernel)(Parameters...), dim3 blocks, dim3 threads,
            std::size_t shared_bytes, stream_handle stream, Arguments... arguments) {
  launch_with(name, configuration(blocks, threads, shared_bytes, stream), kernel, arguments...);
}

/// The same for a kernel that begins with await_earlier_work(): the device may bring its blocks up while the kernel
/// before it ends (programmatic dependent launch, from compute capability 9.0 on), and the host has less to tell it.
/// docs/decisions/010-dependent-launches.md has the figures.
template <class... Parameters, class... Arguments>
void launch_early(const char* name, void (*kernel)(Parameters...), dim3 blocks, dim3 threads,
                  std::size_t shared_bytes, stream_handle stream, Arguments... arguments) {
  cudaLaunchConfig_t config = configuration(blocks, threads, shared_bytes, stream);
  cudaLaunchAttribute attribute{};
  if constexpr (device_code_waits()) {
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
  }
  launch_with(name, config, kernel, arguments...);
}

/// One-dimensional grids of up to 2^31 - 1 blocks.
inline unsigned grid_of(const char* name, std::size_t blocks) {
  backends::expects(blocks <= 2147483647u, name, [&] {
    return "needs " + std::to_string(blocks) + " blocks, a grid has at most 2147483647";
  });
  return static_cast<unsigned>(blocks);
}

}  // namespace twofold::cuda_native::detail
