// SPDX-License-Identifier: Apache-2.0
// Included by one source file per instruction set, each compiled with its own flags. Plain loops that every compiler
// vectorises; nothing here may be an inline function with external linkage (see fold_host_kernels.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "matrix_host_table.hpp"

namespace twofold::backends::host {
namespace {

// One NaN for all: x86 makes a negative one of infinity * 0, a GPU a positive one.
template <class T>
[[gnu::always_inline]] inline T one_nan(T value) {
  if constexpr (__is_same(T, float)) {
    return value == value ? value : __builtin_nanf("");
  } else if constexpr (__is_same(T, double)) {
    return value == value ? value : __builtin_nan("");
  } else {
    return value;
  }
}

// in may be out: no iteration reads what another writes.
template <class T>
void by_line(const T* in, const T* along, T* out, std::size_t n) {
#pragma GCC ivdep
  for (std::size_t k = 0; k < n; ++k) out[k] = one_nan<T>(in[k] * along[k]);
}

template <class T>
void by_number(const T* in, T factor, T* out, std::size_t n) {
#pragma GCC ivdep
  for (std::size_t k = 0; k < n; ++k) out[k] = one_nan<T>(factor * in[k]);
}

// ---- folds across lines ---------------------------------------------------------------------------

inline constexpr std::size_t lanes = 2048;
inline constexpr std::size_t most_values =
    256;  // of a node: accumulators that stay in L1 with the waiting ones
inline constexpr int levels = 12;

template <class A, class T>
void set_values(A* to, const T* from, std::size_t n) {
#pragma GCC ivdep
  for (std::size_t k = 0; k < n; ++k) to[k] = static_cast<A>(from[k]);
}
template <class A, class T>
void add_values(A* to, const T* from, std::size_t n) {
#pragma GCC ivdep
  for (std::size_t k = 0; k < n; ++k) to[k] += static_cast<A>(from[k]);
}
// to = from + to: the left one first, though addition commutes.
template <class A>
void add_left(A* to, const A* from, std::size_t n) {
#pragma GCC ivdep
  for (std::size_t k = 0; k < n; ++k) to[k] = from[k] + to[k];
}

// The lines of one lane lie 2048 apart; they are added place by place. Lanes come in order and fold like a binary
// counter: node i waits on the level of its lowest zero bit. Without pads several short lines are swept as one.
template <class A, class T>
void across(const T* first, std::ptrdiff_t pitch, std::size_t places, std::size_t count, A* results) {
  A waiting[levels][most_values];
  A node[most_values];
  std::size_t group = 1;  // neighbouring lanes of a node
  if (pitch == static_cast<std::ptrdiff_t>(places)) {
    while (2 * group * places <= most_values && group < lanes) group *= 2;
  }
  const std::size_t used = count < lanes ? count : lanes;
  std::size_t nodes = 0;
  for (std::size_t lane = 0; lane < used; lane += group, ++nodes) {
    std::size_t m = used - lane < group ? used - lane : group;
    set_values(node, first + static_cast<std::ptrdiff_t>(lane) * pitch, m * places);
    for (std::size_t line = lane + lanes; line < count; line += lanes) {
      const std::size_t more = count - line < m ? count - line : m;
      add_values(node, first + static_cast<std::ptrdiff_t>(line) * pitch, more * places);
    }
    for (; m > 1; m = (m + 1) / 2) {
      for (std::size_t p = 0; p < m / 2; ++p) {
        for (std::size_t k = 0; k < places; ++k)
          node[p * places + k] = node[2 * p * places + k] + node[(2 * p + 1) * places + k];
      }
      if (m % 2 != 0) {
        for (std::size_t k = 0; k < places; ++k) node[m / 2 * places + k] = node[(m - 1) * places + k];
      }
    }
    int level = 0;
    for (; nodes >> level & 1; ++level) add_left(node, waiting[level], places);
    set_values(waiting[level], node, places);
  }
  // What still waits, from the right: nodes without a partner go up as they are.
  int level = 0;
  while (!(nodes >> level & 1)) ++level;
  set_values(results, waiting[level], places);
  for (++level; nodes >> level != 0; ++level) {
    if (nodes >> level & 1) add_left(results, waiting[level], places);
  }
}

constexpr matrix_kernels matrix_kernels_of_this_file{
    {by_line<float>, by_number<float>},
    {by_line<double>, by_number<double>},
    {by_line<std::uint32_t>, by_number<std::uint32_t>},
    {by_line<std::uint64_t>, by_number<std::uint64_t>},
    across<float, float>,
    across<double, float>,
    across<double, double>,
    across<std::uint64_t, std::int32_t>,
    across<std::uint64_t, std::uint32_t>,
    across<std::uint64_t, std::uint64_t>,
};

}  // namespace
}  // namespace twofold::backends::host
