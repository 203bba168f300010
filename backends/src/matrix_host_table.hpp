// SPDX-License-Identifier: Apache-2.0
// The entry points of one instruction set's kernels.
#pragma once

#include <cstddef>
#include <cstdint>

namespace twofold::backends::host {

template <class T>
struct line_kernels {
  void (*by_line)(const T* in, const T* along, T* out, std::size_t n);
  void (*by_number)(const T* in, T factor, T* out, std::size_t n);
};

template <class A, class T>
using fold_lines_kernel = void (*)(const T* first, std::ptrdiff_t pitch, std::size_t places,
                                   std::size_t count, A* results);

struct matrix_kernels {
  line_kernels<float> f32;
  line_kernels<double> f64;
  line_kernels<std::uint32_t> u32;
  line_kernels<std::uint64_t> u64;
  fold_lines_kernel<float, float> f32_f32;
  fold_lines_kernel<double, float> f64_f32;
  fold_lines_kernel<double, double> f64_f64;
  fold_lines_kernel<std::uint64_t, std::int32_t> u64_i32;
  fold_lines_kernel<std::uint64_t, std::uint32_t> u64_u32;
  fold_lines_kernel<std::uint64_t, std::uint64_t> u64_u64;
};

extern const matrix_kernels baseline_matrix_kernels;
extern const matrix_kernels avx2_matrix_kernels;
extern const matrix_kernels avx512_matrix_kernels;

}  // namespace twofold::backends::host
