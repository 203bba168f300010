// SPDX-License-Identifier: Apache-2.0
// Included by one source file per instruction set, each compiled with its own flags; see fold_host_kernels.hpp
// for what that forbids.
//
// Running sums are serial within a chunk, so as many chunks as a vector has elements are walked side by side:
// their elements come in rows of 128 bits, which small transposes inside 128-bit parts (cheap on every x86)
// turn into one vector per position, and back.
#pragma once

#include <twofold/backends/stencil_order.hpp>

#include "fold_host_table.hpp"
#include "host_vector.hpp"
#include "stencil_host_table.hpp"

namespace twofold::backends::host {
namespace {

inline constexpr std::size_t chunk = 32;

// ---- transposes inside 128-bit parts ------------------------------------------------------------------

template <class R>
struct part_of {
  static constexpr std::size_t size = 16 / sizeof(R);
  typedef R type __attribute__((vector_size(16)));
  typedef R unaligned __attribute__((vector_size(16), aligned(alignof(R)), may_alias));
};

// Neighbouring 128-bit parts as one vector, and one of them out of it.
template <class R, std::size_t... K>
[[gnu::always_inline]] inline auto joined(auto low, auto high, index_list<K...>) {
  return __builtin_shufflevector(low, high, static_cast<int>(K)...);
}
template <class R, std::size_t Parts>
[[gnu::always_inline]] inline auto load_parts(const R* x, std::size_t distance) {
  if constexpr (Parts == 1) {
    return static_cast<typename part_of<R>::type>(
        *reinterpret_cast<const typename part_of<R>::unaligned*>(x));
  } else {
    return joined<R>(load_parts<R, Parts / 2>(x, distance),
                     load_parts<R, Parts / 2>(x + Parts / 2 * distance, distance),
                     typename make_index_list<Parts * part_of<R>::size>::type{});
  }
}
template <std::size_t From, std::size_t... K>
[[gnu::always_inline]] inline auto taken(auto v, index_list<K...>) {
  return __builtin_shufflevector(v, v, static_cast<int>(From + K)...);
}
template <class R, std::size_t Parts>
[[gnu::always_inline]] inline void store_parts(R* x, std::size_t distance, auto v) {
  if constexpr (Parts == 1) {
    *reinterpret_cast<typename part_of<R>::unaligned*>(x) = v;
  } else {
    constexpr std::size_t half = Parts / 2 * part_of<R>::size;
    using all = typename make_index_list<half>::type;
    store_parts<R, Parts / 2>(x, distance, taken<0>(v, all{}));
    store_parts<R, Parts / 2>(x + Parts / 2 * distance, distance, taken<half>(v, all{}));
  }
}

// Pairs of `Width` elements from the lower or upper half of each part of a, then of b.
template <class R, std::size_t Width, bool Upper>
struct interleaving {
  static constexpr int index(std::size_t k) {
    constexpr std::size_t P = part_of<R>::size;
    const std::size_t part = k / P, i = k % P, group = i / Width;
    const std::size_t from = part * P + (Upper ? P / 2 : 0) + (group / 2) * Width + i % Width;
    return static_cast<int>(from + (group % 2) * vector_of<R>::size);
  }
};
template <class R, std::size_t Width, bool Upper, std::size_t... K>
[[gnu::always_inline]] inline vector<R> interleaved(vector<R> a, vector<R> b, index_list<K...>) {
  return __builtin_shufflevector(a, b, interleaving<R, Width, Upper>::index(K)...);
}

// Rows to columns inside each part; its own inverse.
template <class R>
[[gnu::always_inline]] inline void transpose(vector<R>* v) {
  using all = typename make_index_list<vector_of<R>::size>::type;
  if constexpr (part_of<R>::size == 2) {
    const auto a = interleaved<R, 1, false>(v[0], v[1], all{});
    v[1] = interleaved<R, 1, true>(v[0], v[1], all{});
    v[0] = a;
  } else {
    const auto a = interleaved<R, 1, false>(v[0], v[1], all{}),
               b = interleaved<R, 1, true>(v[0], v[1], all{});
    const auto c = interleaved<R, 1, false>(v[2], v[3], all{}),
               d = interleaved<R, 1, true>(v[2], v[3], all{});
    v[0] = interleaved<R, 2, false>(a, c, all{});
    v[1] = interleaved<R, 2, true>(a, c, all{});
    v[2] = interleaved<R, 2, false>(b, d, all{});
    v[3] = interleaved<R, 2, true>(b, d, all{});
  }
}

// `P` neighbouring positions of V chunks: one vector per position, lane c for chunk c.
template <class R>
struct positions {
  static constexpr std::size_t P = part_of<R>::size;
  static constexpr std::size_t parts = vector_of<R>::size / P;
  vector<R> v[P];

  [[gnu::always_inline]] void load(const R* x) {
    for (std::size_t r = 0; r < P; ++r) v[r] = load_parts<R, parts>(x + r * chunk, P * chunk);
    transpose<R>(v);
  }
  [[gnu::always_inline]] void store(R* x) {
    transpose<R>(v);
    for (std::size_t r = 0; r < P; ++r) store_parts<R, parts>(x + r * chunk, P * chunk, v[r]);
  }
};

// ---- running sums -------------------------------------------------------------------------------------

template <class R>
void forward(const R* x, std::size_t chunks, unsigned block, R* runs, R* sums) {
  constexpr std::size_t V = vector_of<R>::size, P = part_of<R>::size;
  std::size_t c = 0;
  for (; c + V <= chunks; c += V) {
    vector<R> run{}, sum{};
    for (std::size_t q = 0; q < chunk; q += P) {
      positions<R> p;
      p.load(x + c * chunk + q);
      for (std::size_t u = 0; u < P; ++u) {
        sum = q + u == 0 ? p.v[u] : sum + p.v[u];
        run = ((q + u) & (block - 1)) == 0 ? p.v[u] : run + p.v[u];
        p.v[u] = run;
      }
      if (runs) p.store(runs + c * chunk + q);
    }
    if (sums) store<R>(sums + c, sum);
  }
  for (; c < chunks; ++c) {
    R run{}, sum{};
    for (std::size_t q = 0; q < chunk; ++q) {
      const R e = x[c * chunk + q];
      sum = q == 0 ? e : sum + e;
      run = (q & (block - 1)) == 0 ? e : run + e;
      if (runs) runs[c * chunk + q] = run;
    }
    if (sums) sums[c] = sum;
  }
}

template <class R>
void backward(const R* x, std::size_t chunks, unsigned block, R* runs) {
  constexpr std::size_t V = vector_of<R>::size, P = part_of<R>::size;
  std::size_t c = 0;
  for (; c + V <= chunks; c += V) {
    vector<R> run{};
    for (std::size_t q = chunk; q > 0; q -= P) {
      positions<R> p;
      p.load(x + c * chunk + q - P);
      for (std::size_t u = P; u > 0; --u) {
        run = ((q - P + u) & (block - 1)) == 0 ? p.v[u - 1] : run + p.v[u - 1];
        p.v[u - 1] = run;
      }
      p.store(runs + c * chunk + q - P);
    }
  }
  for (; c < chunks; ++c) {
    R run{};
    for (std::size_t q = chunk; q > 0; --q) {
      const R e = x[c * chunk + q - 1];
      run = (q & (block - 1)) == 0 ? e : run + e;
      runs[c * chunk + q - 1] = run;
    }
  }
}

// ---- joining, terms -----------------------------------------------------------------------------------

template <class R>
[[gnu::always_inline]] inline vector<R> with_one_nan(vector<R> v) {
  if constexpr (__is_same(R, float) || __is_same(R, double)) {
    return v == v ? v : all_of<R>(quiet_nan<R>);
  } else {
    return v;
  }
}
template <class R>
[[gnu::always_inline]] inline R one_nan(R v) {
  if constexpr (__is_same(R, float) || __is_same(R, double)) {
    return v == v ? v : quiet_nan<R>;
  } else {
    return v;
  }
}

// `between` has two sums a block. A block is as long as some vectors, so they become one vector per position.
template <class R>
void join_blocks(const R* to_end, const R* between, const R* from_begin, R* out, std::size_t blocks,
                 unsigned block, unsigned rest) {
  constexpr std::size_t V = vector_of<R>::size;
  vector<R> positions_in_vector{};
  for (std::size_t k = 0; k < V; ++k) positions_in_vector[k] = static_cast<R>(k);
  for (std::size_t b = 0; b < blocks; ++b) {
    const vector<R> first = all_of<R>(between[2 * b]), second = all_of<R>(between[2 * b + 1]);
    for (std::size_t q = 0; q < block; q += V) {
      const std::size_t e = b * block + q;
      const vector<R> at = positions_in_vector + all_of<R>(static_cast<R>(q));
      const vector<R> middle = at < all_of<R>(static_cast<R>(block - rest)) ? first : second;
      store<R>(out + e, with_one_nan<R>((load<R>(to_end + e) + middle) + load<R>(from_begin + e)));
    }
  }
}

template <class R>
[[gnu::always_inline]] inline R fused_one(R x, R y, R a) {
  if constexpr (__is_same(R, float)) {
    return __builtin_fmaf(x, y, a);
  } else if constexpr (__is_same(R, double)) {
    return __builtin_fma(x, y, a);
  } else {
    return x * y + a;
  }
}

template <bool Weighted, std::size_t Vectors, class R>
[[gnu::always_inline]] inline void terms_into(const R* x, const R* w, std::size_t terms, R* sums) {
  constexpr std::size_t V = vector_of<R>::size;
  vector<R> s[Vectors];
  for (std::size_t m = 0; m < Vectors; ++m) s[m] = load<R>(sums + m * V);
  for (std::size_t j = 0; j < terms; ++j) {
    for (std::size_t m = 0; m < Vectors; ++m) {
      const vector<R> e = load<R>(x + j + m * V);
      if constexpr (Weighted) {
        s[m] = fused<R>(all_of<R>(w[j]), e, s[m]);
      } else {
        s[m] = s[m] + e;
      }
    }
  }
  for (std::size_t m = 0; m < Vectors; ++m) store<R>(sums + m * V, s[m]);
}

template <bool Weighted, class R>
void terms_of(const R* x, const R* w, std::size_t terms, R* sums, std::size_t count) {
  constexpr std::size_t V = vector_of<R>::size;
  std::size_t e = 0;
  for (; e + 8 * V <= count; e += 8 * V) terms_into<Weighted, 8, R>(x + e, w, terms, sums + e);
  for (; e + V <= count; e += V) terms_into<Weighted, 1, R>(x + e, w, terms, sums + e);
  for (; e < count; ++e) {
    for (std::size_t j = 0; j < terms; ++j) {
      sums[e] = Weighted ? fused_one<R>(w[j], x[e + j], sums[e]) : sums[e] + x[e + j];
    }
  }
}

template <class R>
void terms(const R* x, const R* w, std::size_t count_of_terms, R* sums, std::size_t count) {
  if (w) {
    terms_of<true, R>(x, w, count_of_terms, sums, count);
  } else {
    terms_of<false, R>(x, w, count_of_terms, sums, count);
  }
}

template <class R>
void nans(R* values, std::size_t count) {
  for (std::size_t e = 0; e < count; ++e) values[e] = one_nan<R>(values[e]);
}

constexpr stencil_table stencil_table_of_this_file{
    {forward<float>, backward<float>, join_blocks<float>, terms<float>, nans<float>},
    {forward<double>, backward<double>, join_blocks<double>, terms<double>, nans<double>},
    {forward<std::uint32_t>, backward<std::uint32_t>, join_blocks<std::uint32_t>, terms<std::uint32_t>,
     nans<std::uint32_t>},
    {forward<std::uint64_t>, backward<std::uint64_t>, join_blocks<std::uint64_t>, terms<std::uint64_t>,
     nans<std::uint64_t>},
};

}  // namespace
}  // namespace twofold::backends::host
