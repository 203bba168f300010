// SPDX-License-Identifier: Apache-2.0
// CUDA peers: CUB, cuBLAS, and kernels that only read, fill or do nothing. No Kokkos here.

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include <algorithm>
#include <cstdint>
#include <cub/device/device_reduce.cuh>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

#include "cublas_on.hpp"
#include "functors_cuda.hpp"
#include "peers.hpp"

namespace twofold::bench {
namespace {

/// Device memory that grows and stays, so that timed calls never allocate.
class Scratch {
 public:
  void* at_least(std::size_t bytes) {
    if (bytes > bytes_) {
      check(cudaFree(memory_), "cudaFree");
      check(cudaMalloc(&memory_, bytes), "cudaMalloc of a peer's scratch");
      bytes_ = bytes;
    }
    return memory_;
  }

 private:
  void* memory_ = nullptr;  // as long as the process
  std::size_t bytes_ = 0;
};

/// Runs a CUB call. Its question for the size of its scratch is asked once per count, not timed in each call.
template <class Call>
void with_scratch(std::int64_t n, Call call) {
  static Scratch scratch;
  static std::int64_t asked_for = -1;
  static std::size_t bytes = 0;
  if (asked_for != n) {
    check(call(nullptr, bytes), "CUB's size of scratch");
    asked_for = n;
  }
  check(call(scratch.at_least(std::max<std::size_t>(bytes, 1)), bytes), "CUB");
}

template <class T, class R>
void cub_sum(const T* x, const T*, std::int64_t n, R* result, Stream stream) {
  with_scratch(n, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(scratch, bytes, x, result, n, stream);
  });
}

template <class T, class R>
void cub_dot(const T* x, const T* y, std::int64_t n, R* result, Stream stream) {
  with_scratch(n, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::TransformReduce(scratch, bytes, thrust::counting_iterator<std::int64_t>(0),
                                              result, n, Add{}, ProductAt<T, R>{x, y}, R{}, stream);
  });
}

template <class T, class R>
void cub_norm2(const T* x, const T*, std::int64_t n, R* result, Stream stream) {
  with_scratch(n, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::TransformReduce(scratch, bytes, x,
                                              thrust::make_transform_output_iterator(result, SquareRoot{}), n,
                                              Add{}, Square<T, R>{}, R{}, stream);
  });
}

template <class R, class F>
void cub_integrate(R a, R b, std::int64_t n, R* result, Stream stream) {
  with_scratch(n, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceReduce::TransformReduce(
        scratch, bytes, thrust::counting_iterator<std::int64_t>(0), result, n + 1, Add{},
        TrapezoidAt<R, F>{a, (b - a) / static_cast<R>(n), n}, R{}, stream);
  });
}

/// Results in device memory, so that calls are asynchronous like the others.
cublasHandle_t cublas_on(Stream stream) { return bench::cublas_on(stream, CUBLAS_POINTER_MODE_DEVICE); }

template <class T>
void cublas_dot(const T* x, const T* y, std::int64_t n, T* result, Stream stream) {
  if constexpr (std::is_same_v<T, float>) {
    check(cublasSdot_64(cublas_on(stream), n, x, 1, y, 1, result), "cublasSdot");
  } else {
    check(cublasDdot_64(cublas_on(stream), n, x, 1, y, 1, result), "cublasDdot");
  }
}

template <class T>
void cublas_norm2(const T* x, const T*, std::int64_t n, T* result, Stream stream) {
  if constexpr (std::is_same_v<T, float>) {
    check(cublasSnrm2_64(cublas_on(stream), n, x, 1, result), "cublasSnrm2");
  } else {
    check(cublasDnrm2_64(cublas_on(stream), n, x, 1, result), "cublasDnrm2");
  }
}

__global__ void empty_kernel() {}

// Four independent 16-byte loads in flight a thread. The store needs every bit of a thread to be zero, which random
// data does not do; without it the compiler would drop the loads.
__global__ void __launch_bounds__(512) read_kernel(const uint4* from, std::int64_t n, unsigned* sink) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  unsigned seen = 0;
  std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; i + 3 * stride < n; i += 4 * stride) {
    uint4 loads[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) loads[k] = __ldcs(from + i + k * stride);
#pragma unroll
    for (int k = 0; k < 4; ++k) seen |= loads[k].x | loads[k].y | loads[k].z | loads[k].w;
  }
  for (; i < n; i += stride) {
    const uint4 load = __ldcs(from + i);
    seen |= load.x | load.y | load.z | load.w;
  }
  if (seen == 0) *sink = 1;
}

void empty_launch(Stream stream) {
  empty_kernel<<<1, 32, 0, stream>>>();
  check(cudaGetLastError(), "empty_kernel");
}

void read_all(const void* from, std::size_t bytes, void* sink, Stream stream) {
  static const int multiprocessors = [] {
    int device = 0;
    int count = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
    return count;
  }();
  read_kernel<<<32 * multiprocessors, 512, 0, stream>>>(static_cast<const uint4*>(from),
                                                        static_cast<std::int64_t>(bytes / sizeof(uint4)),
                                                        static_cast<unsigned*>(sink));
  check(cudaGetLastError(), "read_kernel");
}

void fill_all(void* to, int byte, std::size_t bytes, Stream stream) {
  check(cudaMemsetAsync(to, byte, bytes, stream), "cudaMemsetAsync");
}

void copy_all(void* to, const void* from, std::size_t bytes, Stream stream) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync");
}

}  // namespace

cublasHandle_t cublas_on(Stream stream, cublasPointerMode_t scalars) {
  static std::map<std::pair<Stream, cublasPointerMode_t>, cublasHandle_t> handles;
  cublasHandle_t& handle = handles[{stream, scalars}];
  if (handle == nullptr) {
    check(cublasCreate(&handle), "cublasCreate");
    check(cublasSetStream(handle, stream), "cublasSetStream");
    check(cublasSetPointerMode(handle, scalars), "cublasSetPointerMode");
  }
  return handle;
}

template <class T, class R>
std::vector<Peer<T, R>> device_peers(Fold fold) {
  constexpr bool blas = std::is_floating_point_v<T> && std::is_same_v<T, R>;
  std::vector<Peer<T, R>> peers;
  switch (fold) {
    case Fold::sum:
      peers.push_back({"vendor:cub", cub_sum<T, R>});
      break;
    case Fold::dot:
      peers.push_back({"vendor:cub", cub_dot<T, R>});
      if constexpr (blas) peers.push_back({"vendor:cublas", cublas_dot<T>});
      break;
    case Fold::norm2:
      if constexpr (std::is_floating_point_v<R>) peers.push_back({"vendor:cub", cub_norm2<T, R>});
      if constexpr (blas) peers.push_back({"vendor:cublas", cublas_norm2<T>});
      break;
  }
  if constexpr (blas) {
    for (const Peer<T, R>& peer : gpu_to_gpu_peers<T>(fold)) peers.push_back(peer);
  }
  return peers;
}

template <class R, class F>
std::vector<IntegratePeer<R>> device_integrate_peers() {
  std::vector<IntegratePeer<R>> peers = gpu_to_gpu_integrate_peers<R, F>();
  peers.insert(peers.begin(), {"vendor:cub", cub_integrate<R, F>});
  return peers;
}

MemoryOps device_memory_ops() { return {empty_launch, read_all, fill_all, copy_all}; }

std::string device_peer_versions() {
  int version = 0;
  const bool known = cublasGetVersion(cublas_on(nullptr), &version) == CUBLAS_STATUS_SUCCESS;
  return "CUB " + std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) + "." +
         std::to_string(CUB_SUBMINOR_VERSION) + (known ? ", cuBLAS " + std::to_string(version) : "") + ", " +
         gpu_to_gpu_version();
}

template std::vector<Peer<float, float>> device_peers(Fold);
template std::vector<Peer<double, double>> device_peers(Fold);
template std::vector<Peer<float, double>> device_peers(Fold);
template std::vector<Peer<std::int32_t, std::int64_t>> device_peers(Fold);
template std::vector<Peer<std::int64_t, std::int64_t>> device_peers(Fold);
template std::vector<Peer<std::uint32_t, std::uint64_t>> device_peers(Fold);
template std::vector<Peer<std::uint64_t, std::uint64_t>> device_peers(Fold);
template std::vector<IntegratePeer<float>> device_integrate_peers<float, SquarePlusOne>();
template std::vector<IntegratePeer<double>> device_integrate_peers<double, SquarePlusOne>();
template std::vector<IntegratePeer<float>> device_integrate_peers<float, FourOverOnePlusSquare>();
template std::vector<IntegratePeer<double>> device_integrate_peers<double, FourOverOnePlusSquare>();

}  // namespace twofold::bench
