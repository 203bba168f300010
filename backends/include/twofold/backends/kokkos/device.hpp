// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

/// @file
/// Two things that GPU kernels written in Kokkos need and that its programming guide leaves out, though its headers have
/// them for CUDA and HIP alike: values handed to a neighbouring thread without memory, and an atomic addition that orders
/// what was written before it. The only place that names either; docs/decisions/007 has what they are worth.

namespace twofold::backends {

/// Threads of a team, in order of their rank, that run together: neighbours among them exchange values.
inline constexpr unsigned neighbour_threads = 32;

/// The value of the thread `distance` ranks further on; anything where that is beyond the 32. All 32 come by here.
template <class A>
KOKKOS_FUNCTION A from_neighbour(const A& value, unsigned distance) {
  KOKKOS_IF_ON_DEVICE((return Kokkos::shfl_down(value, static_cast<int>(distance), 32);))
  KOKKOS_IF_ON_HOST(((void)distance; return value;))
}

/// The value of the first of the 32.
template <class A>
KOKKOS_FUNCTION A from_first(const A& value) {
  KOKKOS_IF_ON_DEVICE((return Kokkos::shfl(value, 0, 32);))
  KOKKOS_IF_ON_HOST((return value;))
}

/// Adds `count` to *counter and returns what it was. What this thread wrote before is visible to the threads that add after
/// it, once they have. Kokkos' own atomics are relaxed, and with a memory_fence() on either side they cost the fences.
KOKKOS_INLINE_FUNCTION unsigned arrive(unsigned* counter, unsigned count) {
  return desul::atomic_fetch_add(counter, count, desul::MemoryOrderAcqRel(), desul::MemoryScopeDevice());
}

}  // namespace twofold::backends
