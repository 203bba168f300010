// SPDX-License-Identifier: Apache-2.0
// The library's part of an integral: see trapezoids_host.hpp, and the rules on top of fold_host_kernels.hpp.
//
// Strategy: a strip is made of blocks of V * V lanes, for V elements a register. A block's full rows lie one after the
// other, so that the walk over `x` is sequential; what its lanes differ in and their sums are in registers. Where strips
// are alike, one pass folds the values of one and puts the abscissae of the next in their place. What a last row has of
// the strip, where the chunk ends in its middle, lies behind the blocks.
#pragma once

#include <twofold/backends/trapezoids_host.hpp>

#include "fold_host_tree.hpp"

namespace twofold::backends::host {
namespace {

// ---- abscissae: trapezoids.hpp, whose definition this is in vectors

inline void set_row(trapezoid_walk<double>& w, std::size_t r) {
  w.base[r] = static_cast<double>(w.start + r * lanes);
  w.low[r] = 0;
}
inline void set_row(trapezoid_walk<float>& w, std::size_t r) {
  const double base = __builtin_fma(static_cast<double>(w.start + r * lanes), w.h, static_cast<double>(w.a));
  w.base[r] = static_cast<float>(base);
  w.low[r] = static_cast<float>(base - static_cast<double>(w.base[r]));
}

template <class T>
struct abscissae {
  static constexpr std::size_t wide = vector_of<double>::size;
  vector<double> h, a, from;  // from: the next lane and those after it

  [[gnu::always_inline]] abscissae(const trapezoid_walk<T>& w, std::size_t lane)
      : h(all_of<double>(w.h)), a(all_of<double>(static_cast<double>(w.a))), from{} {
    for (std::size_t k = 0; k < wide; ++k) from[k] = static_cast<double>(k);
    from = from + all_of<double>(static_cast<double>(lane));
  }
  [[gnu::always_inline]] void move_on(std::size_t by) {
    from = from + all_of<double>(static_cast<double>(by));
  }
  [[gnu::always_inline]] vector<double> lanes_after(std::size_t skipped) const {
    return from + all_of<double>(static_cast<double>(skipped));
  }
  // What the abscissae of V lanes, `skipped` lanes on, differ in from others of their rows: once for all rows, since for
  // floats there are two conversions in it.
  [[gnu::always_inline]] vector<T> offsets_after(std::size_t skipped) const {
    if constexpr (__is_same(T, double)) {
      return lanes_after(skipped);
    } else {
      typedef float half __attribute__((vector_size(wide * sizeof(float))));
      const half first = __builtin_convertvector(lanes_after(skipped) * h, half);
      const half second = __builtin_convertvector(lanes_after(skipped + wide) * h, half);
      return joined(first, second, typename make_index_list<2 * wide>::type{});
    }
  }
  template <class Half, std::size_t... K>
  [[gnu::always_inline]] static vector<T> joined(Half first, Half second, index_list<K...>) {
    return __builtin_shufflevector(first, second, K...);
  }
  // By value: what is read from `w` in the loop would be read again after each store.
  [[gnu::always_inline]] vector<T> in_row(T base, T low, vector<T> offset) const {
    if constexpr (__is_same(T, double)) {
      return fused<double>(all_of<T>(base) + offset, h, a);  // the index: a whole number of at most 2^53
    } else {
      return all_of<T>(base) + (offset + all_of<T>(low));
    }
  }
};

// ---- strips

struct strip_shape {
  std::size_t rows;  // full rows
  std::size_t tail;  // elements of the row after them
};

template <class T>
strip_shape shape_of(const trapezoid_walk<T>& w, std::size_t lane) {
  if (w.rest >= lane + w.of_strip) return {w.rows + 1, 0};
  return {w.rows, w.rest > lane ? w.rest - lane : 0};
}

template <class T>
bool has_last(const trapezoid_walk<T>& w) {
  const std::size_t last = w.rest == 0 ? lanes - 1 : w.rest - 1;
  return w.lane <= last && last < w.lane + w.of_strip;
}

// A block's row: its values go into the sums `s`, abscissae come in their place.
template <bool First, bool Folds, bool Fills, class T>
[[gnu::always_inline]] inline void row_of_block(vector<T>* s, T* x, T base, T low, const abscissae<T>& line,
                                                const vector<T>* offset) {
  constexpr std::size_t V = vector_of<T>::size;
#pragma GCC unroll 16
  for (std::size_t k = 0; k < V; ++k) {
    if constexpr (Folds) s[k] = First ? load<T>(x + k * V) : s[k] + load<T>(x + k * V);
    if constexpr (Fills) store<T>(x + k * V, line.in_row(base, low, offset[k]));
  }
}

// A pass over the full rows. Folds: the values of the strip in `x` go into sums. Fills: then come abscissae of the strip
// that begins at lane `next`.
template <bool Folds, bool Fills, class T>
void pass(trapezoid_walk<T>& w, strip_shape shape, std::size_t next) {
  constexpr std::size_t V = vector_of<T>::size, block = V * V;
  T* x = w.x;
  const T* const tail = w.x + shape.rows * w.of_strip;
  abscissae<T> line(w, next);
  for (std::size_t j = 0; j < w.of_strip; j += block) {
    vector<T> offset[V], s[V];
#pragma GCC unroll 16
    for (std::size_t k = 0; k < V; ++k) {
      if constexpr (Fills) offset[k] = line.offsets_after(k * V);
    }
    if constexpr (Fills) line.move_on(block);
    row_of_block<true, Folds, Fills>(s, x, w.base[0], w.low[0], line, offset);
    x += block;
#pragma GCC unroll 1
    for (std::size_t r = 1; r < shape.rows; ++r, x += block) {
      row_of_block<false, Folds, Fills>(s, x, w.base[r], w.low[r], line, offset);
    }
    if constexpr (Folds) {
      if (!Fills && j < shape.tail) {
        T part[block];
        for (std::size_t k = 0; k < V; ++k) store<T>(part + k * V, s[k]);
        for (std::size_t k = 0; k < block && j + k < shape.tail; ++k) part[k] += tail[j + k];
        store<T>(w.sums + (w.lane + j) / V, fold_strip<T>(part));
      } else {
        store<T>(w.sums + (w.lane + j) / V, fold_vectors<T, V>(s));
      }
    }
  }
}

// The abscissae behind the blocks.
template <class T>
void fill_tail(trapezoid_walk<T>& w, strip_shape shape) {
  constexpr std::size_t V = vector_of<T>::size;
  T* const x = w.x + shape.rows * w.of_strip;
  const T base = w.base[shape.rows], low = w.low[shape.rows];
  abscissae<T> line(w, w.lane);
  // Whole vectors: there is room for the whole row, and f sees no more than is there.
  for (std::size_t j = 0; j < shape.tail; j += V, line.move_on(V)) {
    store<T>(x + j, line.in_row(base, low, line.offsets_after(0)));
  }
}

template <class T>
void fill_strip(trapezoid_walk<T>& w) {
  const strip_shape shape = shape_of(w, w.lane);
  if (shape.rows > 0) pass<false, true>(w, shape, w.lane);
  if (shape.tail > 0) fill_tail(w, shape);
  w.filled = shape.rows * w.of_strip + shape.tail;
}

template <class T>
void first_strip(trapezoid_walk<T>& w) {
  w.rows = w.count / lanes;
  w.rest = w.count % lanes;
  const std::size_t all_rows = w.rows + (w.rest > 0 ? 1 : 0);
  for (std::size_t r = 0; r < all_rows; ++r) set_row(w, r);
  w.lane = 0;
  w.of_strip = lanes;
  while (w.of_strip * all_rows > w.room) w.of_strip /= 2;
  fill_strip(w);
}

// Folds the strip in `x` and puts the next there; whether there is one.
template <class T>
bool strip_after(trapezoid_walk<T>& w) {
  if (w.rows == 0) {
    w.sum = fold_values<T>(w.x, w.count);
    return false;
  }
  const strip_shape shape = shape_of(w, w.lane);
  const std::size_t next = w.lane + w.of_strip;
  if (next == lanes) {
    pass<true, false>(w, shape, next);
    w.sum = fold_all<T, lanes / vector_of<T>::size>(w.sums);
    return false;
  }
  const strip_shape after = shape_of(w, next);
  if (shape.rows == after.rows && shape.tail == 0 && after.tail == 0) {
    pass<true, true>(w, shape, next);
    w.lane = next;
  } else {
    pass<true, false>(w, shape, next);
    w.lane = next;
    fill_strip(w);
  }
  return true;
}

template <class T>
std::size_t walk_strip(trapezoid_walk<T>& w) {
  static_assert(trapezoid_walk<T>::room / fold_order::long_rows % (vector_of<T>::size * vector_of<T>::size) ==
                0);
  if (w.filled == 0) {
    first_strip(w);
  } else {
    if (w.start == 0 && w.lane == 0) w.x[0] *= T(0.5);
    if (w.to_end && has_last(w)) w.x[w.filled - 1] *= T(0.5);
    if (!strip_after(w)) return 0;
  }
  // The last element of a chunk is the last one of its strip, whether it lies in a full row or behind the blocks.
  if (w.start == 0 && w.lane == 0) w.x[0] = w.a;
  if (w.to_end && has_last(w)) w.x[w.filled - 1] = w.b;
  return w.filled;
}

}  // namespace
}  // namespace twofold::backends::host
