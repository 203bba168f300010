// SPDX-License-Identifier: Apache-2.0
// What the kernels of the course texts get wrong where no kernel can show it: races, barriers that not all threads
// reach, shared memory that nobody set, the sectors that a warp touches. Played through on the host: threads become
// loops. What a kernel can show safely, test_text_faults.cu shows on a GPU. docs/ladder.md names each fault.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace {

constexpr int warp = 32;
constexpr int poison = 1000003;  // what shared memory that nobody set holds here

// ---- Shared_mem_sum, 6.19: dissemination that relies on lockstep

std::vector<int> one_to_32() {
  std::vector<int> values(warp);
  std::iota(values.begin(), values.end(), 1);
  return values;  // their sum is 528
}

/// The text's loop body, one lane after another in the order given, each step finished before the next begins.
int dissemination_lane_by_lane(const std::vector<int>& order) {
  std::vector<int> shared = one_to_32();
  for (int distance = warp / 2; distance > 0; distance /= 2) {
    for (const int lane : order) shared[lane] += shared[(lane + distance) % warp];
  }
  return shared[0];
}

/// The same with what __syncwarp enforces: all lanes read, then all lanes write.
int dissemination_read_then_write(const std::vector<int>& order) {
  std::vector<int> shared = one_to_32();
  for (int distance = warp / 2; distance > 0; distance /= 2) {
    std::vector<int> other(warp);
    for (const int lane : order) other[lane] = shared[(lane + distance) % warp];
    for (const int lane : order) shared[lane] += other[lane];
  }
  return shared[0];
}

std::vector<int> ascending() {
  std::vector<int> order(warp);
  std::iota(order.begin(), order.end(), 0);
  return order;
}
std::vector<int> descending() {
  std::vector<int> order = ascending();
  std::reverse(order.begin(), order.end());
  return order;
}

TEST(LadderFaults, DisseminationWithoutLockstepDependsOnTheOrderOfTheLanes) {
  EXPECT_EQ(dissemination_lane_by_lane(ascending()), 528);  // lane 0 is lucky, which is why it looks right
  EXPECT_NE(dissemination_lane_by_lane(descending()), 528);
  EXPECT_EQ(dissemination_read_then_write(ascending()), 528);
  EXPECT_EQ(dissemination_read_then_write(descending()), 528);
}

TEST(LadderFaults, ALaneThatRunsAheadReadsWhatNobodyHasAddedYet) {
  // Independent thread scheduling allows this as well: each lane runs all its steps before the next lane starts.
  std::vector<int> shared = one_to_32();
  for (int lane = 0; lane < warp; ++lane) {
    for (int distance = warp / 2; distance > 0; distance /= 2)
      shared[lane] += shared[(lane + distance) % warp];
  }
  EXPECT_EQ(shared[0], 1 + 17 + 9 + 5 + 3 + 2);  // six of the 32 values
}

TEST(LadderFaults, AddingOneByOneInFloatLosesDigits) {
  // What serial atomics do to 2^20 areas of x^2 + 1 over [0, 1], in the friendliest order.
  const int n = 1 << 20;
  const float h = 1.0f / n;
  volatile float sum = 0;  // rounds like the atomic unit, once per addition
  for (int i = 0; i <= n; ++i) {
    const double x = i / static_cast<double>(n);
    sum = sum + static_cast<float>((i == 0 || i == n ? 0.5 : 1.0) * h * (x * x + 1));
  }
  const double error = std::abs(sum - 4.0 / 3) / (4.0 / 3);
  EXPECT_GT(error, 1e-5);  // a tree gives about 1e-7
}

// ---- DotProductArrayWithSMGPU

/// The text's kernel with shared memory for one block: what its threads do, in an order that the barrier allows.
struct text_dot_block {
  std::vector<int> shared;
  int at_the_barrier = 0;
  int sum = 0;

  text_dot_block(int threads, int stride, int n) : shared(threads, poison) {  // never set to 0
    for (int thread = 0; thread < threads; ++thread) {
      const int in_index = thread * stride;
      if (in_index < n) {
        for (int i = 0; i < stride && in_index + i < n; ++i) shared[thread] += 1;  // ones times ones
        ++at_the_barrier;  // __syncthreads() stands in here
      }
    }
    for (int thread = 0; thread < threads; ++thread) sum += shared[thread];
  }
};

TEST(LadderFaults, ABarrierInsideTheBranchIsNotReachedByAll) {
  const text_dot_block block(256, 8, 1000);
  EXPECT_EQ(block.at_the_barrier, 125);  // of 256 threads: undefined behaviour
}

TEST(LadderFaults, SharedMemoryThatIsNeverSetIsAddedToTheSum) {
  const text_dot_block block(256, 8, 2048);  // even where every thread has elements
  EXPECT_EQ(block.at_the_barrier, 256);
  EXPECT_NE(block.sum, 2048);
  EXPECT_EQ(block.sum, 2048 + 256 * poison);
}

/// 32-byte sectors that the 32 accesses of a warp touch.
std::size_t sectors(const std::function<std::size_t(std::size_t lane)>& byte_address) {
  std::set<std::size_t> touched;
  for (std::size_t lane = 0; lane < warp; ++lane) touched.insert(byte_address(lane) / 32);
  return touched.size();
}

TEST(LadderFaults, ElementsInARowForEachThreadAreFarApartInTheWarp) {
  // In the text's kernels lane t reads element t * stride + i, with shared memory or without; the rungs after the
  // first read neighbouring elements. Of a warp's 32 loads, at any step i:
  for (const auto& [stride, touched] :
       {std::pair<std::size_t, std::size_t>{1, 4}, {2, 8}, {4, 16}, {8, 32}, {4096, 32}}) {
    for (const std::size_t i : {std::size_t{0}, stride - 1}) {
      EXPECT_EQ(sectors([&, s = stride](std::size_t lane) { return 4 * (lane * s + i); }), touched) << stride;
    }
  }
  const std::size_t all_threads = 65536;
  for (const std::size_t step : {0, 1, 7})
    EXPECT_EQ(sectors([&](std::size_t lane) { return 4 * (step * all_threads + lane); }), 4u);
}

// ---- RowScalingGPU, Outer_ProductGPU

TEST(LadderFaults, ARowPerThreadTouchesASectorPerElement) {
  const std::size_t columns = 1024;
  EXPECT_EQ(sectors([&](std::size_t lane) { return 4 * lane * columns; }), 32u);  // threadIdx.x is the row
  EXPECT_EQ(sectors([&](std::size_t lane) { return 4 * lane; }), 4u);             // threadIdx.x is the column
}

TEST(LadderFaults, APackedRowOfOddLengthStraddlesASectorMore) {
  const std::size_t columns = 1001;
  EXPECT_EQ(sectors([&](std::size_t lane) { return 4 * (columns + lane); }),
            5u);  // row 1 starts at byte 4004
}

}  // namespace
