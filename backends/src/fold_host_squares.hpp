// SPDX-License-Identifier: Apache-2.0
// Sums of squares: see the rules on top of fold_host_kernels.hpp. A chunk of ordinary doubles is a dot product with
// itself; any other is sorted into three rows at a time: what needs scaling down, what needs none, what needs scaling up.
#pragma once

#include "fold_host_kernels.hpp"

namespace twofold::backends::host {
namespace {

template <class T, class A>
struct squared {
  const T* x;
  [[gnu::always_inline]] vector<A> first(std::size_t i) const {
    const vector<A> v = load<A>(x + i);
    return v * v;  // fused with the absent value, it is the same
  }
  [[gnu::always_inline]] vector<A> with(vector<A> sum, std::size_t i) const {
    const vector<A> v = load<A>(x + i);
    return fused<A>(v, v, sum);
  }
  [[gnu::always_inline]] A with_one(A sum, std::size_t i) const {
    const A v = static_cast<A>(x[i]);
    return __builtin_fma(v, v, sum);
  }
};

// The squares of floats fit into doubles.
inline double chunk_squares_of_floats(const float* x, std::ptrdiff_t stride, std::size_t count) {
  if (stride == 1) return fold_terms<double>(squared<float, double>{x}, count);
  return fold_gathered<double, float>({x, stride}, {x, stride}, true, count);
}

// Whether every element is zero, or so far from overflow and underflow that its square needs no scaling.
// NaN and infinity say no.
inline bool all_ordinary(const double* x, std::size_t count) {
  constexpr std::size_t V = vector_of<std::uint64_t>::size;
  const std::uint64_t low = __builtin_bit_cast(std::uint64_t, scaled_squares::small_below);
  const std::uint64_t span = __builtin_bit_cast(std::uint64_t, scaled_squares::large_from) - low;
  const std::uint64_t magnitude = ~std::uint64_t{0} >> 1;
  vector<std::uint64_t> outside{};
  std::size_t i = 0;
  for (; i + V <= count; i += V) {
    const auto bits = load<std::uint64_t>(reinterpret_cast<const std::uint64_t*>(x + i)) & magnitude;
    // Comparisons of vectors give all ones for true.
    outside |= ((bits - low) > span) & (bits != 0);
  }
  std::uint64_t any = 0;
  for (std::size_t k = 0; k < V; ++k) any |= outside[k];
  for (; i < count; ++i) {
    const auto bits = __builtin_bit_cast(std::uint64_t, x[i]) & magnitude;
    any |= (bits - low > span) & (bits != 0);
  }
  return any == 0;
}

// The ordinary part alone where there is no other: it is the same fold then.
inline bool chunk_squares_ordinary(const double* x, std::ptrdiff_t stride, std::size_t count, double* sum) {
  if (stride != 1 || !all_ordinary(x, count)) return false;
  *sum = fold_terms<double>(squared<double, double>{x}, count);
  return true;
}

// One part of the lanes of a chunk.
struct squares_part {
  alignas(64) double sums[lanes];
  alignas(64) double row[lanes];
  bool met;  // an element of this kind

  void add_row(std::size_t m) {
    constexpr std::size_t V = vector_of<double>::size;
    const squared<double, double> term{row};
    std::size_t j = 0;
    for (; j + V <= m; j += V) store<double>(sums + j, term.with(load<double>(sums + j), j));
    for (; j < m; ++j) sums[j] = term.with_one(sums[j], j);
  }
};

// Any elements, any stride. Where a part has no element its row holds zeros, which change no sum.
inline void chunk_squares_any(const double* x, std::ptrdiff_t stride, std::size_t count, double* large_sum,
                              double* ordinary_sum, double* small_sum) {
  squares_part large, ordinary, small;
  large.met = ordinary.met = small.met = false;
  const std::size_t used = count < lanes ? count : lanes;
  for (std::size_t j = 0; j < used; ++j) large.sums[j] = ordinary.sums[j] = small.sums[j] = nothing<double>();
  for (std::size_t r = 0; r < count; r += lanes) {
    const std::size_t m = count - r < lanes ? count - r : lanes;
    const double* const from = x + static_cast<std::ptrdiff_t>(r) * stride;
    std::uint64_t any_large = 0, any_ordinary = 0, any_small = 0;
    for (std::size_t j = 0; j < m; ++j) {
      const double v = from[static_cast<std::ptrdiff_t>(j) * stride], magnitude = __builtin_fabs(v);
      const bool is_large = magnitude > scaled_squares::large_from;
      const bool is_small = magnitude < scaled_squares::small_below;
      large.row[j] = is_large ? v * scaled_squares::large_scale : 0.0;
      small.row[j] = is_small ? v * scaled_squares::small_scale : 0.0;
      ordinary.row[j] = is_large || is_small ? 0.0 : v;
      any_large |= is_large;
      any_small |= is_small && v != 0.0;
      any_ordinary |= !is_large && !is_small;
    }
    if (any_large != 0) large.add_row(m);
    if (any_small != 0) small.add_row(m);
    if (any_ordinary != 0) ordinary.add_row(m);
    large.met |= any_large != 0;
    small.met |= any_small != 0;
    ordinary.met |= any_ordinary != 0;
  }
  if (large.met) *large_sum = fold_values<double>(large.sums, used);
  if (small.met) *small_sum = fold_values<double>(small.sums, used);
  if (ordinary.met) *ordinary_sum = fold_values<double>(ordinary.sums, used);
}

}  // namespace
}  // namespace twofold::backends::host
