// SPDX-License-Identifier: Apache-2.0
// Fold order 1 on every line of a matrix, or at every place across its lines. One launch per level of the order: the
// chunk results of all folds are a matrix of their own, folded by the same kernels; folds of one chunk (8192 elements
// at most) write their results at once, so that 10^8 short folds need no memory. Loads of 128 bytes in flight a thread.
//   along, many folds:  a warp per chunk; short lines four at a time, by fewer threads; shuffles; no shared memory
//   along, few folds:   a block of 512 threads per chunk; one line alone: the engine of fold.cuh, in one launch
//   across:             a warp owns 16 bytes a thread of neighbouring places (or less, and its threads share out its
//                       lanes) and a run of lanes; shuffles, then 8 warps fold what they have in shared memory
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

/// Small blocks: more of them fit beside each other (one H200, node of a graph, 4096 x 2048 floats: 5.51 us, with 256 threads
/// 6.51).
inline constexpr unsigned group_block = 128;

template <class T>
struct line_source {
  const T* data;
  std::size_t pitch;
  __device__ backends::strided<T> chunk(std::size_t line, std::size_t start) const {
    return {data + line * pitch + start};
  }
};

/// A warp per chunk. Surplus warps fold nothing instead of returning: with a return nvcc takes 80 registers for the
/// kernel of short rows instead of 64, and 4096 x 4096 floats take 22 us instead of 19 (one H200).
template <unsigned Rows, bool Packed, class T, class A>
__global__ void __launch_bounds__(group_block)
    fold_along_kernel(const __grid_constant__ line_source<T> lines,
                      const __grid_constant__ backends::fold_shape shape, std::size_t chunks,
                      const __grid_constant__ level_output<A> out) {
  await_earlier_work();
  const std::size_t c = (blockIdx.x * std::size_t{group_block} + threadIdx.x) / warp_threads;
  const unsigned thread = threadIdx.x & (warp_threads - 1);
  const std::size_t line = c < chunks ? c / shape.chunks : 0, in_line = c < chunks ? c % shape.chunks : 0;
  const std::size_t count = c < chunks ? shape.count_of(in_line) : 0;
  const unsigned packs = shape.lanes < 4 ? 1 : shape.lanes / 4;
  const A folded =
      backends::fold_along<Rows, Packed, A>(lines.chunk(line, in_line * shape.chunk), count, 4 * thread,
                                            packs / warp_threads, 4 * warp_threads, whole_warp_tree{});
  if (thread == 0 && c < chunks) out.write(c, folded);
}

/// Several short lines for a warp, or for fewer threads.
template <bool Packed, class T, class A>
__global__ void __launch_bounds__(group_block)
    fold_short_lines_kernel(const __grid_constant__ line_source<T> lines, std::size_t count, unsigned n,
                            unsigned log_width, const __grid_constant__ level_output<A> out) {
  await_earlier_work();
  const std::size_t index = blockIdx.x * std::size_t{group_block} + threadIdx.x;
  backends::fold_short_lines<Packed, A>(
      lines.data, static_cast<std::ptrdiff_t>(lines.pitch), 1, count, n, log_width, index >> log_width,
      threadIdx.x & ((1u << log_width) - 1),
      [](A value, unsigned distance) { return warp_exchange(value, distance); },
      [&](std::size_t at, A value) { out.write(at, value); });
}

/// A block per chunk.
template <unsigned Rows, bool Packed, class T, class A>
__global__ void __launch_bounds__(fold_threads)
    fold_along_block_kernel(const __grid_constant__ line_source<T> lines,
                            const __grid_constant__ backends::fold_shape shape,
                            const __grid_constant__ level_output<A> out) {
  await_earlier_work();
  __shared__ block_scratch<A, fold_threads> scratch;
  const std::size_t c = blockIdx.x, line = c / shape.chunks, in_line = c % shape.chunks;
  const A mine = backends::fold_along<Rows, Packed, A>(
      lines.chunk(line, in_line * shape.chunk), shape.count_of(in_line), 4 * threadIdx.x, 1, 4, no_tree{});
  const A folded = block_fold<fold_threads>(mine, scratch);
  if (threadIdx.x == 0) out.write(c, folded);
}

/// Fewer chunks than this get a block each. Of a row of 2048 elements each thread of a block loads once, so that the block costs
/// more than it folds: few of them only (one H200, node of a graph, 2048 x 2048 floats: 5.18 us by blocks, 3.56 by warps; 512 x
/// 2048: 2.07 and 2.43).
template <unsigned Rows, class A>
inline constexpr std::size_t few_chunks = 132 * (Rows > 1        ? 16
                                                 : sizeof(A) > 4 ? 13
                                                                 : 6);

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
  const auto blocks = [&](std::size_t threads) {
    return grid_of(name, (threads + group_block - 1) / group_block);
  };
  if (shape.n <= backends::longest_short_line) {
    unsigned log_width = 0;
    while ((4u << log_width) < shape.lanes) ++log_width;
    const std::size_t groups = (count + backends::short_lines_at_once - 1) / backends::short_lines_at_once;
    const auto kernel = packed ? fold_short_lines_kernel<true, T, A> : fold_short_lines_kernel<false, T, A>;
    return launch_early(name, kernel, blocks(groups << log_width), group_block, 0, stream, lines, count,
                        static_cast<unsigned>(shape.n), log_width, out);
  }
  with_rows([&]<unsigned Rows>() {
    if (shape.lanes == fold_order::lanes && chunks < few_chunks<Rows, A>) {
      const auto by_blocks =
          packed ? fold_along_block_kernel<Rows, true, T, A> : fold_along_block_kernel<Rows, false, T, A>;
      return launch_early(name, by_blocks, grid_of(name, chunks), fold_threads, 0, stream, lines, shape, out);
    }
    const auto by_warps = packed ? fold_along_kernel<Rows, true, T, A> : fold_along_kernel<Rows, false, T, A>;
    launch_early(name, by_warps, blocks(chunks * warp_threads), group_block, 0, stream, lines, shape, chunks,
                 out);
  });
}

template <class A>
__global__ void write_zeros_kernel(A* results, std::size_t count) {
  await_earlier_work();
  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;
  if (i < count) results[i] = A(0);
}
template <class A>
void write_zeros(const char* name, A* results, std::size_t count, stream_handle stream) {
  launch_early(name, write_zeros_kernel<A>, grid_of(name, (count + 255) / 256), 256, 0, stream, results,
               count);
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

struct across_team {
  __device__ unsigned rank() const { return threadIdx.x; }
  __device__ void barrier() const { __syncthreads(); }
  template <class A>
  __device__ A fold_neighbours(A value, unsigned first) const {
    return shuffle_tree{first, warp_threads}(value);
  }
};

template <unsigned Rows, unsigned E, class T, class A>
__global__ void __launch_bounds__(backends::across_team_size)
    fold_across_kernel(const T* data, std::size_t pitch, std::size_t places,
                       const __grid_constant__ backends::fold_shape shape,
                       const __grid_constant__ backends::across_plan plan,
                       const __grid_constant__ level_output<A> out, std::size_t out_pitch) {
  await_earlier_work();
  __shared__ A nodes[backends::across_room<E>];
  backends::fold_across_team<Rows, E>(
      across_team{}, data, pitch, places, shape, plan, blockIdx.x, nodes,
      [&](std::size_t place, std::size_t chunk, A value) { out.write(chunk * out_pitch + place, value); });
}

template <class T, class A>
void fold_level_across(const char* name, const T* data, std::size_t pitch, std::size_t places,
                       const backends::fold_shape& shape, level_output<A> out, std::size_t out_pitch,
                       stream_handle stream) {
  const auto run = [&]<unsigned Rows, unsigned E>() {
    const auto plan = backends::across_plan::of(places, E, shape);
    launch_early(name, fold_across_kernel<Rows, E, T, A>, grid_of(name, plan.teams * shape.chunks),
                 backends::across_team_size, 0, stream, data, pitch, places, shape, plan, out, out_pitch);
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
