// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/accumulator.hpp>
#include <twofold/backends/fold_order.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>

/// @file
/// Sources: what a fold folds. A source gives the element at (row, lane), says how an element enters an
/// accumulator, and turns the folded accumulator into the result. Every engine, on every path, takes any
/// source; a new reduction is a new source.
///
///   accumulator, result           types
///   row(start)                    what is common to the elements start .. start + 2047
///   lane(j)                       what is common to lane j of every row
///   load(row, lane)               the element
///   packed(), load4(row, j)       where elements lie in memory: whether 16-byte loads of lanes j .. j + 3 are
///                                 possible, and such a load
///   with(accumulator, element)    the accumulator after this element
///   finish(accumulator)           the result
///   of_nothing()                  the result for no elements

namespace twofold::backends {

/// Four neighbouring elements; one 16-byte load for 4-byte types, two for 8-byte types, one narrower for narrow ones.
template <class T>
struct alignas(4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16) pack4 {
  T element[4];
};

template <class T>
TWOFOLD_FUNCTION bool aligned_for_packs(const T* p) {
  return reinterpret_cast<std::uintptr_t>(p) % alignof(pack4<T>) == 0;
}

/// Elements in memory, `stride` elements apart.
template <class T>
struct strided {
  const T* data;
  std::ptrdiff_t stride = 1;

  TWOFOLD_FUNCTION strided from(std::size_t start) const {
    return {data + static_cast<std::ptrdiff_t>(start) * stride, stride};
  }
  TWOFOLD_FUNCTION T operator[](unsigned lane) const {
    return data[static_cast<std::ptrdiff_t>(lane) * stride];
  }
  TWOFOLD_FUNCTION bool packed() const { return stride == 1 && aligned_for_packs(data); }
  TWOFOLD_FUNCTION pack4<T> four(unsigned lane) const {
    return *reinterpret_cast<const pack4<T>*>(data + lane);
  }
};

/// x, summed in A.
template <class T, class A>
struct sum_source {
  using element = T;
  using accumulator = A;
  using result = A;

  strided<T> x;

  TWOFOLD_FUNCTION strided<T> row(std::size_t start) const { return x.from(start); }
  TWOFOLD_FUNCTION unsigned lane(unsigned j) const { return j; }
  TWOFOLD_FUNCTION T load(strided<T> row, unsigned lane) const { return row[lane]; }
  TWOFOLD_FUNCTION bool packed() const { return x.packed(); }
  TWOFOLD_FUNCTION pack4<T> load4(strided<T> row, unsigned lane) const { return row.four(lane); }
  TWOFOLD_FUNCTION static A with(A sum, T value) { return add(sum, static_cast<A>(value)); }
  TWOFOLD_FUNCTION result finish(A sum) const { return canonical(sum); }
  TWOFOLD_FUNCTION result of_nothing() const { return result(0); }
};

/// x * y, each product entering the sum through one fused rounding in A.
template <class T, class A>
struct dot_source {
  struct element {
    T x;
    T y;
  };
  struct operands {
    strided<T> x;
    strided<T> y;
  };
  using accumulator = A;
  using result = A;

  strided<T> x;
  strided<T> y;

  TWOFOLD_FUNCTION operands row(std::size_t start) const { return {x.from(start), y.from(start)}; }
  TWOFOLD_FUNCTION unsigned lane(unsigned j) const { return j; }
  TWOFOLD_FUNCTION element load(operands row, unsigned lane) const { return {row.x[lane], row.y[lane]}; }
  TWOFOLD_FUNCTION bool packed() const { return x.packed() && y.packed(); }
  struct elements {
    pack4<T> x;
    pack4<T> y;
  };
  TWOFOLD_FUNCTION elements load4(operands row, unsigned lane) const {
    return {row.x.four(lane), row.y.four(lane)};
  }
  TWOFOLD_FUNCTION static A with(A sum, element e) {
    return multiply_add(static_cast<A>(e.x), static_cast<A>(e.y), sum);
  }
  TWOFOLD_FUNCTION result finish(A sum) const { return canonical(sum); }
  TWOFOLD_FUNCTION result of_nothing() const { return result(0); }
};

/// x * x under a square root. Floats and integers are squared and summed in double, where their squares
/// cannot overflow or vanish; doubles in three scaled parts.
template <class T, class R>
struct norm2_source {
  using element = T;
  using accumulator = std::conditional_t<std::is_same_v<T, double>, scaled_squares, double>;
  using result = R;

  strided<T> x;

  TWOFOLD_FUNCTION strided<T> row(std::size_t start) const { return x.from(start); }
  TWOFOLD_FUNCTION unsigned lane(unsigned j) const { return j; }
  TWOFOLD_FUNCTION T load(strided<T> row, unsigned lane) const { return row[lane]; }
  TWOFOLD_FUNCTION bool packed() const { return x.packed(); }
  TWOFOLD_FUNCTION pack4<T> load4(strided<T> row, unsigned lane) const { return row.four(lane); }
  TWOFOLD_FUNCTION static accumulator with(accumulator sum, T value) {
    if constexpr (std::is_same_v<accumulator, double>) {
      const double wide = static_cast<double>(value);
      return multiply_add(wide, wide, sum);
    } else {
      return scaled_squares::with(sum, value);
    }
  }
  TWOFOLD_FUNCTION result finish(accumulator sum) const {
    if constexpr (std::is_same_v<accumulator, double>) {
      return canonical(static_cast<R>(std::sqrt(sum + 0.0)));  // + 0.0: the norm of zeros is +0.0
    } else {
      return canonical(static_cast<R>(scaled_squares::root(sum)));
    }
  }
  TWOFOLD_FUNCTION result of_nothing() const { return result(0); }
};

/// Chunk results, folded by the rule that made them.
template <class A>
struct partials_source {
  using element = A;
  using accumulator = A;
  using result = A;

  const A* data;

  TWOFOLD_FUNCTION const A* row(std::size_t start) const { return data + start; }
  TWOFOLD_FUNCTION unsigned lane(unsigned j) const { return j; }
  TWOFOLD_FUNCTION A load(const A* row, unsigned lane) const { return row[lane]; }
  TWOFOLD_FUNCTION static A with(A a, A b) { return combine(a, b); }
};

/// Sources whose elements lie in memory.
template <class Source>
concept loads_packs = requires(const Source& s) { s.load4(s.row(0), 0u); };

}  // namespace twofold::backends
