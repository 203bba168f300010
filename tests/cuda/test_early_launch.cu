// SPDX-License-Identifier: Apache-2.0
// Kernels that are launched before the one ahead of them has ended. The one ahead lets them start at once, waits long, and only
// then writes what they read, or reads what they write: a kernel that does not wait for it is caught. Only where the device
// can start kernels early (compute capability 9.0 on); elsewhere the same calls are in order anyway.
#include "device.hpp"

#include <twofold/cuda_native/dot.hpp>
#include <twofold/cuda_native/integrate.cuh>
#include <twofold/cuda_native/norm2.hpp>
#include <twofold/cuda_native/outer_product.hpp>
#include <twofold/cuda_native/scale_columns.hpp>
#include <twofold/cuda_native/stencil.hpp>
#include <twofold/cuda_native/sum.hpp>
#include <twofold/cuda_native/sum_columns.hpp>
#include <twofold/cuda_native/sum_rows.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace native = twofold::cuda_native;
using native_test::check;
using native_test::device_array;
using native_test::graph;
using native_test::stream;

namespace {

constexpr std::size_t inputs = std::size_t{1} << 20;  // elements of x; y has as many
constexpr std::size_t results = std::size_t{1} << 20;

__device__ void let_followers_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
__device__ void linger() {
  const long long start = clock64();
  while (clock64() - start < 200000) {  // a tenth of a millisecond
  }
}
__host__ __device__ float element(std::size_t i, unsigned seed) {
  const auto mixed = static_cast<unsigned>(i * 2654435761u + seed * 40503u);
  return static_cast<float>((mixed >> 20) % 16) - 7;
}
/// What a slow kernel ahead of a call does: copies the results of before, then writes the elements.
__global__ void slow_kernel(float* x, const float* result, float* seen, unsigned seed) {
  let_followers_start();
  linger();
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < 2 * inputs; i += step)
    x[i] = element(i, seed);
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < results; i += step)
    seen[i] = result[i];
}

struct square_plus_one {
  __host__ __device__ float operator()(float x) const { return x * x + 1; }
};

struct operands {
  const float *x, *y;
  float* out;
  cudaStream_t s;
};
struct call {
  std::string name;
  std::function<void(const operands&)> run;
};

std::vector<call> all_calls() {
  std::vector<call> calls;
  const auto add = [&](const std::string& name, std::function<void(const operands&)> run) {
    calls.push_back({name, std::move(run)});
  };
  for (const std::size_t n : {std::size_t{0}, std::size_t{1000}, std::size_t{100000}, inputs}) {
    const std::string count = ", " + std::to_string(n);
    add("sum" + count, [n](const operands& o) { native::sum(o.x, n, o.out, o.s); });
    add("sum of odd" + count, [n](const operands& o) { native::sum(o.x + 1, n, o.out, o.s); });
    add("dot" + count, [n](const operands& o) { native::dot(o.x, o.y, n, o.out, o.s); });
    add("norm2" + count, [n](const operands& o) { native::norm2(o.x, n, o.out, o.s); });
    add("integrate" + count,
        [n](const operands& o) { native::integrate(square_plus_one{}, 0.0f, 1.0f, n + 1, o.out, o.s); });
  }
  struct shape {
    std::size_t rows, columns;
  };
  for (const auto [rows, columns] :
       {shape{20, 50000}, shape{1000, 1000}, shape{50000, 20}, shape{3, 300000}, shape{1000, 0}}) {
    const std::string size = ", " + std::to_string(rows) + " x " + std::to_string(columns);
    const std::size_t pitch = columns;
    add("sum_rows" + size,
        [=](const operands& o) { native::sum_rows(o.x, rows, columns, pitch, o.out, o.s); });
    add("sum_columns" + size,
        [=](const operands& o) { native::sum_columns(o.x, rows, columns, pitch, o.out, o.s); });
    add("outer_product" + size,
        [=](const operands& o) { native::outer_product(o.x, rows, o.y, columns, o.out, pitch, o.s); });
    add("scale_columns" + size,
        [=](const operands& o) { native::scale_columns(o.x, rows, columns, pitch, o.y, o.out, pitch, o.s); });
    add("scale_rows" + size,
        [=](const operands& o) { native::scale_rows(o.x, rows, columns, pitch, o.y, o.out, pitch, o.s); });
  }
  for (const std::uint64_t k : {0, 3, 8, 12, 32, 1000, 4000, 20000, 500000}) {
    const std::string radius = ", radius " + std::to_string(k);
    add("stencil" + radius, [k](const operands& o) { native::stencil(o.x, results, k, o.out, o.s); });
    add("stencil off a boundary" + radius,
        [k](const operands& o) { native::stencil(o.x + 1, results, k, o.out, o.s); });
    if (k > 4000) continue;
    add("weighted stencil" + radius, [k](const operands& o) {
      native::stencil(o.x, results, o.y, static_cast<std::size_t>(k), o.out, o.s);
    });
  }
  return calls;
}

class EarlyLaunch : public native_test::on_gpu {};

/// Runs each call behind a slow kernel, with `between` in the stream between them, and compares with the same call after a wait.
void expect_in_order(
    const std::function<void(cudaStream_t, const std::function<void()>&)>& submit,
    const std::function<void(cudaStream_t)>& between = [](cudaStream_t) {}) {
  const stream s;
  const device_array<float> x(2 * inputs), out(results), seen(results);
  const operands o{x.data(), x.data() + inputs, out.data(), s};
  unsigned seed = 1;
  for (const call& c : all_calls()) {
    SCOPED_TRACE(c.name);
    // The results of before, which the slow kernel still reads, and elements of before, which it overwrites.
    check(cudaMemsetAsync(out.data(), 0x5a, results * sizeof(float), s));
    check(cudaMemsetAsync(x.data(), 0x3f, 2 * inputs * sizeof(float), s));
    c.run(o);  // so that workspaces are there
    check(cudaMemsetAsync(out.data(), 0x5a, results * sizeof(float), s));
    check(cudaMemsetAsync(seen.data(), 0, results * sizeof(float), s));
    s.wait();
    const std::vector<float> before = out.elements(results);
    ++seed;
    submit(s, [&] {
      slow_kernel<<<32, 256, 0, s>>>(x.data(), out.data(), seen.data(), seed);
      between(s);
      c.run(o);
    });
    s.wait();
    check(cudaGetLastError());
    const std::vector<float> early = out.elements(results);
    EXPECT_EQ(std::memcmp(seen.elements(results).data(), before.data(), results * sizeof(float)), 0)
        << "wrote its results while the kernel ahead still read what was there";
    check(cudaMemsetAsync(out.data(), 0x5a, results * sizeof(float), s));
    s.wait();
    c.run(o);
    s.wait();
    EXPECT_EQ(std::memcmp(early.data(), out.elements(results).data(), results * sizeof(float)), 0)
        << "read its elements before the kernel ahead had written them";
  }
}

TEST_F(EarlyLaunch, CallsWaitForTheKernelAhead) {
  expect_in_order([](cudaStream_t, const std::function<void()>& work) { work(); });
}

TEST_F(EarlyLaunch, NodesOfAGraphWaitForTheNodeAhead) {
  expect_in_order([](cudaStream_t s, const std::function<void()>& work) {
    const graph g(s, cudaStreamCaptureModeThreadLocal, work);
    g.replay(s);
    check(cudaStreamSynchronize(s));
  });
}

/// Behind an event of another stream, and with one that another stream waits for.
TEST_F(EarlyLaunch, CallsBehindAnEventWaitForTheKernelAhead) {
  const stream other;
  const device_array<float> unused(results);
  cudaEvent_t forked = nullptr, joined = nullptr;
  check(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
  check(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
  expect_in_order([](cudaStream_t, const std::function<void()>& work) { work(); },
                  [&](cudaStream_t s) {
                    check(cudaEventRecord(forked, s));
                    check(cudaStreamWaitEvent(other, forked));
                    native::sum(unused.data(), 1000, unused.data() + 1000, other);
                    check(cudaEventRecord(joined, other));
                    check(cudaStreamWaitEvent(s, joined));
                  });
  other.wait();
  (void)cudaEventDestroy(forked);
  (void)cudaEventDestroy(joined);
}

// The call waits for two streams, of which one is still busy with the elements.
TEST_F(EarlyLaunch, CapturedJoinsAreInOrder) {
  expect_in_order([](cudaStream_t s, const std::function<void()>& work) {
    const stream other;
    cudaEvent_t forked = nullptr, joined = nullptr;
    check(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
    check(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
    const device_array<float> unused(results);
    const graph g(s, cudaStreamCaptureModeThreadLocal, [&] {
      check(cudaEventRecord(forked, s));
      check(cudaStreamWaitEvent(other, forked));
      check(cudaMemsetAsync(unused.data(), 0, results * sizeof(float), other));
      native::sum(unused.data(), 1000, unused.data() + 1000, other);
      check(cudaEventRecord(joined, other));
      check(cudaStreamWaitEvent(s, joined));
      work();
      check(cudaEventRecord(forked, s));
      check(cudaStreamWaitEvent(other, forked));
      native::sum(unused.data(), 1000, unused.data() + 1001, other);
      check(cudaEventRecord(joined, other));
      check(cudaStreamWaitEvent(s, joined));
    });
    g.replay(s);
    check(cudaStreamSynchronize(s));
    (void)cudaEventDestroy(forked);
    (void)cudaEventDestroy(joined);
  });
}

/// A host value is there when the call returns, whatever the stream was busy with.
TEST_F(EarlyLaunch, HostValuesWaitForTheKernelAhead) {
  const stream s;
  const device_array<float> x(2 * inputs), out(results), seen(results);
  for (unsigned seed = 100; seed < 120; ++seed) {
    const std::size_t n = seed % 2 == 0 ? 1000 : inputs;
    check(cudaMemsetAsync(x.data(), 0x3f, 2 * inputs * sizeof(float), s));
    s.wait();
    slow_kernel<<<32, 256, 0, s>>>(x.data(), out.data(), seen.data(), seed);
    const float value = native::sum(x.data(), n, s);
    s.wait();
    double expected = 0;  // whole numbers: exact in any order
    for (std::size_t i = 0; i < n; ++i) expected += element(i, seed);
    EXPECT_EQ(value, static_cast<float>(expected)) << "seed " << seed;
  }
}

}  // namespace
