// SPDX-License-Identifier: Apache-2.0
#pragma once

// The rungs of the ladder (docs/ladder.md) as paths of the comparison. No back end has any but CUDA, whose rungs and
// bounds are in ladder_cuda.hpp.

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace twofold::bench {

/// One rung, ready to be called on the stream of its back end: its workspace is inside.
template <class... Operands>
struct Rung {
  std::string path;  // ladder:<rung>
  std::function<void(Operands...)> run;
  bool promised_bits = false;  // those of every other path
  bool waits = false;          // finishes on the host, so a call blocks: for a clock of the host
  bool takes_pitch = false;    // rows may be padded
  std::int64_t n_max = std::numeric_limits<std::int64_t>::max();
  double units_an_element = 0;  // of rounding, which adding to one address may lose beside what any order may
};

template <class R>
using IntegrateRung = Rung<R, R, std::int64_t, R*>;  // a, b, n, result
template <class T, class R>
using DotRung = Rung<const T*, const T*, std::int64_t, R*>;  // x, y, n, result
template <class T>
using StencilRung = Rung<const T*, T*, std::int64_t>;  // in, out, n
/// x, y, C or M, v, R; then rows, columns, and the bytes from row to row.
template <class T>
using ProductRung = Rung<const T*, const T*, T*, std::int64_t, std::int64_t, std::int64_t>;

template <class Exec>
struct Ladder {
  template <class R>
  static std::vector<IntegrateRung<R>> integrate(const Exec&) {
    return {};
  }
  template <class T, class R>
  static std::vector<DotRung<T, R>> dot(const Exec&) {
    return {};
  }
  template <class T>
  static std::vector<StencilRung<T>> stencil(const Exec&, std::int64_t /*k*/) {
    return {};
  }
  template <class T>
  static std::vector<ProductRung<T>> outer_product(const Exec&) {
    return {};
  }
  template <class T>
  static std::vector<ProductRung<T>> scale_columns(const Exec&) {
    return {};
  }
};

}  // namespace twofold::bench
