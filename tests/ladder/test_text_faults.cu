// SPDX-License-Identifier: Apache-2.0
// What the kernels of the course texts get wrong, seen on a GPU: for each fault a kernel of our own that has it, where
// that is safe, beside the rung that has not. What such a kernel reads without having set it holds poison here, and
// what it reads or writes out of bounds lies between guards. Faults without a safe kernel: test_faults.cpp.
#include "device.hpp"

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
using twofold::backends::add;  // wraps where the poison overflows an int

namespace {

constexpr std::int32_t poison =
    std::int32_t(0xa5a5a5a5u);  // what memory that nobody has set holds, see device.hpp

class TextFaults : public ladder_test::on_gpu {
 protected:
  /// What the last launch came to. A refusal must leave no trace: the calls after it work.
  static cudaError_t launch_status() {
    const cudaError_t status = cudaGetLastError();
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    return status;
  }
  void wait() const { ASSERT_EQ(cudaStreamSynchronize(stream()), cudaSuccess); }

  twofold::cuda_native::workspace scratch_;
};

__device__ int global_thread() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }

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

__device__ int product(int x, int y) {
  return static_cast<int>(static_cast<unsigned>(x) * static_cast<unsigned>(y));
}

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

// ---- stencil, of int

std::vector<int> windows(const std::vector<int>& x, int k) {
  const int n = static_cast<int>(x.size());
  std::vector<int> out(x.size());
  for (int i = 0; i < n; ++i) {
    for (int j = std::max(0, i - k); j <= std::min(n - 1, i + k); ++j)
      out[static_cast<std::size_t>(i)] += x[static_cast<std::size_t>(j)];
  }
  return out;
}

/// A tile in shared memory. Neither the load of the thread's own element nor the store is guarded, and the halos
/// are as long as the block at most. `left_behind` is what an earlier kernel may have left in shared memory.
__global__ void unguarded_tile_kernel(const int* in, int* out, int n, int k, int left_behind) {
  extern __shared__ int tile[];
  const int threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
  for (int j = thread; j < threads + 2 * k; j += threads) tile[j] = left_behind;
  __syncthreads();
  const int i = global_thread();
  tile[k + thread] = in[i];
  if (thread < k) {
    tile[thread] = i < k ? 0 : in[i - k];
    tile[k + threads + thread] = i + threads < n ? in[i + threads] : 0;
  }
  __syncthreads();
  int sum = 0;
  for (int j = 0; j <= 2 * k; ++j) sum = add(sum, tile[thread + j]);
  out[i] = sum;
}
constexpr std::size_t tile_bytes(int threads, int k) {
  return static_cast<std::size_t>(threads + 2 * k) * sizeof(int);
}

TEST_F(TextFaults, WithoutAGuardTheLastBlockReadsAndWritesBeyondTheEnd) {
  // 1000 elements in blocks of 256: 24 threads too many, fewer than there are guards.
  const int k = 3;
  const auto x = ladder_test::whole_numbers<int>(1000, 1), expected = windows(x, k);
  const array<int> in(x), out(x.size()), of_rung(x.size());
  unguarded_tile_kernel<<<4, 256, tile_bytes(256, k), stream()>>>(in.data(), out.data(), 1000, k, 0);
  ladder::stencil::dynamic_shared(in.data(), of_rung.data(), x.size(), k, scratch_, stream());
  wait();
  EXPECT_FALSE(out.guards_are_intact());
  const auto found = out.elements();
  for (std::size_t i = 0; i < 997; ++i) ASSERT_EQ(found[i], expected[i]) << i;
  for (std::size_t i = 997; i < 1000; ++i) EXPECT_NE(found[i], expected[i]) << i;  // poison in the window
  EXPECT_EQ(of_rung.elements(), expected);
  EXPECT_TRUE(of_rung.guards_are_intact());
}

TEST_F(TextFaults, AMultipleOfTheBlockHidesIt) {
  const int k = 3;
  const auto x = ladder_test::whole_numbers<int>(1024, 1);
  const array<int> in(x), out(x.size());
  unguarded_tile_kernel<<<4, 256, tile_bytes(256, k), stream()>>>(in.data(), out.data(), 1024, k, 0);
  wait();
  EXPECT_EQ(out.elements(), windows(x, k));
  EXPECT_TRUE(out.guards_are_intact());
}

TEST_F(TextFaults, ARadiusBeyondTheBlockLeavesTheTileUnset) {
  // Two halos of 40 and 32 threads that load one element of each: 16 slots stay as they were.
  const int k = 40, left_behind = 1000003;
  const std::vector<int> ones(96, 1);
  const array<int> in(ones), out(ones.size()), of_rung(ones.size());
  unguarded_tile_kernel<<<3, 32, tile_bytes(32, k), stream()>>>(in.data(), out.data(), 96, k, left_behind);
  ladder::stencil::dynamic_shared(in.data(), of_rung.data(), ones.size(), k, scratch_, stream());
  wait();
  EXPECT_EQ(out.elements()[48], 81 - 8 + 8 * left_behind);
  EXPECT_EQ(of_rung.elements(), windows(ones, k));
}

TEST_F(TextFaults, ATileBeyond48KiBIsRefusedUnlessTheKernelOptsIn) {
  const int fits = 6016, k = fits + 1;
  ASSERT_EQ(tile_bytes(256, fits), std::size_t{48} * 1024);
  const auto x = ladder_test::whole_numbers<int>(1024, 1);
  const array<int> in(x), out(x.size()), of_rung(x.size());
  unguarded_tile_kernel<<<4, 256, tile_bytes(256, k), stream()>>>(in.data(), out.data(), 1024, k, 0);
  EXPECT_EQ(launch_status(), cudaErrorInvalidValue);
  wait();  // which says nothing of the kernel that never ran
  EXPECT_EQ(out.elements(), std::vector<int>(x.size(), poison));

  ladder::stencil::dynamic_shared(in.data(), of_rung.data(), x.size(), k, scratch_, stream());
  unguarded_tile_kernel<<<4, 256, tile_bytes(256, fits), stream()>>>(in.data(), out.data(), 1024, fits, 0);
  EXPECT_EQ(launch_status(), cudaSuccess);
  wait();
  EXPECT_EQ(of_rung.elements(), windows(x, k));
}

/// Adds to what `out` holds.
__global__ void added_to_memory_kernel(const int* in, int* out, int n, int k) {
  const int i = global_thread();
  if (i >= n) return;
  for (int j = i - k; j <= i + k; ++j) out[i] = add(out[i], j < 0 || j >= n ? 0 : in[j]);
}

TEST_F(TextFaults, ResultsAreAddedToWhateverOutHolds) {
  const int k = 2;
  const auto x = ladder_test::whole_numbers<int>(300, 1), expected = windows(x, k);
  auto doubled = expected, on_poison = expected;
  for (int& e : doubled) e *= 2;
  for (int& e : on_poison) e = add(e, poison);
  const array<int> in(x), zeros(std::vector<int>(300, 0)), never_set(300), of_rung(300);
  added_to_memory_kernel<<<2, 256, 0, stream()>>>(in.data(), never_set.data(), 300, k);
  added_to_memory_kernel<<<2, 256, 0, stream()>>>(in.data(), zeros.data(), 300, k);
  wait();
  EXPECT_EQ(never_set.elements(), on_poison);
  EXPECT_EQ(zeros.elements(), expected);  // the first time
  added_to_memory_kernel<<<2, 256, 0, stream()>>>(in.data(), zeros.data(), 300, k);
  for (int call = 0; call < 2; ++call)
    ladder::stencil::global_memory(in.data(), of_rung.data(), 300, k, scratch_, stream());
  wait();
  EXPECT_EQ(zeros.elements(), doubled);
  EXPECT_EQ(of_rung.elements(), expected);
}

// ---- outer_product and scale_columns

/// A thread per element, a block along y for every blockDim.y rows.
__global__ void outer_product_kernel(const int* x, const int* y, int* c, int rows, int columns) {
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y), column = global_thread();
  if (row < rows && column < columns) c[row * columns + column] = product(x[row], y[column]);
}

TEST_F(TextFaults, AGridOfMoreThan65535BlocksAlongYIsRefused) {
  const dim3 block(32, 8);
  const int columns = 3;
  for (const unsigned blocks : {65535u, 65536u}) {
    const int rows = static_cast<int>(8 * blocks);
    const auto x = ladder_test::whole_numbers<int>(static_cast<std::size_t>(rows), 1),
               y = ladder_test::whole_numbers<int>(columns, 2);
    std::vector<int> expected;
    for (const int a : x) {
      for (const int b : y) expected.push_back(a * b);
    }
    const array<int> a(x), b(y), c(expected.size()), of_rung(expected.size());
    outer_product_kernel<<<dim3(1, blocks), block, 0, stream()>>>(a.data(), b.data(), c.data(), rows,
                                                                  columns);
    const cudaError_t status = launch_status();
    ladder::outer_product::coalesced(a.data(), b.data(), of_rung.data(), x.size(), y.size(),
                                     columns * sizeof(int), stream());
    wait();
    if (blocks == 65535) {
      EXPECT_EQ(status, cudaSuccess);
      EXPECT_TRUE(c.elements() == expected);
    } else {
      EXPECT_TRUE(status == cudaErrorInvalidConfiguration || status == cudaErrorInvalidValue)
          << cudaGetErrorName(status);
      EXPECT_TRUE(c.elements() == std::vector<int>(expected.size(), poison));
    }
    EXPECT_TRUE(of_rung.elements() == expected);
  }
}

/// Where int arithmetic puts element (row, 0): computed, not written to.
__global__ void place_in_int_kernel(int row, int pitch, int* place) { *place = product(row, pitch); }

TEST_F(TextFaults, AnIndexInIntWrapsBeyond2To31Elements) {
  const std::size_t rows = 65538, columns = 32768;  // 2^31 elements and two rows
  const array<int> place(1);
  place_in_int_kernel<<<1, 1, 0, stream()>>>(65536, 32768, place.data());
  wait();
  EXPECT_EQ(place.value(), std::numeric_limits<int>::min());  // 8 GiB before the matrix

  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  const std::size_t bytes = rows * columns * sizeof(int);
  if (free < bytes + (std::size_t{1} << 28)) GTEST_SKIP() << "the rung's half needs 9 GB of device memory";
  const ladder_test::memory c(bytes);
  std::vector<int> x(rows, 1);
  x[65536] = 5;
  x[65537] = 7;
  const array<int> a(x), ones(std::vector<int>(columns, 1));
  ladder::outer_product::coalesced(a.data(), ones.data(), static_cast<int*>(c.data()), rows, columns,
                                   columns * sizeof(int), stream());
  wait();
  std::vector<int> last_rows(3 * columns);
  check(cudaMemcpy(last_rows.data(), static_cast<int*>(c.data()) + (rows - 3) * columns,
                   last_rows.size() * sizeof(int), cudaMemcpyDeviceToHost),
        "the last rows");
  for (std::size_t j = 0; j < columns; ++j) {
    ASSERT_EQ(last_rows[j], 1) << j;
    ASSERT_EQ(last_rows[columns + j], 5) << j;
    ASSERT_EQ(last_rows[2 * columns + j], 7) << j;
  }
}

TEST_F(TextFaults, APitchInBytesIsNoIndexOfElements) {
  const int rows = 64, columns = 1001;
  constexpr int element = sizeof(int);
  void* matrix = nullptr;
  std::size_t pitch = 0;
  check(cudaMallocPitch(&matrix, &pitch, columns * element, rows), "cudaMallocPitch");
  // Computed, not written to: row r at element r * pitch lies where row 4 r belongs, and from a quarter of the rows
  // on behind the last one.
  const array<int> place(1);
  for (const int row : {1, rows / element - 1, rows / element, rows - 1}) {
    place_in_int_kernel<<<1, 1, 0, stream()>>>(row, static_cast<int>(pitch), place.data());
    wait();
    const std::size_t byte = static_cast<std::size_t>(place.value()) * element;
    EXPECT_EQ(byte, static_cast<std::size_t>(row) * element * pitch) << row;
    EXPECT_EQ(byte >= rows * pitch, row >= rows / element) << row;
  }

  const auto x = ladder_test::whole_numbers<int>(rows, 1), y = ladder_test::whole_numbers<int>(columns, 2);
  std::vector<int> expected, found(static_cast<std::size_t>(rows) * columns);
  for (const int a : x) {
    for (const int b : y) expected.push_back(a * b);
  }
  const array<int> a(x), b(y);
  ladder::outer_product::pitched(a.data(), b.data(), static_cast<int*>(matrix), x.size(), y.size(), pitch,
                                 stream());
  wait();
  check(cudaMemcpy2D(found.data(), columns * element, matrix, pitch, columns * element, rows,
                     cudaMemcpyDeviceToHost),
        "to the host");
  EXPECT_TRUE(found == expected);
  check(cudaFree(matrix), "cudaFree");
}

struct twelve_bytes {
  int row, column, padding;
};
/// The pitch counted in elements, as if an element's size divided it; or in bytes.
__global__ void tag_elements_kernel(char* matrix, std::size_t pitch, int rows, int columns,
                                    bool in_elements) {
  const int column = global_thread(), row = static_cast<int>(blockIdx.y);
  if (row >= rows || column >= columns) return;
  const std::size_t pitch_in_elements = pitch / sizeof(twelve_bytes), r = static_cast<std::size_t>(row);
  char* const start = matrix + (in_elements ? r * pitch_in_elements * sizeof(twelve_bytes) : r * pitch);
  reinterpret_cast<twelve_bytes*>(start)[column] = {row, column, 0};
}

TEST_F(TextFaults, APitchInElementsNeedsASizeThatDividesIt) {
  // The rungs' elements have 4 bytes, and their pitch is in bytes: ThePitchOfCudaMallocPitch in test_matrix.cu.
  const int rows = 20, columns = 42;  // 504 bytes a row
  const std::size_t width = columns * sizeof(twelve_bytes);
  void* matrix = nullptr;
  std::size_t pitch = 0;
  check(cudaMallocPitch(&matrix, &pitch, width, rows), "cudaMallocPitch");
  std::vector<twelve_bytes> found(static_cast<std::size_t>(rows) * columns);
  const auto misplaced = [&](bool in_elements) {
    EXPECT_EQ(cudaMemset2D(matrix, pitch, 0xa5, width, rows), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    tag_elements_kernel<<<dim3(2, rows), 32, 0, stream()>>>(static_cast<char*>(matrix), pitch, rows, columns,
                                                            in_elements);
    EXPECT_EQ(cudaStreamSynchronize(stream()), cudaSuccess);
    EXPECT_EQ(cudaMemcpy2D(found.data(), width, matrix, pitch, width, rows, cudaMemcpyDeviceToHost),
              cudaSuccess);
    int count = 0;
    for (int i = 0; i < rows * columns; ++i) {
      const twelve_bytes& e = found[static_cast<std::size_t>(i)];
      count += e.row != i / columns || e.column != i % columns;
    }
    return count;
  };
  if (pitch % sizeof(twelve_bytes) != 0) EXPECT_GT(misplaced(true), 0);  // 512 bytes: all rows but the first
  EXPECT_EQ(misplaced(false), 0);
  check(cudaFree(matrix), "cudaFree");
}

}  // namespace
