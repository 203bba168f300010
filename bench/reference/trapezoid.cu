// SPDX-License-Identifier: Apache-2.0
// Table 6.8 of the text: the trapezoidal rule for x^2 + 1 with n = 2^20, all rungs of the ladder.
#include <twofold/cuda_native/detail/launch.hpp>
#include <twofold/cuda_native/ladder/rungs.hpp>

#include <cmath>
#include <stdexcept>
#include <string>

#include "gpu.hpp"
#include "probes.hpp"

namespace twofold::reference {
namespace {

__global__ void empty_kernel() {}

struct Published {
  std::string_view rung;
  double gk20a_ms;
  double titan_x_ms;
};
constexpr Published published[] = {{"atomic_per_thread_32", 20.7, 3.08},
                                   {"warp_shuffle_32", 14.4, 0.210},
                                   {"shared_dissemination_32", 15.0, 0.206}};

}  // namespace

Table trapezoid_table(bool quick) {
  namespace ladder = cuda_native::ladder;
  const std::size_t n = std::size_t{1} << 20;
  const float a = 0, b = 1;
  Table table{"trapezoid",
              "Run time of the trapezoidal rule, x^2 + 1 over [0, 1], n = 2^20 (table 6.8 of the text)",
              {{"rung", ""},
               {"time", "us"},
               {"speed-up", ""},
               {"relative error", ""},
               {"GK20A, published", "ms"},
               {"GK20A speed-up", ""},
               {"Titan X, published", "ms"},
               {"Titan X speed-up", ""}},
              {},
              {"Speed-up over atomic_per_thread_32, the text's naive kernel in its blocks of 32 threads; 32 "
               "and 256 in a name "
               "are threads per block.",
               "Times are of back-to-back calls on a stream. The rungs with atomics include zeroing their "
               "target, which the "
               "text leaves out. The error is that of the sum in float, against the rule's exact value."}};
  cuda_native::workspace scratch;
  const Buffer result(sizeof(float));
  const double exact = 4.0 / 3 + 1 / (6.0 * static_cast<double>(n) * static_cast<double>(n));
  double naive = NAN;
  for (const auto& rung : ladder::integrate_rungs) {
    const auto call = [&] { rung.run(a, b, n, result.as<float>(), scratch, stream()); };
    call();
    const double error = std::abs(static_cast<double>(value_at(result.as<float>())) - exact) / exact;
    if (!(error < 0.05)) {
      throw std::runtime_error(std::string(rung.name) + ": relative error " + std::to_string(error));
    }
    const double us = 1e6 * gpu_seconds(call, quick);
    if (std::isnan(naive)) naive = us;
    std::vector<Cell> row{std::string(rung.name), us, naive / us, error, Cell{}, Cell{}, Cell{}, Cell{}};
    for (const Published& p : published) {
      if (p.rung != rung.name) continue;
      row[4] = p.gk20a_ms;
      row[5] = published[0].gk20a_ms / p.gk20a_ms;
      row[6] = p.titan_x_ms;
      row[7] = published[0].titan_x_ms / p.titan_x_ms;
    }
    table.rows.push_back(std::move(row));
  }
  const double empty = gpu_seconds(
      [] { cuda_native::detail::launch("empty_kernel", empty_kernel, 1, 1, 0, stream()); }, quick);
  table.rows.push_back({std::string("(empty launch)"), 1e6 * empty, naive / (1e6 * empty), Cell{}, Cell{},
                        Cell{}, Cell{}, Cell{}});
  return table;
}

}  // namespace twofold::reference
