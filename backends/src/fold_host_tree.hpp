// SPDX-License-Identifier: Apache-2.0
// The tree over neighbours in vectors: see the rules on top of fold_host_kernels.hpp.
#pragma once

#include <twofold/backends/fold_host.hpp>

#include "fold_host_table.hpp"
#include "host_vector.hpp"

namespace twofold::backends::host {
namespace {

inline constexpr std::size_t lanes = fold_order::lanes;

// Pairs of neighbours among groups of `Width` elements of a, then of b: [a0 a2 .. b0 b2 ..] + [a1 a3 ..].
// With Width 1 this happens inside each 128-bit part, with Width 128 bits between the parts.
template <class A, std::size_t Width>
struct pairing {
  static constexpr std::size_t V = vector_of<A>::size;
  static constexpr std::size_t P = 16 / sizeof(A);  // elements of a 128-bit part
  static constexpr int index(std::size_t k, std::size_t odd) {
    if (Width == 1) {
      const std::size_t part = k / P, i = k % P, half = P / 2;
      const std::size_t from_b = i / half;
      return static_cast<int>(from_b * V + part * P + (i % half) * 2 + odd);
    }
    const std::size_t part = k / P, parts = V / P, half = parts / 2;
    const std::size_t from_b = part / half;
    return static_cast<int>(from_b * V + ((part % half) * 2 + odd) * P + k % P);
  }
};

template <class A, std::size_t Width, std::size_t... K>
[[gnu::always_inline]] inline vector<A> add_pairs(vector<A> a, vector<A> b, index_list<K...>) {
  using p = pairing<A, Width>;
  return __builtin_shufflevector(a, b, p::index(K, 0)...) + __builtin_shufflevector(a, b, p::index(K, 1)...);
}

// The tree over N vectors, N at most V: its first log2(N) levels. Every count is a constant, so that all vectors stay
// in registers; as loops over an array GCC keeps them in memory, at half the speed. With N = V the result, V sums of V
// neighbours, is in order.
template <class A, std::size_t N>
[[gnu::always_inline]] inline vector<A> fold_vectors(const vector<A>* v) {
  if constexpr (N == 1) {
    return *v;
  } else {
    constexpr std::size_t P = 16 / sizeof(A);
    using all = typename make_index_list<vector_of<A>::size>::type;
    return add_pairs<A, (N <= P ? 1 : P)>(fold_vectors<A, N / 2>(v), fold_vectors<A, N / 2>(v + N / 2),
                                          all{});
  }
}

// V vectors from memory to one.
template <class A>
[[gnu::always_inline]] inline vector<A> fold_strip(const A* values) {
  constexpr std::size_t V = vector_of<A>::size;
  vector<A> v[V];
#pragma GCC unroll 16
  for (std::size_t k = 0; k < V; ++k) v[k] = load<A>(values + k * V);
  return fold_vectors<A, V>(v);
}

// Every element gets the sum of its own and the one whose place differs in Bit. Both partners hold the same bits then,
// since a + b is b + a, so that one shuffle serves.
template <class A, std::size_t Bit, std::size_t... K>
[[gnu::always_inline]] inline vector<A> add_partners(vector<A> v, index_list<K...>) {
  return v + __builtin_shufflevector(v, v, (K ^ Bit)...);
}

// The same for the bits of places from First up to End.
template <class A, std::size_t First, std::size_t End>
[[gnu::always_inline]] inline vector<A> add_all_partners(vector<A> v) {
  if constexpr (First < End) {
    using all = typename make_index_list<vector_of<A>::size>::type;
    return add_all_partners<A, 2 * First, End>(add_partners<A, First>(v, all{}));
  } else {
    return v;
  }
}

// The rest of the tree over N vectors after fold_vectors: it left in each 128-bit part what is next to each other of as
// many vectors as fit, so neighbours in those come first, then parts of the same vectors, then the vectors in a part, last
// the groups of such vectors.
template <class A, std::size_t N>
[[gnu::always_inline]] inline A fold_vector(vector<A> v) {
  constexpr std::size_t V = vector_of<A>::size;
  constexpr std::size_t P = 16 / sizeof(A);
  constexpr std::size_t inside = N < P ? P / N : 1;      // sums of one vector in a part
  constexpr std::size_t groups = N < P ? V : P * V / N;  // where the groups of vectors begin
  v = add_all_partners<A, 1, inside>(v);
  v = add_all_partners<A, P, groups>(v);
  v = add_all_partners<A, inside, P>(v);
  v = add_all_partners<A, groups, V>(v);
  return v[0];
}

// The tree over all elements of N vectors, N at most V.
template <class A, std::size_t N>
[[gnu::always_inline]] inline A fold_elements(const vector<A>* v) {
  return fold_vector<A, N>(fold_vectors<A, N>(v));
}

// The same from memory.
template <class A, std::size_t N>
[[gnu::always_inline]] inline A fold_elements(const A* values) {
  constexpr std::size_t V = vector_of<A>::size;
  vector<A> v[N];
#pragma GCC unroll 16
  for (std::size_t k = 0; k < N; ++k) v[k] = load<A>(values + k * V);
  return fold_elements<A, N>(v);
}

// The tree over few values, as it is defined. Overwrites them.
template <class A>
[[gnu::always_inline]] inline A fold_few(A* values, std::size_t m) {
  for (; m > 1; m = (m + 1) / 2) {
    for (std::size_t k = 0; k < m / 2; ++k) values[k] = values[2 * k] + values[2 * k + 1];
    if (m % 2 != 0) values[m / 2] = values[m - 1];
  }
  return values[0];
}

// The tree over M values in memory, a power of two known to the compiler. Overwrites them.
template <class A, std::size_t M>
[[gnu::always_inline]] inline A fold_all(A* values) {
  constexpr std::size_t V = vector_of<A>::size;
  if constexpr (M >= V * V) {
    for (std::size_t j = 0; j < M; j += V * V) store<A>(values + j / V, fold_strip<A>(values + j));
    return fold_all<A, M / V>(values);
  } else if constexpr (M >= V) {
    return fold_elements<A, M / V>(values);
  } else {
    return fold_few(values, M);
  }
}

// The tree over the first m of the 2048 places at `values`; the others are absent. Overwrites them.
template <class A>
A fold_values(A* values, std::size_t m) {
  constexpr std::size_t V = vector_of<A>::size;
  if (m == lanes) return fold_all<A, lanes>(values);
  // Adding the absent value changes nothing, so long levels are filled up with it to whole strips.
  for (; m > V; m = (m + V - 1) / V) {
    std::size_t k = m;
    for (; k % V != 0; ++k) values[k] = nothing<A>();
    for (; k % (V * V) != 0; k += V) store<A>(values + k, all_of<A>(nothing<A>()));
    for (std::size_t j = 0; j < m; j += V * V) store<A>(values + j / V, fold_strip<A>(values + j));
  }
  return fold_few(values, m);
}

}  // namespace
}  // namespace twofold::backends::host
