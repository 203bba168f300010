// SPDX-License-Identifier: Apache-2.0
// Strategy: a block takes 128 chunks of 32 elements (192 where the halo is long) and the halo behind them to shared memory, coalesced; each
// thread walks its chunk there and keeps the sums to the chunk's end in registers, then joins them with the
// running sums where its windows end, and the results leave through shared memory, whole lines at a time. One
// pass for windows up to what lets three blocks share an SM; that is beyond 48 KiB, so the kernel opts in.
// Longer windows: sums of 1024 elements first, then the two ends of each window are walked alone; the ends
// that trail come from L2. Radius up to 8: term by term from registers. Weights: from registers and shared memory.
// Shared memory: up to 75 KiB, 16 bytes behind every chunk against bank conflicts.
#include <twofold/backends/stencil_device.hpp>
#include <twofold/backends/stencil_registers_device.hpp>
#include <twofold/backends/stencil_terms_device.hpp>
#include <twofold/cuda_native/detail/launch.hpp>
#include <twofold/cuda_native/detail/operands.hpp>
#include <twofold/cuda_native/stencil.hpp>

#include <algorithm>
#include <type_traits>

namespace twofold::cuda_native {
namespace {

namespace device = backends::stencil_device;
using backends::adjacent_elements;
using stencil_order::index;

/// What three blocks of an H100 or H200 can have each; with less, and on a device that has less, two passes are faster.
constexpr std::size_t most_shared_bytes = 75 * 1024;

/// Where tiles are long. k = 1500: 656 us, with teams of 128 667, of 160 684.
template <class R>
constexpr unsigned wide_team_size = sizeof(R) == 4 ? 192 : 128;
template <class R>
constexpr unsigned wide_teams_at_once = sizeof(R) == 4 ? 5 : 4;

template <unsigned Threads>
struct block_team {
  __device__ unsigned rank() const { return threadIdx.x; }
  __device__ static constexpr unsigned size() { return Threads; }
  __device__ void barrier() const { __syncthreads(); }
  // Results are not read again: they should not push the input out of the cache.
  template <class R>
  __device__ void write(R* to, R value) const {
    if constexpr (std::is_same_v<R, std::uint64_t>) {
      __stcs(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value));
    } else {
      __stcs(to, value);
    }
  }
  template <class R, unsigned P>
  __device__ void write_pack(R* to, const device::pack<R, P>& pack) const {
#pragma unroll
    for (unsigned u = 0; u < P * sizeof(R) / 16; ++u) {
      __stcs(reinterpret_cast<uint4*>(to) + u, reinterpret_cast<const uint4*>(&pack)[u]);
    }
  }
};

template <class R>
__device__ R* shared_memory() {
  extern __shared__ __align__(16) unsigned char bytes[];
  return reinterpret_cast<R*>(bytes);
}

template <unsigned Block, unsigned Threads, unsigned AtOnce, class R, class T>
__global__ void __launch_bounds__(Threads, AtOnce)
    stencil_one_pass_kernel(adjacent_elements<const T> in, adjacent_elements<R> out, index n, index k) {
  detail::await_earlier_work();
  device::one_pass<Block>(block_team<Threads>{}, in, out, n, k, blockIdx.x, shared_memory<R>());
}

template <class R, class T>
__global__ void __launch_bounds__(device::long_team_size<R>, device::long_teams_at_once<R>)
    stencil_keep_nodes_kernel(adjacent_elements<const T> in, index n, R* kept) {
  detail::await_earlier_work();
  device::keep_nodes(block_team<device::long_team_size<R>>{}, in, n, blockIdx.x, shared_memory<R>(), kept);
}

template <class R>
__global__ void __launch_bounds__(device::build_team_size)
    stencil_build_kept_kernel(stencil_order::node_level<R> level, int levels) {
  detail::await_earlier_work();
  device::build_kept(block_team<device::build_team_size>{}, level, levels, blockIdx.x, shared_memory<R>());
}

template <class R, class T>
__global__ void __launch_bounds__(device::long_team_size<R>, device::long_teams_at_once<R>)
    stencil_two_pass_kernel(adjacent_elements<const T> in, adjacent_elements<R> out, index n, index k,
                            stencil_order::node_level<R> kept) {
  detail::await_earlier_work();
  device::two_pass(block_team<device::long_team_size<R>>{}, in, out, n, k, blockIdx.x, shared_memory<R>(),
                   kept);
}

template <int K, device::alignment Lie, class R, class T, class Weights>
__global__ void __launch_bounds__((device::short_block_size<K, Weights, R>),
                                  (device::short_blocks_at_once<K, Lie, Weights, R>))
    stencil_short_kernel(adjacent_elements<const T> in, Weights weights, adjacent_elements<R> out, index n) {
  detail::await_earlier_work();
  device::short_windows<K, Lie, R>(in, weights, out, n,
                                   index{blockIdx.x} * device::short_block_size<K, Weights, R> + threadIdx.x);
}

template <class R, class T>
__global__ void __launch_bounds__(device::direct_team_size, device::direct_teams_at_once<R>)
    stencil_direct_kernel(adjacent_elements<const T> in, adjacent_elements<const T> weights,
                          adjacent_elements<R> out, index n, index k) {
  detail::await_earlier_work();
  device::direct<true>(block_team<device::direct_team_size>{}, in, weights, out, n, k, blockIdx.x,
                       shared_memory<R>());
}

/// What a block may have on the current device when it asks for it.
std::size_t shared_limit() {
  int current = 0, bytes = 0;
  backends::check_cuda(cudaGetDevice(&current), "cudaGetDevice");
  backends::check_cuda(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, current),
                       "cudaDeviceGetAttribute");
  return static_cast<std::size_t>(bytes);
}

template <class... Parameters, class... Arguments>
void start(const char* name, void (*kernel)(Parameters...), index blocks, unsigned threads, std::size_t bytes,
           stream_handle stream, Arguments... arguments) {
  constexpr std::size_t without_asking = 48 * 1024;
  if (bytes > without_asking) {
    // The most that there is, not `bytes`: another thread's call of a smaller window may come between this and the launch.
    backends::check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                              static_cast<int>(shared_limit())),
                         name);
  }
  detail::launch_early(name, kernel, detail::grid_of(name, static_cast<std::size_t>(blocks)), threads, bytes,
                       stream, arguments...);
}

/// Windows of radius k, at most `longest_in_registers`.
template <class R, class T, class Weights>
void short_windows(const char* name, adjacent_elements<const T> in, Weights weights, index n, index k,
                   adjacent_elements<R> out, stream_handle stream) {
  device::with_radius<Weights>(k, [&]<int K>() {
    device::with_alignment(in, out, [&]<device::alignment Lie>() {
      constexpr unsigned block = device::short_block_size<K, Weights, R>;
      start(name, stencil_short_kernel<K, Lie, R, T, Weights>,
            (device::short_items<K, Lie, Weights>(in, out, n) + block - 1) / block, block, 0, stream, in,
            weights, out, n);
    });
  });
}

template <class R, class T>
void window_sums(const char* name, adjacent_elements<const T> in, index n, index k, adjacent_elements<R> out,
                 workspace& scratch, stream_handle stream) {
  constexpr unsigned size = device::team_size<R>, wide = wide_team_size<R>,
                     long_size = device::long_team_size<R>;
  const auto one_pass = [&]<unsigned Block, unsigned Threads, unsigned AtOnce>() {
    start(name, stencil_one_pass_kernel<Block, Threads, AtOnce, R, T>, device::team_count(n, k, Threads),
          Threads, device::one_pass_bytes<R>(k, Threads), stream, in, out, n, k);
  };
  if (k <= stencil_order::longest_direct) {
    short_windows(name, in, device::no_weights{}, n, k, out, stream);
  } else if (stencil_order::block_size(k) == 16) {
    one_pass.template operator()<16, size, device::teams_at_once<16, R>>();
  } else if (device::one_pass_bytes<R>(k, size) <= device::most_tile_bytes<R>) {
    one_pass.template operator()<32, size, device::teams_at_once<32, R>>();
  } else if (device::one_pass_bytes<R>(k, wide) <= std::min(most_shared_bytes, shared_limit())) {
    one_pass.template operator()<32, wide, wide_teams_at_once<R>>();
  } else {
    const int top = stencil_order::top_level(k);
    const auto room = static_cast<std::size_t>(stencil_order::kept_total(n, top)) * sizeof(R);
    const stencil_order::node_level<R> level{static_cast<R*>(scratch.at_least(room, 0).partials), 0,
                                             stencil_order::kept_count(n)};
    constexpr index per_block = long_size * stencil_order::chunk;
    start(name, stencil_keep_nodes_kernel<R, T>, (n + per_block - 1) / per_block, long_size,
          device::kept_bytes<R>(), stream, in, n, level.nodes);
    auto below = level;
    for (int built = stencil_order::kept_level; built < top; built += device::built_levels) {
      const int levels = std::min(top - built, device::built_levels);
      start(name, stencil_build_kept_kernel<R>, (below.count + device::built_nodes - 1) / device::built_nodes,
            device::build_team_size, device::built_nodes * sizeof(R), stream, below, levels);
      for (int l = 0; l < levels; ++l) below = below.above();
    }
    start(name, stencil_two_pass_kernel<R, T>, device::two_pass_teams<R>(n, k), long_size,
          device::two_pass_bytes<R>(), stream, in, out, n, k, level);
  }
}

// Signed integers share the kernels of unsigned ones: the bits agree. Only a wider result sees the sign.
template <class T, class R>
struct kernel_types {
  using element = T;
  using result = R;
};
template <class T>
  requires std::is_integral_v<T>
struct kernel_types<T, T> {
  using element = std::make_unsigned_t<T>;
  using result = element;
};

void refuse_overlap(const char* name, const void* x, std::size_t x_bytes, const void* out,
                    std::size_t out_bytes, const char* what) {
  const auto a = reinterpret_cast<std::uintptr_t>(x), b = reinterpret_cast<std::uintptr_t>(out);
  backends::expects(a + x_bytes <= b || b + out_bytes <= a, name, [&] { return std::string(what); });
}

template <class T, class R>
void expects_stencil(const char* name, const T* in, std::size_t n, const R* out) {
  detail::expects_operand(name, in, n, "in");
  detail::expects_operand(name, out, n, "out");
  refuse_overlap(name, in, n * sizeof(T), out, n * sizeof(R),
                 "out overlaps in; a stencil cannot be computed in place");
}

}  // namespace

template <class R, class T>
  requires stencils<T, R>
void stencil(const T* in, std::size_t n, std::uint64_t k, R* out, workspace& scratch, stream_handle stream) {
  expects_stencil("cuda_native::stencil", in, n, out);
  if (n == 0) return;
  using element = typename kernel_types<T, R>::element;
  using result = typename kernel_types<T, R>::result;
  window_sums<result, element>("twofold::cuda_native::stencil", {reinterpret_cast<const element*>(in)},
                               static_cast<index>(n), stencil_order::clamped_radius(k, n),
                               {reinterpret_cast<result*>(out)}, scratch, stream);
}

template <class R, class T>
  requires stencils<T, R>
void stencil(const T* in, std::size_t n, const T* weights, std::size_t k, R* out, stream_handle stream) {
  constexpr const char* name = "twofold::cuda_native::stencil";
  expects_stencil("cuda_native::stencil", in, n, out);
  detail::expects_operand("cuda_native::stencil", weights, 2 * k + 1, "weights");
  if (n == 0) return;
  refuse_overlap("cuda_native::stencil", weights, (2 * k + 1) * sizeof(T), out, n * sizeof(R),
                 "out overlaps weights");
  using element = typename kernel_types<T, R>::element;
  using result = typename kernel_types<T, R>::result;
  const adjacent_elements<const element> from{reinterpret_cast<const element*>(in)};
  const adjacent_elements<const element> w{reinterpret_cast<const element*>(weights)};
  const adjacent_elements<result> to{reinterpret_cast<result*>(out)};
  const auto radius = static_cast<index>(k);
  const auto count = static_cast<index>(n);
  if (radius <= device::longest_in_registers<decltype(w)>) {
    short_windows(name, from, w, count, radius, to, stream);
  } else {
    start(name, stencil_direct_kernel<result, element>, device::direct_teams<true>(to, count),
          device::direct_team_size, device::direct_bytes<true, result>(radius), stream, from, w, to, count,
          radius);
  }
}

template void stencil<float, float>(const float*, std::size_t, std::uint64_t, float*, workspace&,
                                    stream_handle);
template void stencil<double, float>(const float*, std::size_t, std::uint64_t, double*, workspace&,
                                     stream_handle);
template void stencil<double, double>(const double*, std::size_t, std::uint64_t, double*, workspace&,
                                      stream_handle);
template void stencil<std::int32_t, std::int32_t>(const std::int32_t*, std::size_t, std::uint64_t,
                                                  std::int32_t*, workspace&, stream_handle);
template void stencil<std::uint32_t, std::uint32_t>(const std::uint32_t*, std::size_t, std::uint64_t,
                                                    std::uint32_t*, workspace&, stream_handle);
template void stencil<std::int64_t, std::int64_t>(const std::int64_t*, std::size_t, std::uint64_t,
                                                  std::int64_t*, workspace&, stream_handle);
template void stencil<std::uint64_t, std::uint64_t>(const std::uint64_t*, std::size_t, std::uint64_t,
                                                    std::uint64_t*, workspace&, stream_handle);
template void stencil<std::int64_t, std::int32_t>(const std::int32_t*, std::size_t, std::uint64_t,
                                                  std::int64_t*, workspace&, stream_handle);
template void stencil<std::uint64_t, std::uint32_t>(const std::uint32_t*, std::size_t, std::uint64_t,
                                                    std::uint64_t*, workspace&, stream_handle);

template void stencil<float, float>(const float*, std::size_t, const float*, std::size_t, float*,
                                    stream_handle);
template void stencil<double, float>(const float*, std::size_t, const float*, std::size_t, double*,
                                     stream_handle);
template void stencil<double, double>(const double*, std::size_t, const double*, std::size_t, double*,
                                      stream_handle);
template void stencil<std::int32_t, std::int32_t>(const std::int32_t*, std::size_t, const std::int32_t*,
                                                  std::size_t, std::int32_t*, stream_handle);
template void stencil<std::uint32_t, std::uint32_t>(const std::uint32_t*, std::size_t, const std::uint32_t*,
                                                    std::size_t, std::uint32_t*, stream_handle);
template void stencil<std::int64_t, std::int64_t>(const std::int64_t*, std::size_t, const std::int64_t*,
                                                  std::size_t, std::int64_t*, stream_handle);
template void stencil<std::uint64_t, std::uint64_t>(const std::uint64_t*, std::size_t, const std::uint64_t*,
                                                    std::size_t, std::uint64_t*, stream_handle);
template void stencil<std::int64_t, std::int32_t>(const std::int32_t*, std::size_t, const std::int32_t*,
                                                  std::size_t, std::int64_t*, stream_handle);
template void stencil<std::uint64_t, std::uint32_t>(const std::uint32_t*, std::size_t, const std::uint32_t*,
                                                    std::size_t, std::uint64_t*, stream_handle);

}  // namespace twofold::cuda_native
