// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace twofold::reference {

/// Seconds of one call of `work`, the least of `rounds`: on a shared host, whatever disturbs only adds.
template <class Work>
double least_seconds(int rounds, Work work) {
  double least = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    least = round == 0 ? seconds : std::min(least, seconds);
  }
  return least;
}

/// Keeps a value: the compiler must compute it.
template <class T>
void keep(T value) {
  static volatile T kept;
  kept = value;
  (void)kept;
}

}  // namespace twofold::reference
