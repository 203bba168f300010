// SPDX-License-Identifier: Apache-2.0
// What the fold order costs: the native kernel, free to choose its order. A thread loads and adds as the native kernel's
// threads do (the same function, as many loads in flight, the same block); but blocks stride over the tiles in as many
// as this GPU likes, keep their sums from tile to tile, and what they got is folded once, by the last block, in whatever
// shape is at hand. Nothing depends on n alone any more: the bits change with the number of multiprocessors.
// One kernel, one launch, one pass. Shared memory: 16 accumulators; where elements are computed, also the bases of rows and the
// offsets of lanes, as the native kernel has them.

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <twofold/backends/trapezoids.hpp>
#include <twofold/cuda_native/detail/fold.cuh>

#include "integrands.hpp"
#include "peers.hpp"

namespace twofold::bench {
namespace {

namespace native = cuda_native::detail;

/// Folds what the threads of all blocks have into *result.
template <unsigned Rows, class Source>
__device__ void fold_blocks(const Source& source, const backends::fold_levels& levels,
                            typename Source::accumulator mine, typename Source::accumulator* partials,
                            unsigned* counter, typename Source::result* result) {
  using A = typename Source::accumulator;
  __shared__ native::block_scratch<A, native::fold_threads> scratch;
  A folded = native::fold_threads_of_chunk<Rows>(levels, mine, scratch);
  if (gridDim.x > 1) {
    if (threadIdx.x == 0) partials[blockIdx.x] = folded;
    if (gridDim.x <= backends::few_chunks<A>) {
      // As the native kernel does.
      if (threadIdx.x >= native::warp_threads || !native::last_warp_to_arrive(counter, gridDim.x)) return;
      folded = native::warp_fold(backends::fold_thread_of_few(partials, gridDim.x, threadIdx.x));
    } else {
      if (!native::last_to_arrive(counter, 1, gridDim.x)) return;
      mine = backends::nothing<A>();
      for (unsigned block = threadIdx.x; block < gridDim.x; block += levels.threads()) {
        mine = backends::combine(mine, partials[block]);
      }
      folded = native::fold_threads_of_chunk<Rows>(levels, mine, scratch);
    }
  }
  if (threadIdx.x == 0) *result = source.finish(folded);
}

template <unsigned Rows, class Source>
__global__ void __launch_bounds__(native::fold_threads, native::fold_blocks_per_sm)
    free_order_kernel(const __grid_constant__ Source source, std::size_t n, backends::fold_levels levels,
                      typename Source::accumulator* partials, unsigned* counter,
                      typename Source::result* result) {
  native::await_earlier_work();
  using A = typename Source::accumulator;
  constexpr unsigned in_flight = backends::rows_in_flight<Source, native::fold_bytes_in_flight<A>>;
  constexpr std::size_t tile = Rows * fold_order::lanes;

  A mine = backends::nothing<A>();
  for (unsigned block = blockIdx.x; block < levels.parts(); block += gridDim.x) {
    const auto at = backends::place_of<Rows>(levels, block, threadIdx.x);
    const std::size_t start = at.chunk * tile;
    const std::size_t count = n - start < tile ? n - start : tile;
    mine = backends::combine(mine,
                             backends::fold_thread<Rows, true, in_flight>(source, start, count, at.thread));
  }
  fold_blocks<Rows>(source, levels, mine, partials, counter, result);
}

/// The same where elements are computed: tiles of the chunks that a block of the native kernel takes.
template <unsigned Rows, class Source>
__global__ void __launch_bounds__(native::fold_threads, native::fold_blocks_per_sm)
    free_order_computed_kernel(const __grid_constant__ Source source, std::size_t n,
                               backends::fold_levels levels, backends::dealt_chunks dealt,
                               typename Source::accumulator* partials, unsigned* counter,
                               typename Source::result* result) {
  native::await_earlier_work();
  using A = typename Source::accumulator;
  using rooms = backends::chunk_rooms<Source>;
  __shared__ backends::row_pack<Source> rows[rooms::row_packs(backends::most_chunks_of_team<Source> * Rows)];
  __shared__ typename rooms::offsets offsets[rooms::offset_packs + 1];

  A mine = backends::nothing<A>();
  for (unsigned tile = blockIdx.x; tile < dealt.teams; tile += gridDim.x) {
    const auto at = backends::place_of<Rows>(levels, tile, threadIdx.x);
    backends::fold_thread_of_chunks<Rows>(
        source, n, levels.chunks, dealt.first_of(at.chunk), dealt.count_of(at.chunk), at.thread, threadIdx.x,
        rooms{rows, offsets}, [] { __syncthreads(); },
        [&](A value) { mine = backends::combine(mine, value); });
    __syncthreads();  // the rows are read
  }
  fold_blocks<Rows>(source, levels, mine, partials, counter, result);
}

void check(cudaError_t status, const char* call) { backends::check_cuda(status, call); }

int multiprocessors() {
  static const int count = [] {
    int device = 0;
    int value = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
    return value;
  }();
  return count;
}

/// How many blocks there are at most: as many as fit at once, which then stride over the tiles, or this many an SM, which
/// the hardware hands out as others end. Either may be the faster; the order's price is told by the better of the two.
enum class Grid { resident, waves };
constexpr int blocks_per_sm_in_waves = 32;

/// One value a block and a counter of blocks, which is zero between calls. As long as the process.
struct Scratch {
  void* partials = nullptr;
  unsigned* counter = nullptr;

  static const Scratch& instance() {
    static const Scratch scratch;
    return scratch;
  }

 private:
  Scratch() {
    const std::size_t bytes = static_cast<std::size_t>(blocks_per_sm_in_waves * multiprocessors()) *
                              sizeof(backends::scaled_squares);
    check(cudaMalloc(&partials, bytes), "cudaMalloc of partial results");
    check(cudaMalloc(&counter, sizeof(unsigned)), "cudaMalloc of a counter");
    check(cudaMemset(counter, 0, sizeof(unsigned)), "cudaMemset of a counter");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
};

/// The blocks of a kernel at most.
template <Grid Kind, class Kernel>
unsigned most_blocks(Kernel kernel) {
  int fit = blocks_per_sm_in_waves;
  if (Kind == Grid::resident) {
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, native::fold_threads, 0), "occupancy");
  }
  return static_cast<unsigned>(fit * multiprocessors());
}

template <Grid Kind, unsigned Rows, class Source>
void launch_free_order(const Source& source, std::size_t n, typename Source::result* result, Stream stream) {
  constexpr const char* name = "twofold_bench free order";
  using A = typename Source::accumulator;
  const Scratch& scratch = Scratch::instance();
  const auto partials = static_cast<A*>(scratch.partials);
  // As the native kernel has it.
  auto levels = backends::fold_levels::of(n);
  levels.spread_over(static_cast<unsigned>(multiprocessors()), backends::few_chunks<A>, n);
  if constexpr (backends::computes_elements<Source>) {
    constexpr auto kernel = free_order_computed_kernel<Rows, Source>;
    static const unsigned most = most_blocks<Kind>(kernel);
    const auto dealt = backends::dealt_chunks::of<Rows>(levels, backends::most_chunks_of_team<Source>,
                                                        static_cast<unsigned>(multiprocessors()));
    native::launch_early(name, kernel, std::min(dealt.teams, most), levels.threads(), 0, stream, source, n,
                         levels, dealt, partials, scratch.counter, result);
  } else {
    constexpr auto kernel = free_order_kernel<Rows, Source>;
    static const unsigned most = most_blocks<Kind>(kernel);
    native::launch_early(name, kernel, std::clamp(levels.parts(), 1u, most), levels.threads(), 0, stream,
                         source, n, levels, partials, scratch.counter, result);
  }
}

template <Grid Kind, class Source>
void fold_in_free_order(const Source& source, std::size_t n, typename Source::result* result, Stream stream) {
  if constexpr (backends::loads_packs<Source>) {
    backends::expects(source.packed(), "free order", [] { return std::string("operands not aligned"); });
  }
  if (n <= fold_order::longest_short) {
    launch_free_order<Kind, fold_order::short_rows>(source, n, result, stream);
  } else {
    launch_free_order<Kind, fold_order::long_rows>(source, n, result, stream);
  }
}

template <Grid Kind, class T>
void free_sum(const T* x, const T*, std::int64_t n, T* result, Stream stream) {
  fold_in_free_order<Kind>(backends::sum_source<T, T>{{x}}, static_cast<std::size_t>(n), result, stream);
}

template <Grid Kind, class T>
void free_dot(const T* x, const T* y, std::int64_t n, T* result, Stream stream) {
  fold_in_free_order<Kind>(backends::dot_source<T, T>{{x}, {y}}, static_cast<std::size_t>(n), result, stream);
}

template <Grid Kind, class T>
void free_norm2(const T* x, const T*, std::int64_t n, T* result, Stream stream) {
  fold_in_free_order<Kind>(backends::norm2_source<T, T>{{x}}, static_cast<std::size_t>(n), result, stream);
}

template <Grid Kind, class T, class F>
void free_integrate(T a, T b, std::int64_t n, T* result, Stream stream) {
  const auto trapezoids = static_cast<std::size_t>(n);
  fold_in_free_order<Kind>(backends::trapezoids(F{}, a, b, trapezoids), trapezoids + 1, result, stream);
}

}  // namespace

template <class T>
std::vector<Peer<T, T>> free_order_peers(Fold fold) {
  switch (fold) {
    case Fold::sum:
      return {{"free_order", free_sum<Grid::resident, T>}, {"free_order:waves", free_sum<Grid::waves, T>}};
    case Fold::dot:
      return {{"free_order", free_dot<Grid::resident, T>}, {"free_order:waves", free_dot<Grid::waves, T>}};
    case Fold::norm2:
      return {{"free_order", free_norm2<Grid::resident, T>},
              {"free_order:waves", free_norm2<Grid::waves, T>}};
  }
  return {};
}

template <class T, class F>
std::vector<IntegratePeer<T>> free_order_integrate_peers() {
  return {{"free_order", free_integrate<Grid::resident, T, F>},
          {"free_order:waves", free_integrate<Grid::waves, T, F>}};
}

template std::vector<Peer<float, float>> free_order_peers(Fold);
template std::vector<Peer<double, double>> free_order_peers(Fold);
template std::vector<IntegratePeer<float>> free_order_integrate_peers<float, SquarePlusOne>();
template std::vector<IntegratePeer<double>> free_order_integrate_peers<double, SquarePlusOne>();
template std::vector<IntegratePeer<float>> free_order_integrate_peers<float, FourOverOnePlusSquare>();
template std::vector<IntegratePeer<double>> free_order_integrate_peers<double, FourOverOnePlusSquare>();

}  // namespace twofold::bench
