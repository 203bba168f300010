// SPDX-License-Identifier: Apache-2.0
// CUB's sums whose bits are the same on every GPU (cuda::execution::determinism::gpu_to_gpu), the only such peer on
// GPUs. They take counts of 64 bits from CCCL 3.2 on; with an older toolkit there are none, unless TWOFOLD_BENCH_CCCL names a
// newer CCCL, with which this file alone is compiled then: its namespaces carry its version.

#include <cub/device/device_reduce.cuh>

#include "functors_cuda.hpp"
#include "peers.hpp"

#if CUB_VERSION >= 300200 && __has_include(<cuda/__execution/determinism.h>)
#define TWOFOLD_BENCH_GPU_TO_GPU 1
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include <cuda/__execution/determinism.h>
#include <cuda/__execution/require.h>
#include <cuda/memory_resource>
#include <cuda/std/execution>
#include <cuda/std/functional>
#include <cuda/stream_ref>
#include <new>

#include "cublas_on.hpp"
#endif

namespace twofold::bench {

#ifdef TWOFOLD_BENCH_GPU_TO_GPU

/// By default these calls allocate, in every call. This gives them one block that stays, as the other peers have.
struct GpuToGpuMemory {
  void* allocate_sync(std::size_t bytes, std::size_t = 0) {
    static void* memory = nullptr;
    static std::size_t capacity = 0;
    if (bytes > capacity) {
      check(cudaFree(memory), "cudaFree");
      check(cudaMalloc(&memory, bytes), "cudaMalloc for CUB");
      capacity = bytes;
    }
    return memory;
  }
  void* allocate(cuda::stream_ref, std::size_t bytes, std::size_t = 0) { return allocate_sync(bytes); }
  void deallocate_sync(void*, std::size_t, std::size_t = 0) noexcept {}
  void deallocate(cuda::stream_ref, void*, std::size_t, std::size_t = 0) noexcept {}
  bool operator==(const GpuToGpuMemory&) const { return true; }
  bool operator!=(const GpuToGpuMemory&) const { return false; }
};

namespace {

template <class R, class In, class Out>
void add_up(In in, std::int64_t n, Out out, Stream stream) {
  const auto environment = cuda::std::execution::env{
      cuda::stream_ref{stream}, cuda::execution::require(cuda::execution::determinism::gpu_to_gpu),
      cuda::std::execution::prop{cuda::mr::get_memory_resource, GpuToGpuMemory{}}};
  check(cub::DeviceReduce::Reduce(in, out, n, cuda::std::plus<R>{}, R{}, environment), "CUB, gpu_to_gpu");
}

template <class T>
void sum(const T* x, const T*, std::int64_t n, T* result, Stream stream) {
  add_up<T>(x, n, result, stream);
}

template <class T>
void dot(const T* x, const T* y, std::int64_t n, T* result, Stream stream) {
  const thrust::counting_iterator<std::int64_t> index(0);
  add_up<T>(thrust::make_transform_iterator(index, ProductAt<T, T>{x, y}), n, result, stream);
}

template <class T>
void norm2(const T* x, const T*, std::int64_t n, T* result, Stream stream) {
  add_up<T>(thrust::make_transform_iterator(x, Square<T, T>{}), n,
            thrust::make_transform_output_iterator(result, SquareRoot{}), stream);
}

template <class T, class F>
void integrate(T a, T b, std::int64_t n, T* result, Stream stream) {
  const thrust::counting_iterator<std::int64_t> index(0);
  const TrapezoidAt<T, F> term{a, (b - a) / static_cast<T>(n), n};
  add_up<T>(thrust::make_transform_iterator(index, term), n + 1, result, stream);
}

constexpr const char* path = "vendor:cub:gpu_to_gpu";

}  // namespace

template <class T>
std::vector<Peer<T, T>> gpu_to_gpu_peers(Fold fold) {
  switch (fold) {
    case Fold::sum:
      return {{path, sum<T>}};
    case Fold::dot:
      return {{path, dot<T>}};
    case Fold::norm2:
      return {{path, norm2<T>}};
  }
  return {};
}

template <class T, class F>
std::vector<IntegratePeer<T>> gpu_to_gpu_integrate_peers() {
  return {{path, integrate<T, F>}};
}

std::string gpu_to_gpu_version() {
  return "CUB " + std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
         std::to_string(CUB_SUBMINOR_VERSION) + " gpu_to_gpu";
}

#else

template <class T>
std::vector<Peer<T, T>> gpu_to_gpu_peers(Fold) {
  return {};
}

template <class T, class F>
std::vector<IntegratePeer<T>> gpu_to_gpu_integrate_peers() {
  return {};
}

std::string gpu_to_gpu_version() { return "no gpu_to_gpu"; }

#endif

template std::vector<Peer<float, float>> gpu_to_gpu_peers(Fold);
template std::vector<Peer<double, double>> gpu_to_gpu_peers(Fold);
template std::vector<IntegratePeer<float>> gpu_to_gpu_integrate_peers<float, SquarePlusOne>();
template std::vector<IntegratePeer<double>> gpu_to_gpu_integrate_peers<double, SquarePlusOne>();
template std::vector<IntegratePeer<float>> gpu_to_gpu_integrate_peers<float, FourOverOnePlusSquare>();
template std::vector<IntegratePeer<double>> gpu_to_gpu_integrate_peers<double, FourOverOnePlusSquare>();

}  // namespace twofold::bench
