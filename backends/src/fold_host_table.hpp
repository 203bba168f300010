// SPDX-License-Identifier: Apache-2.0
// The entry points of one instruction set's kernels.
#pragma once

#include <twofold/backends/trapezoids_host.hpp>

#include <cstddef>
#include <cstdint>

namespace twofold::backends::host {

template <class A, class T>
struct chunk_kernels {
  A (*sum)(const T* x, std::ptrdiff_t stride, std::size_t count);
  A (*dot)(const T* x, std::ptrdiff_t sx, const T* y, std::ptrdiff_t sy, std::size_t count);
};

template <class T>
using strip_kernel = std::size_t (*)(trapezoid_walk<T>& walk);

struct kernel_table {
  chunk_kernels<float, float> f32_f32;
  chunk_kernels<double, float> f64_f32;
  chunk_kernels<double, double> f64_f64;
  chunk_kernels<std::int64_t, std::int32_t> i64_i32;
  chunk_kernels<std::uint64_t, std::uint32_t> u64_u32;
  chunk_kernels<std::int64_t, std::int64_t> i64_i64;
  chunk_kernels<std::uint64_t, std::uint64_t> u64_u64;
  double (*squares_of_floats)(const float* x, std::ptrdiff_t stride, std::size_t count);
  bool (*squares_ordinary)(const double* x, std::ptrdiff_t stride, std::size_t count, double* sum);
  void (*squares_any)(const double* x, std::ptrdiff_t stride, std::size_t count, double* large,
                      double* ordinary, double* small);
  strip_kernel<float> strip_of_floats;
  strip_kernel<double> strip_of_doubles;
};

extern const kernel_table baseline_kernels;
extern const kernel_table avx2_kernels;
extern const kernel_table avx512_kernels;

// std::index_sequence without its header's inline functions.
template <std::size_t... K>
struct index_list {};
template <std::size_t N, std::size_t... K>
struct make_index_list : make_index_list<N - 1, N - 1, K...> {};
template <std::size_t... K>
struct make_index_list<0, K...> {
  using type = index_list<K...>;
};

}  // namespace twofold::backends::host
