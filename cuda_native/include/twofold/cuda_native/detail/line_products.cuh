// SPDX-License-Identifier: Apache-2.0
// One kernel multiplies any two factors into a matrix, line by line. Strategy: a thread owns one 16-byte pack of a
// line and the same pack of a few more lines, so that it looks at the vector along the line once; a warp
// owns 512 neighbouring bytes, so that lines of any length fill its blocks to a warp's width. Packs are aligned in the
// output whatever the base and the pitch; only the ends of lines go by elements. Short lines without pads are walked
// as one line. One pass, no shared memory, gridDim.x only.
#pragma once

#include <twofold/backends/line_products.hpp>
#include <twofold/cuda_native/detail/launch.hpp>

namespace twofold::cuda_native::detail {

inline constexpr unsigned product_block = 256;

template <backends::line_alignment Alignment, class Map>
__global__ void __launch_bounds__(product_block)
    line_products_kernel(const __grid_constant__ Map map,
                         const __grid_constant__ backends::product_threads threads) {
  const std::size_t index = blockIdx.x * std::size_t{product_block} + threadIdx.x;
  backends::multiply_lines<backends::lines_per_thread<Map, Alignment>, Alignment>(map, threads, index);
}

template <class Map>
__global__ void __launch_bounds__(product_block)
    flat_products_kernel(const __grid_constant__ Map map,
                         const __grid_constant__ backends::flat_threads threads) {
  const std::size_t index = blockIdx.x * std::size_t{product_block} + threadIdx.x;
  backends::multiply_flat<backends::flat_packs>(map, threads, index);
}

/// Computes all elements of `map`.
template <class Map>
void multiply(const char* name, const Map& map, stream_handle stream) {
  if (map.count == 0 || map.length == 0) return;
  const auto start = [&](auto kernel, const auto& threads) {
    const unsigned blocks = grid_of(name, (threads.total + product_block - 1) / product_block);
    launch(name, kernel, blocks, product_block, 0, stream, map, threads);
  };
  if (backends::walks_flat(map)) {
    return start(flat_products_kernel<Map>, backends::flat_threads::of(map, backends::flat_packs));
  }
  const auto alignment = backends::alignment_of(map);
  const auto run = [&]<backends::line_alignment A>() {
    start(line_products_kernel<A, Map>,
          backends::product_threads::of(map, backends::lines_per_thread<Map, A>, alignment));
  };
  using backends::line_alignment;
  switch (alignment) {
    case line_alignment::uniform:
      return run.template operator()<line_alignment::uniform>();
    case line_alignment::each:
      return run.template operator()<line_alignment::each>();
    case line_alignment::apart:
      if constexpr (Map::reads_in) return run.template operator()<line_alignment::apart>();
  }
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
