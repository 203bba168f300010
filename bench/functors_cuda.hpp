// SPDX-License-Identifier: Apache-2.0
#pragma once

// What CUB and Thrust are given to fold with. For nvcc.

#include <cstdint>

#include "integrands.hpp"

namespace twofold::bench {

struct Add {
  template <class R>
  __host__ __device__ R operator()(const R& a, const R& b) const {
    return a + b;
  }
};

/// Widens before it multiplies, as products of narrow integers need.
template <class T, class R>
struct Product {
  __host__ __device__ R operator()(const T& a, const T& b) const {
    return static_cast<R>(a) * static_cast<R>(b);
  }
};

template <class T, class R>
struct ProductAt {
  const T* x;
  const T* y;
  __host__ __device__ R operator()(std::int64_t i) const { return Product<T, R>{}(x[i], y[i]); }
};

template <class T, class R>
struct Square {
  __host__ __device__ R operator()(const T& t) const { return Product<T, R>{}(t, t); }
};

struct SquareRoot {
  template <class R>
  __host__ __device__ R operator()(const R& r) const {
    return sqrt(r);
  }
};

/// Term i of the trapezoidal rule.
template <class R, class F>
struct TrapezoidAt {
  R a;
  R h;
  std::int64_t n;
  __host__ __device__ R operator()(std::int64_t i) const {
    const R weight = i == 0 || i == n ? h / 2 : h;
    return weight * F{}(a + static_cast<R>(i) * h);
  }
};

}  // namespace twofold::bench
