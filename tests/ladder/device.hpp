// SPDX-License-Identifier: Apache-2.0
// What the tests of the rungs share: device arrays with guards around them, and skipping where there is no GPU.
#pragma once

#include <twofold/backends/device_workspace.hpp>
#include <twofold/backends/error.hpp>

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace ladder_test {

inline void check(cudaError_t status, const char* what) { twofold::backends::check_cuda(status, what); }

/// Skips without a GPU; has a stream of its own; errors of kernels surface in the test that launched them.
class on_gpu : public ::testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) GTEST_SKIP() << "no GPU here";
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
  }
  void TearDown() override {
    if (stream_ == nullptr) return;
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    (void)cudaStreamDestroy(stream_);
  }
  cudaStream_t stream() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Bytes on the device, filled with 0xa5 and freed at the end of the scope.
class memory {
 public:
  explicit memory(std::size_t bytes) {
    check(cudaMalloc(&data_, bytes == 0 ? 1 : bytes), "cudaMalloc");
    check(cudaMemset(data_, 0xa5, bytes == 0 ? 1 : bytes), "cudaMemset");
    check(cudaDeviceSynchronize(), "poison");
  }
  ~memory() { (void)cudaFree(data_); }
  memory(memory&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  memory& operator=(memory&&) = delete;
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
};

/// Elements on the device between guards, `offset` elements past an aligned address.
template <class T>
class array {
 public:
  static constexpr std::size_t guards = 64;

  explicit array(std::size_t n, std::size_t offset = 0)
      : n_(n), begin_(guards + offset), memory_((guards + offset + n + guards) * sizeof(T)) {}
  explicit array(const std::vector<T>& x, std::size_t offset = 0) : array(x.size(), offset) {
    if (n_ > 0) check(cudaMemcpy(data(), x.data(), n_ * sizeof(T), cudaMemcpyHostToDevice), "to the device");
    // The last part of a pageable copy, and the poison before it, may still be under way in the default stream,
    // which the tests' non-blocking stream does not wait for.
    check(cudaDeviceSynchronize(), "to the device");
  }
  T* data() const { return static_cast<T*>(memory_.data()) + begin_; }

  std::vector<T> elements() const { return copy(begin_, n_); }
  T value() const { return elements().at(0); }
  bool guards_are_intact() const {
    std::vector<T> around = copy(0, begin_);
    const std::vector<T> behind = copy(begin_ + n_, guards);
    around.insert(around.end(), behind.begin(), behind.end());
    std::vector<unsigned char> poison(around.size() * sizeof(T), 0xa5);
    return std::memcmp(around.data(), poison.data(), poison.size()) == 0;
  }

 private:
  std::vector<T> copy(std::size_t from, std::size_t count) const {
    std::vector<T> x(count);
    if (count == 0) return x;
    check(cudaDeviceSynchronize(), "before reading");
    check(cudaMemcpy(x.data(), static_cast<T*>(memory_.data()) + from, count * sizeof(T),
                     cudaMemcpyDeviceToHost),
          "to the host");
    return x;
  }
  std::size_t n_;
  std::size_t begin_;
  memory memory_;
};

/// Small whole numbers, positive and negative: their sums and products are exact in float in any order.
template <class T>
std::vector<T> whole_numbers(std::size_t n, unsigned seed) {
  std::vector<T> x(n);
  unsigned state = seed * 2654435761u + 12345u;
  for (T& e : x) {
    state = state * 1664525u + 1013904223u;
    e = static_cast<T>(static_cast<int>(state >> 28) - 7);  // -7 ... 8
  }
  return x;
}

}  // namespace ladder_test
