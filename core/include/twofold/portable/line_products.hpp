// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/kokkos/execution.hpp>
#include <twofold/backends/line_products.hpp>
#include <twofold/backends/matrix_host.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>

/// @file
/// The portable engine of outer_product and scale_columns. On the host a stretch of a line per step, in vector code;
/// on a GPU a few lines of one 16-byte pack per thread; element by element where nothing lies side by side.

namespace twofold::portable_engine {

// ---- host -------------------------------------------------------------------------------------------

/// Elements of a step on the host: long enough to hide its cost, short enough to share a matrix of few lines out.
inline constexpr std::size_t step_elements = std::size_t{1} << 14;

template <class Map>
struct host_products {
  using T = typename Map::element;
  Map map;
  std::size_t stretch;    // elements of a line per step
  std::size_t stretches;  // of a line
  std::size_t lines;      // per step, where they are short

  static host_products of(const Map& map) {
    host_products work{map, std::min(map.length, step_elements), 1, 1};
    work.stretches = (map.length + work.stretch - 1) / work.stretch;
    if (work.stretches == 1) work.lines = std::max<std::size_t>(1, step_elements / map.length);
    return work;
  }
  std::size_t steps() const { return (map.count + lines - 1) / lines * stretches; }

  void operator()(std::size_t step) const {
    const std::size_t begin = step % stretches * stretch;
    const std::size_t end = std::min(map.length, begin + stretch);
    const std::size_t first = step / stretches * lines;
    for (std::size_t l = first; l < std::min(map.count, first + lines); ++l) line(l, begin, end);
  }

 private:
  void line(std::size_t l, std::size_t begin, std::size_t end) const {
    using namespace backends::host;
    if (Map::reads_along && map.along.stride != 1) {
      for (std::size_t k = begin; k < end; ++k) backends::multiply_element(map, l, k);
      return;
    }
    const std::size_t n = end - begin;
    T* const out = map.out.line(l) + begin;
    if constexpr (Map::reads_in && Map::reads_along) {
      multiply_by_line(map.in.line(l) + begin, map.along.data + begin, out, n);
    } else {
      const T number = map.across.data[static_cast<std::ptrdiff_t>(l) * map.across.stride];
      const T* const from = Map::reads_in ? map.in.line(l) + begin : map.along.data + begin;
      multiply_by_number(from, number, out, n);
    }
  }
};

// ---- device -----------------------------------------------------------------------------------------

inline constexpr unsigned product_team = 256;

template <backends::walk Walk, backends::reading Reading, unsigned Packs, class Map>
struct device_products {
  Map map;
  backends::product_threads threads;
  KOKKOS_FUNCTION void operator()(std::size_t thread) const {
    backends::multiply_packs<Packs, Walk, Reading>(map, threads, thread);
  }
};

template <class Exec, class Work>
void run_threads(const char* label, const Exec& exec, std::size_t count, const Work& work) {
  using policy =
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>, Kokkos::LaunchBounds<product_team, 2>>;
  Kokkos::parallel_for(label, policy(exec, 0, count), work);
}

/// Computes all elements of `map`. Asynchronous where the execution space is.
template <class Exec, class Map>
void multiply(const char* label, const Exec& exec, const Map& map) {
  if (map.count == 0 || map.length == 0) return;
  if constexpr (backends::host_execution<Exec>) {
    const auto work = host_products<Map>::of(map);
    if (work.steps() == 1) return work(0);  // a parallel region costs more
    backends::for_each_index(label, exec, work.steps(), work);
  } else {
    const backends::device_of device(exec);
    backends::with_walk(map, [&]<backends::walk Walk, backends::reading Reading, unsigned Packs>() {
      const auto threads = backends::product_threads::of<Packs, Walk>(map);
      run_threads(label, exec, threads.total, device_products<Walk, Reading, Packs, Map>{map, threads});
    });
  }
}

// ---- nothing side by side -----------------------------------------------------------------------------

/// C(i, j) = x(i) y(j), or C(i, j) = M(i, j) y(j), for any strides.
template <class T, bool Scales>
struct strided_products {
  backends::matrix<const T> m;
  backends::matrix<T> out;
  backends::strided<T> x;
  backends::strided<T> y;

  KOKKOS_FUNCTION void operator()(std::size_t element) const {
    const auto i = static_cast<std::ptrdiff_t>(element / out.columns),
               j = static_cast<std::ptrdiff_t>(element % out.columns);
    const T left = Scales ? m.data[i * m.row_stride + j * m.column_stride] : x.data[i * x.stride];
    out.data[i * out.row_stride + j * out.column_stride] = backends::product(left, y.data[j * y.stride]);
  }
};

template <class Exec, class Work>
void multiply_strided(const char* label, const Exec& exec, const Work& work) {
  const std::size_t elements = work.out.rows * work.out.columns;
  if constexpr (backends::host_execution<Exec>) {
    backends::for_each_index(label, exec, elements, work);
  } else {
    const backends::device_of device(exec);
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, elements),
                         work);
  }
}

}  // namespace twofold::portable_engine
