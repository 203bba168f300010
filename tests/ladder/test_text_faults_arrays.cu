// SPDX-License-Identifier: Apache-2.0
// What the kernels of the course texts get wrong, seen on a GPU: for each fault a kernel of our own that has it, where
// that is safe, beside the rung that has not. What such a kernel reads without having set it holds poison here, and
// what it reads or writes out of bounds lies between guards. Faults without a safe kernel: test_faults.cpp.
// Here: stencils and matrix products.
#include "text_faults.hpp"

#include <twofold/backends/arithmetic.hpp>
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

using TextFaultsOfArrays = ladder_test::text_faults;

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

TEST_F(TextFaultsOfArrays, WithoutAGuardTheLastBlockReadsAndWritesBeyondTheEnd) {
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

TEST_F(TextFaultsOfArrays, AMultipleOfTheBlockHidesIt) {
  const int k = 3;
  const auto x = ladder_test::whole_numbers<int>(1024, 1);
  const array<int> in(x), out(x.size());
  unguarded_tile_kernel<<<4, 256, tile_bytes(256, k), stream()>>>(in.data(), out.data(), 1024, k, 0);
  wait();
  EXPECT_EQ(out.elements(), windows(x, k));
  EXPECT_TRUE(out.guards_are_intact());
}

TEST_F(TextFaultsOfArrays, ARadiusBeyondTheBlockLeavesTheTileUnset) {
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

TEST_F(TextFaultsOfArrays, ATileBeyond48KiBIsRefusedUnlessTheKernelOptsIn) {
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

TEST_F(TextFaultsOfArrays, ResultsAreAddedToWhateverOutHolds) {
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

TEST_F(TextFaultsOfArrays, AGridOfMoreThan65535BlocksAlongYIsRefused) {
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

TEST_F(TextFaultsOfArrays, AnIndexInIntWrapsBeyond2To31Elements) {
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

TEST_F(TextFaultsOfArrays, APitchInBytesIsNoIndexOfElements) {
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

TEST_F(TextFaultsOfArrays, APitchInElementsNeedsASizeThatDividesIt) {
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
