// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/config.hpp>
#include <twofold/backends/device_workspace.hpp>

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
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

/// Whether the calling thread is where Kokkos cannot start a parallel loop on Exec: inside a parallel region of the
/// caller's, unless OpenMP was told to allow a second level. Kokkos 5 aborts there.
template <class Exec>
bool must_run_serially() {
#if defined(KOKKOS_ENABLE_OPENMP)
  if constexpr (std::same_as<Exec, Kokkos::OpenMP>) {
    // The level, not omp_in_parallel(): a region that OpenMP gave one thread counts as well.
    return omp_get_level() > 0 && !(omp_get_level() == 1 && omp_get_max_active_levels() > 1);
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
  exec.fence(label);
}

/// Memory that lives between the steps of one fold on the host: the calling thread's own, so that calls
/// from many threads through one instance cannot meet in it. Grows and never shrinks.
template <class A>
A* host_partials(std::size_t count) {
  thread_local std::vector<std::byte> memory;
  const std::size_t bytes = count * sizeof(A) + alignof(A);
  if (memory.size() < bytes) memory.resize(bytes);
  void* p = memory.data();
  std::size_t room = memory.size();
  return static_cast<A*>(std::align(alignof(A), count * sizeof(A), p, room));
}

}  // namespace twofold::backends
