// SPDX-License-Identifier: Apache-2.0
// Picks the kernels of the instruction set that the folds use.
#include <twofold/backends/fold_host.hpp>
#include <twofold/backends/matrix_host.hpp>

#include <cstring>
#include <type_traits>

#include "matrix_host_table.hpp"

namespace twofold::backends::host {
namespace {

const matrix_kernels* choose() {
#if defined(TWOFOLD_HOST_HAS_X86_KERNELS)
  if (std::strcmp(instruction_set(), "avx512") == 0) return &avx512_matrix_kernels;
  if (std::strcmp(instruction_set(), "avx2") == 0) return &avx2_matrix_kernels;
#endif
  return &baseline_matrix_kernels;
}

const matrix_kernels& chosen() {
  static const matrix_kernels* const kernels = choose();
  return *kernels;
}

// Signed integers share the unsigned kernels: the bits agree and overflow is defined.
template <class T>
using kernel_element =
    std::conditional_t<std::is_same_v<T, std::int32_t>, std::uint32_t,
                       std::conditional_t<std::is_same_v<T, std::int64_t>, std::uint64_t, T>>;

template <class T>
const line_kernels<kernel_element<T>>& kernels_for() {
  using K = kernel_element<T>;
  if constexpr (std::is_same_v<K, float>) {
    return chosen().f32;
  } else if constexpr (std::is_same_v<K, double>) {
    return chosen().f64;
  } else if constexpr (std::is_same_v<K, std::uint32_t>) {
    return chosen().u32;
  } else {
    return chosen().u64;
  }
}

}  // namespace

template <class T>
void multiply_by_line(const T* in, const T* along, T* out, std::size_t n) {
  using K = kernel_element<T>;
  kernels_for<T>().by_line(reinterpret_cast<const K*>(in), reinterpret_cast<const K*>(along),
                           reinterpret_cast<K*>(out), n);
}

template <class T>
void multiply_by_number(const T* in, T factor, T* out, std::size_t n) {
  using K = kernel_element<T>;
  kernels_for<T>().by_number(reinterpret_cast<const K*>(in), static_cast<K>(factor),
                             reinterpret_cast<K*>(out), n);
}

template <class A, class T>
  requires has_kernel<T, A>
void fold_lines(const T* first, std::ptrdiff_t pitch, std::size_t places, std::size_t count, A* results) {
  const matrix_kernels& k = chosen();
  if constexpr (std::is_same_v<A, float>) {
    k.f32_f32(first, pitch, places, count, results);
  } else if constexpr (std::is_same_v<T, float>) {
    k.f64_f32(first, pitch, places, count, results);
  } else if constexpr (std::is_same_v<T, double>) {
    k.f64_f64(first, pitch, places, count, results);
  } else {
    auto* const wrapped = reinterpret_cast<std::uint64_t*>(results);
    if constexpr (std::is_same_v<T, std::int32_t>) {
      k.u64_i32(first, pitch, places, count, wrapped);
    } else if constexpr (std::is_same_v<T, std::uint32_t>) {
      k.u64_u32(first, pitch, places, count, wrapped);
    } else {
      k.u64_u64(reinterpret_cast<const std::uint64_t*>(first), pitch, places, count, wrapped);
    }
  }
}

template void multiply_by_line<float>(const float*, const float*, float*, std::size_t);
template void multiply_by_line<double>(const double*, const double*, double*, std::size_t);
template void multiply_by_line<std::int32_t>(const std::int32_t*, const std::int32_t*, std::int32_t*,
                                             std::size_t);
template void multiply_by_line<std::uint32_t>(const std::uint32_t*, const std::uint32_t*, std::uint32_t*,
                                              std::size_t);
template void multiply_by_line<std::int64_t>(const std::int64_t*, const std::int64_t*, std::int64_t*,
                                             std::size_t);
template void multiply_by_line<std::uint64_t>(const std::uint64_t*, const std::uint64_t*, std::uint64_t*,
                                              std::size_t);

template void multiply_by_number<float>(const float*, float, float*, std::size_t);
template void multiply_by_number<double>(const double*, double, double*, std::size_t);
template void multiply_by_number<std::int32_t>(const std::int32_t*, std::int32_t, std::int32_t*, std::size_t);
template void multiply_by_number<std::uint32_t>(const std::uint32_t*, std::uint32_t, std::uint32_t*,
                                                std::size_t);
template void multiply_by_number<std::int64_t>(const std::int64_t*, std::int64_t, std::int64_t*, std::size_t);
template void multiply_by_number<std::uint64_t>(const std::uint64_t*, std::uint64_t, std::uint64_t*,
                                                std::size_t);

template void fold_lines<float, float>(const float*, std::ptrdiff_t, std::size_t, std::size_t, float*);
template void fold_lines<double, float>(const float*, std::ptrdiff_t, std::size_t, std::size_t, double*);
template void fold_lines<double, double>(const double*, std::ptrdiff_t, std::size_t, std::size_t, double*);
template void fold_lines<std::int64_t, std::int32_t>(const std::int32_t*, std::ptrdiff_t, std::size_t,
                                                     std::size_t, std::int64_t*);
template void fold_lines<std::uint64_t, std::uint32_t>(const std::uint32_t*, std::ptrdiff_t, std::size_t,
                                                       std::size_t, std::uint64_t*);
template void fold_lines<std::int64_t, std::int64_t>(const std::int64_t*, std::ptrdiff_t, std::size_t,
                                                     std::size_t, std::int64_t*);
template void fold_lines<std::uint64_t, std::uint64_t>(const std::uint64_t*, std::ptrdiff_t, std::size_t,
                                                       std::size_t, std::uint64_t*);

}  // namespace twofold::backends::host
