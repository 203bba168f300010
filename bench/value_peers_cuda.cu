// SPDX-License-Identifier: Apache-2.0
// CUDA peers whose result a caller gets on the host: CUB and a copy into pinned memory, cuBLAS with its result on the
// host, and Thrust, which has no other form of a fold. Each call waits for its stream.

#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/transform_reduce.h>

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "cublas_on.hpp"
#include "functors_cuda.hpp"
#include "peers.hpp"

namespace twofold::bench {
namespace {

/// One value in device memory and its copy in pinned memory. As long as the process.
struct Landing {
  void* device = nullptr;
  void* host = nullptr;

  static const Landing& instance() {
    static const Landing landing;
    return landing;
  }

 private:
  Landing() {
    check(cudaMalloc(&device, sizeof(double)), "cudaMalloc of a result");
    check(cudaMallocHost(&host, sizeof(double)), "cudaMallocHost of a result");
  }
};

/// What call(result) leaves in device memory.
template <class R, class Call>
R copied(Call call, Stream stream) {
  const Landing& landing = Landing::instance();
  call(static_cast<R*>(landing.device));
  check(cudaMemcpyAsync(landing.host, landing.device, sizeof(R), cudaMemcpyDeviceToHost, stream),
        "cudaMemcpyAsync of a result");
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  return *static_cast<const volatile R*>(landing.host);
}

template <class T>
T cublas_dot(const T* x, const T* y, std::int64_t n, Stream stream) {
  T value{};
  const cublasHandle_t handle = cublas_on(stream, CUBLAS_POINTER_MODE_HOST);
  if constexpr (std::is_same_v<T, float>) {
    check(cublasSdot_64(handle, n, x, 1, y, 1, &value), "cublasSdot");
  } else {
    check(cublasDdot_64(handle, n, x, 1, y, 1, &value), "cublasDdot");
  }
  return value;
}

template <class T>
T cublas_norm2(const T* x, const T*, std::int64_t n, Stream stream) {
  T value{};
  const cublasHandle_t handle = cublas_on(stream, CUBLAS_POINTER_MODE_HOST);
  if constexpr (std::is_same_v<T, float>) {
    check(cublasSnrm2_64(handle, n, x, 1, &value), "cublasSnrm2");
  } else {
    check(cublasDnrm2_64(handle, n, x, 1, &value), "cublasDnrm2");
  }
  return value;
}

/// Thrust allocates in every call, and frees again, which would be most of its time. This gives it one block that stays.
struct OneBlock {
  using value_type = char;
  char* allocate(std::ptrdiff_t bytes) {
    if (bytes > capacity_) {
      check(cudaFree(memory_), "cudaFree");
      check(cudaMalloc(&memory_, static_cast<std::size_t>(bytes)), "cudaMalloc for Thrust");
      capacity_ = bytes;
    }
    return memory_;
  }
  void deallocate(char*, std::size_t) {}

 private:
  char* memory_ = nullptr;  // as long as the process
  std::ptrdiff_t capacity_ = 0;
};

auto thrust_on(Stream stream) {
  static OneBlock block;
  return thrust::cuda::par(block).on(stream);
}

template <class T, class R>
R thrust_sum(const T* x, const T*, std::int64_t n, Stream stream) {
  return thrust::reduce(thrust_on(stream), x, x + n, R{}, thrust::plus<R>{});
}

template <class T, class R>
R thrust_dot(const T* x, const T* y, std::int64_t n, Stream stream) {
  return thrust::inner_product(thrust_on(stream), x, x + n, y, R{}, thrust::plus<R>{}, Product<T, R>{});
}

template <class T, class R>
R thrust_norm2(const T* x, const T*, std::int64_t n, Stream stream) {
  return std::sqrt(
      thrust::transform_reduce(thrust_on(stream), x, x + n, Square<T, R>{}, R{}, thrust::plus<R>{}));
}

template <class R, class F>
R thrust_integrate(R a, R b, std::int64_t n, Stream stream) {
  const thrust::counting_iterator<std::int64_t> first(0);
  return thrust::transform_reduce(thrust_on(stream), first, first + (n + 1),
                                  TrapezoidAt<R, F>{a, (b - a) / static_cast<R>(n), n}, R{},
                                  thrust::plus<R>{});
}

}  // namespace

template <class T, class R>
std::vector<ValuePeer<T, R>> device_value_peers(Fold fold) {
  std::vector<ValuePeer<T, R>> peers;
  for (const Peer<T, R>& peer : device_peers<T, R>(fold)) {
    if (peer.path != "vendor:cub") continue;
    peers.push_back({peer.path, [run = peer.run](const T* x, const T* y, std::int64_t n, Stream stream) {
                       return copied<R>([&](R* result) { run(x, y, n, result, stream); }, stream);
                     }});
  }
  if constexpr (std::is_floating_point_v<T> && std::is_same_v<T, R>) {
    if (fold == Fold::dot) peers.push_back({"vendor:cublas", cublas_dot<T>});
    if (fold == Fold::norm2) peers.push_back({"vendor:cublas", cublas_norm2<T>});
  }
  if (fold == Fold::sum) peers.push_back({"vendor:thrust", thrust_sum<T, R>});
  if (fold == Fold::dot) peers.push_back({"vendor:thrust", thrust_dot<T, R>});
  if constexpr (std::is_floating_point_v<T>) {
    if (fold == Fold::norm2) peers.push_back({"vendor:thrust", thrust_norm2<T, R>});
  }
  return peers;
}

template <class R, class F>
std::vector<IntegrateValuePeer<R>> device_integrate_value_peers() {
  std::vector<IntegrateValuePeer<R>> peers;
  for (const IntegratePeer<R>& peer : device_integrate_peers<R, F>()) {
    if (peer.path != "vendor:cub") continue;
    peers.push_back({peer.path, [run = peer.run](R a, R b, std::int64_t n, Stream stream) {
                       return copied<R>([&](R* result) { run(a, b, n, result, stream); }, stream);
                     }});
  }
  peers.push_back({"vendor:thrust", thrust_integrate<R, F>});
  return peers;
}

template std::vector<ValuePeer<float, float>> device_value_peers(Fold);
template std::vector<ValuePeer<double, double>> device_value_peers(Fold);
template std::vector<ValuePeer<float, double>> device_value_peers(Fold);
template std::vector<ValuePeer<std::int32_t, std::int64_t>> device_value_peers(Fold);
template std::vector<ValuePeer<std::int64_t, std::int64_t>> device_value_peers(Fold);
template std::vector<ValuePeer<std::uint32_t, std::uint64_t>> device_value_peers(Fold);
template std::vector<ValuePeer<std::uint64_t, std::uint64_t>> device_value_peers(Fold);
template std::vector<IntegrateValuePeer<float>> device_integrate_value_peers<float, SquarePlusOne>();
template std::vector<IntegrateValuePeer<double>> device_integrate_value_peers<double, SquarePlusOne>();
template std::vector<IntegrateValuePeer<float>> device_integrate_value_peers<float, FourOverOnePlusSquare>();
template std::vector<IntegrateValuePeer<double>>
device_integrate_value_peers<double, FourOverOnePlusSquare>();

}  // namespace twofold::bench
