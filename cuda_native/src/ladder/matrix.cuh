// SPDX-License-Identifier: Apache-2.0
// What the rungs over row-major matrices share: their grids, their checks, and where a row starts.
#pragma once

#include <twofold/backends/arithmetic.hpp>
#include <twofold/cuda_native/detail/launch.hpp>
#include <twofold/cuda_native/detail/operands.hpp>

#include <cstddef>
#include <string>
#include <type_traits>

namespace twofold::cuda_native::ladder::matrix {

/// A block: 32 threads along x, so that x alone decides what a warp touches.
inline constexpr unsigned threads_x = 32;
inline constexpr unsigned threads_y = 8;

/// blockIdx.x reaches 2^31 - 1, blockIdx.y only 65535: kernels loop along y. The text's kernels do not, so their
/// launch fails beyond 65535 * blockDim.y rows, or columns where y is the column as in its RowScalingGPU.
inline constexpr std::size_t most_blocks_y = 65535;

/// Blocks for `along_x` threads along x and `along_y` along y, a block covering `per_block_y` of the latter.
inline dim3 grid(const char* name, std::size_t along_x, std::size_t along_y,
                 std::size_t per_block_y = threads_y) {
  const std::size_t y = along_y / per_block_y + (along_y % per_block_y != 0);
  return {cuda_native::detail::grid_of(name, along_x / threads_x + (along_x % threads_x != 0)),
          static_cast<unsigned>(y < most_blocks_y ? y : most_blocks_y), 1};
}

__device__ __forceinline__ std::size_t thread_x() {
  return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ __forceinline__ std::size_t thread_y() {
  return static_cast<std::size_t>(blockIdx.y) * blockDim.y + threadIdx.y;
}
__device__ __forceinline__ std::size_t threads_along_y() {
  return static_cast<std::size_t>(gridDim.y) * blockDim.y;
}

/// The start of a row, from a pitch in bytes. cudaMallocPitch returns bytes; the text divides them by sizeof(int)
/// and calls the quotient pitch too, which breaks once an element's size does not divide it. Its `row * pitch` in
/// int overflows once a matrix has more than 2^31 elements.
template <class T>
__device__ __forceinline__ T* row_at(T* base, std::size_t row, std::size_t pitch_bytes) {
  using byte = std::conditional_t<std::is_const_v<T>, const char, char>;
  return reinterpret_cast<T*>(reinterpret_cast<byte*>(base) + row * pitch_bytes);
}

template <class T>
__device__ __forceinline__ T product(T x, T y) {
  return backends::multiply_add(x, y,
                                backends::absent<T>());  // int32 wraps; floats: the product, rounded once
}

template <class T>
void expects_pitch(const char* name, std::size_t columns, std::size_t pitch_bytes) {
  backends::expects(pitch_bytes % sizeof(T) == 0 && pitch_bytes / sizeof(T) >= columns, name, [&] {
    return "a pitch of " + std::to_string(pitch_bytes) + " bytes for " + std::to_string(columns) +
           " columns of " + std::to_string(sizeof(T)) + " bytes";
  });
}
template <class T>
void expects_packed(const char* name, std::size_t columns, std::size_t pitch_bytes) {
  backends::expects(pitch_bytes == columns * sizeof(T), name, [&] {
    return "takes packed matrices: a pitch of " + std::to_string(columns * sizeof(T)) + " bytes, got " +
           std::to_string(pitch_bytes);
  });
}

}  // namespace twofold::cuda_native::ladder::matrix
