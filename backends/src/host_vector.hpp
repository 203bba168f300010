// SPDX-License-Identifier: Apache-2.0
// Vectors of the instruction set that the including file is compiled for. Internal to each file: see
// fold_host_kernels.hpp for why nothing here may be a standard inline function.
#pragma once

#include <cstddef>
#include <cstdint>

#ifndef TWOFOLD_VECTOR_BYTES
#define TWOFOLD_VECTOR_BYTES 16
#endif

namespace twofold::backends::host {
namespace {

template <class A>
struct vector_of {
  static constexpr std::size_t size = TWOFOLD_VECTOR_BYTES / sizeof(A);
  typedef A type __attribute__((vector_size(TWOFOLD_VECTOR_BYTES)));
};
template <class A>
using vector = typename vector_of<A>::type;

// The elements that feed one vector of A, unaligned; narrower than a vector where A is wider than T.
template <class T, class A>
struct feed_of {
  typedef T type __attribute__((vector_size(sizeof(T) * vector_of<A>::size), aligned(alignof(T)), may_alias));
};

template <class A, class T>
[[gnu::always_inline]] inline vector<A> load(const T* p) {
  const auto raw = *reinterpret_cast<const typename feed_of<T, A>::type*>(p);
  if constexpr (__is_same(T, A)) {
    return raw;
  } else {
    return __builtin_convertvector(raw, vector<A>);
  }
}

template <class A>
[[gnu::always_inline]] inline void store(A* p, vector<A> v) {
  *reinterpret_cast<typename feed_of<A, A>::type*>(p) = v;
}

// A vector of one value. (Not value + zeros: -0.0 + 0.0 is 0.0.) Compilers make one broadcast of this; of an assignment
// to each element GCC 12 makes as many, under masks.
template <class A>
[[gnu::always_inline]] inline vector<A> all_of(A value) {
  return value - vector<A>{};
}

template <class A>
[[gnu::always_inline]] inline vector<A> fused(vector<A> x, vector<A> y, vector<A> a) {
  if constexpr (__is_same(A, float) || __is_same(A, double)) {
    vector<A> r;
    // The builtin is one vector instruction where the target has it, the exact library call elsewhere.
    for (std::size_t k = 0; k < vector_of<A>::size; ++k) {
      if constexpr (__is_same(A, float)) {
        r[k] = __builtin_fmaf(x[k], y[k], a[k]);
      } else {
        r[k] = __builtin_fma(x[k], y[k], a[k]);
      }
    }
    return r;
  } else {
    return x * y + a;  // only ever unsigned: see wrapping
  }
}

// Signed and unsigned accumulators share the unsigned kernels: the bits agree and overflow is defined.
template <class A>
struct wrapping {
  using type = A;
};
template <>
struct wrapping<std::int64_t> {
  using type = std::uint64_t;
};

}  // namespace
}  // namespace twofold::backends::host
