// SPDX-License-Identifier: Apache-2.0
// Several GPUs in one process: workspaces, streams and bits of each. Skipped where there is one.
#include "device.hpp"

#include <twofold/cuda_native/dot.hpp>
#include <twofold/cuda_native/integrate.cuh>
#include <twofold/cuda_native/norm2.hpp>
#include <twofold/cuda_native/stencil.hpp>
#include <twofold/cuda_native/sum.hpp>
#include <twofold/cuda_native/sum_rows.hpp>

#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

namespace native = twofold::cuda_native;
using native_test::check;
using native_test::device_array;
using native_test::stream;

namespace {

constexpr std::size_t n = 3000001;

struct square_plus_one {
  __host__ __device__ float operator()(float x) const { return x * x + 1; }
};

std::vector<float> elements() {
  std::vector<float> x(n);
  unsigned state = 12345;
  for (float& e : x) {
    state = state * 1664525u + 1013904223u;
    e = static_cast<float>(state >> 8) / 16777216.0f - 0.5f;
  }
  return x;
}

/// What one GPU computes. Made and used while it is the current one.
struct on_device {
  int device;
  std::unique_ptr<stream> s;
  std::unique_ptr<device_array<float>> x, results, windows;

  explicit on_device(int which) : device(which) {
    check(cudaSetDevice(device));
    s = std::make_unique<stream>();
    x = std::make_unique<device_array<float>>(n);
    results = std::make_unique<device_array<float>>(5000);
    windows = std::make_unique<device_array<float>>(n);
    check(cudaMemcpy(x->data(), elements().data(), n * sizeof(float), cudaMemcpyDefault));
    check(cudaMemset(results->data(), 0x5a, 5000 * sizeof(float)));
  }
  void enqueue(cudaStream_t on) const {
    check(cudaSetDevice(device));
    native::sum(x->data(), n, results->data(), on);
    native::dot(x->data(), x->data(), n, results->data() + 1, on);
    native::norm2(x->data(), n, results->data() + 2, on);
    native::integrate(square_plus_one{}, 0.0f, 1.0f, n, results->data() + 3, on);
    native::sum_rows(x->data(), 3, 1000000, 1000000, results->data() + 4, on);
    native::sum_rows(x->data(), 1000, 3000, 3000, results->data() + 7, on);
    native::stencil(x->data(), n, 100000, windows->data(), on);
  }
  std::vector<float> wait() const {
    check(cudaSetDevice(device));
    check(cudaDeviceSynchronize());
    std::vector<float> all = results->elements(1007);
    const std::vector<float> w = windows->elements(n);
    all.insert(all.end(), w.begin(), w.end());
    return all;
  }
};

class Devices : public native_test::on_gpu {
 protected:
  void SetUp() override {
    native_test::on_gpu::SetUp();
    if (IsSkipped()) return;
    check(cudaGetDeviceCount(&count_));
    if (count_ < 2) GTEST_SKIP() << "one GPU here";
  }
  void TearDown() override {
    if (IsSkipped()) return;
    for (int device = 0; device < count_; ++device) {
      check(cudaSetDevice(device));
      check(cudaDeviceSynchronize());
    }
    check(cudaSetDevice(0));
  }
  int count_ = 0;
};

TEST_F(Devices, GiveTheSameBitsAtTheSameTime) {
  std::vector<on_device> devices;
  for (int d = 0; d < count_; ++d) devices.emplace_back(d);
  for (int round = 0; round < 5; ++round) {
    for (const on_device& d : devices) d.enqueue(*d.s);
  }
  const std::vector<float> first = devices[0].wait();
  for (const on_device& d : devices) EXPECT_EQ(d.wait(), first) << "device " << d.device;
}

/// The default streams of all devices have one handle.
TEST_F(Devices, HaveDefaultStreamsOfTheirOwn) {
  std::vector<on_device> devices;
  for (int d = 0; d < count_; ++d) devices.emplace_back(d);
  for (int round = 0; round < 5; ++round) {
    for (const on_device& d : devices) d.enqueue(nullptr);
  }
  const std::vector<float> first = devices[0].wait();
  for (const on_device& d : devices) EXPECT_EQ(d.wait(), first) << "device " << d.device;
}

TEST_F(Devices, EachWithAThread) {
  std::vector<on_device> devices;
  for (int d = 0; d < count_; ++d) devices.emplace_back(d);
  std::vector<std::vector<float>> results(devices.size());
  std::vector<std::thread> threads;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    threads.emplace_back([&, d] {
      for (int round = 0; round < 20; ++round) devices[d].enqueue(*devices[d].s);
      results[d] = devices[d].wait();
    });
  }
  for (std::thread& t : threads) t.join();
  for (const auto& r : results) EXPECT_EQ(r, results[0]);
}

TEST_F(Devices, ReturnHostValues) {
  std::vector<on_device> devices;
  for (int d = 0; d < count_; ++d) devices.emplace_back(d);
  check(cudaSetDevice(0));
  const float expected = native::sum(devices[0].x->data(), n, *devices[0].s);
  for (int round = 0; round < 100; ++round) {
    for (const on_device& d : devices) {
      check(cudaSetDevice(d.device));
      ASSERT_EQ(native::sum(d.x->data(), n, *d.s), expected) << "device " << d.device;
      ASSERT_EQ(native::sum(d.x->data(), n, nullptr), expected) << "device " << d.device;
    }
  }
}

/// Elements of another GPU, where one may read the other's memory.
TEST_F(Devices, ReadEachOthersMemory) {
  int may = 0;
  check(cudaDeviceCanAccessPeer(&may, 1, 0));
  if (may == 0) GTEST_SKIP() << "no peer access";
  const on_device zero(0), one(1);
  check(cudaSetDevice(0));
  const float expected = native::sum(zero.x->data(), n, *zero.s);
  check(cudaSetDevice(1));
  check(cudaDeviceEnablePeerAccess(0, 0));
  EXPECT_EQ(native::sum(zero.x->data(), n, *one.s), expected);
  check(cudaDeviceDisablePeerAccess(0));
}

}  // namespace
