// SPDX-License-Identifier: Apache-2.0
// Fold order 1 on every line of a matrix, or at every place across its lines. One launch per level of the order: the
// chunk results of all folds are a matrix of their own, folded by the same kernels; folds of one chunk (8192 elements
// at most) write their results at once, so that 10^8 short folds need no memory. Loads of 128 bytes in flight a thread.
//   along, many folds:  a warp per chunk, fewer threads for short lines; shuffles; no shared memory, no barrier
//   along, few folds:   a block of 512 threads per chunk; one line alone: the engine of fold.cuh, in one launch
//   across:             a warp owns 16 bytes a thread of neighbouring places (its threads share out rows where the
//                       lines are shorter) and a run of lanes; 16 warps fold what they have in shared memory
#pragma once

#include <twofold/backends/line_folds.hpp>
#include <twofold/backends/sources.hpp>
#include <twofold/cuda_native/detail/fold.cuh>

#include <algorithm>

namespace twofold::cuda_native::detail {

/// The tree over threads `first` apart, then twice as far, up to a distance of `end`.
struct shuffle_tree {
  unsigned first;
  unsigned end;
  template <class A>
  __device__ A operator()(A value) const {
    for (unsigned distance = first; distance < end; distance *= 2) {
      value = backends::combine(value, warp_exchange(value, distance));
    }
    return value;
  }
};
struct whole_warp_tree {
  template <class A>
  __device__ A operator()(A value) const {
    return warp_fold(value);
  }
};
struct no_tree {
  template <class A>
  __device__ A operator()(A value) const {
    return value;
  }
};

/// Where results of one level go: chunk results as they are, final ones with the one NaN.
template <class A>
struct level_output {
  A* data;
  bool last;
  __device__ void write(std::size_t at, A value) const {
    data[at] = last ? backends::canonical(value) : value;
  }
};

// ---- along ------------------------------------------------------------------------------------------

inline constexpr unsigned group_block = 256;

template <class T>
struct line_source {
  const T* data;
  std::size_t pitch;
  __device__ backends::strided<T> chunk(std::size_t line, std::size_t start) const {
    return {data + line * pitch + start};
  }
};

/// `width` threads (a power of two, at most a warp) per chunk.
template <unsigned Rows, bool Packed, bool WholeWarps, class T, class A>
__global__ void __launch_bounds__(group_block)
    fold_along_kernel(const __grid_constant__ line_source<T> lines,
                      const __grid_constant__ backends::fold_shape shape, std::size_t chunks,
                      unsigned log_width, const __grid_constant__ level_output<A> out) {
  const unsigned log = WholeWarps ? 5 : log_width, width = 1u << log;
  const std::size_t c = (blockIdx.x * std::size_t{group_block} + threadIdx.x) >> log;
  const unsigned thread = threadIdx.x & (width - 1);
  const std::size_t line = c < chunks ? c / shape.chunks : 0, in_line = c < chunks ? c % shape.chunks : 0;
  const std::size_t count =
      c < chunks ? shape.count_of(in_line) : 0;  // surplus threads shuffle with the others
  const unsigned packs = shape.lanes < 4 ? 1 : shape.lanes / 4;
  const auto chunk = lines.chunk(line, in_line * shape.chunk);
  A folded;
  if constexpr (WholeWarps) {
    folded = backends::fold_along<Rows, Packed, A>(chunk, count, 4 * thread, packs >> log, 4 * width,
                                                   whole_warp_tree{});
  } else {
    folded = backends::fold_along<Rows, Packed, A>(chunk, count, 4 * thread, 1, 4, shuffle_tree{1, width});
  }
  if (thread == 0 && c < chunks) out.write(c, folded);
}

/// A block per chunk.
template <unsigned Rows, bool Packed, class T, class A>
__global__ void __launch_bounds__(fold_threads)
    fold_along_block_kernel(const __grid_constant__ line_source<T> lines,
                            const __grid_constant__ backends::fold_shape shape,
                            const __grid_constant__ level_output<A> out) {
  __shared__ block_scratch<A, fold_threads> scratch;
  const std::size_t c = blockIdx.x, line = c / shape.chunks, in_line = c % shape.chunks;
  const A mine = backends::fold_along<Rows, Packed, A>(
      lines.chunk(line, in_line * shape.chunk), shape.count_of(in_line), 4 * threadIdx.x, 1, 4, no_tree{});
  const A folded = block_fold<fold_threads>(mine, scratch);
  if (threadIdx.x == 0) out.write(c, folded);
}

/// Fewer chunks than this get a block each: 16 warps on every SM of an H200.
inline constexpr std::size_t few_chunks = 16 * 132;

template <class T, class A>
void fold_level_along(const char* name, line_source<T> lines, std::size_t count,
                      const backends::fold_shape& shape, level_output<A> out, stream_handle stream) {
  const bool packed = backends::lines_in_packs(lines.data, lines.pitch, count);
  const std::size_t chunks = count * shape.chunks;
  const auto with_rows = [&](auto run) {
    if (shape.rows == 1) return run.template operator()<1>();
    if (shape.rows == fold_order::short_rows) return run.template operator()<fold_order::short_rows>();
    run.template operator()<fold_order::long_rows>();
  };
  if (shape.lanes == fold_order::lanes && chunks < few_chunks) {
    return with_rows([&]<unsigned Rows>() {
      const auto kernel =
          packed ? fold_along_block_kernel<Rows, true, T, A> : fold_along_block_kernel<Rows, false, T, A>;
      launch(name, kernel, grid_of(name, chunks), fold_threads, 0, stream, lines, shape, out);
    });
  }
  unsigned log_width = 0;
  while (log_width < 5 && (4u << log_width) < shape.lanes) ++log_width;
  const unsigned blocks =
      grid_of(name, (chunks + (group_block >> log_width) - 1) / (group_block >> log_width));
  const auto run = [&](auto kernel) {
    launch(name, kernel, blocks, group_block, 0, stream, lines, shape, chunks, log_width, out);
  };
  if (log_width < 5) {
    return packed ? run(fold_along_kernel<1, true, false, T, A>)
                  : run(fold_along_kernel<1, false, false, T, A>);
  }
  with_rows([&]<unsigned Rows>() {
    packed ? run(fold_along_kernel<Rows, true, true, T, A>) : run(fold_along_kernel<Rows, false, true, T, A>);
  });
}

template <class A>
__global__ void write_zeros_kernel(A* results, std::size_t count) {
  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;
  if (i < count) results[i] = A(0);
}
template <class A>
void write_zeros(const char* name, A* results, std::size_t count, stream_handle stream) {
  launch(name, write_zeros_kernel<A>, grid_of(name, (count + 255) / 256), 256, 0, stream, results, count);
}

/// results[l] = the fold of line l, n elements side by side.
template <class T, class A>
void fold_lines_along(const char* name, const T* data, std::size_t pitch, std::size_t count, std::size_t n,
                      A* results, stream_handle stream) {
  if (count == 0) return;
  if (n == 0) return write_zeros(name, results, count, stream);
  if (count == 1) {
    return fold(name, backends::sum_source<T, A>{{data}}, n, results, backends::workspace_of(stream), stream);
  }
  auto shape = backends::fold_shape::of(n);
  A* partials = nullptr;
  if (shape.chunks > 1) {
    const std::size_t values = count * fold_order::partial_count(n);
    partials = static_cast<A*>(backends::workspace_of(stream).at_least(values * sizeof(A), 0).partials);
  }
  const bool single = shape.chunks == 1;
  fold_level_along(name, line_source<T>{data, pitch}, count, shape,
                   level_output<A>{single ? results : partials, single}, stream);
  while (shape.chunks > 1) {
    const A* const from = partials;
    const std::size_t m = shape.chunks;
    partials += count * m;
    shape = backends::fold_shape::of(m);
    const bool last = shape.chunks == 1;
    fold_level_along(name, line_source<A>{from, m}, count, shape,
                     level_output<A>{last ? results : partials, last}, stream);
  }
}

// ---- across -----------------------------------------------------------------------------------------

inline constexpr unsigned across_block = 512;
inline constexpr unsigned across_warps = across_block / warp_threads;

/// A block on every SM of an H200.
inline constexpr std::size_t enough_blocks = 132;

/// How the threads of the kernel below are laid over places and lanes.
struct across_plan {
  std::size_t strips;        // of neighbouring places that a warp covers
  std::size_t strip_blocks;  // blocks for all strips of a chunk
  unsigned log_width;        // threads of a warp that lie side by side; the others take further lanes
  unsigned warps;            // that share out the lanes of a chunk

  static across_plan of(std::size_t places, unsigned places_per_thread, const backends::fold_shape& shape) {
    across_plan plan{};
    const std::size_t packs = (places + places_per_thread - 1) / places_per_thread;
    while (plan.log_width < 5 && (1u << plan.log_width) < packs) ++plan.log_width;
    // Narrower strips, down to 64 bytes, where blocks would be too few for the GPU.
    const unsigned narrowest = 2 + (places_per_thread == 1 ? 2 : 0);
    while (plan.log_width > narrowest && (packs >> plan.log_width) * shape.chunks < enough_blocks)
      --plan.log_width;
    plan.strips = (packs + (1u << plan.log_width) - 1) >> plan.log_width;
    // Each warp keeps eight lanes at least, and one for each of its threads that do not lie side by side.
    const unsigned slots = warp_threads >> plan.log_width;
    plan.warps = std::clamp(shape.lanes / std::max(8u, slots), 1u, across_warps);
    const unsigned strips_per_block = across_warps / plan.warps;
    plan.strip_blocks = (plan.strips + strips_per_block - 1) / strips_per_block;
    return plan;
  }
};

template <unsigned Rows, unsigned E, class T, class A>
__global__ void __launch_bounds__(across_block)
    fold_across_kernel(const T* data, std::size_t pitch, std::size_t places,
                       const __grid_constant__ backends::fold_shape shape,
                       const __grid_constant__ across_plan plan, const __grid_constant__ level_output<A> out,
                       std::size_t out_pitch) {
  __shared__ A nodes[across_warps][warp_threads * E];
  const unsigned warp = threadIdx.x / warp_threads, thread = threadIdx.x % warp_threads;
  const unsigned width = 1u << plan.log_width, slots = warp_threads >> plan.log_width;
  const unsigned side = thread & (width - 1), slot = thread >> plan.log_width;
  const unsigned turn = warp % plan.warps;
  const std::size_t chunk = blockIdx.x / plan.strip_blocks;
  const std::size_t strip = blockIdx.x % plan.strip_blocks * (across_warps / plan.warps) + warp / plan.warps;
  const std::size_t place = ((strip << plan.log_width) + side) * E;
  const unsigned here = place >= places ? 0 : places - place < E ? static_cast<unsigned>(places - place) : E;

  const unsigned lanes = shape.lanes / plan.warps;  // of this warp
  A folded[E];
  backends::fold_across<Rows, E, A>(
      data + chunk * shape.chunk * pitch + place, pitch, here, shape.count_of(chunk), turn * lanes + slot,
      lanes < slots ? 1 : lanes >> (5 - plan.log_width), slots, folded, shuffle_tree{width, warp_threads});
  if (plan.warps == 1) {
    if (slot == 0) {
#pragma unroll
      for (unsigned e = 0; e < E; ++e) {
        if (e < here) out.write(chunk * out_pitch + place + e, folded[e]);
      }
    }
    return;
  }
  if (slot == 0) {
#pragma unroll
    for (unsigned e = 0; e < E; ++e) nodes[warp][e * warp_threads + side] = folded[e];
  }
  __syncthreads();  // all warps' nodes are written
  if (turn == 0 && slot == 0) {
#pragma unroll
    for (unsigned e = 0; e < E; ++e) {
      A v[across_warps];
#pragma unroll
      for (unsigned w = 0; w < across_warps; ++w) {
        v[w] = w < plan.warps ? nodes[warp + w][e * warp_threads + side] : backends::nothing<A>();
      }
#pragma unroll
      for (unsigned apart = 1; apart < across_warps; apart *= 2) {
#pragma unroll
        for (unsigned w = 0; w + apart < across_warps; w += 2 * apart)
          v[w] = backends::combine(v[w], v[w + apart]);
      }
      if (e < here) out.write(chunk * out_pitch + place + e, v[0]);
    }
  }
}

template <class T, class A>
void fold_level_across(const char* name, const T* data, std::size_t pitch, std::size_t places,
                       const backends::fold_shape& shape, level_output<A> out, std::size_t out_pitch,
                       stream_handle stream) {
  const auto run = [&]<unsigned Rows, unsigned E>() {
    const auto plan = across_plan::of(places, E, shape);
    launch(name, fold_across_kernel<Rows, E, T, A>, grid_of(name, plan.strip_blocks * shape.chunks),
           across_block, 0, stream, data, pitch, places, shape, plan, out, out_pitch);
  };
  constexpr unsigned E = backends::pack16<T>::size;
  constexpr unsigned s = fold_order::short_rows, l = fold_order::long_rows;
  if (backends::lines_in_packs(data, pitch, shape.n)) {
    shape.rows == 1   ? run.template operator()<1, E>()
    : shape.rows == s ? run.template operator()<s, E>()
                      : run.template operator()<l, E>();
  } else {
    shape.rows == 1   ? run.template operator()<1, 1>()
    : shape.rows == s ? run.template operator()<s, 1>()
                      : run.template operator()<l, 1>();
  }
}

/// results[k] = the fold over the n lines of their elements at place k.
template <class T, class A>
void fold_lines_across(const char* name, const T* data, std::size_t pitch, std::size_t places, std::size_t n,
                       A* results, stream_handle stream) {
  if (places == 0) return;
  if (n == 0) return write_zeros(name, results, places, stream);
  auto shape = backends::fold_shape::of(n);
  const std::size_t out_pitch = (places + 3) / 4 * 4;  // so that the next level can load packs
  A* partials = nullptr;
  if (shape.chunks > 1) {
    const std::size_t values = out_pitch * fold_order::partial_count(n);
    partials = static_cast<A*>(backends::workspace_of(stream).at_least(values * sizeof(A), 0).partials);
  }
  const bool single = shape.chunks == 1;
  fold_level_across(name, data, pitch, places, shape, level_output<A>{single ? results : partials, single},
                    out_pitch, stream);
  while (shape.chunks > 1) {
    const A* const from = partials;
    partials += shape.chunks * out_pitch;
    shape = backends::fold_shape::of(shape.chunks);
    const bool last = shape.chunks == 1;
    fold_level_across(name, from, out_pitch, places, shape, level_output<A>{last ? results : partials, last},
                      out_pitch, stream);
  }
}

}  // namespace twofold::cuda_native::detail
