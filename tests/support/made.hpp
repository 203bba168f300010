// SPDX-License-Identifier: Apache-2.0
// The inputs of the frozen results.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cases {

/// A linear congruential generator: integers only, so that every compiler makes the same input.
template <class T>
std::vector<T> made(std::size_t n, int binades) {
  std::vector<T> x(n);
  std::uint64_t s = 88172645463325252u;
  for (T& e : x) {
    s = s * 6364136223846793005u + 1442695040888963407u;
    const auto mantissa = static_cast<std::int32_t>(static_cast<std::uint32_t>(s >> 40)) - (1 << 23);
    e = std::ldexp(static_cast<T>(mantissa),
                   static_cast<int>((s >> 33) % static_cast<unsigned>(binades)) - binades / 2 - 23);
  }
  return x;
}

}  // namespace cases
