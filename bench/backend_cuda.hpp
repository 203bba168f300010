// SPDX-License-Identifier: Apache-2.0
#pragma once

// CUDA as a back end: one instance on a stream of its own, timed by events on that stream.
// Included by backend.hpp alone.

#include <cuda_runtime.h>

#include <stdexcept>

#include <twofold/backends/config.hpp>

namespace twofold::bench {

inline void check_cuda(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
}

/// Time between two events around the calls, so without the host's own time to enqueue the first.
class EventClock : public Clock {
 public:
  explicit EventClock(cudaStream_t stream) : stream_(stream) {
    check_cuda(cudaEventCreate(&start_), "cudaEventCreate");
    check_cuda(cudaEventCreate(&stop_), "cudaEventCreate");
  }
  ~EventClock() override {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }
  EventClock(const EventClock&) = delete;
  EventClock& operator=(const EventClock&) = delete;

  Elapsed time(const std::function<void()>& work) override {
    float milliseconds = 0;
    check_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize before a batch");
    SteadyClock wall([] {});
    const Elapsed outside = wall.time([&] {
      check_cuda(cudaEventRecord(start_, stream_), "cudaEventRecord");
      work();
      check_cuda(cudaEventRecord(stop_, stream_), "cudaEventRecord");
      check_cuda(cudaEventSynchronize(stop_), "cudaEventSynchronize after a batch");
    });
    check_cuda(cudaGetLastError(), "a launch of the batch");
    check_cuda(cudaEventElapsedTime(&milliseconds, start_, stop_), "cudaEventElapsedTime");
    return {static_cast<double>(milliseconds) * 1e-3, outside.wall};
  }
  std::string name() const override { return "cuda events"; }

 private:
  cudaStream_t stream_;
  cudaEvent_t start_{};
  cudaEvent_t stop_{};
};

inline int device_attribute(cudaDeviceAttr attribute) {
  int device = 0;
  int value = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  check_cuda(cudaDeviceGetAttribute(&value, attribute, device), "cudaDeviceGetAttribute");
  return value;
}

template <>
struct Backend<Kokkos::Cuda> {
  static constexpr bool gpu = true;

  static std::string name() { return "cuda"; }
  static bool matches(const std::string& wanted) { return wanted == "auto" || wanted == "cuda"; }
  /// On a stream that does not wait for the default stream. It lives as long as the process.
  static Kokkos::Cuda instance() {
    cudaStream_t stream{};
    check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
    return Kokkos::Cuda(stream);
  }
  static std::unique_ptr<Clock> clock(const Kokkos::Cuda& exec) {
    return std::make_unique<EventClock>(exec.cuda_stream());
  }
  static Stream stream(const Kokkos::Cuda& exec) { return exec.cuda_stream(); }
  /// What `work` enqueues, captured once; the result launches it as a graph.
  static std::function<void()> graph(const Kokkos::Cuda& exec, const std::function<void()>& work) {
    cudaStream_t stream = exec.cuda_stream();
    cudaGraph_t graph{};
    cudaGraphExec_t executable{};
    check_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
    try {
      work();
    } catch (...) {
      cudaStreamEndCapture(stream, &graph);
      throw;
    }
    check_cuda(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
    check_cuda(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
    check_cuda(cudaGraphDestroy(graph), "cudaGraphDestroy");
    const std::shared_ptr<CUgraphExec_st> owner(executable,
                                                [](cudaGraphExec_t e) { cudaGraphExecDestroy(e); });
    return [owner, stream] { check_cuda(cudaGraphLaunch(owner.get(), stream), "cudaGraphLaunch"); };
  }
  static MemoryOps memory_ops() { return device_memory_ops(); }
  template <class T, class R>
  static std::vector<Peer<T, R>> peers(Fold fold) {
    std::vector<Peer<T, R>> all = device_peers<T, R>(fold);
    if constexpr (backends::cuda_native_built && std::is_floating_point_v<T> && std::is_same_v<T, R>) {
      append(all, free_order_peers<T>(fold));
    }
    return all;
  }
  template <class R, class F>
  static std::vector<IntegratePeer<R>> integrate_peers() {
    std::vector<IntegratePeer<R>> all = device_integrate_peers<R, F>();
    if constexpr (backends::cuda_native_built) {
      append(all, free_order_integrate_peers<R, F>());
      append(all, elements_alone_peers<R, F>());
    }
    return all;
  }
  template <class T, class R>
  static std::vector<ValuePeer<T, R>> value_peers(Fold fold) {
    return device_value_peers<T, R>(fold);
  }
  template <class R, class F>
  static std::vector<IntegrateValuePeer<R>> integrate_value_peers() {
    return device_integrate_value_peers<R, F>();
  }
  template <class T>
  static std::vector<MatrixPeer<T>> outer_product_peers() {
    if constexpr (std::is_floating_point_v<T>) return device_outer_product_peers<T>();
    return {};
  }
  template <class T>
  static std::vector<MatrixPeer<T>> scale_columns_peers() {
    if constexpr (std::is_floating_point_v<T>) return device_scale_columns_peers<T>();
    return {};
  }
  static std::int64_t memory_bytes() {
    std::size_t free = 0;
    std::size_t total = 0;
    check_cuda(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return static_cast<std::int64_t>(free / 10 * 9);
  }
  static std::int64_t cache_bytes() { return device_attribute(cudaDevAttrL2CacheSize); }
  static std::int64_t hot_bytes() { return cache_bytes() / 2; }
  static int sizes_from() { return 10; }
  static int sizes_to() { return 30; }
  static Sampling sampling() {
    Sampling sampling;
    sampling.min_batch = 10;
    sampling.max_batch = 200;  // well below the launch queue, which would block the host
    return sampling;
  }
  static Environment environment() {
    int device = 0;
    int driver = 0;
    int runtime = 0;
    cudaDeviceProp properties{};
    check_cuda(cudaGetDevice(&device), "cudaGetDevice");
    check_cuda(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
    check_cuda(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
    check_cuda(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
    const auto version = [](int v) { return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10); };
    // Double data rate: two transfers a clock over the width of the bus.
    const double peak = 2e3 * device_attribute(cudaDevAttrMemoryClockRate) *
                        device_attribute(cudaDevAttrGlobalMemoryBusWidth) / 8 * 1e-9;
    return {
        {"gpu", properties.name},
        {"gpu_compute_capability", std::to_string(properties.major) + "." + std::to_string(properties.minor)},
        {"gpu_multiprocessors", std::to_string(properties.multiProcessorCount)},
        {"gpu_l2_bytes", std::to_string(properties.l2CacheSize)},
        {"gpu_memory_bytes", std::to_string(properties.totalGlobalMem)},
        {"gpu_theoretical_gb_per_s", std::to_string(peak)},
        {"driver_supports_cuda", version(driver)},
        {"cuda", version(runtime)},
        {"peers_cuda", device_peer_versions()}};
  }

 private:
  template <class Vector>
  static void append(Vector& all, const Vector& more) {
    all.insert(all.end(), more.begin(), more.end());
  }
};

/// Why a build for CUDA cannot run here; empty where it can. Asked before Kokkos starts, which would abort.
inline std::string missing_device() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) return {};
  return std::string("this build includes CUDA and Kokkos then needs a GPU to start, but none answers (") +
         cudaGetErrorString(status) + "): build with the preset 'openmp', or run it where a GPU is";
}

}  // namespace twofold::bench
