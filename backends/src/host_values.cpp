// SPDX-License-Identifier: Apache-2.0
// Results that a kernel leaves for the host: where they lie, and how they are waited for.
#include <twofold/backends/device_workspace.hpp>

#include <cuda_runtime_api.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <vector>

#include "device_queries.hpp"

namespace twofold::backends {

using namespace queries;

namespace {

// Leaked on purpose: the driver may be gone by the time that static objects are destroyed.
struct slot_pool {
  std::mutex mutex;
  std::vector<void*> free;
};
slot_pool& slots() {
  static auto* p = new slot_pool;
  return *p;
}

}  // namespace

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

}  // namespace twofold::backends
