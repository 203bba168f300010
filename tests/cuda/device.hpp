// SPDX-License-Identifier: Apache-2.0
// What the tests of the native library share: memory, streams and graphs of CUDA, and skipping where there is no GPU.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace native_test {

inline void check(cudaError_t status) { ASSERT_EQ(status, cudaSuccess) << cudaGetErrorString(status); }

template <class T>
class device_array {
 public:
  explicit device_array(std::size_t n) { check(cudaMalloc(&data_, n * sizeof(T))); }
  ~device_array() { (void)cudaFree(data_); }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  T* data() const { return data_; }
  std::vector<T> elements(std::size_t n) const {
    std::vector<T> x(n);
    check(cudaMemcpy(x.data(), data_, n * sizeof(T), cudaMemcpyDefault));
    return x;
  }
  T read(std::size_t i = 0) const {
    T value{};
    check(cudaMemcpy(&value, data_ + i, sizeof(T), cudaMemcpyDefault));
    return value;
  }

 private:
  T* data_ = nullptr;
};

class stream {
 public:
  stream() { check(cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking)); }
  ~stream() { (void)cudaStreamDestroy(handle_); }
  operator cudaStream_t() const { return handle_; }
  void wait() const { check(cudaStreamSynchronize(handle_)); }

 private:
  cudaStream_t handle_ = nullptr;
};

class graph {
 public:
  template <class Work>
  graph(cudaStream_t s, cudaStreamCaptureMode mode, Work work) {
    cudaGraph_t captured = nullptr;
    check(cudaStreamBeginCapture(s, mode));
    work();
    check(cudaStreamEndCapture(s, &captured));
    check(cudaGraphInstantiate(&executable_, captured, 0));
    (void)cudaGraphDestroy(captured);
  }
  ~graph() { (void)cudaGraphExecDestroy(executable_); }
  void replay(cudaStream_t s) const { check(cudaGraphLaunch(executable_, s)); }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

/// Skips without a GPU; errors of kernels surface in the test that launched them.
class on_gpu : public ::testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
      (void)cudaGetLastError();
      GTEST_SKIP() << "no GPU here";
    }
  }
  void TearDown() override {
    if (!IsSkipped()) check(cudaDeviceSynchronize());
  }
};

}  // namespace native_test
