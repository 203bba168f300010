// SPDX-License-Identifier: Apache-2.0
// Collectives of one block. All threads call them.
#pragma once

#include <twofold/cuda_native/detail/warp.cuh>

namespace twofold::cuda_native::detail {

/// One value per warp. Left uninitialised: every warp writes its own before anyone reads.
template <class A, unsigned Threads>
struct block_scratch {
  static constexpr unsigned warps = Threads / warp_threads;
  alignas(A) unsigned char bytes[warps * sizeof(A)];
  __device__ A* values() { return reinterpret_cast<A*>(bytes); }
};

/// The tree over neighbouring threads of the block. Warp 0 gets the result; one barrier. The scratch may be
/// used again after another barrier.
template <unsigned Threads, class A>
__device__ __forceinline__ A block_fold(A value, block_scratch<A, Threads>& scratch) {
  constexpr unsigned warps = Threads / warp_threads;
  static_assert(warps <= warp_threads && (warps & (warps - 1)) == 0);
  value = warp_fold(value);
  if constexpr (warps == 1) return value;
  const unsigned lane = threadIdx.x % warp_threads;
  if (lane == 0) scratch.values()[threadIdx.x / warp_threads] = value;
  __syncthreads();  // the warps' values are all written
  if (threadIdx.x < warp_threads) {
    value = warp_fold<warps>(scratch.values()[lane % warps]);
  }
  return value;
}

/// The same in a block of fewer warps, as many as a power of two.
template <unsigned Threads, class A>
__device__ __forceinline__ A block_fold_of(unsigned warps, A value, block_scratch<A, Threads>& scratch) {
  value = warp_fold(value);
  if (warps == 1) return value;
  const unsigned lane = threadIdx.x % warp_threads;
  if (lane == 0) scratch.values()[threadIdx.x / warp_threads] = value;
  __syncthreads();  // the warps' values are all written
  if (threadIdx.x < warp_threads) {
    value = warp_fold<Threads / warp_threads>(lane < warps ? scratch.values()[lane] : backends::nothing<A>());
  }
  return value;
}

}  // namespace twofold::cuda_native::detail
