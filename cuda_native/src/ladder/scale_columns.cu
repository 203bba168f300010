// SPDX-License-Identifier: Apache-2.0
// The ladder of `scale_columns`. One load and one store per element; v stays in the caches, so what counts is how the
// accesses of a warp fall into 32-byte sectors. Each kernel's comment ends with the reason for the next.
// docs/ladder.md has the figures. (The text calls it RowScaling; it is the columns that are scaled.)
#include "matrix.cuh"

#include <twofold/cuda_native/ladder/scale_columns.hpp>
#include <twofold/cuda_native/scale_columns.hpp>

namespace twofold::cuda_native::ladder::scale_columns {
namespace {

// Rung 1, swapped: the text's RowScalingGPU. threadIdx.x is the row, so a warp reads and writes 32 elements of one
// column, a row apart: 32 sectors each way, an eighth of each used. The caches may serve the rest to other warps,
// while they last.
// Next: swap. A warp should walk along a row.
template <class T>
__global__ void swapped_kernel(const T* m, const T* v, T* r, std::size_t rows, std::size_t columns) {
  const std::size_t row = matrix::thread_x();
  if (row >= rows) return;
  for (std::size_t column = matrix::thread_y(); column < columns; column += matrix::threads_along_y()) {
    r[row * columns + column] = matrix::product(m[row * columns + column], v[column]);
  }
}

// Rung 2, coalesced: threadIdx.x is the column. A warp reads and writes 128 bytes that follow one another: 4 sectors
// each way.
// Next: only if its first address is a multiple of 32. In a packed matrix of 1001 columns few rows start so, and
// 32 elements then straddle 5 sectors.
template <class T>
__global__ void coalesced_kernel(const T* m, const T* v, T* r, std::size_t rows, std::size_t columns) {
  const std::size_t column = matrix::thread_x();
  if (column >= columns) return;
  for (std::size_t row = matrix::thread_y(); row < rows; row += matrix::threads_along_y()) {
    r[row * columns + column] = matrix::product(m[row * columns + column], v[column]);
  }
}

// Rung 3, pitched: rows are padded so that each starts aligned (cudaMallocPitch), and the address of a row comes
// from the pitch in bytes.
// Next: every element loads v[column] again, an instruction and a trip to the L1 cache for each element of M.
template <class T>
__global__ void pitched_kernel(const T* m, const T* v, T* r, std::size_t rows, std::size_t columns,
                               std::size_t pitch_bytes) {
  const std::size_t column = matrix::thread_x();
  if (column >= columns) return;
  for (std::size_t row = matrix::thread_y(); row < rows; row += matrix::threads_along_y()) {
    const T element = matrix::row_at(m, row, pitch_bytes)[column];
    matrix::row_at(r, row, pitch_bytes)[column] = matrix::product(element, v[column]);
  }
}

// Rung 4, vector in shared memory: the block's 32 elements of v are loaded once and used by 8 threads in many rows.
// The barrier comes before threads without a column leave.
// Next: shared memory only replaced one cache by another, and a register would hold v[column] just as well. What
// is left is one 4-byte load in flight per thread, where the hardware takes 16 bytes, and many of them.
constexpr std::size_t rows_per_block = 64;

template <class T>
__global__ void shared_vector_kernel(const T* m, const T* v, T* r, std::size_t rows, std::size_t columns,
                                     std::size_t pitch_bytes) {
  __shared__ T of_v[matrix::threads_x];
  const std::size_t column = matrix::thread_x();
  if (threadIdx.y == 0) of_v[threadIdx.x] = column < columns ? v[column] : T(0);
  __syncthreads();  // v is there for all eight rows of threads
  if (column >= columns) return;
  for (std::size_t first = blockIdx.y * rows_per_block; first < rows; first += gridDim.y * rows_per_block) {
    const std::size_t last = rows - first < rows_per_block ? rows : first + rows_per_block;
    for (std::size_t row = first + threadIdx.y; row < last; row += blockDim.y) {
      const T element = matrix::row_at(m, row, pitch_bytes)[column];
      matrix::row_at(r, row, pitch_bytes)[column] = matrix::product(element, of_v[threadIdx.x]);
    }
  }
}

/// Whether there is anything to scale.
template <class T>
bool checked(const char* name, const T* m, const T* v, const T* r, std::size_t rows, std::size_t columns) {
  cuda_native::detail::expects_operand(name, m, rows * columns, "M");
  cuda_native::detail::expects_operand(name, v, columns, "v");
  cuda_native::detail::expects_operand(name, r, rows * columns, "R");
  return rows > 0 && columns > 0;
}

constexpr dim3 block{matrix::threads_x, matrix::threads_y, 1};

}  // namespace

template <element T>
void swapped(const T* m, const T* v, T* r, std::size_t rows, std::size_t columns, std::size_t pitch_bytes,
             stream_handle stream) {
  const char* const name = "cuda_native::ladder::scale_columns::swapped";
  matrix::expects_packed<T>(name, columns, pitch_bytes);
  if (!checked(name, m, v, r, rows, columns)) return;
  cuda_native::detail::launch(name, swapped_kernel<T>, matrix::grid(name, rows, columns), block, 0, stream, m,
                              v, r, rows, columns);
}

template <element T>
void coalesced(const T* m, const T* v, T* r, std::size_t rows, std::size_t columns, std::size_t pitch_bytes,
               stream_handle stream) {
  const char* const name = "cuda_native::ladder::scale_columns::coalesced";
  matrix::expects_packed<T>(name, columns, pitch_bytes);
  if (!checked(name, m, v, r, rows, columns)) return;
  cuda_native::detail::launch(name, coalesced_kernel<T>, matrix::grid(name, columns, rows), block, 0, stream,
                              m, v, r, rows, columns);
}

template <element T>
void pitched(const T* m, const T* v, T* r, std::size_t rows, std::size_t columns, std::size_t pitch_bytes,
             stream_handle stream) {
  const char* const name = "cuda_native::ladder::scale_columns::pitched";
  matrix::expects_pitch<T>(name, columns, pitch_bytes);
  if (!checked(name, m, v, r, rows, columns)) return;
  cuda_native::detail::launch(name, pitched_kernel<T>, matrix::grid(name, columns, rows), block, 0, stream, m,
                              v, r, rows, columns, pitch_bytes);
}

template <element T>
void shared_vector(const T* m, const T* v, T* r, std::size_t rows, std::size_t columns,
                   std::size_t pitch_bytes, stream_handle stream) {
  const char* const name = "cuda_native::ladder::scale_columns::shared_vector";
  matrix::expects_pitch<T>(name, columns, pitch_bytes);
  if (!checked(name, m, v, r, rows, columns)) return;
  cuda_native::detail::launch(name, shared_vector_kernel<T>,
                              matrix::grid(name, columns, rows, rows_per_block), block, 0, stream, m, v, r,
                              rows, columns, pitch_bytes);
}

template <element T>
void tuned(const T* m, const T* v, T* r, std::size_t rows, std::size_t columns, std::size_t pitch_bytes,
           stream_handle stream) {
  matrix::expects_pitch<T>("cuda_native::ladder::scale_columns::tuned", columns, pitch_bytes);
  cuda_native::scale_columns(m, rows, columns, pitch_bytes / sizeof(T), v, r, pitch_bytes / sizeof(T),
                             stream);
}

template void swapped<float>(const float*, const float*, float*, std::size_t, std::size_t, std::size_t,
                             stream_handle);
template void coalesced<float>(const float*, const float*, float*, std::size_t, std::size_t, std::size_t,
                               stream_handle);
template void pitched<float>(const float*, const float*, float*, std::size_t, std::size_t, std::size_t,
                             stream_handle);
template void shared_vector<float>(const float*, const float*, float*, std::size_t, std::size_t, std::size_t,
                                   stream_handle);
template void swapped<std::int32_t>(const std::int32_t*, const std::int32_t*, std::int32_t*, std::size_t,
                                    std::size_t, std::size_t, stream_handle);
template void coalesced<std::int32_t>(const std::int32_t*, const std::int32_t*, std::int32_t*, std::size_t,
                                      std::size_t, std::size_t, stream_handle);
template void pitched<std::int32_t>(const std::int32_t*, const std::int32_t*, std::int32_t*, std::size_t,
                                    std::size_t, std::size_t, stream_handle);
template void shared_vector<std::int32_t>(const std::int32_t*, const std::int32_t*, std::int32_t*,
                                          std::size_t, std::size_t, std::size_t, stream_handle);
template void tuned<float>(const float*, const float*, float*, std::size_t, std::size_t, std::size_t,
                           stream_handle);
template void tuned<std::int32_t>(const std::int32_t*, const std::int32_t*, std::int32_t*, std::size_t,
                                  std::size_t, std::size_t, stream_handle);

}  // namespace twofold::cuda_native::ladder::scale_columns
