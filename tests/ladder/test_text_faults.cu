// SPDX-License-Identifier: Apache-2.0
// What the kernels of the course texts get wrong, seen on a GPU: for each fault a kernel of our own that has it, where
// that is safe, beside the rung that has not. What such a kernel reads without having set it holds poison here, and
// what it reads or writes out of bounds lies between guards. Faults without a safe kernel: test_faults.cpp.
// Here: folds.
#include "text_faults.hpp"

#include <twofold/backends/arithmetic.hpp>
#include <twofold/cuda_native/ladder/integrate.cuh>
#include <twofold/cuda_native/ladder/rungs.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>

namespace ladder = twofold::cuda_native::ladder;
using ladder_test::array;
using ladder_test::check;
using ladder_test::global_thread;
using ladder_test::poison;
using ladder_test::product;
using twofold::backends::add;  // wraps where the poison overflows an int

namespace {

using TextFaults = ladder_test::text_faults;

// ---- integrate: x^2 + 1 by trapezoids of width 1 from 0 to n. Exact in float, in any order.

__device__ float area(int i, int n) {
  const float x = static_cast<float>(i), value = x * x + 1;
  return i > n ? 0.0f : i == 0 || i == n ? value / 2 : value;
}

/// Adds to what the target holds; of a block only the first thread adds its warp's sum.
__global__ void first_thread_adds_kernel(int n, float* target) {
  float sum = area(global_thread(), n);
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (threadIdx.x == 0) atomicAdd(target, sum);
}

TEST_F(TextFaults, ATargetThatNobodyZeroesKeepsTheLastResult) {
  const array<float> target(std::vector<float>{0.0f}), of_rung(1);
  for (const float found : {180.0f, 360.0f, 540.0f}) {
    first_thread_adds_kernel<<<1, 32, 0, stream()>>>(8, target.data());
    ladder::integrate::warp_shuffle<32>(0.0f, 8.0f, 8, of_rung.data(), scratch_, stream());
    wait();
    EXPECT_EQ(target.value(), found);
    EXPECT_EQ(of_rung.value(), 180.0f);
  }
}

TEST_F(TextFaults, OnlyTheFirstThreadAddsSoLargerBlocksLoseTheirOtherWarps) {
  const array<float> small(std::vector<float>{0.0f}), large(std::vector<float>{0.0f}), of_rung(1);
  first_thread_adds_kernel<<<3, 32, 0, stream()>>>(64, small.data());
  first_thread_adds_kernel<<<1, 256, 0, stream()>>>(64, large.data());
  ladder::integrate::warp_shuffle<256>(0.0f, 64.0f, 64, of_rung.data(), scratch_, stream());
  wait();
  EXPECT_EQ(small.value(), 87456.0f);
  EXPECT_EQ(large.value(), 10447.5f);  // the areas 0 ... 31
  EXPECT_EQ(of_rung.value(), 87456.0f);
}

/// The ends are left to a host that forgets them.
__global__ void interior_points_kernel(int n, float* target) {
  const int i = global_thread();
  if (0 < i && i < n) atomicAdd(target, area(i, n));
}

TEST_F(TextFaults, InteriorPointsAloneAreNotTheIntegral) {
  const array<float> target(std::vector<float>{0.0f}), of_rung(1);
  interior_points_kernel<<<1, 32, 0, stream()>>>(8, target.data());
  ladder::integrate::atomic_per_thread<32>(0.0f, 8.0f, 8, of_rung.data(), scratch_, stream());
  wait();
  EXPECT_EQ(target.value(), 147.0f);
  EXPECT_EQ(of_rung.value(), 180.0f);
}

/// Slots by lane, in a block of two warps: the second overwrites the first. (Nothing orders the two; here barriers
/// choose one of the orders.)
__global__ void slots_by_lane_kernel(int n, float* target) {
  __shared__ float slots[32];
  for (unsigned warp = 0; warp < blockDim.x / 32; ++warp) {
    if (threadIdx.x / 32 == warp) slots[threadIdx.x % 32] = area(global_thread(), n);
    __syncthreads();
  }
  if (threadIdx.x % 32 != 0) return;
  float sum = 0;
  for (const float value : slots) sum += value;
  atomicAdd(target, sum);
}

TEST_F(TextFaults, WarpsThatIndexByLaneShareTheSameSlots) {
  const array<float> target(std::vector<float>{0.0f}), of_rung(1);
  slots_by_lane_kernel<<<1, 64, 0, stream()>>>(63, target.data());
  ladder::integrate::shared_dissemination<256>(0.0f, 63.0f, 63, of_rung.data(), scratch_, stream());
  wait();
  EXPECT_EQ(target.value(), 2 * 72975.0f);  // the areas 32 ... 63, twice
  EXPECT_EQ(of_rung.value(), 83422.5f);
}

struct identity {
  __device__ float operator()(float x) const { return x; }
};
__global__ void abscissa_kernel(float a, float h, int i, float* x) { *x = a + static_cast<float>(i) * h; }
__global__ void area_of_rungs_kernel(ladder::integrate::rule<identity> rule, int i, float* area) {
  *area = rule.area(static_cast<std::size_t>(i));
}

TEST_F(TextFaults, AnIndexTurnedIntoAFloatStopsMovingBeyond2To24) {
  // From -1 to 3 in 2^26 steps: abscissa 2^24 is 0, and the next one is not.
  const int i = (1 << 24) + 1;
  const array<float> x(1), of_rungs(1);
  abscissa_kernel<<<1, 1, 0, stream()>>>(-1.0f, 0x1p-24f, i, x.data());
  area_of_rungs_kernel<<<1, 1, 0, stream()>>>(
      ladder::integrate::rule<identity>::of({}, -1.0f, 3.0f, std::size_t{1} << 26), i, of_rungs.data());
  wait();
  EXPECT_EQ(x.value(), 0.0f);
  EXPECT_EQ(of_rungs.value(), 0x1p-24f * 0x1p-24f);
}

// ---- dot, of int

/// The sum of elements first ... first + k - 1, in int.
__device__ int slice(const int* x, const int* y, int first, int k, int n) {
  int sum = 0;
  for (int i = first; i < first + k && i < n; ++i) sum = add(sum, product(x[i], y[i]));
  return sum;
}

/// k elements for each thread.
__global__ void slices_kernel(const int* x, const int* y, int k, int n, int* partial_sums) {
  partial_sums[global_thread()] = slice(x, y, global_thread() * k, k, n);
}

std::int64_t sum_on_host(const std::vector<int>& partial_sums) {
  return std::accumulate(partial_sums.begin(), partial_sums.end(), std::int64_t{0});
}

TEST_F(TextFaults, SlicesRoundedDownDropTheRemainder) {
  constexpr int blocks = ladder::dot::blocks, threads = ladder::dot::threads, all = blocks * threads;
  for (const int n : {2 * all + 100, all - 1}) {
    const array<int> ones(std::vector<int>(static_cast<std::size_t>(n), 1)), partial_sums(all);
    const array<std::int64_t> of_rung(1);
    slices_kernel<<<blocks, threads, 0, stream()>>>(ones.data(), ones.data(), n / all, n,
                                                    partial_sums.data());
    ladder::dot::host_slices(ones.data(), ones.data(), static_cast<std::size_t>(n), of_rung.data(), scratch_,
                             stream());
    wait();
    EXPECT_EQ(sum_on_host(partial_sums.elements()), n < all ? 0 : 2 * all);
    EXPECT_EQ(of_rung.value(), n);
  }
}

/// Adds its slice to what its slot holds.
__global__ void slices_added_to_memory_kernel(const int* x, const int* y, int k, int n, int* partial_sums) {
  int& slot = partial_sums[global_thread()];
  slot = add(slot, slice(x, y, global_thread() * k, k, n));
}

TEST_F(TextFaults, PartialSumsAreAddedToWhateverTheirSlotsHold) {
  // The text zeroes the slots of one of its two versions, in the function that also allocates them.
  const int n = 1024, threads = 256;
  const array<int> ones(std::vector<int>(n, 1)), zeroed(std::vector<int>(threads, 0)), never_set(threads);
  const auto call = [&](const array<int>& slots) {
    slices_added_to_memory_kernel<<<1, threads, 0, stream()>>>(ones.data(), ones.data(), n / threads, n,
                                                               slots.data());
    wait();
    return slots.elements();
  };
  EXPECT_EQ(call(never_set), std::vector<int>(threads, poison + 4));
  EXPECT_EQ(call(zeroed), std::vector<int>(threads, 4));
  EXPECT_EQ(call(zeroed), std::vector<int>(threads, 8));  // kept for a second call, and not zeroed again

  constexpr std::size_t bytes =
      std::size_t{ladder::dot::blocks} * ladder::dot::threads * sizeof(std::int64_t);
  const array<std::int64_t> of_rung(1);
  check(cudaMemsetAsync(scratch_.at_least(bytes, 0).partials, 0xa5, bytes, stream()), "poison");
  for (int calls = 0; calls < 2; ++calls) {
    ladder::dot::host_slices(ones.data(), ones.data(), n, of_rung.data(), scratch_, stream());
    wait();
    EXPECT_EQ(of_rung.value(), n);
  }
}

TEST_F(TextFaults, TheHostAddsToWhateverTheCallersVariableHolds) {
  const int n = 512;
  const array<int> ones(std::vector<int>(n, 1)), partial_sums(256);
  const array<std::int64_t> of_rung(std::vector<std::int64_t>{7});
  int caller = 7;
  for (const int found : {7 + n, 7 + 2 * n}) {
    slices_kernel<<<1, 256, 0, stream()>>>(ones.data(), ones.data(), 2, n, partial_sums.data());
    wait();
    for (const int partial : partial_sums.elements()) caller += partial;
    EXPECT_EQ(caller, found);
    ladder::dot::host_slices(ones.data(), ones.data(), n, of_rung.data(), scratch_, stream());
    wait();
    EXPECT_EQ(of_rung.value(), n);
  }
}

TEST_F(TextFaults, ProductsOfIntOverflow) {
  const array<int> x(std::vector<int>{70000}), wrapped(1);
  const array<std::int64_t> of_rung(1);
  slices_kernel<<<1, 1, 0, stream()>>>(x.data(), x.data(), 1, 1, wrapped.data());
  ladder::dot::host_slices(x.data(), x.data(), 1, of_rung.data(), scratch_, stream());
  wait();
  EXPECT_EQ(wrapped.value(), 605032704);
  EXPECT_EQ(of_rung.value(), 4900000000);
}

/// Thread 0 writes its block's sum if it has elements itself.
__global__ void sums_of_busy_blocks_kernel(const int* x, const int* y, int k, int n, int* block_sums) {
  __shared__ int slots[256];
  const int first = global_thread() * k;
  slots[threadIdx.x] = slice(x, y, first, k, n);
  __syncthreads();  // outside the branch, which is not where the text has it
  if (first >= n || threadIdx.x != 0) return;
  int sum = 0;
  for (const int value : slots) sum += value;
  block_sums[blockIdx.x] = sum;
}

TEST_F(TextFaults, SumsOfBlocksBeyondTheEndAreNeverWritten) {
  constexpr int n = 2048;  // two blocks of 256 threads with 4 elements each, and two blocks without any
  const array<int> ones(std::vector<int>(n, 1)), block_sums(4);
  sums_of_busy_blocks_kernel<<<4, 256, 0, stream()>>>(ones.data(), ones.data(), 4, n, block_sums.data());

  // The rung's block sums land in the workspace: it is poisoned too.
  constexpr std::size_t bytes = ladder::dot::blocks * sizeof(std::int64_t);
  const array<std::int64_t> of_rung(1);
  check(cudaMemsetAsync(scratch_.at_least(bytes, 0).partials, 0xa5, bytes, stream()), "poison");
  ladder::dot::shared_serial(ones.data(), ones.data(), n, of_rung.data(), scratch_, stream());
  wait();
  EXPECT_EQ(block_sums.elements(), (std::vector<int>{1024, 1024, poison, poison}));
  EXPECT_EQ(sum_on_host(block_sums.elements()), n + 2 * std::int64_t{poison});
  EXPECT_EQ(of_rung.value(), n);
}

}  // namespace
