// SPDX-License-Identifier: Apache-2.0
// Included by one source file per instruction set, each compiled with its own flags.
//
// Strategy: a chunk is walked in strips of as many neighbouring lanes as one vector register folds into
// itself (V * V lanes for V elements a register). A strip's rows are added lane by lane in registers, then
// its lanes are folded by the tree: pairs of neighbours within 128 bits first, since those shuffles are
// cheap on every x86, then pairs of 128-bit parts. One register of V results per strip goes to memory;
// the remaining levels run over 2048 / V values. Long chunks are swept four rows at a time with the lane
// sums in L1, so that memory is read in four sequential streams.
//
// Nothing here may be a standard inline function: compiled with wide instructions, its one shared copy
// could be picked for the whole program and crash older machines. Only builtins and internal templates.
#pragma once

#include <twofold/backends/fold_host.hpp>

#include "fold_host_table.hpp"
#include "host_vector.hpp"

namespace twofold::backends::host {
namespace {

inline constexpr std::size_t lanes = fold_order::lanes;

// ---- folding lanes ----------------------------------------------------------------------------------

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

// Pairs of neighbours of a and b, in order.
template <class A, std::size_t... K>
[[gnu::always_inline]] inline vector<A> add_neighbours(vector<A> a, vector<A> b, index_list<K...>) {
  return __builtin_shufflevector(a, b, (2 * K)...) + __builtin_shufflevector(a, b, (2 * K + 1)...);
}

// The tree over the elements of N vectors, N at most V.
template <class A, std::size_t N>
[[gnu::always_inline]] inline A fold_elements(const A* values) {
  constexpr std::size_t V = vector_of<A>::size;
  using all = typename make_index_list<V>::type;
  vector<A> v[N];
#pragma GCC unroll 16
  for (std::size_t k = 0; k < N; ++k) v[k] = load<A>(values + k * V);
#pragma GCC unroll 16
  for (std::size_t count = N / 2; count > 0; count /= 2) {
#pragma GCC unroll 16
    for (std::size_t k = 0; k < count; ++k) v[k] = add_neighbours<A>(v[2 * k], v[2 * k + 1], all{});
  }
#pragma GCC unroll 16
  for (std::size_t count = V; count > 1; count /= 2) v[0] = add_neighbours<A>(v[0], v[0], all{});
  return v[0][0];
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
    for (std::size_t k = m; k % (V * V) != 0; ++k) values[k] = nothing<A>();
    for (std::size_t j = 0; j < m; j += V * V) store<A>(values + j / V, fold_strip<A>(values + j));
  }
  return fold_few(values, m);
}

// ---- rows into lanes --------------------------------------------------------------------------------

template <class T, class A>
struct summed {
  const T* x;
  [[gnu::always_inline]] vector<A> first(std::size_t i) const { return load<A>(x + i); }
  [[gnu::always_inline]] vector<A> with(vector<A> sum, std::size_t i) const { return sum + load<A>(x + i); }
  [[gnu::always_inline]] A with_one(A sum, std::size_t i) const { return sum + static_cast<A>(x[i]); }
};

template <class T, class A>
struct multiplied {
  const T* x;
  const T* y;
  // The fused product with the absent value: -0.0 and 0 change no product.
  [[gnu::always_inline]] vector<A> first(std::size_t i) const { return load<A>(x + i) * load<A>(y + i); }
  [[gnu::always_inline]] vector<A> with(vector<A> sum, std::size_t i) const {
    return fused<A>(load<A>(x + i), load<A>(y + i), sum);
  }
  [[gnu::always_inline]] A with_one(A sum, std::size_t i) const {
    const A a = static_cast<A>(x[i]), b = static_cast<A>(y[i]);
    if constexpr (__is_same(A, float)) {
      return __builtin_fmaf(a, b, sum);
    } else if constexpr (__is_same(A, double)) {
      return __builtin_fma(a, b, sum);
    } else {
      return a * b + sum;
    }
  }
};

// A strip's rows from element i on, `rows` of them, at least one, added to what `before` the strip's lanes hold, or
// without it to nothing. The number of rows is no constant: a branch for every V vectors costs nothing, and one text
// serves all shapes of chunks.
template <class A, class Term>
[[gnu::always_inline]] inline void add_rows(vector<A>* s, const Term& term, std::size_t i, std::size_t rows,
                                            const A* before) {
  constexpr std::size_t V = vector_of<A>::size;
  std::size_t r = 0;
  if (before == nullptr) {
#pragma GCC unroll 16
    for (std::size_t k = 0; k < V; ++k) s[k] = term.first(i + k * V);
    r = 1;
  } else {
#pragma GCC unroll 16
    for (std::size_t k = 0; k < V; ++k) s[k] = load<A>(before + k * V);
  }
#pragma GCC unroll 4
  for (; r < rows; ++r) {
#pragma GCC unroll 16
    for (std::size_t k = 0; k < V; ++k) s[k] = term.with(s[k], i + r * lanes + k * V);
  }
}

// Adds full rows [first, first + rows) to every strip's lanes in `sums`.
template <class A, class Term>
[[gnu::always_inline]] inline void sweep_rows(A* sums, const Term& term, std::size_t first,
                                              std::size_t rows) {
  constexpr std::size_t V = vector_of<A>::size;
  for (std::size_t j = 0; j < lanes; j += V * V) {
    vector<A> s[V];
    add_rows<A>(s, term, first * lanes + j, rows, first == 0 ? nullptr : sums + j);
#pragma GCC unroll 16
    for (std::size_t k = 0; k < V; ++k) store<A>(sums + j + k * V, s[k]);
  }
}

// The last rows of a chunk, strip by strip, and the first levels of the tree while the lanes are in registers.
// In place: a strip's results lie below the sums of the strips that are still to be read.
template <class A, class Term>
[[gnu::always_inline]] inline void fold_strips(A* sums, const Term& term, std::size_t first, std::size_t rows,
                                               std::size_t from, std::size_t to) {
  constexpr std::size_t V = vector_of<A>::size;
  for (std::size_t j = from; j < to; j += V * V) {
    vector<A> s[V];
    add_rows<A>(s, term, first * lanes + j, rows, first == 0 ? nullptr : sums + j);
    store<A>(sums + j / V, fold_vectors<A, V>(s));
  }
}

// The strip in whose middle the chunk ends: its last row has `last` elements, the rows before it are full.
template <class A, class Term>
void fold_last_strip(A* sums, const Term& term, std::size_t first, std::size_t rows, std::size_t j,
                     std::size_t last) {
  constexpr std::size_t V = vector_of<A>::size;
  A part[V * V];
  for (std::size_t k = 0; k < V * V; k += V) {
    vector<A> s = first == 0 ? all_of<A>(nothing<A>()) : load<A>(sums + j + k);
    const std::size_t whole = k + V <= last ? rows : rows - 1;
    for (std::size_t r = first; r < first + whole; ++r) s = term.with(s, r * lanes + j + k);
    store<A>(part + k, s);
  }
  for (std::size_t k = last / V * V; k < last; ++k) {
    part[k] = term.with_one(part[k], (first + rows - 1) * lanes + j + k);
  }
  store<A>(sums + j / V, fold_strip<A>(part));
}

// One chunk of `count` elements: all rows but the last few into L1, then strip by strip those and the tree.
template <class A, class Term>
A fold_terms(const Term& term, std::size_t count) {
  constexpr std::size_t V = vector_of<A>::size;
  constexpr std::size_t strip = V * V;
  static_assert(lanes % strip == 0);
  alignas(64) A sums[lanes];
  if (count <= V) {
    A few[V] = {};
    for (std::size_t j = 0; j < count; ++j) few[j] = term.with_one(nothing<A>(), j);
    return fold_few(few, count);
  }
  const std::size_t full = count / lanes, rest = count % lanes;
  const std::size_t swept = full > 4 ? (full - 1) / 4 * 4 : 0;
  for (std::size_t r = 0; r < swept; r += 4) sweep_rows<A>(sums, term, r, 4);

  const std::size_t rows = full - swept;
  if (rows == 4 && rest == 0) {  // nearly every chunk: with constants, a tenth faster in the caches
    if (swept == 0) {
      fold_strips<A>(sums, term, 0, 4, 0, lanes);
    } else {
      fold_strips<A>(sums, term, swept, 4, 0, lanes);
    }
    return fold_all<A, lanes / V>(sums);
  }
  const std::size_t ragged =
      rest / strip * strip;  // strips below have a row more, the strip at `ragged` part of it
  fold_strips<A>(sums, term, swept, rows + 1, 0, ragged);
  std::size_t next = ragged;
  if (ragged < rest) {
    fold_last_strip<A>(sums, term, swept, rows + 1, ragged, rest - ragged);
    next += strip;
  }
  if (full == 0) return fold_values<A>(sums, next / V);
  fold_strips<A>(sums, term, swept, rows, next, lanes);
  return fold_all<A, lanes / V>(sums);
}

// Strided input: a row at a time into a buffer in L1, so that one set of kernels serves all.
template <class A, class T>
A fold_gathered(strided<T> x, strided<T> y, bool product, std::size_t count) {
  alignas(64) A sums[lanes];
  T bx[lanes], by[lanes];
  const A none = nothing<A>();
  const std::size_t used = count < lanes ? count : lanes;
  for (std::size_t j = 0; j < used; ++j) sums[j] = none;
  constexpr std::size_t V = vector_of<A>::size;
  const auto sweep = [&](const auto& term, std::size_t m) {
    std::size_t j = 0;
    for (; j + V <= m; j += V) store<A>(sums + j, term.with(load<A>(sums + j), j));
    for (; j < m; ++j) sums[j] = term.with_one(sums[j], j);
  };
  for (std::size_t r = 0; r < count; r += lanes) {
    const std::size_t m = count - r < lanes ? count - r : lanes;
    const T* px = x.data + static_cast<std::ptrdiff_t>(r) * x.stride;
    for (std::size_t j = 0; j < m; ++j) bx[j] = px[static_cast<std::ptrdiff_t>(j) * x.stride];
    if (product) {
      const T* py = y.data + static_cast<std::ptrdiff_t>(r) * y.stride;
      for (std::size_t j = 0; j < m; ++j) by[j] = py[static_cast<std::ptrdiff_t>(j) * y.stride];
      sweep(multiplied<T, A>{bx, by}, m);
    } else {
      sweep(summed<T, A>{bx}, m);
    }
  }
  return fold_values<A>(sums, used);
}

template <class A, class T>
A chunk_sum(const T* x, std::ptrdiff_t stride, std::size_t count) {
  using W = typename wrapping<A>::type;
  if (stride == 1) return static_cast<A>(fold_terms<W>(summed<T, W>{x}, count));
  return static_cast<A>(fold_gathered<W, T>({x, stride}, {x, stride}, false, count));
}

template <class A, class T>
A chunk_dot(const T* x, std::ptrdiff_t sx, const T* y, std::ptrdiff_t sy, std::size_t count) {
  using W = typename wrapping<A>::type;
  if (sx == 1 && sy == 1) return static_cast<A>(fold_terms<W>(multiplied<T, W>{x, y}, count));
  return static_cast<A>(fold_gathered<W, T>({x, sx}, {y, sy}, true, count));
}

template <class A>
void row_into_lanes(A* sums, const A* row, std::size_t m) {
  using W = typename wrapping<A>::type;
  constexpr std::size_t V = vector_of<W>::size;
  W* s = reinterpret_cast<W*>(sums);
  const W* x = reinterpret_cast<const W*>(row);
  std::size_t j = 0;
  for (; j + V <= m; j += V) store<W>(s + j, load<W>(s + j) + load<W>(x + j));
  for (; j < m; ++j) s[j] += x[j];
}

template <class A>
A lanes_into_one(A* sums, std::size_t m) {
  using W = typename wrapping<A>::type;
  return static_cast<A>(fold_values<W>(reinterpret_cast<W*>(sums), m));
}

// Abscissae of one row: see trapezoids.hpp, whose definition this is in vectors.
inline void row_of_abscissae(const row_of_f64& row, double* x, std::size_t m) {
  using v = vector<double>;
  constexpr std::size_t V = vector_of<double>::size;
  v lane{};
  for (std::size_t k = 0; k < V; ++k) lane[k] = static_cast<double>(k);
  const v h = all_of<double>(row.h), a = all_of<double>(row.a);
  std::size_t j = 0;
  for (; j + V <= m; j += V) {
    // Whole numbers below 2^53: exact.
    const v i = lane + all_of<double>(row.start + static_cast<double>(j));
    store<double>(x + j, fused<double>(i, h, a));
  }
  for (; j < m; ++j) x[j] = __builtin_fma(row.start + static_cast<double>(j), row.h, row.a);
}

inline void row_of_abscissae(const row_of_f32& row, float* x, std::size_t m) {
  for (std::size_t j = 0; j < m; ++j) {
    const float offset = static_cast<float>(static_cast<double>(j) * row.h);
    x[j] = row.high + (offset + row.low);
  }
}

}  // namespace
}  // namespace twofold::backends::host
