// SPDX-License-Identifier: Apache-2.0
// Included by one source file per instruction set, each compiled with its own flags.
//
// Strategy: a chunk is walked in strips of as many neighbouring lanes as one vector register folds into
// itself (V * V lanes for V elements a register), column by column of V lanes: a column's rows are added in
// registers, and as soon as two columns are there, the tree adds them: pairs of neighbours within 128 bits
// first, since those shuffles are cheap on every x86, then pairs of 128-bit parts. A strip leaves one register
// of V results; as far as registers go, the tree goes on over those without memory. Long chunks are swept
// four rows at a time with the lane sums in L1, so that memory is read in four sequential streams.
//
// Nothing here may be a standard inline function: compiled with wide instructions, its one shared copy
// could be picked for the whole program and crash older machines. Only builtins and internal templates.
#pragma once

#include <twofold/backends/fold_host.hpp>

#include "fold_host_table.hpp"
#include "fold_host_tree.hpp"
#include "host_vector.hpp"

namespace twofold::backends::host {
namespace {

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

// A column of V lanes: R rows from element i on, added to what `before` holds, or with Onto false to nothing.
template <class A, std::size_t R, bool Onto, class Term>
[[gnu::always_inline]] inline vector<A> add_column(const Term& term, std::size_t i, const A* before) {
  vector<A> s;
  if constexpr (Onto) {
    s = term.with(load<A>(before), i);
  } else {
    s = term.first(i);
  }
#pragma GCC unroll 16
  for (std::size_t r = 1; r < R; ++r) s = term.with(s, i + r * lanes);
  return s;
}

// Adds full rows [first, first + R) to the lanes in `sums`.
template <class A, std::size_t R, bool Onto, class Term>
[[gnu::always_inline]] inline void sweep_rows(A* sums, const Term& term, std::size_t first) {
  constexpr std::size_t V = vector_of<A>::size, at_once = 4;
  static_assert(lanes % (at_once * V) == 0);
#pragma GCC unroll 1
  for (std::size_t j = 0; j < lanes; j += at_once * V) {
#pragma GCC unroll 16
    for (std::size_t k = j; k < j + at_once * V; k += V) {
      store<A>(sums + k, add_column<A, R, Onto>(term, first * lanes + k, sums + k));
    }
  }
}

// The tree over N columns, N at most V, like fold_vectors. Every addition stands as near as can be to the loads that it
// needs: so the shuffles of some columns fill the time that the loads of others take, and few registers are in use.
template <class A, std::size_t N, std::size_t R, bool Onto, class Term>
[[gnu::always_inline]] inline vector<A> fold_columns(const Term& term, std::size_t i, const A* before) {
  if constexpr (N == 1) {
    return add_column<A, R, Onto>(term, i, before);
  } else {
    constexpr std::size_t V = vector_of<A>::size, half = N / 2 * V;
    constexpr std::size_t P = 16 / sizeof(A);
    using all = typename make_index_list<V>::type;
    const vector<A> low = fold_columns<A, N / 2, R, Onto>(term, i, before);
    return add_pairs<A, (N <= P ? 1 : P)>(low, fold_columns<A, N / 2, R, Onto>(term, i + half, before + half),
                                          all{});
  }
}

// Calls next(0) ... next(N - 1) in a loop and keeps the N vectors in registers: each pass moves them one place on. In
// memory their lines would be driven out of L1 by the elements that stream through it, written back and fetched again,
// and loads that meet a pending store's address in its low 12 bits would wait for that.
template <class A, std::size_t N, class Next>
[[gnu::always_inline]] inline void gather_vectors(vector<A>* v, const Next& next) {
#pragma GCC unroll 16
  for (std::size_t k = 0; k < N; ++k) v[k] = vector<A>{};
#pragma GCC unroll 1
  for (std::size_t k = 0; k < N; ++k) {
    const vector<A> newest = next(k);
#pragma GCC unroll 16
    for (std::size_t i = 0; i + 1 < N; ++i) v[i] = v[i + 1];
    v[N - 1] = newest;
  }
}

// R full rows from `first` on, added to the lanes in `sums` or to nothing, and the tree over all lanes.
template <class A, std::size_t R, bool Onto, class Term>
[[gnu::always_inline]] inline A fold_rows(A* sums, const Term& term, std::size_t first) {
  constexpr std::size_t V = vector_of<A>::size;
  constexpr std::size_t strip = V * V, group = strip * V;
  const auto fold_strip_at = [&](std::size_t j) __attribute__((always_inline)) {
    return fold_columns<A, V, R, Onto>(term, first * lanes + j, Onto ? sums + j : sums);
  };
  if constexpr (lanes / strip <= V) {
    vector<A> v[lanes / strip];
    gather_vectors<A, lanes / strip>(
        v, [&](std::size_t k) __attribute__((always_inline)) { return fold_strip_at(k * strip); });
    return fold_elements<A, lanes / strip>(v);
  } else {
    const auto fold_group_at = [&](std::size_t g) __attribute__((always_inline)) {
      vector<A> v[V];
      gather_vectors<A, V>(
          v, [&](std::size_t k) __attribute__((always_inline)) { return fold_strip_at(g + k * strip); });
      return fold_vectors<A, V>(v);
    };
    if constexpr (lanes / group <= V) {
      vector<A> v[lanes / group];
      gather_vectors<A, lanes / group>(
          v, [&](std::size_t k) __attribute__((always_inline)) { return fold_group_at(k * group); });
      return fold_elements<A, lanes / group>(v);
    } else {
      // In place: a group's results lie below the lanes that are still to be read.
      for (std::size_t g = 0; g < lanes; g += group) store<A>(sums + g / strip, fold_group_at(g));
      return fold_all<A, lanes / strip>(sums);
    }
  }
}

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

// R full rows and nothing else: nearly every chunk. Apart from the others, so that few registers are saved and no room for
// lanes is made.
template <class A, std::size_t R, class Term>
[[gnu::noinline]] A fold_full_rows(Term term) {
  alignas(64) A sums[lanes / vector_of<A>::size];
  return fold_rows<A, R, false>(sums, term, 0);
}

// Any other chunk: all rows but the last few into L1, then strip by strip those and the tree.
template <class A, class Term>
[[gnu::noinline]] A fold_any_rows(Term term, std::size_t count) {
  constexpr std::size_t V = vector_of<A>::size;
  constexpr std::size_t strip = V * V;
  static_assert(lanes % strip == 0);
  alignas(64) A sums[lanes];
  const std::size_t full = count / lanes, rest = count % lanes;
  const std::size_t swept = full > 4 ? (full - 1) / 4 * 4 : 0;
  if (swept > 0) sweep_rows<A, 4, false>(sums, term, 0);
  for (std::size_t r = 4; r < swept; r += 4) sweep_rows<A, 4, true>(sums, term, r);

  const std::size_t rows = full - swept;
  if (swept > 0 && rows == 4 && rest == 0) return fold_rows<A, 4, true>(sums, term, swept);
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

// One chunk of `count` elements.
template <class A, class Term>
A fold_terms(Term term, std::size_t count) {
  constexpr std::size_t V = vector_of<A>::size;
  if (count == 4 * lanes) return fold_full_rows<A, 4>(term);
  if (count == 2 * lanes) return fold_full_rows<A, 2>(term);
  if (count <= V) {
    // Mostly the chunk results of a short fold. Pairs at once: GCC makes a slow string instruction of a loop that copies.
    const auto element = [&](std::size_t j) { return term.with_one(nothing<A>(), j); };
    if (count == 1) return element(0);
    if (count == 2) return element(0) + element(1);
    A few[(V + 1) / 2] = {};
    for (std::size_t k = 0; k < count / 2; ++k) few[k] = element(2 * k) + element(2 * k + 1);
    if (count % 2 != 0) few[count / 2] = element(count - 1);
    return fold_few(few, (count + 1) / 2);
  }
  return fold_any_rows<A>(term, count);
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

}  // namespace
}  // namespace twofold::backends::host
