// SPDX-License-Identifier: Apache-2.0
// The text counts 2 k + 2 accesses to global memory per element without shared memory, 4 with. Counted here as
// well with the halo shared by a block, and measured through the ladder.
#include <twofold/cuda_native/ladder/rungs.hpp>

#include <string>

#include "gpu.hpp"
#include "probes.hpp"

namespace twofold::reference {

Table stencil_access_table(bool quick) {
  namespace ladder = cuda_native::ladder;
  const std::size_t n = footprint(std::size_t{1} << (quick ? 24 : 28)) / sizeof(float);
  const Buffer in(n * sizeof(float)), out(n * sizeof(float));
  cuda_native::workspace scratch;
  Table table{
      "stencil_access",
      "Global-memory accesses per element of a stencil of radius k, n = " + std::to_string(n) + " floats",
      {{"k", ""},
       {"without shared", "accesses"},
       {"with shared, text", "accesses"},
       {"with shared, counted", "accesses"}},
      {},
      {"GB/s: 8 bytes per element, what must be moved at least, by the time of a call.",
       "Without shared memory most of the 2 k + 1 loads hit the L1 cache: their instructions cost time, "
       "memory "
       "does not see them.",
       "The text's 4 with shared memory is what a thread that loads halo does. Per element it is 2 + 2 k / "
       "256: each "
       "block of 256 loads its 2 k halo elements once."}};
  const auto& rungs = ladder::stencil_rungs<float>;
  for (const auto& rung : rungs) {
    table.columns.push_back({std::string(rung.name), "us"});
    table.columns.push_back({std::string(rung.name), "GB/s"});
  }
  for (const std::int64_t k : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}) {
    std::vector<Cell> row{k, accesses_without_shared(k), accesses_with_shared_as_published(),
                          accesses_with_shared(k, ladder::stencil::threads)};
    for (const auto& rung : rungs) {
      if (!rung.accepts(static_cast<std::size_t>(k))) {
        row.insert(row.end(), {Cell{}, Cell{}});
        continue;
      }
      const double seconds = gpu_seconds(
          [&] {
            rung.run(in.as<float>(), out.as<float>(), n, static_cast<std::size_t>(k), scratch, stream());
          },
          quick);
      row.push_back(1e6 * seconds);
      row.push_back(1e-9 * 2 * sizeof(float) * static_cast<double>(n) / seconds);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace twofold::reference
