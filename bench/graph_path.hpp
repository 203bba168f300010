// SPDX-License-Identifier: Apache-2.0
#pragma once

// Calls as nodes of a CUDA graph: what a call costs where its launch is prepared beforehand.

#include <functional>
#include <memory>
#include <utility>

#include "session.hpp"

namespace twofold::bench {

/// Where launches are much of a call's time, so that graphs are measured without being asked for.
inline constexpr std::int64_t graphs_until = std::int64_t{1} << 20;

template <class Exec>
bool wants_graph(const Session<Exec>& session, std::int64_t n) {
  return Backend<Exec>::gpu && (session.options.graph || (!session.options.quick && n <= graphs_until));
}

/// Twenty calls of `path`, captured at first and replayed from then on.
template <class Exec>
Path graph_of(Path path, const Exec& exec, std::int64_t windows = 1) {
  path.form = "graph node";
  path.calls_per_run = 20;
  auto launch = std::make_shared<std::function<void()>>();
  path.run = [launch, enqueue = path.run, nodes = path.calls_per_run, exec, windows](std::int64_t,
                                                                                     std::int64_t count) {
    if (*launch == nullptr) {
      enqueue(0, 1);  // what allocates at first may not be captured
      const std::int64_t first = (windows - (nodes - 1) % windows) % windows;  // so that window 0 is last
      *launch = Backend<Exec>::graph(exec, [&] { enqueue(first, nodes); });
    }
    for (std::int64_t run = 0; run < count; ++run) (*launch)();
  };
  return path;
}

}  // namespace twofold::bench
