// SPDX-License-Identifier: Apache-2.0
// The native library as its users see it: pointers, counts, streams, graphs; no Kokkos anywhere.
#include "device.hpp"

#include <twofold/cuda_native/dot.hpp>
#include <twofold/cuda_native/integrate.cuh>
#include <twofold/cuda_native/norm2.hpp>
#include <twofold/cuda_native/sum.hpp>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace native = twofold::cuda_native;
using native_test::check;
using native_test::device_array;
using native_test::graph;
using native_test::stream;

namespace {

template <class T>
__global__ void fill_kernel(T* x, std::size_t n, T value) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x)
    x[i] = value;
}
template <class T>
void fill(T* x, std::size_t n, T value, cudaStream_t s) {
  fill_kernel<<<1024, 256, 0, s>>>(x, n, value);
  check(cudaGetLastError());
}
__global__ void spin_kernel(long long nanoseconds) {
  long long start, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - start < nanoseconds);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct line {
  __host__ __device__ double operator()(double x) const { return 3 * x + 1; }
};

using Native = native_test::on_gpu;

TEST_F(Native, CountsBeyondThirtyTwoBits) {
  const std::size_t n = (std::size_t{1} << 31) + 7;
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  if (free < n * sizeof(std::int32_t) + (1u << 28)) GTEST_SKIP() << "needs 9 GB of device memory";
  const stream s;
  const device_array<std::int32_t> x(n);
  fill(x.data(), n, std::int32_t{1}, s);
  EXPECT_EQ(native::sum(x.data(), n, s), 2147483655);
  const std::int32_t other = -5;
  check(cudaMemcpyAsync(x.data() + (std::size_t{1} << 31) + 3, &other, sizeof other, cudaMemcpyDefault, s));
  EXPECT_EQ(native::sum(x.data(), n, s), 2147483649);
  EXPECT_EQ(native::dot(x.data(), x.data(), n, s), 2147483654 + 25);
}

TEST_F(Native, AHostValueWaitsForItsStream) {
  const stream s;
  const device_array<double> x(1000);
  check(cudaMemsetAsync(x.data(), 0, 1000 * sizeof(double), s));
  spin_kernel<<<1, 1, 0, s>>>(200'000'000);
  fill(x.data(), 1000, 3.0, s);
  EXPECT_EQ(native::sum(x.data(), 1000, s), 3000.0);
}

TEST_F(Native, ADeviceResultReturnsAtOnce) {
  const stream s;
  const device_array<double> x(1000), results(4);
  native::workspace workspace;
  workspace.reserve(1000);
  fill(x.data(), 1000, 0.0, s);
  native::sum(x.data(), 1000, results.data(), workspace, s);  // loads the kernels
  native::integrate(line{}, 2.0, 10.0, 7, results.data(), workspace, s);
  native::sum(x.data(), 0, results.data(), workspace, s);
  s.wait();
  const auto start = std::chrono::steady_clock::now();
  spin_kernel<<<1, 1, 0, s>>>(200'000'000);
  fill(x.data(), 1000, 3.0, s);
  native::sum(x.data(), 1000, results.data(), workspace, s);
  native::sum(x.data(), 0, results.data() + 1, workspace, s);
  native::integrate(line{}, 2.0, 10.0, 7, results.data() + 2, workspace, s);
  EXPECT_LT(seconds_since(start), 0.02);
  s.wait();
  EXPECT_EQ(results.read(0), 3000.0);
  EXPECT_EQ(results.read(1), 0.0);
  EXPECT_NEAR(results.read(2), 152.0, 1e-10);
}

TEST_F(Native, OtherStreamsAreLeftAlone) {
  const stream busy, s;
  const device_array<double> x(1000);
  fill(x.data(), 1000, 2.0, s);
  EXPECT_EQ(native::sum(x.data(), 1000, s), 2000.0);
  spin_kernel<<<1, 1>>>(300'000'000);  // the legacy stream
  spin_kernel<<<1, 1, 0, busy>>>(300'000'000);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(native::sum(x.data(), 1000, s), 2000.0);
  EXPECT_EQ(native::sum(x.data(), 0, s), 0.0);
  EXPECT_LT(seconds_since(start), 0.1);
}

TEST_F(Native, IsCapturedIntoGraphs) {
  const stream s;
  constexpr std::size_t n = 100000;
  const device_array<double> x(n), y(n), results(3);
  native::workspace workspace;
  workspace.reserve(n);
  const graph a(s, cudaStreamCaptureModeGlobal, [&] {
    native::sum(x.data(), n, results.data(), workspace, s);
    native::dot(x.data(), x.data(), n, results.data() + 1, workspace, s);
  });
  const graph b(s, cudaStreamCaptureModeGlobal,
                [&] { native::norm2(y.data(), n, results.data() + 2, workspace, s); });
  for (int r = 1; r <= 10; ++r) {
    fill(x.data(), n, static_cast<double>(r), s);
    fill(y.data(), n, static_cast<double>(r), s);
    a.replay(s);
    b.replay(s);
    s.wait();
    EXPECT_EQ(results.read(0), 1e5 * r);
    EXPECT_EQ(results.read(1), 1e5 * r * r);
    EXPECT_NEAR(results.read(2), std::sqrt(1e5) * r, 1e-10);
  }
}

// Two streams of one capture are branches of one graph, which nothing orders.
TEST_F(Native, BranchesOfAGraphRunBesideEachOther) {
  const stream s, other;
  constexpr std::size_t n = 1u << 20;
  constexpr int calls = 20;
  const device_array<double> ones(n), twos(n), results(2 * calls);
  fill(ones.data(), n, 1.0, s);
  fill(twos.data(), n, 2.0, s);
  s.wait();
  cudaEvent_t forked = nullptr, joined = nullptr;
  check(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
  check(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
  {
    const graph g(s, cudaStreamCaptureModeThreadLocal, [&] {
      check(cudaEventRecord(forked, s));
      check(cudaStreamWaitEvent(other, forked));
      EXPECT_NE(&twofold::backends::workspace_of(s), &twofold::backends::workspace_of(other));
      for (int call = 0; call < calls; ++call) {
        native::sum(ones.data(), n, results.data() + 2 * call, s);
        native::dot(twos.data(), twos.data(), n, results.data() + 2 * call + 1, other);
      }
      check(cudaEventRecord(joined, other));
      check(cudaStreamWaitEvent(s, joined));
    });
    for (int r = 0; r < 20; ++r) {
      fill(results.data(), 2 * calls, -1.0, s);
      g.replay(s);
      s.wait();
      for (int call = 0; call < calls; ++call) {
        ASSERT_EQ(results.read(2 * call), 1.0 * n);
        ASSERT_EQ(results.read(2 * call + 1), 4.0 * n);
      }
    }
  }
  (void)cudaEventDestroy(forked);
  (void)cudaEventDestroy(joined);
}

TEST_F(Native, AWorkspaceThatWasMovedFromMayBeUsed) {
  const stream s;
  constexpr std::size_t n = 100000;
  const device_array<double> x(n), results(2);
  fill(x.data(), n, 1.0, s);
  native::workspace first;
  first.reserve(n);
  native::workspace second(std::move(first));
  native::sum(x.data(), n, results.data(), first, s);  // NOLINT(bugprone-use-after-move): it may be
  native::sum(x.data(), n, results.data() + 1, second, s);
  s.wait();
  EXPECT_EQ(results.read(0), 1.0 * n);
  EXPECT_EQ(results.read(1), 1.0 * n);
  EXPECT_NE(first.at_least(0, 0).counters, second.at_least(0, 0).counters);
}

TEST_F(Native, TheLibrarysWorkspaceMayGrowDuringCapture) {
  const stream s;
  constexpr std::size_t n = 1u << 22;
  const device_array<float> x(n);
  const device_array<float> result(1);
  fill(x.data(), n, 1.0f, s);
  s.wait();
  const graph g(s, cudaStreamCaptureModeThreadLocal, [&] { native::sum(x.data(), n, result.data(), s); });
  for (int r = 0; r < 3; ++r) g.replay(s);
  s.wait();
  EXPECT_EQ(result.read(), static_cast<float>(n));
}

TEST_F(Native, AnotherThreadWorksDuringACapture) {
  const stream capturing, s;
  const device_array<double> x(5000), result(1);
  fill(x.data(), 5000, 1.0, s);
  s.wait();
  double other = 0;
  const graph g(capturing, cudaStreamCaptureModeThreadLocal, [&] {
    std::thread([&] { other = native::sum(x.data(), 5000, s); }).join();
    native::sum(x.data(), 5000, result.data(), capturing);
  });
  EXPECT_EQ(other, 5000.0);
  g.replay(capturing);
  capturing.wait();
  EXPECT_EQ(result.read(), 5000.0);
}

TEST_F(Native, AHostValueRefusesCapture) {
  const stream s;
  const device_array<double> x(10);
  cudaGraph_t captured = nullptr;
  check(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
  try {
    (void)native::sum(x.data(), 10, s);
    ADD_FAILURE() << "no exception";
  } catch (const twofold::cuda_error& e) {
    EXPECT_EQ(e.code(), cudaErrorStreamCaptureUnsupported);
    EXPECT_NE(std::string(e.what()).find("cannot be captured"), std::string::npos) << e.what();
  }
  check(cudaStreamEndCapture(s, &captured));
  (void)cudaGraphDestroy(captured);
}

TEST_F(Native, ThreadsMayShareAStream) {
  const stream s;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      const device_array<double> x(100000);
      fill(x.data(), 100000, t + 1.0, s);
      for (int call = 0; call < 300; ++call) {
        const std::size_t n = 100000 - 317u * static_cast<unsigned>(call);
        wrong += native::sum(x.data(), n, s) != static_cast<double>(n) * (t + 1);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Native, AllocatesNothingAfterReserve) {
  const stream s;
  constexpr std::size_t n = 1u << 24;
  const device_array<float> x(n);
  const device_array<float> result(1);
  fill(x.data(), n, 1.0f, s);
  native::workspace workspace;
  workspace.reserve(n);
  native::sum(x.data(), n, result.data(), workspace, s);
  s.wait();
  const auto held = workspace.at_least(0, 0);
  std::size_t before = 0, after = 0, total = 0;
  // Other processes allocate on the same GPU as they like; what a call does would show every time.
  for (int attempt = 0; attempt < 20 && (attempt == 0 || before != after); ++attempt) {
    check(cudaMemGetInfo(&before, &total));
    for (int call = 0; call < 100; ++call) {
      native::sum(x.data(), n - 1000u * static_cast<unsigned>(call), result.data(), workspace, s);
    }
    s.wait();
    check(cudaMemGetInfo(&after, &total));
  }
  EXPECT_EQ(before, after);
  // What happened at the first call alone is a workspace that grew, and so has moved.
  const auto now = workspace.at_least(0, 0);
  EXPECT_EQ(now.partials, held.partials);
  EXPECT_EQ(now.counters, held.counters);
}

// Refusals need no GPU.
TEST(NativeRefuses, WhatCannotBeRead) {
  double result = 0;
  const double* null = nullptr;
  native::workspace workspace;
  EXPECT_THROW(native::sum(null, 5, &result, workspace, nullptr), twofold::precondition_error);
  EXPECT_THROW(native::dot(&result, null, 5, &result, workspace, nullptr), twofold::precondition_error);
  EXPECT_THROW(native::norm2(&result, 1, static_cast<double*>(nullptr), workspace, nullptr),
               twofold::precondition_error);
  EXPECT_THROW(native::integrate(line{}, 0.0, 1.0, 0, &result, workspace, nullptr),
               twofold::precondition_error);
  EXPECT_THROW(native::integrate(line{}, 0.0, 1.0 / 0.0, 5, &result, workspace, nullptr),
               twofold::precondition_error);
}

}  // namespace
