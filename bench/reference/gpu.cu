// SPDX-License-Identifier: Apache-2.0
#include "gpu.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "probes.hpp"

namespace twofold::reference {
namespace {

class Event {
 public:
  Event() { check(cudaEventCreate(&event_), "event"); }
  ~Event() { (void)cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

int attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&value, which, device), "device attribute");
  return value;
}

cudaDeviceProp properties() {
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  cudaDeviceProp p{};
  check(cudaGetDeviceProperties(&p, device), "device properties");
  return p;
}

std::string version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

}  // namespace

Buffer::Buffer(std::size_t bytes) : bytes_(bytes) {
  check(cudaMalloc(&data_, bytes), "memory for a probe");
  cudaError_t status = cudaMemsetAsync(data_, 0, bytes, stream());
  if (status == cudaSuccess) status = cudaStreamSynchronize(stream());
  if (status == cudaSuccess) return;
  (void)cudaFree(data_);
  check(status, "zeroing memory for a probe");
}
Buffer::~Buffer() { (void)cudaFree(data_); }

cudaStream_t stream() {
  static const cudaStream_t made = [] {
    cudaStream_t s = nullptr;
    check(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "stream");
    return s;
  }();
  return made;
}

const Gpu& gpu() {
  static const Gpu here = [] {
    const cudaDeviceProp p = properties();
    return Gpu{p.multiProcessorCount, static_cast<std::size_t>(p.l2CacheSize), p.totalGlobalMem};
  }();
  return here;
}

std::size_t footprint(std::size_t wanted) {
  std::size_t bytes = std::size_t{1} << 20;
  while (2 * bytes <= wanted && 2 * bytes <= gpu().memory_bytes / 8) bytes *= 2;
  return bytes;
}

double gpu_seconds(const std::function<void()>& call, bool quick) {
  const Event start, stop;
  const auto batch = [&](int calls) {
    check(cudaEventRecord(start.get(), stream()), "event");
    for (int c = 0; c < calls; ++c) call();
    check(cudaEventRecord(stop.get(), stream()), "event");
    check(cudaEventSynchronize(stop.get()), "timed calls");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, start.get(), stop.get()), "event");
    return static_cast<double>(ms) * 1e-3 / calls;
  };
  batch(2);  // loads the kernels, grows workspaces, fills caches
  const double target = quick ? 0.5e-3 : 5e-3;
  const double estimate = std::max(batch(3), 1e-7);
  const int calls = static_cast<int>(std::clamp(target / estimate, 1.0, 1000.0));
  std::vector<double> samples;
  for (int round = 0; round < (quick ? 3 : 9); ++round) samples.push_back(batch(calls));
  std::sort(samples.begin(), samples.end());
  return samples[samples.size() / 2];
}

std::string missing_gpu() {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status != cudaSuccess) return std::string("no GPU (") + cudaGetErrorString(status) + ")";
  return devices == 0 ? "no GPU" : "";
}

Environment gpu_environment() {
  int driver = 0, runtime = 0;
  check(cudaDriverGetVersion(&driver), "driver version");
  check(cudaRuntimeGetVersion(&runtime), "runtime version");
  return {{"gpu", properties().name}, {"cuda", version(runtime)}, {"driver_supports_cuda", version(driver)}};
}

Table gpu_properties_table() {
  const cudaDeviceProp p = properties();
  Table table{"memory_statistics",
              "Memory statistics of GPUs (table 6.7 of the text, and this machine)",
              {{"GPU", ""},
               {"compute capability", ""},
               {"registers/thread", "bytes"},
               {"registers/block", "KiB"},
               {"shared/block", "KiB"},
               {"shared/block, opt-in", "KiB"},
               {"shared/SM", "KiB"},
               {"L2", "MiB"},
               {"SMs", ""},
               {"global", "GiB"}},
              {},
              {"The text's 504 bytes of registers a thread are 126 registers; since compute capability 3.5 "
               "it is 255."}};
  const auto published = [&](const char* name, const char* capability, std::int64_t global) {
    table.rows.push_back({std::string(name), std::string(capability), std::int64_t{504}, Cell{},
                          std::int64_t{48}, Cell{}, Cell{}, Cell{}, Cell{}, global});
  };
  published("Quadro 600 (published)", "2.1", 1);
  published("GK20A, Jetson TK1 (published)", "3.2", 2);
  published("GeForce GTX Titan X (published)", "5.2", 12);
  const std::int64_t kib = 1024;
  table.rows.push_back(
      {std::string(p.name), std::to_string(p.major) + "." + std::to_string(p.minor), std::int64_t{255 * 4},
       p.regsPerBlock * 4 / kib, static_cast<std::int64_t>(p.sharedMemPerBlock) / kib,
       attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) / kib,
       static_cast<std::int64_t>(p.sharedMemPerMultiprocessor) / kib, p.l2CacheSize / (kib * kib),
       std::int64_t{p.multiProcessorCount}, static_cast<std::int64_t>(p.totalGlobalMem >> 30)});
  return table;
}

}  // namespace twofold::reference
