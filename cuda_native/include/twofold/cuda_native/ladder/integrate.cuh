// SPDX-License-Identifier: Apache-2.0
// The ladder of `integrate`, from one atomic per thread to the tuned kernel. Read it top-down: each kernel's
// comment ends with the reason for the next. docs/ladder.md walks it with figures.
#pragma once

#if !defined(__CUDACC__)
#error \
    "twofold/cuda_native/ladder/integrate.cuh holds kernels around the caller's functor: compile it with nvcc."
#endif

#include <twofold/cuda_native/integrate.cuh>
#include <twofold/cuda_native/ladder/integrate.hpp>

#include <cstddef>

namespace twofold::cuda_native::ladder::integrate {

/// The composite trapezoidal rule, abscissa by abscissa: areas that only have to be added.
///
/// The text's kernels leave both ends and the factor h to the host. Here they are part of the rule, so a call
/// gives the whole integral: the ends weigh half, and each value is multiplied by h before it is added.
/// The text's `a + my_i * h` turns the index into a float, which is exact up to 2^24 only; here it is a double.
template <class F>
struct rule {
  F f;            ///< the integrand
  float a;        ///< where the integral begins
  float b;        ///< where it ends
  double h;       ///< the width of a trapezoid
  std::size_t n;  ///< trapezoids

  /// The rule for n trapezoids from a to b.
  static rule of(const F& f, float a, float b, std::size_t n) {
    return {f, a, b, (static_cast<double>(b) - static_cast<double>(a)) / static_cast<double>(n), n};
  }
  /// 0 beyond the last abscissa, so that idle threads can take part in shuffles and barriers.
  __device__ float area(std::size_t i) const {
    if (i > n) return 0.0f;
    const float x = i == n ? b : static_cast<float>(::fma(static_cast<double>(i), h, static_cast<double>(a)));
    const float weight = static_cast<float>(i == 0 || i == n ? 0.5 * h : h);
    return weight * static_cast<float>(f(x));
  }
};

namespace detail {

__device__ __forceinline__ std::size_t global_thread() {
  return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

/// Zeroes the target that the atomics add to, which the text's kernels leave to a host that it does not show: without
/// it a second call would add to the result of the first. Then one thread per abscissa.
template <class F, class Kernel>
void launch_per_abscissa(const char* name, Kernel kernel, unsigned threads, const F& f, float a, float b,
                         std::size_t n, float* result, stream_handle stream) {
  backends::expects_interval("cuda_native::ladder::integrate", a, b, n);
  cuda_native::detail::expects_result(name, result);
  const unsigned blocks = cuda_native::detail::grid_of(name, (n + 1 + threads - 1) / threads);
  backends::check_cuda(cudaMemsetAsync(result, 0, sizeof *result, stream), name);
  cuda_native::detail::launch(name, kernel, blocks, threads, 0, stream, rule<F>::of(f, a, b, n), result);
}

}  // namespace detail

// Rung 1, one atomic per thread. Correct and short, and every addition waits for the one before: n + 1
// additions to one address, one after another, in the cache's atomic unit. The sum loses digits as well: each small
// area is rounded to the last digit of the large sum.
// Next: add within the warp first, where 32 values meet without memory.
template <class F>
__global__ void atomic_per_thread_kernel(const __grid_constant__ rule<F> rule, float* result) {
  const std::size_t i = detail::global_thread();
  if (i <= rule.n) atomicAdd(result, rule.area(i));
}

template <unsigned Threads, class F>
void atomic_per_thread(const F& f, float a, float b, std::size_t n, float* result, workspace&,
                       stream_handle stream) {
  detail::launch_per_abscissa("cuda_native::ladder::integrate::atomic_per_thread",
                              atomic_per_thread_kernel<F>, Threads, f, a, b, n, result, stream);
}

// Rung 2, warp shuffle. Five exchanges between registers leave the warp's sum in lane 0; one atomic per warp.
// All 32 lanes shuffle, those beyond the end with 0: a lane missing from the mask would be undefined behaviour.
// Lane 0 of *every* warp adds. The text asks for threadIdx.x == 0, which is right for its blocks of 32 only: in
// larger blocks all other warps' sums would be lost.
// Next: the same exchange through shared memory, for what no shuffle can move.
template <class F>
__global__ void warp_shuffle_kernel(const __grid_constant__ rule<F> rule, float* result) {
  float area = rule.area(detail::global_thread());
  for (unsigned distance = warpSize / 2; distance > 0; distance /= 2) {
    area += __shfl_down_sync(0xffffffffu, area, distance);
  }
  if (threadIdx.x % warpSize == 0) atomicAdd(result, area);
}

template <unsigned Threads, class F>
void warp_shuffle(const F& f, float a, float b, std::size_t n, float* result, workspace&,
                  stream_handle stream) {
  static_assert(Threads % 32 == 0, "a partial warp cannot shuffle with a full mask");
  detail::launch_per_abscissa("cuda_native::ladder::integrate::warp_shuffle", warp_shuffle_kernel<F>, Threads,
                              f, a, b, n, result, stream);
}

// Rung 3, dissemination through shared memory. The text relies on lockstep: "all threads read before any thread
// overwrites". Since Volta the threads of a warp advance independently, so a thread may read a neighbour's value
// before it is written or after it was overwritten. Both need a barrier, __syncwarp: read | barrier | write | barrier.
// The text also indexes by lane alone, so that the warps of a larger block would share 32 slots; here each has its own.
// Next: n / 32 atomics still queue up at one address. Fold the whole block before the atomic.
template <unsigned Threads, class F>
__global__ void shared_dissemination_kernel(const __grid_constant__ rule<F> rule, float* result) {
  __shared__ float values[Threads];
  const unsigned lane = threadIdx.x % warpSize;
  float* const of_warp = values + (threadIdx.x - lane);
  of_warp[lane] = rule.area(detail::global_thread());
  for (unsigned distance = warpSize / 2; distance > 0; distance /= 2) {
    __syncwarp();  // what the neighbours wrote is visible
    const float other = of_warp[(lane + distance) % warpSize];
    __syncwarp();  // everybody has read; now the slots may change
    of_warp[lane] += other;
  }
  if (lane == 0) atomicAdd(result, of_warp[0]);
}

template <unsigned Threads, class F>
void shared_dissemination(const F& f, float a, float b, std::size_t n, float* result, workspace&,
                          stream_handle stream) {
  static_assert(Threads % 32 == 0, "a partial warp would read slots that nobody wrote");
  detail::launch_per_abscissa("cuda_native::ladder::integrate::shared_dissemination",
                              shared_dissemination_kernel<Threads, F>, Threads, f, a, b, n, result, stream);
}

// Rung 4, a tree over the block: log2(Threads) steps, one atomic per block. The barrier stands outside the
// branch: every thread of the block must reach it, also those that have nothing left to add.
// Next: one abscissa per thread means that most of the time goes into starting threads and running the tree; and
// the order of the atomics still changes the last digits from call to call.
template <unsigned Threads, class F>
__global__ void block_tree_kernel(const __grid_constant__ rule<F> rule, float* result) {
  __shared__ float values[Threads];
  values[threadIdx.x] = rule.area(detail::global_thread());
  for (unsigned width = Threads / 2; width > 0; width /= 2) {
    __syncthreads();  // the upper half is written
    if (threadIdx.x < width) values[threadIdx.x] += values[threadIdx.x + width];
  }
  if (threadIdx.x == 0) atomicAdd(result, values[0]);
}

template <unsigned Threads, class F>
void block_tree(const F& f, float a, float b, std::size_t n, float* result, workspace&,
                stream_handle stream) {
  static_assert((Threads & (Threads - 1)) == 0, "the tree halves the block");
  detail::launch_per_abscissa("cuda_native::ladder::integrate::block_tree", block_tree_kernel<Threads, F>,
                              Threads, f, a, b, n, result, stream);
}

// Rung 5, grid-stride in fold order 1: a fixed grid walks the chunks; each thread adds many elements in
// registers, the 2048 lanes of a chunk fold by a tree over neighbours, and the chunk results are folded by the
// same kernel again. No atomics, so the order depends on n alone and the bits are those of every other path.
// `Source` is what the tuned kernel folds too: abscissae and weights are inside it.
// Next: three launches for a million abscissae, and a tree with a barrier per level. The tuned kernel
// folds four lanes in registers, 128 by shuffles, and lets the last block finish: one launch.
template <class Source>
__global__ void fold_order_kernel(const __grid_constant__ Source source, std::size_t n,
                                  typename Source::accumulator* chunk_results) {
  using A = typename Source::accumulator;
  constexpr std::size_t lanes = twofold::fold_order::lanes;
  __shared__ A folded[lanes];
  const std::size_t chunk = twofold::fold_order::chunk_size(n), chunks = twofold::fold_order::chunk_count(n);
  for (std::size_t c = blockIdx.x; c < chunks; c += gridDim.x) {
    const std::size_t start = c * chunk, end = n - start < chunk ? n : start + chunk;
    for (unsigned lane = threadIdx.x; lane < lanes; lane += blockDim.x) {
      A sum = backends::nothing<A>();
      for (std::size_t row = start; row + lane < end; row += lanes) {
        sum = Source::with(sum, source.load(source.row(row), source.lane(lane)));
      }
      folded[lane] = sum;
    }
    for (unsigned width = 1; width < lanes; width *= 2) {
      __syncthreads();  // the pairs are written
      for (unsigned k = threadIdx.x; k < lanes / (2 * width); k += blockDim.x) {
        A* const pair = folded + std::size_t{2} * width * k;
        pair[0] = backends::combine(pair[0], pair[width]);
      }
    }
    if (threadIdx.x == 0) chunk_results[c] = folded[0];  // thread 0 combined the last pair itself
    __syncthreads();                                     // before the next chunk overwrites folded[]
  }
}

template <class Source>
__global__ void finish_kernel(const __grid_constant__ Source source,
                              const typename Source::accumulator* folded, typename Source::result* result) {
  *result = source.finish(*folded);
}

template <class F>
void fold_order(const F& f, float a, float b, std::size_t n, float* result, workspace& scratch,
                stream_handle stream) {
  const char* const name = "cuda_native::ladder::integrate::fold_order";
  backends::expects_interval("cuda_native::ladder::integrate", a, b, n);
  cuda_native::detail::expects_result(name, result);
  constexpr unsigned threads = 256, most_blocks = 1024;
  const auto source = backends::trapezoids<float>(f, a, b, n);
  std::size_t count = n + 1;
  auto* results = static_cast<float*>(
      scratch.at_least(twofold::fold_order::partial_count(count) * sizeof(float), 0).partials);
  const auto fold_level = [&](const auto& level) {
    const std::size_t chunks = twofold::fold_order::chunk_count(count);
    const auto blocks = static_cast<unsigned>(chunks < most_blocks ? chunks : most_blocks);
    cuda_native::detail::launch(name, fold_order_kernel<std::remove_cvref_t<decltype(level)>>, blocks,
                                threads, 0, stream, level, count, results);
    count = chunks;
  };
  fold_level(source);
  while (count > 1) {
    const backends::partials_source<float> level{results};
    results += count;
    fold_level(level);
  }
  cuda_native::detail::launch(name, finish_kernel<std::remove_cvref_t<decltype(source)>>, 1, 1, 0, stream,
                              source, results, result);
}

// Rung 6, tuned: the library's own kernel, detail/fold.cuh.
template <class F>
void tuned(const F& f, float a, float b, std::size_t n, float* result, workspace& scratch,
           stream_handle stream) {
  cuda_native::integrate(f, a, b, n, result, scratch, stream);
}

}  // namespace twofold::cuda_native::ladder::integrate
