// SPDX-License-Identifier: Apache-2.0
// Who gets which workspace, by the library's own source over a CUDA runtime that is not there: streams, captures and graphs are
// what this file says. So that machines without a GPU check it too, and failures can be had that no GPU gives on demand.
#include <twofold/backends/device_workspace.hpp>
#include <twofold/backends/error.hpp>

#include <cuda_runtime_api.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace b = twofold::backends;

// ---- the runtime ----------------------------------------------------------------------------------------

struct CUuserObject_st {
  void* of;
  cudaHostFn_t destroy;
  unsigned references;
};
struct CUgraph_st {
  std::vector<cudaUserObject_t> objects;
};
struct CUstream_st {
  unsigned long long id;
  unsigned long long capture = 0;  // none
  cudaGraph_t graph = nullptr;
};

namespace {

struct {
  std::set<void*> held;
  unsigned long long last_id = 1;
  int device = 0;
  bool retain_fails = false;
  bool asked_while_captured = false;  // what a real stream refuses then
  cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal;
  std::map<std::thread::id, CUstream_st> of_threads;
  std::mutex mutex;
} cuda;

CUstream_st* stream_of(cudaStream_t stream) {
  if (stream != nullptr && stream != cudaStreamPerThread) return stream;
  const std::lock_guard lock(cuda.mutex);
  return &cuda.of_threads.try_emplace(std::this_thread::get_id(), CUstream_st{cuda.last_id++}).first->second;
}

// Destructors run on a thread of the driver's, which waits for nobody.
void release(cudaUserObject_t object) {
  if (--object->references > 0) return;
  std::thread([&] { object->destroy(object->of); }).join();
  delete object;
}

}  // namespace

extern "C" {
cudaError_t cudaMalloc(void** p, std::size_t size) {
  *p = std::malloc(size);
  cuda.held.insert(*p);
  return cudaSuccess;
}
cudaError_t cudaFree(void* p) {
  if (p != nullptr && cuda.held.erase(p) == 0) return cudaErrorInvalidValue;
  if (cuda.mode != cudaStreamCaptureModeRelaxed) return cudaErrorStreamCaptureUnsupported;
  std::free(p);
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* s, unsigned) {
  *s = new CUstream_st{cuda.last_id++};
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t s) {
  delete s;
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* p, int value, std::size_t size, cudaStream_t) {
  std::fill_n(static_cast<char*>(p), size, static_cast<char>(value));
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaGetLastError() { return cudaSuccess; }
const char* cudaGetErrorName(cudaError_t) { return "name"; }
const char* cudaGetErrorString(cudaError_t) { return "text"; }
cudaError_t cudaGetDevice(int* device) {
  *device = cuda.device;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  cuda.device = device;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int device) {
  *value = 100 + device;
  return cudaSuccess;
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  std::swap(*mode, cuda.mode);
  return cudaSuccess;
}
#if CUDART_VERSION >= 12050
cudaError_t cudaGetDriverEntryPointByVersion(const char*, void**, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* result) {
  *result = cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}
#else
cudaError_t cudaGetDriverEntryPoint(const char*, void**, unsigned long long,
                                    cudaDriverEntryPointQueryResult* result) {
  *result = cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}
#endif
cudaError_t cudaStreamIsCapturing(cudaStream_t s, cudaStreamCaptureStatus* status) {
  *status = stream_of(s)->capture ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
#if CUDART_VERSION >= 13000
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t s, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t* graph, const cudaGraphNode_t**, const cudaGraphEdgeData**,
                                     std::size_t*) {
#else
cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t s, cudaStreamCaptureStatus* status,
                                        unsigned long long* id, cudaGraph_t* graph, const cudaGraphNode_t**,
                                        std::size_t*) {
#endif
  *id = stream_of(s)->capture;
  *graph = stream_of(s)->graph;
  return cudaStreamIsCapturing(s, status);
}
cudaError_t cudaStreamGetId(cudaStream_t s, unsigned long long* id) {
  *id = stream_of(s)->id;
  if (stream_of(s)->capture == 0) return cudaSuccess;
  cuda.asked_while_captured = true;
  return cudaErrorStreamCaptureUnsupported;
}
cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* of, cudaHostFn_t destroy,
                                 unsigned references, unsigned) {
  *object = new CUuserObject_st{of, destroy, references};
  return cudaSuccess;
}
cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned) {
  release(object);
  return cudaSuccess;
}
cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned, unsigned) {
  if (cuda.retain_fails) return cudaErrorMemoryAllocation;
  graph->objects.push_back(object);
  return cudaSuccess;
}
}

// ---- tests ----------------------------------------------------------------------------------------------

namespace {

/// A graph, and the streams that are captured into it.
class capture {
 public:
  explicit capture(std::vector<cudaStream_t> streams) : streams_(std::move(streams)) {
    const auto id = cuda.last_id++;
    for (const cudaStream_t s : streams_) {
      stream_of(s)->capture = id;
      stream_of(s)->graph = &graph;
    }
  }
  void end() {
    for (const cudaStream_t s : streams_) stream_of(s)->capture = 0;
  }
  ~capture() {
    end();
    for (const cudaUserObject_t object : graph.objects) release(object);
  }
  CUgraph_st graph;

 private:
  std::vector<cudaStream_t> streams_;
};

class Workspaces : public testing::Test {
 protected:
  ~Workspaces() override {
    b::release_workspaces();
    cuda.device = 0;
    EXPECT_FALSE(cuda.asked_while_captured);
    EXPECT_TRUE(cuda.held.empty());
  }
  static void* used(cudaStream_t s) { return b::workspace_of(s).at_least(1000, 10).counters; }

  CUstream_st first{cuda.last_id++}, second{cuda.last_id++};
};

TEST_F(Workspaces, BelongToAStreamOfADevice) {
  void* const of_first = used(&first);
  EXPECT_EQ(used(&first), of_first);
  EXPECT_NE(used(&second), of_first);
  EXPECT_EQ(b::workspace_of(&first).at_least(1, 1).multiprocessors, 100u);
  cuda.device = 1;
  EXPECT_NE(used(&first), of_first);
  EXPECT_EQ(b::workspace_of(&first).at_least(1, 1).multiprocessors, 101u);
}

TEST_F(Workspaces, OfACaptureBelongToItsStreams) {
  void* const of_stream = used(&first);
  capture a({&first, &second});
  void *const of_first = used(&first), *const of_second = used(&second);
  EXPECT_NE(of_first, of_stream);
  EXPECT_NE(of_first, of_second);
  EXPECT_EQ(used(&first), of_first);
  EXPECT_EQ(used(&second), of_second);
  a.end();
  EXPECT_EQ(used(&first), of_stream);
  capture other({&first});
  EXPECT_NE(used(&first), of_first);  // the first graph lives
}

TEST_F(Workspaces, OfACaptureBelongToTheThreadWhoseStreamItIs) {
  void *one = nullptr, *two = nullptr, *same = nullptr;
  CUgraph_st graph;
  const auto work = [&](void** of, void** of_null) {
    stream_of(cudaStreamPerThread)->capture = 77;
    stream_of(cudaStreamPerThread)->graph = &graph;
    *of = used(cudaStreamPerThread);
    if (of_null) *of_null = used(nullptr);
    stream_of(cudaStreamPerThread)->capture = 0;
  };
  // The second begins while the first still lives: their ids differ.
  std::thread([&] {
    work(&one, &same);
    std::thread([&] { work(&two, nullptr); }).join();
  }).join();
  EXPECT_NE(one, two);
  EXPECT_EQ(one, same);
  for (const cudaUserObject_t object : graph.objects) release(object);
}

TEST_F(Workspaces, OfGraphsThatAreGoneAreUsedAgainOnTheirDevice) {
  void *of_first = nullptr, *of_second = nullptr;
  {
    capture a({&first, &second});
    of_first = used(&first);
    of_second = used(&second);
  }
  cuda.device = 1;
  {
    capture a({&first});
    void* const elsewhere = used(&first);
    EXPECT_NE(elsewhere, of_first);
    EXPECT_NE(elsewhere, of_second);
  }
  cuda.device = 0;
  capture a({&first, &second});
  EXPECT_EQ((std::set<void*>{used(&first), used(&second)}), (std::set<void*>{of_first, of_second}));
}

TEST_F(Workspaces, ThatCannotBeAttachedAreReported) {
  capture a({&first});
  cuda.retain_fails = true;
  EXPECT_THROW(b::workspace_of(&first), twofold::cuda_error);
  cuda.retain_fails = false;
  void* const found = used(&first);
  EXPECT_EQ(used(&first), found);
  EXPECT_EQ(a.graph.objects.size(), 1u);
}

TEST_F(Workspaces, AreReleasedWhileAnotherStreamIsCaptured) {
  used(&second);
  capture a({&first});
  void* const of_graph = used(&first);
  b::release_workspaces();
  EXPECT_EQ(cuda.held.count(of_graph), 1u);  // the graph's own
  EXPECT_EQ(used(&first), of_graph);
}

TEST_F(Workspaces, ThatWereMovedFromMayBeUsed) {
  b::device_workspace a;
  void* const first_counters = a.at_least(1000, 10).counters;
  b::device_workspace other(std::move(a));
  EXPECT_EQ(other.at_least(1, 1).counters, first_counters);
  EXPECT_NE(a.at_least(1, 1).counters, first_counters);  // NOLINT(bugprone-use-after-move): it may be
}

TEST_F(Workspaces, AllocateNothingUpToWhatIsReserved) {
  b::device_workspace a;
  a.reserve(1);
  const auto held = cuda.held;
  a.at_least(512 * sizeof(double), 2);
  EXPECT_EQ(cuda.held, held);
}

}  // namespace
