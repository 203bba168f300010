// SPDX-License-Identifier: Apache-2.0
#include <twofold/backends/device_workspace.hpp>
#include <twofold/backends/error.hpp>
#include <twofold/backends/fold_order.hpp>
#include <twofold/backends/sources.hpp>
#include <twofold/backends/stencil_order.hpp>

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace twofold::backends {
namespace {

// Lets this thread allocate while some stream, of this thread's or another's, is being captured.
class capture_exempt {
 public:
  capture_exempt() { check_cuda(cudaThreadExchangeStreamCaptureMode(&mode_), "stream capture mode"); }
  ~capture_exempt() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

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
  // Outgrown buffers: kernels in flight and captured graphs still use them.
  std::vector<void*> outgrown;

  ~state() {
    outgrown.push_back(partials);
    outgrown.push_back(counters);
    for (void* p : outgrown) (void)cudaFree(p);
  }
};

device_workspace::device_workspace() : state_(std::make_unique<state>()) {}
device_workspace::~device_workspace() = default;
device_workspace::device_workspace(device_workspace&&) noexcept = default;
device_workspace& device_workspace::operator=(device_workspace&&) noexcept = default;

device_workspace::memory device_workspace::at_least(std::size_t partial_bytes, std::size_t counters) {
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
  return {s.partials, s.counters};
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

// What every call asks: the driver answers in 15 ns where the runtime takes 30 to 50. Looked up when first used, so that a
// program that links this library starts where there is no driver. A call that cannot be answered has no entry, or fails:
// the runtime is asked then, and reports what is wrong. Which stream a null handle is, is decided by how this file is
// compiled, for both (cudaEnableDefault).
struct driver_calls {
  decltype(&cuStreamIsCapturing) is_capturing = nullptr;
  decltype(&cuStreamGetId) stream_id = nullptr;
  decltype(&cuCtxGetDevice) device = nullptr;

  static const driver_calls& instance() {
    static const driver_calls calls;
    return calls;
  }

 private:
  driver_calls() {
    find("cuStreamIsCapturing", 10000, is_capturing);
    find("cuStreamGetId", 12000, stream_id);
    find("cuCtxGetDevice", 2000, device);
  }
  template <class Function>
  static void find(const char* name, [[maybe_unused]] unsigned version, Function& function) {
    void* entry = nullptr;
    auto result = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    const cudaError_t status =
        cudaGetDriverEntryPointByVersion(name, &entry, version, cudaEnableDefault, &result);
#else
    const cudaError_t status = cudaGetDriverEntryPoint(name, &entry, cudaEnableDefault, &result);
#endif
    if (status != cudaSuccess) (void)cudaGetLastError();
    if (status == cudaSuccess && result == cudaDriverEntryPointSuccess)
      function = reinterpret_cast<Function>(entry);
  }
};

int device_now() {
  const driver_calls& driver = driver_calls::instance();
  CUdevice of_context = 0;
  if (driver.device && driver.device(&of_context) == CUDA_SUCCESS) return of_context;
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

bool is_captured(stream_handle stream) {
  const driver_calls& driver = driver_calls::instance();
  CUstreamCaptureStatus fast{};
  if (driver.is_capturing && driver.is_capturing(stream, &fast) == CUDA_SUCCESS)
    return fast != CU_STREAM_CAPTURE_STATUS_NONE;
  cudaStreamCaptureStatus status{};
  check_cuda(cudaStreamIsCapturing(stream, &status), "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

unsigned long long id_of(stream_handle stream) {
  const driver_calls& driver = driver_calls::instance();
  unsigned long long id = 0;
  if (driver.stream_id && driver.stream_id(stream, &id) == CUDA_SUCCESS) return id;
  check_cuda(cudaStreamGetId(stream, &id), "cudaStreamGetId");
  return id;
}

// Leaked on purpose, all of it: the driver may be gone by the time that static objects are destroyed.
struct registry {
  std::mutex mutex;
  std::map<std::pair<int, unsigned long long>, device_workspace> of_streams;    // by device and stream id
  std::map<unsigned long long, std::unique_ptr<device_workspace>> of_captures;  // by capture id
  std::vector<std::unique_ptr<device_workspace>> free;                          // left by destroyed graphs
  std::atomic<unsigned> releases{0};  // what threads remember of `of_streams` ends with one
};
registry& workspaces() {
  static auto* r = new registry;
  return *r;
}

struct slot_pool {
  std::mutex mutex;
  std::vector<void*> free;
};
slot_pool& slots() {
  static auto* p = new slot_pool;
  return *p;
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
void CUDART_CB give_back(void* id) {
  registry& r = workspaces();
  const std::lock_guard lock(r.mutex);
  const auto found = r.of_captures.find(reinterpret_cast<std::uintptr_t>(id));
  if (found == r.of_captures.end()) return;
  r.free.push_back(std::move(found->second));
  r.of_captures.erase(found);
}

// A captured graph may be replayed on any stream, beside any other: it owns a workspace while it lives.
device_workspace& workspace_of_capture(const capture& c) {
  registry& r = workspaces();
  const std::lock_guard lock(r.mutex);
  auto& mine = r.of_captures[c.id];
  if (mine) return *mine;
  cudaUserObject_t owner = nullptr;
  check_cuda(cudaUserObjectCreate(&owner, reinterpret_cast<void*>(static_cast<std::uintptr_t>(c.id)),
                                  give_back, 1, cudaUserObjectNoDestructorSync),
             "graph workspace: cudaUserObjectCreate");
  check_cuda(cudaGraphRetainUserObject(c.graph, owner, 1, cudaGraphUserObjectMove),
             "graph workspace: cudaGraphRetainUserObject");
  if (r.free.empty()) {
    mine = std::make_unique<device_workspace>();
  } else {
    mine = std::move(r.free.back());
    r.free.pop_back();
  }
  return *mine;
}

}  // namespace

device_workspace& workspace_of(stream_handle stream) {
  if (is_captured(stream)) {
    const capture c = capture_of(stream);
    if (c.status == cudaStreamCaptureStatusActive) return workspace_of_capture(c);
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
  const std::lock_guard lock(r.mutex);
  r.releases.fetch_add(1, std::memory_order_release);
  r.of_streams.clear();
  r.free.clear();
}

host_slot::host_slot() {
  slot_pool& pool = slots();
  const std::lock_guard lock(pool.mutex);
  if (pool.free.empty()) {
    const capture_exempt exempt;
    constexpr std::size_t count = 64;
    void* page = nullptr;
    check_cuda(cudaHostAlloc(&page, count * bytes, cudaHostAllocMapped | cudaHostAllocPortable),
               "host value: cudaHostAlloc");
    for (std::size_t k = 0; k < count; ++k) pool.free.push_back(static_cast<char*>(page) + k * bytes);
  }
  address_ = pool.free.back();
  pool.free.pop_back();
}

host_slot::~host_slot() {
  // After a failure a kernel may still be about to write here: no other call may look at this slot.
  if (std::uncaught_exceptions() > 0) return;
  slot_pool& pool = slots();
  const std::lock_guard lock(pool.mutex);
  pool.free.push_back(address_);  // capacity is there: it was popped from this vector
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

namespace {

// Where the host may not touch managed memory before it has synchronised with the device, callers expect that a call that
// returns a value has done so.
bool host_may_look() {
  constexpr int known_devices = 64;
  static std::array<std::atomic<int>, known_devices> answers{};  // 0: not asked yet, else the answer plus one
  const int device = device_now();
  std::atomic<int>* const known = device < known_devices ? &answers[static_cast<unsigned>(device)] : nullptr;
  if (known && known->load(std::memory_order_relaxed) != 0)
    return known->load(std::memory_order_relaxed) == 2;
  int concurrent = 0;
  check_cuda(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, device),
             "cudaDeviceGetAttribute");
  if (known) known->store(concurrent != 0 ? 2 : 1, std::memory_order_relaxed);
  return concurrent != 0;
}

}  // namespace

bool changes_soon(const void* address, std::size_t bytes, std::uint64_t absent) {
  if (!host_may_look()) return false;
  const auto changed = [=] {
    return bytes == 4 ? *static_cast<const volatile std::uint32_t*>(address) != absent
                      : *static_cast<const volatile std::uint64_t*>(address) != absent;
  };
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
  do {
    for (int k = 0; k < 32; ++k) {
      if (changed()) {
        std::atomic_thread_fence(std::memory_order_acquire);
        return true;
      }
#if defined(__x86_64__) && defined(__GNUC__)
      __builtin_ia32_pause();
#endif
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

void wait_for(stream_handle stream, const char* what) { check_cuda(cudaStreamSynchronize(stream), what); }

void refuse_capture(stream_handle stream, const char* what) {
  if (!is_captured(stream)) return;
  throw cuda_error(cudaErrorStreamCaptureUnsupported,
                   std::string("twofold: ") + what +
                       ": a host value cannot be captured into a graph; pass a device result instead");
}

}  // namespace twofold::backends
