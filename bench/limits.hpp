// SPDX-License-Identifier: Apache-2.0
#pragma once

// The hardware's own figures, measured in the same run as everything that is divided by them.

#include "graph_path.hpp"

namespace twofold::bench {

inline constexpr int limit_cases = 4;

/// An empty call, and reading, filling and copying buffers well beyond the cache.
template <class Exec>
void measure_limits(Session<Exec>& session) {
  const MemoryOps ops = Backend<Exec>::memory_ops();
  const Stream stream = Backend<Exec>::stream(session.exec);
  const std::int64_t cache = Backend<Exec>::cache_bytes();
  const std::int64_t wanted =
      std::max<std::int64_t>(2 * cache, std::int64_t{1} << (Backend<Exec>::gpu ? 31 : 28));
  const std::int64_t bytes = std::min(wanted, Backend<Exec>::memory_bytes() / 4) / 4096 * 4096;
  session.inputs.template prepare<float>(bytes / 4, false);  // random bits to read
  Kokkos::View<unsigned char*, typename Exec::memory_space> buffer(
      Kokkos::view_alloc(session.exec, Kokkos::WithoutInitializing, "twofold_bench limit"),
      static_cast<std::size_t>(bytes));
  const void* from = session.inputs.template data<float>(0);
  void* to = buffer.data();
  const auto size = static_cast<std::size_t>(bytes);
  ops.fill(to, 1, size, stream);  // touches the pages in parallel
  session.exec.fence();

  const auto measure = [&](const char* algorithm, const char* path_name, std::int64_t n,
                           const std::function<void()>& call) {
    const Row& row = row_of(algorithm);
    Case c;
    c.is_limit = true;
    c.algorithm = algorithm;
    c.type = "byte";
    c.accumulator = "byte";
    c.n = n;
    c.bytes = (row.reads + row.writes) * n;
    Path path;
    path.name = path_name;
    path.form = "limit";
    path.clock = session.clock.get();
    path.poison = [] {};
    path.check = [] { return Verdict{.ok = true, .bits = {}, .reason = {}}; };
    path.run = [call](std::int64_t, std::int64_t count) {
      for (std::int64_t k = 0; k < count; ++k) call();
    };
    // What a node of a graph costs at least.
    if (n == 0 && wants_graph(session, n)) c.paths.push_back(graph_of(path, session.exec));
    c.paths.push_back(std::move(path));
    session.measure(std::move(c));
  };
  measure("launch", "empty", 0, [&] { ops.empty(stream); });
  measure("read", "read", bytes, [&] { ops.read(from, size, to, stream); });
  measure("memset", "memset", bytes, [&] { ops.fill(to, 1, size, stream); });
  measure("memcpy", "memcpy", bytes, [&] { ops.copy(to, from, size, stream); });
}

}  // namespace twofold::bench
