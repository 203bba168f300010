// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/config.hpp>
#include <twofold/backends/device_workspace.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#if defined(KOKKOS_ENABLE_OPENMP)
#include <omp.h>
#endif

/// @file
/// What the library needs to know of an execution space. The only place that names a backend of Kokkos.

namespace twofold::backends {

/// Runs on the calling machine's cores: Serial, OpenMP, Threads.
template <class Exec>
concept host_execution = Kokkos::is_execution_space_v<Exec> &&
                         bool(Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible) &&
                         bool(Kokkos::SpaceAccessibility<Kokkos::DefaultHostExecutionSpace,
                                                         typename Exec::memory_space>::accessible);

#if defined(KOKKOS_ENABLE_CUDA)
template <class Exec>
concept cuda_execution = std::same_as<Exec, Kokkos::Cuda>;
#else
template <class Exec>
concept cuda_execution = false;
#endif

/// The stream of a CUDA instance.
template <class Exec>
stream_handle stream_of(const Exec& exec) {
  static_assert(cuda_execution<Exec>, "only CUDA instances have a stream");
  return exec.cuda_stream();
}

/// Makes a CUDA instance's device current for a scope: a stream belongs to one device.
template <class Exec>
class device_of {
 public:
  explicit device_of(const Exec& exec) : device_(current_device(exec.cuda_device())) {}

 private:
  current_device device_;
};

/// Stands around a call of the native kernels: makes the instance's device current, and shows the call to Kokkos Tools
/// as a region, since kernels that Kokkos did not launch carry no label of its own. Without a tool that is one load.
template <class Exec>
class native_call {
 public:
  native_call(const Exec& exec, const char* name)
      : device_(exec), shown_(Kokkos::Tools::profileLibraryLoaded()) {
    if (shown_) Kokkos::Tools::pushRegion(name);
  }
  ~native_call() {
    if (shown_) Kokkos::Tools::popRegion();
  }
  native_call(const native_call&) = delete;
  native_call& operator=(const native_call&) = delete;

 private:
  device_of<Exec> device_;
  bool shown_;
};

/// Whether a multiprocessor has room for `teams` teams of `team_size` threads with `bytes` of scratch memory each. Kokkos
/// adds room for a reduction over the team and a few bytes that its documentation does not count.
template <class Exec>
bool teams_fit_at_once(const Exec& exec, unsigned teams, unsigned team_size, std::size_t bytes) {
  static_assert(cuda_execution<Exec>, "only CUDA has multiprocessors");
  const std::size_t each = bytes + (team_size + 2) * sizeof(double) + 256;
  return teams * each <= exec.cuda_device_prop().sharedMemPerMultiprocessor;
}

/// Host spaces whose parallel_for returns when the work is done; a fence there only makes strings and takes locks.
template <class Exec>
inline constexpr bool returns_when_done = false
#if defined(KOKKOS_ENABLE_SERIAL)
                                          || std::same_as<Exec, Kokkos::Serial>
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
                                          || std::same_as<Exec, Kokkos::OpenMP>
#endif
    ;

/// How many threads of a host space an instance has.
template <class Exec>
int threads_of(const Exec& exec) {
  // Before Kokkos 5 the function is static: called on an object, it answers for the default instance.
  if constexpr (requires { Exec::concurrency(exec); }) {
    return Exec::concurrency(exec);
  } else {
    return exec.concurrency();
  }
}

/// Whether the calling thread is inside a parallel region, where Kokkos 5 aborts or would wait for itself.
template <class Exec>
bool must_run_serially() {
#if defined(KOKKOS_ENABLE_OPENMP)
  if constexpr (std::same_as<Exec, Kokkos::OpenMP>) {
    // The level, not omp_in_parallel(): a region that OpenMP gave one thread counts as well. Not even where a second
    // level is allowed: the region may be a Kokkos loop on this very instance, which holds its lock.
    return omp_get_level() > 0;
  }
#endif
  return false;
}

/// work(i) for i in 0 .. n - 1 on a host space; returns when all is done.
template <class Exec, class Work>
  requires host_execution<Exec>
void for_each_index(const char* label, const Exec& exec, std::size_t n, const Work& work) {
  if (must_run_serially<Exec>()) {
    for (std::size_t i = 0; i < n; ++i) work(i);
    return;
  }
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, n), work);
  if constexpr (!returns_when_done<Exec>) exec.fence(label);
}

/// Host memory that lives between the steps of one call. Each call has its own, so that neither other threads nor a
/// fold inside a caller's functor (an iterated integral) can meet in it; given back to the calling thread at the end
/// of the scope, so that later calls allocate nothing.
class host_memory {
 public:
  host_memory() = default;
  ~host_memory() {
    if (bytes_.empty()) return;
    try {
      given_back().push_back(std::move(bytes_));
    } catch (...) {  // no memory for the list: this buffer is freed instead
    }
  }
  host_memory(const host_memory&) = delete;
  host_memory& operator=(const host_memory&) = delete;

  /// Room for `count` objects of A. Called once.
  template <class A>
  A* at_least(std::size_t count) {
    if (auto& list = given_back(); !list.empty()) {
      bytes_ = std::move(list.back());
      list.pop_back();
    }
    std::size_t room = count * sizeof(A) + alignof(A);
    if (bytes_.size() < room) bytes_.resize(room);
    void* p = bytes_.data();
    return static_cast<A*>(std::align(alignof(A), count * sizeof(A), p, room));
  }

 private:
  static std::vector<std::vector<std::byte>>& given_back() {
    thread_local std::vector<std::vector<std::byte>> list;
    return list;
  }
  std::vector<std::byte> bytes_;
};

}  // namespace twofold::backends
