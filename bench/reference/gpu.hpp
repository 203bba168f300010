// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the probes of the GPU share: its figures, buffers, a clock.

#include <cuda_runtime.h>

#include <cstddef>
#include <functional>
#include <twofold/backends/device_workspace.hpp>
#include <utility>

namespace twofold::reference {

inline void check(cudaError_t status, const char* what) { backends::check_cuda(status, what); }

/// Device memory, zeroed.
class Buffer {
 public:
  explicit Buffer(std::size_t bytes);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  std::size_t bytes() const { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

/// The stream of all probes.
cudaStream_t stream();

struct Gpu {
  int multiprocessors;
  std::size_t l2_bytes;
  std::size_t memory_bytes;
};
const Gpu& gpu();

/// The largest power of two that is at most `wanted` and an eighth of the GPU's memory.
std::size_t footprint(std::size_t wanted);

/// Seconds per call: events around back-to-back calls on stream(), the median of several such batches.
double gpu_seconds(const std::function<void()>& call, bool quick);

template <class T>
T value_at(const T* device) {
  T value;
  check(cudaStreamSynchronize(stream()), "before reading a value");
  check(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost), "reading a value");
  return value;
}

}  // namespace twofold::reference
