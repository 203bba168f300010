// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a back end is to the benchmark: its instance, clock, sizes and memory. The host's is here,
// CUDA's beside it; the #if below is the only one.

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "harness.hpp"
#include "ladder.hpp"
#include "machine.hpp"
#include "peers.hpp"

namespace twofold::bench {

template <class Exec>
struct Backend {
  static_assert(Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible);
  static constexpr bool gpu = false;

  static std::string name() { return is_serial() ? "serial" : "openmp"; }
  static bool matches(const std::string& wanted) { return wanted == "auto" || wanted == "openmp"; }
  static Exec instance() { return Exec(); }
  static std::unique_ptr<Clock> clock(const Exec& exec) {
    return std::make_unique<SteadyClock>([exec] { exec.fence("twofold_bench: end of a batch"); });
  }
  static Stream stream(const Exec&) { return nullptr; }
  static std::function<void()> graph(const Exec&, const std::function<void()>&) { return nullptr; }
  static MemoryOps memory_ops() { return host_memory_ops(); }
  template <class T, class R>
  static std::vector<Peer<T, R>> peers(Fold fold) {
    return host_peers<T, R>(fold);
  }
  template <class R, class F>
  static std::vector<IntegratePeer<R>> integrate_peers() {
    return host_integrate_peers<R, F>();
  }
  template <class T, class R>
  static std::vector<ValuePeer<T, R>> value_peers(Fold) {
    return {};  // a call of a host peer has its value when it returns
  }
  template <class R, class F>
  static std::vector<IntegrateValuePeer<R>> integrate_value_peers() {
    return {};
  }
  template <class T>
  static std::vector<MatrixPeer<T>> outer_product_peers() {
    return {};
  }
  template <class T>
  static std::vector<MatrixPeer<T>> scale_columns_peers() {
    return {};
  }
  /// Half of what is free now: other people work on this machine.
  static std::int64_t memory_bytes() { return host_memory_available() / 2; }
  static std::int64_t cache_bytes() { return host_last_level_cache(); }
  /// Working sets up to this are measured in cache. Of a shared last level a thread's share: virtual machines
  /// report the whole socket's.
  static std::int64_t hot_bytes() {
    const std::int64_t share = (std::int64_t{4} << 20) * Exec().concurrency();
    return std::min(share, cache_bytes() / 2);
  }
  static int sizes_from() { return 10; }
  static int sizes_to() { return 26; }
  static Environment environment() { return {}; }
  static Sampling sampling() {
    Sampling sampling;
    sampling.max_batch = 20000;
    return sampling;
  }

 private:
  static constexpr bool is_serial() { return std::string_view(Exec::name()) == "Serial"; }
};

template <class... Execs>
struct ExecList {};

}  // namespace twofold::bench

#ifdef KOKKOS_ENABLE_CUDA
#include "backend_cuda.hpp"
#include "ladder_cuda.hpp"
namespace twofold::bench {
using Execs = ExecList<Kokkos::DefaultHostExecutionSpace, Kokkos::Cuda>;
}  // namespace twofold::bench
#else
namespace twofold::bench {
using Execs = ExecList<Kokkos::DefaultHostExecutionSpace>;
inline std::string missing_device() { return {}; }
}  // namespace twofold::bench
#endif
