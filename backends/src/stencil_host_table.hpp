// SPDX-License-Identifier: Apache-2.0
// The entry points of one instruction set's stencil loops.
#pragma once

#include <cstddef>
#include <cstdint>

namespace twofold::backends::host {

template <class R>
struct stencil_kernels {
  void (*run_forward)(const R* x, std::size_t chunks, unsigned block, R* runs, R* sums);
  void (*run_backward)(const R* x, std::size_t chunks, unsigned block, R* runs);
  void (*join)(const R* to_end, const R* between, const R* from_begin, R* out, std::size_t blocks,
               unsigned block, unsigned rest);
  void (*add_terms)(const R* x, const R* w, std::size_t terms, R* sums, std::size_t count);
  void (*make_canonical)(R* values, std::size_t count);
};

// Signed integers share the kernels of unsigned ones: the bits agree and overflow is defined.
struct stencil_table {
  stencil_kernels<float> f32;
  stencil_kernels<double> f64;
  stencil_kernels<std::uint32_t> u32;
  stencil_kernels<std::uint64_t> u64;
};

extern const stencil_table baseline_stencil_kernels;
extern const stencil_table avx2_stencil_kernels;
extern const stencil_table avx512_stencil_kernels;

}  // namespace twofold::backends::host
