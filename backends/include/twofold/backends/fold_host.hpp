// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/accumulator.hpp>
#include <twofold/backends/fold_order.hpp>
#include <twofold/backends/sources.hpp>
#include <twofold/backends/trapezoids.hpp>
#include <twofold/backends/trapezoids_host.hpp>

#include <cstddef>
#include <type_traits>

/// @file
/// How one chunk of a fold is executed on a host thread.
///
/// The kernels behind these declarations are compiled once, in the library, for several instruction sets,
/// and picked at run time: they are fast in a plain x86-64 build and no flag of the caller's reaches
/// them. Set TWOFOLD_HOST_ISA to baseline, avx2 or avx512 to pin one; the bits are the same.

namespace twofold::backends::host {

/// The pairs (element, accumulator) that have library kernels; others use the loop in this header.
template <class T, class A>
inline constexpr bool has_kernel =
    (std::is_same_v<T, float> && (std::is_same_v<A, float> || std::is_same_v<A, double>)) ||
    (std::is_same_v<T, double> && std::is_same_v<A, double>) ||
    (std::is_same_v<T, std::int32_t> && std::is_same_v<A, std::int64_t>) ||
    (std::is_same_v<T, std::uint32_t> && std::is_same_v<A, std::uint64_t>) ||
    (std::is_same_v<T, std::int64_t> && std::is_same_v<A, std::int64_t>) ||
    (std::is_same_v<T, std::uint64_t> && std::is_same_v<A, std::uint64_t>);

/// Folds one chunk (count <= 16 rows) of x.
template <class A, class T>
A fold_chunk_sum(strided<T> x, std::size_t count);

/// Folds one chunk of products.
template <class A, class T>
A fold_chunk_dot(strided<T> x, strided<T> y, std::size_t count);

/// Folds one chunk of squares.
scaled_squares fold_chunk_squares(strided<double> x, std::size_t count);
double fold_chunk_squares(strided<float> x, std::size_t count);

/// The instruction set in use: "baseline", "avx2" or "avx512".
const char* instruction_set();

/// Folds elements [start, start + count) of any source, as the order is defined: rows into lanes, then the
/// tree over the lanes.
template <class Source>
typename Source::accumulator fold_chunk_as_defined(const Source& source, std::size_t start,
                                                   std::size_t count) {
  using A = typename Source::accumulator;
  A lanes[fold_order::lanes];
  const std::size_t used = count < fold_order::lanes ? count : fold_order::lanes;
  for (std::size_t j = 0; j < used; ++j) lanes[j] = nothing<A>();
  for (std::size_t r = 0; r < count; r += fold_order::lanes) {
    const auto row = source.row(start + r);
    const std::size_t m = count - r < fold_order::lanes ? count - r : fold_order::lanes;
    for (unsigned j = 0; j < m; ++j) lanes[j] = Source::with(lanes[j], source.load(row, source.lane(j)));
  }
  for (std::size_t m = used; m > 1; m = (m + 1) / 2) {
    for (std::size_t j = 0; j < m / 2; ++j) lanes[j] = combine(lanes[2 * j], lanes[2 * j + 1]);
    if (m % 2 != 0) lanes[m / 2] = lanes[m - 1];
  }
  return lanes[0];
}

// The overloads of fold_chunk are all in this file: one that is declared after the engine's call is never found,
// and nothing but the clock would tell.
template <class Source>
typename Source::accumulator fold_chunk(const Source& source, std::size_t start, std::size_t count) {
  return fold_chunk_as_defined(source, start, count);
}

template <class T, class A>
  requires has_kernel<T, A>
A fold_chunk(const sum_source<T, A>& source, std::size_t start, std::size_t count) {
  return fold_chunk_sum<A>(source.x.from(start), count);
}

template <class T, class A>
  requires has_kernel<T, A>
A fold_chunk(const dot_source<T, A>& source, std::size_t start, std::size_t count) {
  return fold_chunk_dot<A>(source.x.from(start), source.y.from(start), count);
}

template <class R>
double fold_chunk(const norm2_source<float, R>& source, std::size_t start, std::size_t count) {
  return fold_chunk_squares(source.x.from(start), count);
}

template <class R>
scaled_squares fold_chunk(const norm2_source<double, R>& source, std::size_t start, std::size_t count) {
  return fold_chunk_squares(source.x.from(start), count);
}

template <class A>
  requires has_kernel<A, A>
A fold_chunk(const partials_source<A>& source, std::size_t start, std::size_t count) {
  return fold_chunk_sum<A>(strided<A>{source.data + start}, count);
}

/// The caller's part of an integral: f in place of each abscissa. This loop alone is compiled, and vectorised, with the
/// caller's flags; both ends of it are calls. So the compiler can fuse nothing of `f` with our additions, and a build
/// without FMA instructions does not call fma an element.
template <class F, class T>
void replace_by_values(const F& f, T* __restrict x, std::size_t count) {
  // Blocks of a constant length: GCC vectorises those at -O2, too, and unrolls sixteen short vectors altogether.
  constexpr std::size_t block = 256 / sizeof(T);
  std::size_t j = 0;
  for (; j + block <= count; j += block) {
    for (std::size_t k = 0; k < block; ++k) x[j + k] = static_cast<T>(f(x[j + k]));
  }
  for (; j < count; ++j) x[j] = static_cast<T>(f(x[j]));
}

/// Folds one chunk of function values, a strip of lanes at a time.
template <class F, class T>
T fold_chunk(const trapezoids_source<F, T>& source, std::size_t start, std::size_t count) {
  trapezoid_walk<T> walk;
  walk.a = source.a;
  walk.b = source.b;
  walk.h = source.h;
  walk.start = start;
  walk.count = count;
  walk.to_end = source.n - start < count;
  walk.filled = 0;
  while (const std::size_t m = next_strip(walk)) replace_by_values(source.f, walk.x, m);
  return walk.sum;
}

}  // namespace twofold::backends::host
