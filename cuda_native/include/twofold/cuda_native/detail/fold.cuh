// SPDX-License-Identifier: Apache-2.0
// One kernel folds any source. Strategy: 512 threads per chunk, one block of them or, where chunks are few, two or four
// smaller ones; four neighbouring lanes a thread, 16-byte loads with 256 bytes in flight a thread; four lanes fold in registers, 128 in shuffles, 2048 over
// 16 values in shared memory. The block that finishes last folds the chunk results: its first warp alone, where they are
// few; else by groups, each by the last block of the group. One launch, one pass, no memset, since the counters reset
// themselves. Elements that are computed instead of loaded have a kernel whose blocks take several chunks.
// Shared memory: 16 accumulators. Why 512 x 4: see fold_order.hpp.
#pragma once

#include <twofold/backends/error.hpp>
#include <twofold/backends/fold_computed_device.hpp>
#include <twofold/backends/fold_device.hpp>
#include <twofold/cuda_native/workspace.hpp>

#include <cuda/atomic>

#include <algorithm>

#include <twofold/cuda_native/detail/block.cuh>
#include <twofold/cuda_native/detail/launch.hpp>

namespace twofold::cuda_native::detail {

inline constexpr unsigned fold_threads = backends::team_threads;

/// Bytes of elements that a thread loads before it uses the first. The three parts of a norm of doubles take the
/// registers of half of them: with 256 they spill (one H200, 2^28 doubles: 974 us instead of 498).
template <class Accumulator>
inline constexpr unsigned fold_bytes_in_flight = sizeof(Accumulator) > 8 ? 128 : 256;

/// At least two blocks on an SM: while one waits for its tree and its arrival, the other keeps loading.
/// One H200, 2^30 floats: 4600 GB/s with two, 4520 where the compiler took registers for one.
inline constexpr unsigned fold_blocks_per_sm = 2;

/// Whether this block, which hands in `count` of `total` results, is the last to arrive at `counter`, which is zero again
/// afterwards. They lie in memory, written by thread 0 or before a barrier; all threads get the answer.
__device__ __forceinline__ bool last_to_arrive(unsigned* counter, unsigned count, unsigned total) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    // Release what this thread wrote before, acquire what the others released.
    const cuda::atomic_ref<unsigned, cuda::thread_scope_device> arrivals(*counter);
    last = arrivals.fetch_add(count, cuda::memory_order_acq_rel) == total - count;
    if (last) *counter = 0;
  }
  __syncthreads();  // the answer is there; the scratch of the last fold is free
  return last;
}

/// The same for the first warp, without the rest of its block.
__device__ __forceinline__ bool last_warp_to_arrive(unsigned* counter, unsigned total) {
  unsigned last = 0;
  if (threadIdx.x == 0) {
    const cuda::atomic_ref<unsigned, cuda::thread_scope_device> arrivals(*counter);
    last = arrivals.fetch_add(1u, cuda::memory_order_acq_rel) == total - 1;
    if (last) *counter = 0;
  }
  return warp_broadcast(last) != 0;
}

/// Hands in `mine` as one of `count` results, which are few. Whether this thread belongs to the warp that came last and
/// has the fold of all; the others may leave, and all but a block's first warp do at once.
template <class A>
__device__ __forceinline__ bool fold_few(A& mine, A* results, unsigned which, unsigned count,
                                         unsigned* counter) {
  if (threadIdx.x >= warp_threads) return false;
  if (threadIdx.x == 0) results[which] = mine;
  if (!last_warp_to_arrive(counter, count)) return false;
  mine = warp_fold(backends::fold_thread_of_few(results, count, threadIdx.x));
  return true;
}

/// Folds `count` partial results, chunk by chunk of the order, level by level. Thread 0 gets the result.
/// `next` is room for the levels in between.
template <class A>
__device__ A fold_partials(const A* partials, std::size_t count, A* next,
                           block_scratch<A, fold_threads>& scratch) {
  for (;;) {
    const std::size_t chunk = fold_order::chunk_size(count);
    const bool is_short = count <= fold_order::longest_short;
    A folded{};
    for (std::size_t start = 0, c = 0; start < count; start += chunk, ++c) {
      const std::size_t m = count - start < chunk ? count - start : chunk;
      const A mine = backends::fold_thread_of_partials(partials, start, m, is_short, threadIdx.x);
      folded = block_fold<fold_threads>(mine, scratch);
      if (count > chunk && threadIdx.x == 0) next[c] = folded;
      __syncthreads();  // next[] is written, the scratch read
    }
    if (count <= chunk) return folded;
    partials = next;
    next += fold_order::chunk_count(count);
    count = fold_order::chunk_count(count);
  }
}

/// Where the results of chunks meet.
template <class A>
struct fold_memory {
  A* partials;
  unsigned* counters;
};

/// What follows when the results of a block's chunks, `count` from `first` on and all of one group, lie in memory, written
/// by thread 0 or before a barrier.
template <class Source>
__device__ __forceinline__ void fold_groups(
    const Source& source, const backends::fold_levels& levels, unsigned first, unsigned count,
    const fold_memory<typename Source::accumulator>& memory,
    block_scratch<typename Source::accumulator, fold_threads>& scratch, typename Source::result* result) {
  using A = typename Source::accumulator;
  A* const group_results = memory.partials + levels.chunks;
  const unsigned group = levels.group_of(first);
  if (!last_to_arrive(memory.counters + 1 + group, count, levels.members_of(group))) return;
  // A chunk of the next level.
  const A of_chunks =
      backends::fold_thread_of_partials(memory.partials + levels.first_of(group), 0, levels.members_of(group),
                                        levels.short_groups, threadIdx.x);
  A folded = block_fold<fold_threads>(of_chunks, scratch);
  if (levels.groups > backends::few_chunks<A>) {
    if (threadIdx.x == 0) group_results[group] = folded;
    if (!last_to_arrive(memory.counters, 1, levels.groups)) return;
    folded = fold_partials(group_results, levels.groups, group_results + levels.groups, scratch);
  } else if (levels.groups > 1) {
    if (!fold_few(folded, group_results, group, levels.groups, memory.counters)) return;
  }
  if (threadIdx.x == 0) *result = source.finish(folded);
}

/// What follows when each block has one chunk, or a part of one, and this block has `folded` it, in its first warp.
template <unsigned Rows, class Source>
__device__ __forceinline__ void fold_results(
    const Source& source, const backends::fold_levels& levels, typename Source::accumulator folded,
    const fold_memory<typename Source::accumulator>& memory,
    block_scratch<typename Source::accumulator, fold_threads>& scratch, typename Source::result* result) {
  using A = typename Source::accumulator;
  if (levels.chunks > backends::few_chunks<A>) {
    if (threadIdx.x == 0) memory.partials[blockIdx.x] = folded;
    return fold_groups(source, levels, blockIdx.x, 1, memory, scratch, result);
  }
  const unsigned parts = Rows == fold_order::short_rows ? levels.parts() : levels.chunks;
  if (parts > 1 && !fold_few(folded, memory.partials, blockIdx.x, parts, memory.counters)) return;
  if (threadIdx.x == 0) *result = source.finish(folded);
}

/// The tree over the threads of a block that has a chunk, or a part of one.
template <unsigned Rows, class A>
__device__ __forceinline__ A fold_threads_of_chunk(const backends::fold_levels& levels, A mine,
                                                   block_scratch<A, fold_threads>& scratch) {
  if constexpr (Rows == fold_order::short_rows)
    return block_fold_of<fold_threads>(levels.threads() / warp_threads, mine, scratch);
  return block_fold<fold_threads>(mine, scratch);
}

template <unsigned Rows, bool Packed, class Source>
__global__ void __launch_bounds__(fold_threads, fold_blocks_per_sm)
    fold_kernel(const __grid_constant__ Source source, std::size_t n, backends::fold_levels levels,
                fold_memory<typename Source::accumulator> memory, typename Source::result* result) {
  await_earlier_work();
  using A = typename Source::accumulator;
  __shared__ block_scratch<A, fold_threads> scratch;
  constexpr std::size_t chunk = Rows * fold_order::lanes;
  constexpr unsigned in_flight = backends::rows_in_flight<Source, fold_bytes_in_flight<A>>;

  const auto at = backends::place_of<Rows>(levels, blockIdx.x, threadIdx.x);
  const std::size_t start = at.chunk * chunk;
  const std::size_t count = n - start < chunk ? n - start : chunk;
  const A mine = backends::fold_thread<Rows, Packed, in_flight>(source, start, count, at.thread);
  fold_results<Rows>(source, levels, fold_threads_of_chunk<Rows>(levels, mine, scratch), memory, scratch,
                     result);
}

/// Elements that are computed: a block takes some chunks in a row. Shared memory: the bases of the chunks' rows, the
/// lanes' offsets of floats, and a value per thread and chunk; 42 KiB for floats, 33 KiB for
/// doubles. Short chunks are never several: 8 KiB for floats, next to nothing for doubles.
template <unsigned Rows, class Source>
__global__ void __launch_bounds__(fold_threads, fold_blocks_per_sm)
    fold_computed_kernel(const __grid_constant__ Source source, std::size_t n, backends::fold_levels levels,
                         backends::dealt_chunks dealt, fold_memory<typename Source::accumulator> memory,
                         typename Source::result* result) {
  await_earlier_work();
  using A = typename Source::accumulator;
  constexpr bool takes_several = Rows == fold_order::long_rows;
  constexpr unsigned most = takes_several ? backends::most_chunks_of_team<Source> : 1;
  __shared__ block_scratch<A, fold_threads> scratch;
  using rooms = backends::chunk_rooms<Source>;
  __shared__ backends::row_pack<Source> rows[rooms::row_packs(most * Rows)];
  __shared__ typename rooms::offsets offsets[rooms::offset_packs + 1];
  __shared__ A values[most][fold_threads];

  const auto at = backends::place_of<Rows>(levels, blockIdx.x, threadIdx.x);
  const unsigned first = takes_several ? dealt.first_of(at.chunk) : at.chunk;
  const unsigned of_block = takes_several ? dealt.count_of(at.chunk) : 1;
  A mine = backends::nothing<A>();
  A* slot = &values[0][backends::value_slot<A>(threadIdx.x)];
  backends::fold_thread_of_chunks<Rows>(
      source, n, levels.chunks, first, of_block, at.thread, threadIdx.x, rooms{rows, offsets},
      [] { __syncthreads(); },
      [&](A value) {
        mine = value;
        if constexpr (takes_several) {
          *slot = value;
          slot += fold_threads;
        }
      });
  if (!takes_several || dealt.one_each()) {
    return fold_results<Rows>(source, levels, fold_threads_of_chunk<Rows>(levels, mine, scratch), memory,
                              scratch, result);
  }
  __syncthreads();  // the values are there
  // A warp per chunk.
  const unsigned until = levels.chunks - first < of_block ? levels.chunks : first + of_block;
  const unsigned c = first + threadIdx.x / warp_threads, lane = threadIdx.x % warp_threads;
  if (c < until) {
    const A folded = warp_fold(backends::fold_thread_of_values(values[c - first], lane));
    if (lane == 0) memory.partials[c] = folded;
  }
  __syncthreads();  // thread 0 will say so for all
  fold_groups(source, levels, first, until - first, memory, scratch, result);
}

template <class Source>
__global__ void empty_fold_kernel(const __grid_constant__ Source source, typename Source::result* result) {
  await_earlier_work();
  *result = source.of_nothing();
}

/// Launches the fold of elements 0 .. n - 1 of `source` into *result.
template <class Source>
void fold(const char* name, const Source& source, std::size_t n, typename Source::result* result,
          workspace& scratch, stream_handle stream) {
  using A = typename Source::accumulator;
  if (n == 0) return launch_early(name, empty_fold_kernel<Source>, 1, 1, 0, stream, source, result);
  grid_of(name, fold_order::chunk_count(n));  // throws where that is too many
  auto levels = backends::fold_levels::of(n);
  backends::device_workspace::memory memory{};
  if (levels.chunks > 1) {
    constexpr unsigned few = backends::few_chunks<A>;
    memory = scratch.at_least(std::max<std::size_t>(fold_order::partial_count(n), few) * sizeof(A),
                              std::size_t{1} + levels.groups);
    levels.spread_over(memory.multiprocessors, few, n);
  }
  const fold_memory<A> results{static_cast<A*>(memory.partials), memory.counters};
  backends::with_shape(source, n, [&]<unsigned Rows, bool Packed>() {
    if constexpr (backends::computes_elements<Source>) {
      const auto dealt = backends::dealt_chunks::of<Rows>(levels, backends::most_chunks_of_team<Source>,
                                                          memory.multiprocessors);
      launch_early(name, fold_computed_kernel<Rows, Source>, dealt.teams, levels.threads(), 0, stream, source,
                   n, levels, dealt, results, result);
    } else {
      launch_early(name, fold_kernel<Rows, Packed, Source>, levels.parts(), levels.threads(), 0, stream,
                   source, n, levels, results, result);
    }
  });
}

/// The value of a fold on the host: lands in pinned memory, where it is waited for.
template <class Source>
typename Source::result fold_to_host(const char* name, const Source& source, std::size_t n,
                                     stream_handle stream) {
  using R = typename Source::result;
  if (n == 0) return source.of_nothing();
  backends::refuse_capture(stream, name);
  const backends::host_value<R> value;
  fold(name, source, n, value.address(), backends::workspace_of(stream), stream);
  return value.wait(stream, name);
}

}  // namespace twofold::cuda_native::detail
