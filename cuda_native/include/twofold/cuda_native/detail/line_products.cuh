// SPDX-License-Identifier: Apache-2.0
// One kernel multiplies any two factors into a matrix. Strategy: a thread owns one 16-byte pack and, where nothing is
// read but the vectors, the same pack of lines further on, so that it looks at the vector along the lines once.
// Packs are aligned in the output whatever the base and the pitch, and a warp's stores fill whole sectors. A matrix without
// pads is walked as one line; with pads the ends of lines go by elements. One pass, no shared memory, gridDim.x only.
#pragma once

#include <twofold/backends/line_products.hpp>
#include <twofold/cuda_native/detail/launch.hpp>

namespace twofold::cuda_native::detail {

inline constexpr unsigned product_block = 256;

template <backends::walk Walk, backends::reading Reading, unsigned Packs, class Map>
__global__ void __launch_bounds__(product_block)
    line_products_kernel(const __grid_constant__ Map map,
                         const __grid_constant__ backends::product_threads threads) {
  await_earlier_work();
  const std::size_t index = blockIdx.x * std::size_t{product_block} + threadIdx.x;
  if (index >= threads.total) return;
  backends::multiply_packs<Packs, Walk, Reading>(map, threads, index);
}

/// Computes all elements of `map`.
template <class Map>
void multiply(const char* name, const Map& map, stream_handle stream) {
  if (map.count == 0 || map.length == 0) return;
  backends::with_walk(map, [&]<backends::walk Walk, backends::reading Reading, unsigned Packs>() {
    const auto threads = backends::product_threads::of<Packs, Walk>(map);
    const unsigned blocks = grid_of(name, (threads.total + product_block - 1) / product_block);
    launch_early(name, line_products_kernel<Walk, Reading, Packs, Map>, blocks, product_block, 0, stream, map,
                 threads);
  });
}

/// Signed integers share the unsigned kernels: products wrap to the same bits.
template <class T>
using product_element =
    std::conditional_t<std::is_same_v<T, std::int32_t>, std::uint32_t,
                       std::conditional_t<std::is_same_v<T, std::int64_t>, std::uint64_t, T>>;

template <class T>
auto as_product_element(T* p) {
  using K = product_element<std::remove_const_t<T>>;
  return reinterpret_cast<std::conditional_t<std::is_const_v<T>, const K, K>*>(p);
}

}  // namespace twofold::cuda_native::detail
