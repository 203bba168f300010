// SPDX-License-Identifier: Apache-2.0
// An integral's elements alone: the native kernel's loop over rows and nothing else. For f of few operations nothing is
// faster. Blocks know sixteen or eight chunks' rows, walk them again and again, as many chunks in all as n elements have,
// and add. No ends, no values of chunks, no tree, no groups. What comes out is the mean of f over the abscissae that were
// walked, which the host can say too.

#include <algorithm>
#include <cstdint>

#include <cuda/atomic>

#include <twofold/backends/trapezoids.hpp>
#include <twofold/cuda_native/detail/fold.cuh>

#include "integrands.hpp"
#include "peers.hpp"

namespace twofold::bench {
namespace {

namespace native = cuda_native::detail;

constexpr unsigned rows_of_chunk = fold_order::long_rows;
constexpr std::size_t chunk = rows_of_chunk * fold_order::lanes;

void check(cudaError_t status, const char* call) { backends::check_cuda(status, call); }

/// Which chunks the blocks walk.
struct Walk {
  unsigned blocks;
  unsigned chunks;  // of each block, one after the other
  unsigned known;   // so many are different; then it is the first one's turn again

  static Walk of(std::int64_t n, int blocks_per_sm, unsigned known) {
    static const int multiprocessors = [] {
      int device = 0, count = 0;
      check(cudaGetDevice(&device), "cudaGetDevice");
      check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
      return count;
    }();
    const auto blocks = static_cast<unsigned>(blocks_per_sm * multiprocessors);
    const std::size_t of_round =
        blocks * chunk;  // rounded to whole chunks a block: up to 0.8 % of 2^30 elements
    const auto chunks = static_cast<unsigned>((static_cast<std::size_t>(n) + of_round / 2) / of_round);
    return {blocks, std::max(chunks, 1u), known};
  }
  /// The width of the known chunks together, as trapezoids.
  std::int64_t trapezoids() const { return std::int64_t{known} * chunk; }
};

template <unsigned BlocksPerSm, class Source>
__global__ void __launch_bounds__(native::fold_threads, BlocksPerSm)
    elements_alone_kernel(const __grid_constant__ Source source, unsigned chunks, double* total,
                          unsigned* arrived, double share, typename Source::result* result) {
  native::await_earlier_work();
  using A = typename Source::accumulator;
  constexpr unsigned known = backends::most_chunks_of_team<Source>;
  using rooms = backends::chunk_rooms<Source>;
  __shared__ backends::row_pack<Source> rows[rooms::row_packs(known * rows_of_chunk)];
  constexpr unsigned of_pack = backends::row_pack<Source>::rows;
  const unsigned t = threadIdx.x;
  if (t < known * rows_of_chunk) rows[t / of_pack].row[t % of_pack] = source.base(t * fold_order::lanes);
  typename rooms::offsets offsets;
  for (unsigned k = 0; k < backends::lanes_per_thread; ++k)
    offsets.element[k] = source.lane(backends::lanes_per_thread * t + k).value;
  __syncthreads();  // the rows are there

  A mine = backends::nothing<A>();
  unsigned next = 0;
  TWOFOLD_DO_NOT_UNROLL
  for (unsigned c = 0; c < chunks; ++c) {
    if (next == rooms::row_packs(known * rows_of_chunk)) next = 0;
    mine = backends::combine(mine, backends::fold_thread_inside<rows_of_chunk>(source, rows, next, offsets));
  }
  __shared__ native::block_scratch<A, native::fold_threads> scratch;
  const A folded = native::block_fold<native::fold_threads>(mine, scratch);
  if (t != 0) return;
  atomicAdd(total, static_cast<double>(folded));
  const cuda::atomic_ref<unsigned, cuda::thread_scope_device> arrivals(*arrived);
  if (arrivals.fetch_add(1u, cuda::memory_order_acq_rel) != gridDim.x - 1) return;
  *result = static_cast<typename Source::result>(*total * share);
  *total = 0;
  *arrived = 0;
}

struct Scratch {
  double total;
  unsigned arrived;

  static Scratch* instance() {
    static Scratch* const scratch = [] {
      Scratch* fresh = nullptr;
      check(cudaMalloc(&fresh, sizeof(Scratch)), "cudaMalloc of a sum");
      check(cudaMemset(fresh, 0, sizeof(Scratch)), "cudaMemset of a sum");
      check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
      return fresh;
    }();
    return scratch;
  }
};

template <class T, class F>
using SourceOf = backends::trapezoids_source<F, T>;

template <unsigned BlocksPerSm, class T, class F>
void walk_elements(T a, T b, std::int64_t n, T* result, Stream stream) {
  const auto walk = Walk::of(n, BlocksPerSm, backends::most_chunks_of_team<SourceOf<T, F>>);
  const auto source = backends::trapezoids(F{}, a, b, static_cast<std::size_t>(walk.trapezoids()));
  Scratch* const scratch = Scratch::instance();
  const double share = 1.0 / (static_cast<double>(walk.blocks) * walk.chunks * chunk);
  native::launch_early("twofold_bench elements alone", elements_alone_kernel<BlocksPerSm, SourceOf<T, F>>,
                       walk.blocks, native::fold_threads, 0, stream, source, walk.chunks, &scratch->total,
                       &scratch->arrived, share, result);
}

long double value_of(SquarePlusOne, long double x) { return x * x + 1; }
long double value_of(FourOverOnePlusSquare, long double x) { return 4 / (x * x + 1); }
long double trapezoids_of(SquarePlusOne, long double a, long double b, std::int64_t n) {
  return trapezoids_of_parabola(a, b, n);
}
long double trapezoids_of(FourOverOnePlusSquare, long double a, long double b, std::int64_t n) {
  return trapezoids_of_arctangent(a, b, n);
}

/// The mean of f over what a block walks, all of them the same.
template <unsigned BlocksPerSm, class T, class F>
long double mean_of_walk(T a, T b, std::int64_t n) {
  const auto walk = Walk::of(n, BlocksPerSm, backends::most_chunks_of_team<SourceOf<T, F>>);
  const long double h = (static_cast<long double>(b) - a) / static_cast<long double>(walk.trapezoids());
  const auto sum_of = [&](unsigned chunks) -> long double {
    if (chunks == 0) return 0;
    const std::int64_t count = std::int64_t{chunks} * chunk;
    const long double end = a + static_cast<long double>(count) * h;
    return trapezoids_of(F{}, a, end, count) / h + (value_of(F{}, a) - value_of(F{}, end)) / 2;
  };
  const auto rounds = static_cast<long double>(walk.chunks / walk.known);
  return (rounds * sum_of(walk.known) + sum_of(walk.chunks % walk.known)) /
         (static_cast<long double>(walk.chunks) * chunk);
}

/// From where on whole chunks a block are close to n elements.
constexpr std::int64_t n_min = std::int64_t{1} << 30;

template <unsigned BlocksPerSm, class T, class F>
IntegratePeer<T> peer(const char* name) {
  return {name, walk_elements<BlocksPerSm, T, F>, mean_of_walk<BlocksPerSm, T, F>, n_min};
}

}  // namespace

template <class T, class F>
std::vector<IntegratePeer<T>> elements_alone_peers() {
  return {peer<2, T, F>("elements_alone"), peer<1, T, F>("elements_alone:1"),
          peer<3, T, F>("elements_alone:3"), peer<4, T, F>("elements_alone:4")};
}

template std::vector<IntegratePeer<float>> elements_alone_peers<float, SquarePlusOne>();
template std::vector<IntegratePeer<double>> elements_alone_peers<double, SquarePlusOne>();
template std::vector<IntegratePeer<float>> elements_alone_peers<float, FourOverOnePlusSquare>();
template std::vector<IntegratePeer<double>> elements_alone_peers<double, FourOverOnePlusSquare>();

}  // namespace twofold::bench
