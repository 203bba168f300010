// SPDX-License-Identifier: Apache-2.0
// What is counted, not measured; and serial against tree on one core.
#include <cstddef>
#include <vector>

#include "host_timer.hpp"
#include "probes.hpp"

namespace twofold::reference {

std::int64_t serial_steps(std::int64_t t) { return t; }

std::int64_t tree_steps(std::int64_t t) {
  std::int64_t steps = 0;
  for (std::int64_t width = 1; width < t; width *= 2) ++steps;
  return steps;
}

std::int64_t accesses_without_shared(std::int64_t k) { return 2 * k + 1 + 1; }
std::int64_t accesses_with_shared_as_published() { return 4; }
double accesses_with_shared(std::int64_t k, std::int64_t block) {
  return 1 + 2 * static_cast<double>(k) / static_cast<double>(block) + 1;
}

namespace {

float serial_sum(const std::vector<float>& x) {
  float sum = 0;
  for (const float e : x) sum += e;
  return sum;
}

/// Level by level, in place of a copy: neighbours by halves, so that each level is one vector loop.
float tree_sum(const std::vector<float>& x, std::vector<float>& level) {
  std::size_t count = x.size();
  std::size_t half = (count + 1) / 2;
  for (std::size_t i = 0; i < half; ++i) level[i] = half + i < count ? x[i] + x[half + i] : x[i];
  for (count = half; count > 1; count = half) {
    half = (count + 1) / 2;
    for (std::size_t i = 0; half + i < count; ++i) level[i] += level[half + i];
  }
  return level[0];
}

}  // namespace

Table host_sum_table(bool quick) {
  Table table{
      "serial_vs_tree_host",
      "Serial against tree, one core of this CPU",
      {{"values t", ""}, {"serial steps", ""}, {"tree steps", ""}, {"serial", "us"}, {"tree", "us"}},
      {},
      {"Serial: every addition waits for the one before. Tree: the additions of a level are independent, so "
       "the core overlaps them and uses its vector units; passes over memory are the price."}};
  for (const std::int64_t t : {std::int64_t{8}, std::int64_t{1000000}}) {
    const std::vector<float> x(static_cast<std::size_t>(t), 1.0f);
    std::vector<float> level(x.size());
    const int calls = t < 1000 ? 100000 : 1, rounds = quick ? 3 : 15;
    // Through a pointer that the compiler must read anew, so that it cannot see that all calls are alike.
    const auto each = [&](auto* function, auto&... room) {
      decltype(function) volatile sum = function;
      return 1e6 / calls * least_seconds(rounds, [&] {
               for (int call = 0; call < calls; ++call) keep(sum(x, room...));
             });
    };
    table.rows.push_back({t, serial_steps(t), tree_steps(t), each(serial_sum), each(tree_sum, level)});
  }
  return table;
}

}  // namespace twofold::reference
