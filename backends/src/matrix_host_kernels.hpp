// SPDX-License-Identifier: Apache-2.0
// Included by one source file per instruction set, each compiled with its own flags. Plain loops that every compiler
// vectorises; nothing here may be an inline function with external linkage (see fold_host_kernels.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "matrix_host_table.hpp"

namespace twofold::backends::host {
namespace {

// One NaN for all: x86 makes a negative one of infinity * 0, a GPU a positive one.
template <class T>
[[gnu::always_inline]] inline T one_nan(T value) {
  if constexpr (__is_same(T, float)) {
    return value == value ? value : __builtin_nanf("");
  } else if constexpr (__is_same(T, double)) {
    return value == value ? value : __builtin_nan("");
  } else {
    return value;
  }
}

// in may be out: no iteration reads what another writes.
template <class T>
void by_line(const T* in, const T* along, T* out, std::size_t n) {
#pragma GCC ivdep
  for (std::size_t k = 0; k < n; ++k) out[k] = one_nan<T>(in[k] * along[k]);
}

template <class T>
void by_number(const T* in, T factor, T* out, std::size_t n) {
#pragma GCC ivdep
  for (std::size_t k = 0; k < n; ++k) out[k] = one_nan<T>(factor * in[k]);
}

constexpr matrix_kernels matrix_kernels_of_this_file{
    {by_line<float>, by_number<float>},
    {by_line<double>, by_number<double>},
    {by_line<std::uint32_t>, by_number<std::uint32_t>},
    {by_line<std::uint64_t>, by_number<std::uint64_t>},
};

}  // namespace
}  // namespace twofold::backends::host
