// SPDX-License-Identifier: Apache-2.0
// One kernel multiplies any two factors into a matrix, line by line. Strategy: a thread owns one 16-byte pack of a line
// and the same pack of the next Lines - 1 lines, so that it has as many loads in flight and keeps what it needs of the
// vector along the line in registers; a warp owns 512 neighbouring bytes, so that lines of any length fill its blocks
// to a warp's width. Packs are aligned in the output whatever the base and the pitch; only the ends of lines go by
// elements. Short lines without pads are walked as one line. One pass, no shared memory, gridDim.x only.
#pragma once

#include <twofold/backends/line_products.hpp>
#include <twofold/cuda_native/detail/launch.hpp>

namespace twofold::cuda_native::detail {

/// The shape of the kernel. (A type: nvcc 13.0 cannot take a value of class type as a template argument.)
template <unsigned Threads, unsigned Lines>
struct product_tuning {
  static constexpr unsigned threads = Threads;  // of a block
  static constexpr unsigned lines = Lines;      // of a thread
};
using tuned_products = product_tuning<256, 8>;

template <class Tuning, backends::line_alignment Alignment, class Map>
__global__ void __launch_bounds__(Tuning::threads)
    line_products_kernel(const __grid_constant__ Map map,
                         const __grid_constant__ backends::product_threads threads) {
  const std::size_t index = blockIdx.x * std::size_t{Tuning::threads} + threadIdx.x;
  backends::multiply_lines<Tuning::lines, Alignment>(map, threads, index);
}

template <class Tuning, class Map>
__global__ void __launch_bounds__(Tuning::threads)
    flat_products_kernel(const __grid_constant__ Map map,
                         const __grid_constant__ backends::flat_threads threads) {
  const std::size_t index = blockIdx.x * std::size_t{Tuning::threads} + threadIdx.x;
  backends::multiply_flat<Tuning::lines>(map, threads, index);
}

/// Computes all elements of `map`.
template <class Tuning = tuned_products, class Map>
void multiply(const char* name, const Map& map, stream_handle stream) {
  if (map.count == 0 || map.length == 0) return;
  const auto blocks = [&](std::size_t threads) {
    return grid_of(name, (threads + Tuning::threads - 1) / Tuning::threads);
  };
  if (backends::walks_flat(map)) {
    const auto threads = backends::flat_threads::of(map, Tuning::lines);
    return launch(name, flat_products_kernel<Tuning, Map>, blocks(threads.total), Tuning::threads, 0, stream,
                  map, threads);
  }
  const auto alignment = backends::alignment_of(map);
  const auto threads = backends::product_threads::of(map, Tuning::lines, alignment);
  const auto run = [&](auto kernel) {
    launch(name, kernel, blocks(threads.total), Tuning::threads, 0, stream, map, threads);
  };
  using backends::line_alignment;
  switch (alignment) {
    case line_alignment::uniform:
      return run(line_products_kernel<Tuning, line_alignment::uniform, Map>);
    case line_alignment::each:
      return run(line_products_kernel<Tuning, line_alignment::each, Map>);
    case line_alignment::apart:
      if constexpr (Map::reads_in) return run(line_products_kernel<Tuning, line_alignment::apart, Map>);
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
