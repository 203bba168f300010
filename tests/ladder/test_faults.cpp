// SPDX-License-Identifier: Apache-2.0
// What the kernels of the course texts get wrong, played through on the host, where it is safe: threads become
// loops, memory that a kernel would overrun becomes a vector with room around it. docs/ladder.md names each fault;
// the rungs' own tests show that it is gone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <set>
#include <vector>

namespace {

constexpr int warp = 32;
constexpr int poison = 1000003;  // what uninitialised or foreign memory holds here

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

TEST(LadderFaults, WarpsThatIndexByLaneShareTheSameSlots) {
  // Program 6.14 in a block of 64: both warps write slots 0 .. 31, the second over the first.
  std::vector<int> shared(warp, 0);
  int lost = 0;
  for (int thread = 0; thread < 64; ++thread) {
    lost += shared[thread % warp];  // overwritten before anybody added it
    shared[thread % warp] = 1;
  }
  EXPECT_EQ(lost, 32);
}

TEST(LadderFaults, OnlyThreadZeroAddsSoLargerBlocksLoseTheirOtherWarps) {
  // `if (threadIdx.x == 0) atomicAdd(...)` of programs 6.13 and 6.14 in blocks of 256.
  int total = 0;
  for (int thread = 0; thread < 256; ++thread) {
    const int warp_sum = 32;
    if (thread == 0) total += warp_sum;
  }
  EXPECT_EQ(total, 32);  // of 256
}

TEST(LadderFaults, AnAtomicTargetThatIsNeverZeroedKeepsTheLastResult) {
  float target = 0;
  const auto call = [&] {
    for (int i = 0; i < 8; ++i) target += 1.0f;
  };
  call();
  call();
  EXPECT_EQ(target, 16.0f);  // of 8
}

TEST(LadderFaults, AnIndexTurnedIntoAFloatStopsMovingBeyond2To24) {
  // `a + my_i * h`: my_i is converted to float.
  const int i = (1 << 24) + 1;
  EXPECT_EQ(static_cast<float>(i), static_cast<float>(1 << 24));
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

// ---- DotProductArrayWoutSMGPU, DotProductArrayWithSMGPU

TEST(LadderFaults, SlicesRoundedDownDropTheRemainder) {
  const auto covered = [](std::size_t n, std::size_t threads) { return n / threads * threads; };
  const std::size_t threads = 256 * 256;
  EXPECT_EQ(1000003 - covered(1000003, threads), 16963u);  // elements that no thread adds
  EXPECT_EQ(covered(threads - 1, threads), 0u);            // k = 0: nothing is added at all
}

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

TEST(LadderFaults, ProductsOfIntOverflow) {
  const std::int64_t product = std::int64_t{70000} * 70000;
  EXPECT_GT(product, std::int64_t{2147483647});
}

// ---- stencilWithSMGPU, stencilWoutSMGPU

/// The text's kernel with shared memory over all its blocks; arrays with foreign memory behind them.
struct text_stencil {
  std::vector<int> out;
  int reads_outside = 0;
  int writes_outside = 0;

  text_stencil(int n, int threads, int radius) : out(n) {
    const int blocks = (n + threads - 1) / threads;
    for (int block = 0; block < blocks; ++block) {
      std::vector<int> shared(threads + 2 * radius, poison);
      const auto in = [&](int i) {
        if (i >= 0 && i < n) return 1;
        ++reads_outside;
        return poison;
      };
      for (int thread = 0; thread < threads; ++thread) {
        const int global = thread + block * threads, local = thread + radius;
        shared[local] = in(global);
        if (thread < radius) {
          shared[local - radius] = global - radius < 0 ? 0 : in(global - radius);
          shared[local + threads] = global + threads >= n ? 0 : in(global + threads);
        }
      }
      for (int thread = 0; thread < threads; ++thread) {
        const int global = thread + block * threads;
        int value = 0;
        for (int i = -radius; i <= radius; ++i) value += shared[thread + radius + i];
        if (global < n) {
          out[global] = value;
        } else {
          ++writes_outside;
        }
      }
    }
  }
};

TEST(LadderFaults, WithoutAGuardTheLastBlockReadsAndWritesBeyondTheEnd) {
  const text_stencil stencil(1000, 256, 3);
  EXPECT_EQ(stencil.writes_outside, 24);
  EXPECT_EQ(stencil.reads_outside, 24);
  EXPECT_EQ(stencil.out[996], 7);
  EXPECT_NE(stencil.out[997], 6);  // its window reaches the elements that were read beyond the end
  EXPECT_NE(stencil.out[999], 4);
}

TEST(LadderFaults, AMultipleOfTheBlockHidesIt) {
  const text_stencil stencil(1024, 256, 3);
  EXPECT_EQ(stencil.writes_outside + stencil.reads_outside, 0);
  EXPECT_EQ(stencil.out[0], 4);
  EXPECT_EQ(stencil.out[511], 7);
  EXPECT_EQ(stencil.out[1023], 4);
}

TEST(LadderFaults, ARadiusBeyondTheBlockLeavesTheTileUnset) {
  // Two halos of 40 and 32 threads that load one element of each: 16 slots stay as they were.
  const text_stencil stencil(96, 32, 40);
  EXPECT_NE(stencil.out[48], 81);
}

TEST(LadderFaults, ThreeLoadsForAnyRadiusIsNotTheAverage) {
  // The text counts 3 loads and 1 store per element for any k. Counted: 1 + 2 k / threads loads.
  const auto loads = [](double k, double threads) { return (threads + 2 * k) / threads; };
  EXPECT_EQ(loads(3, 256), 1.0234375);
  EXPECT_GT(loads(1000, 256), 3);
}

// ---- RowScalingGPU, Outer_ProductGPU

/// 32-byte sectors that the 32 accesses of a warp touch.
std::size_t sectors(const std::function<std::size_t(std::size_t lane)>& byte_address) {
  std::set<std::size_t> touched;
  for (std::size_t lane = 0; lane < warp; ++lane) touched.insert(byte_address(lane) / 32);
  return touched.size();
}

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

TEST(LadderFaults, APitchInElementsNeedsASizeThatDividesIt) {
  // cudaMallocPitch returns bytes, 512 for a row of 42 elements of 12 bytes. The text's pitch / sizeof:
  const std::size_t pitch = 512, size = 12;
  const std::size_t row = 10, by_elements = row * (pitch / size) * size, by_bytes = row * pitch;
  EXPECT_EQ(by_bytes - by_elements, 80u);  // bytes before the row's start: inside the row before
}

TEST(LadderFaults, AnIndexInIntOverflowsBeyond2To31Elements) {
  const std::int64_t rows = 65536, pitch = 65536;
  EXPECT_GT((rows - 1) * pitch, std::int64_t{2147483647});
}

TEST(LadderFaults, AGridOfMoreThan65535BlocksAlongYIsRefused) {
  const std::size_t rows = 2100000, block_y = 8;
  EXPECT_GT((rows + block_y - 1) / block_y, 65535u);
}

}  // namespace
