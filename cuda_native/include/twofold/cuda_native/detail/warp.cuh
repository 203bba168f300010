// SPDX-License-Identifier: Apache-2.0
// Collectives of one warp. All 32 threads call them.
#pragma once

#include <twofold/backends/accumulator.hpp>

namespace twofold::cuda_native::detail {

inline constexpr unsigned warp_threads = 32;
inline constexpr unsigned whole_warp = 0xffffffffu;

template <class A>
__device__ __forceinline__ A warp_exchange(A value, unsigned distance) {
  return __shfl_xor_sync(whole_warp, value, distance);
}
// The shuffle has overloads for (unsigned) long long; std::int64_t is long here.
__device__ __forceinline__ long warp_exchange(long value, unsigned distance) {
  return static_cast<long>(__shfl_xor_sync(whole_warp, static_cast<long long>(value), distance));
}
__device__ __forceinline__ unsigned long warp_exchange(unsigned long value, unsigned distance) {
  return static_cast<unsigned long>(
      __shfl_xor_sync(whole_warp, static_cast<unsigned long long>(value), distance));
}
__device__ __forceinline__ backends::scaled_squares warp_exchange(backends::scaled_squares s,
                                                                  unsigned distance) {
  return {warp_exchange(s.large, distance), warp_exchange(s.ordinary, distance),
          warp_exchange(s.small, distance)};
}

/// What the warp's first thread has.
__device__ __forceinline__ unsigned warp_broadcast(unsigned value) {
  return __shfl_sync(whole_warp, value, 0);
}

/// The tree over neighbours among `Threads` consecutive threads; every thread gets the result. Exchange by
/// xor instead of shift: each pair adds the same two values (addition commutes), nobody is left out.
template <unsigned Threads = warp_threads, class A>
__device__ __forceinline__ A warp_fold(A value) {
#pragma unroll
  for (unsigned distance = 1; distance < Threads; distance *= 2) {
    value = backends::combine(value, warp_exchange(value, distance));
  }
  return value;
}

}  // namespace twofold::cuda_native::detail
