// SPDX-License-Identifier: Apache-2.0
#include <twofold/backends/device_workspace.hpp>
#include <twofold/backends/error.hpp>
#include <twofold/backends/fold_device.hpp>
#include <twofold/backends/fold_order.hpp>
#include <twofold/backends/sources.hpp>
#include <twofold/backends/stencil_order.hpp>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "device_queries.hpp"

namespace twofold::backends {

using namespace queries;

namespace {

// Zeroes device memory without touching a stream of the caller's or the default stream.
void zero(void* memory, std::size_t size) {
  cudaStream_t stream = nullptr;
  check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "workspace: stream");
  cudaError_t status = cudaMemsetAsync(memory, 0, size, stream);
  if (status == cudaSuccess) status = cudaStreamSynchronize(stream);
  (void)cudaStreamDestroy(stream);
  check_cuda(status, "workspace: zeroing counters");
}

constexpr std::size_t counter_floor = 1024;
constexpr std::size_t partial_floor = std::size_t{1} << 20;
// What a fold asks for beyond its chunk results, whose number reserve() goes by.
static_assert(partial_floor >= few_chunks<scaled_squares> * sizeof(scaled_squares) &&
              partial_floor >= few_chunks<double> * sizeof(double));

}  // namespace

void check_cuda(int status, const char* what) {
  if (status == cudaSuccess) return;
  const auto code = static_cast<cudaError_t>(status);
  (void)cudaGetLastError();  // this failure is being reported; the next call must not find it again
  std::string text =
      std::string("twofold: ") + what + ": " + cudaGetErrorName(code) + ": " + cudaGetErrorString(code);
  if (code == cudaErrorNoKernelImageForDevice || code == cudaErrorInvalidDeviceFunction) {
    int device = 0, major = 0, minor = 0;
    if (cudaGetDevice(&device) == cudaSuccess &&
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) == cudaSuccess) {
      text += " (built for CUDA architectures " TWOFOLD_CUDA_ARCHITECTURES_TEXT ", this device is " +
              std::to_string(major) + std::to_string(minor) + "; configure with CMAKE_CUDA_ARCHITECTURES)";
    }
  }
  throw cuda_error(status, text);
}

struct device_workspace::state {
  std::mutex mutex;
  void* partials = nullptr;
  std::size_t partial_bytes = 0;
  unsigned* counters = nullptr;
  std::size_t counter_count = 0;
  unsigned multiprocessors = 0;
  // Outgrown buffers: kernels in flight and captured graphs still use them.
  std::vector<void*> outgrown;

  ~state() {
    // Freeing is refused while some stream is captured, unless the thread says that it knows.
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    const bool exempt = cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess;
    (void)cudaFree(partials);
    (void)cudaFree(counters);
    for (void* p : outgrown) (void)cudaFree(p);
    if (exempt) (void)cudaThreadExchangeStreamCaptureMode(&mode);
  }
};

device_workspace::device_workspace() : state_(std::make_unique<state>()) {}
device_workspace::~device_workspace() = default;
device_workspace::device_workspace(device_workspace&&) noexcept = default;
device_workspace& device_workspace::operator=(device_workspace&&) noexcept = default;

device_workspace::memory device_workspace::at_least(std::size_t partial_bytes, std::size_t counters) {
  if (!state_) state_ = std::make_unique<state>();  // it was moved from; who uses it again has it alone
  state& s = *state_;
  const std::lock_guard lock(s.mutex);
  if (partial_bytes > s.partial_bytes) {
    const capture_exempt exempt;
    const std::size_t bytes = std::max({partial_bytes, 2 * s.partial_bytes, partial_floor});
    s.outgrown.reserve(s.outgrown.size() + 1);
    void* fresh = nullptr;
    check_cuda(cudaMalloc(&fresh, bytes), "workspace: cudaMalloc");
    if (s.partials) s.outgrown.push_back(s.partials);
    s.partials = fresh;
    s.partial_bytes = bytes;
  }
  if (counters > s.counter_count) {
    const capture_exempt exempt;
    const std::size_t count = std::max({counters, 2 * s.counter_count, counter_floor});
    s.outgrown.reserve(s.outgrown.size() + 1);
    void* fresh = nullptr;
    check_cuda(cudaMalloc(&fresh, count * sizeof(unsigned)), "workspace: cudaMalloc");
    try {
      zero(fresh, count * sizeof(unsigned));
    } catch (...) {
      (void)cudaFree(fresh);
      throw;
    }
    if (s.counters) s.outgrown.push_back(s.counters);
    s.counters = static_cast<unsigned*>(fresh);
    s.counter_count = count;
  }
  if (s.multiprocessors == 0) {
    int device = 0, count = 0;
    check_cuda(cudaGetDevice(&device), "cudaGetDevice");
    check_cuda(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device),
               "cudaDeviceGetAttribute");
    s.multiprocessors = static_cast<unsigned>(count);
  }
  return {s.partials, s.counters, s.multiprocessors};
}

void device_workspace::reserve(std::size_t n) {
  const std::size_t chunks = fold_order::chunk_count(n);
  // A stencil's kept nodes: all levels are fewer than twice the lowest, and 64 levels are enough.
  const std::size_t kept =
      (2 * static_cast<std::size_t>(stencil_order::kept_count(static_cast<std::int64_t>(n))) + 64) *
      sizeof(double);
  at_least(std::max(fold_order::partial_count(n) * sizeof(scaled_squares), kept),
           1 + fold_order::chunk_count(chunks));
}

namespace {

// A stream that is part of a capture. Streams of one capture become branches of one graph, which run beside each other.
// By its handle: while it is captured its id may not be asked for, and no stream that lives has the same one, but for
// those of threads.
struct captured_stream {
  unsigned long long capture;
  std::uintptr_t stream;
  std::thread::id thread;  // whose stream cudaStreamPerThread is
  int device;
  auto operator<=>(const captured_stream&) const = default;
};

struct captured_workspace {
  std::unique_ptr<device_workspace> workspace;
  const captured_stream* owner = nullptr;  // what the graph gives back
};

// Leaked on purpose, all of it: the driver may be gone by the time that static objects are destroyed. Its mutex is never
// held while CUDA is called: that may wait for a callback, and give_back() is one.
struct registry {
  std::mutex mutex;
  std::map<std::pair<int, unsigned long long>, device_workspace> of_streams;  // by device and stream id
  std::map<captured_stream, captured_workspace> of_captures;
  std::map<int, std::vector<std::unique_ptr<device_workspace>>>
      free;                           // of a device: left by destroyed graphs
  std::atomic<unsigned> releases{0};  // what threads remember of `of_streams` ends with one
};
registry& workspaces() {
  static auto* r = new registry;
  return *r;
}

struct capture {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
  cudaGraph_t graph = nullptr;
};
capture capture_of(stream_handle stream) {
  capture c;
#if CUDART_VERSION >= 13000
  check_cuda(cudaStreamGetCaptureInfo(stream, &c.status, &c.id, &c.graph, nullptr, nullptr, nullptr),
             "cudaStreamGetCaptureInfo");
#else
  check_cuda(cudaStreamGetCaptureInfo_v2(stream, &c.status, &c.id, &c.graph, nullptr, nullptr),
             "cudaStreamGetCaptureInfo");
#endif
  return c;
}

// Called by the driver when a graph and all that was instantiated from it are gone. May not call CUDA.
void CUDART_CB give_back(void* key) {
  const std::unique_ptr<const captured_stream> owner(static_cast<const captured_stream*>(key));
  registry& r = workspaces();
  const std::lock_guard lock(r.mutex);
  const auto found = r.of_captures.find(*owner);
  if (found == r.of_captures.end() || found->second.owner != owner.get()) return;
  r.free[owner->device].push_back(std::move(found->second.workspace));
  r.of_captures.erase(found);
}

// A captured graph may be replayed on any stream, beside any other: it owns workspaces while it lives, one for each of the
// streams that it was captured from.
device_workspace& workspace_of_capture(const capture& c, stream_handle stream) {
  // The legacy stream is never captured: where the null handle is, it is the thread's.
  const bool of_thread = stream == nullptr || stream == cudaStreamPerThread;
  const captured_stream key{c.id, of_thread ? 0 : reinterpret_cast<std::uintptr_t>(stream),
                            of_thread ? std::this_thread::get_id() : std::thread::id(), device_now()};
  registry& r = workspaces();
  {
    const std::lock_guard lock(r.mutex);
    if (const auto found = r.of_captures.find(key); found != r.of_captures.end())
      return *found->second.workspace;
  }
  auto held = std::make_unique<captured_stream>(key);
  const captured_stream* const token = held.get();
  cudaUserObject_t object = nullptr;
  check_cuda(cudaUserObjectCreate(&object, held.get(), give_back, 1, cudaUserObjectNoDestructorSync),
             "graph workspace: cudaUserObjectCreate");
  (void)held.release();  // give_back() has it
  if (const cudaError_t status = cudaGraphRetainUserObject(c.graph, object, 1, cudaGraphUserObjectMove);
      status != cudaSuccess) {
    (void)cudaUserObjectRelease(object, 1);
    check_cuda(status, "graph workspace: cudaGraphRetainUserObject");
  }
  const std::lock_guard lock(r.mutex);
  auto& free = r.free[key.device];
  if (free.empty()) free.push_back(std::make_unique<device_workspace>());
  const auto [mine, is_new] = r.of_captures.try_emplace(key);
  if (is_new) {  // else another thread was faster, and what this one attached gives nothing back
    mine->second = {std::move(free.back()), token};
    free.pop_back();
  }
  return *mine->second.workspace;
}

}  // namespace

device_workspace& workspace_of(stream_handle stream) {
  if (is_captured(stream)) {
    const capture c = capture_of(stream);
    if (c.status == cudaStreamCaptureStatusActive) return workspace_of_capture(c, stream);
  }
  const int device = device_now();
  const unsigned long long id = id_of(stream);
  registry& r = workspaces();
  // What this thread has found before: neither a lock nor a search.
  struct remembered {
    device_workspace* workspace;
    unsigned long long id;
    int device;
    unsigned releases;
  };
  thread_local std::array<remembered, 4> recent{};
  remembered& last = recent[id % recent.size()];
  const unsigned releases = r.releases.load(std::memory_order_acquire);
  if (last.workspace && last.id == id && last.device == device && last.releases == releases)
    return *last.workspace;
  const std::lock_guard lock(r.mutex);
  device_workspace& found = r.of_streams[{device, id}];
  last = {&found, id, device, r.releases.load(std::memory_order_relaxed)};
  return found;
}

void release_workspaces() {
  registry& r = workspaces();
  decltype(r.of_streams) of_streams;
  decltype(r.free) free;
  const std::lock_guard lock(r.mutex);
  r.releases.fetch_add(1, std::memory_order_release);
  of_streams.swap(r.of_streams);
  free.swap(r.free);
}

current_device::current_device(int device) {
  const int current = device_now();
  if (current == device) return;
  check_cuda(cudaSetDevice(device), "cudaSetDevice");
  previous_ = current;
}

current_device::~current_device() {
  if (previous_ >= 0) (void)cudaSetDevice(previous_);
}

void refuse_capture(stream_handle stream, const char* what) {
  if (!is_captured(stream)) return;
  throw cuda_error(cudaErrorStreamCaptureUnsupported,
                   std::string("twofold: ") + what +
                       ": a host value cannot be captured into a graph; pass a device result instead");
}

}  // namespace twofold::backends
