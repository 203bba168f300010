// SPDX-License-Identifier: Apache-2.0
// Picks the kernels of the widest instruction set that this machine has, once.
#include <twofold/backends/fold_host.hpp>

#include <cstdlib>
#include <cstring>

#include "fold_host_table.hpp"

namespace twofold::backends::host {
namespace {

struct choice {
  const char* name;
  const kernel_table* kernels;
};

choice choose() {
#if defined(TWOFOLD_HOST_HAS_X86_KERNELS)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
  // A request for more than the machine has falls back rather than crashing.
  const char* asked = std::getenv("TWOFOLD_HOST_ISA");
  const auto allowed = [asked](const char* name) { return !asked || std::strcmp(asked, name) == 0; };
  if (avx512 && allowed("avx512")) return {"avx512", &avx512_kernels};
  if (avx2 && (allowed("avx2") || allowed("avx512"))) return {"avx2", &avx2_kernels};
#endif
  return {"baseline", &baseline_kernels};
}

const choice& chosen() {
  static const choice c = choose();
  return c;
}

template <class A, class T>
const chunk_kernels<A, T>& chunk_kernels_for() {
  const kernel_table& k = *chosen().kernels;
  if constexpr (std::is_same_v<T, float> && std::is_same_v<A, float>) {
    return k.f32_f32;
  } else if constexpr (std::is_same_v<T, float>) {
    return k.f64_f32;
  } else if constexpr (std::is_same_v<T, double>) {
    return k.f64_f64;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return k.i64_i32;
  } else if constexpr (std::is_same_v<T, std::uint32_t>) {
    return k.u64_u32;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return k.i64_i64;
  } else {
    return k.u64_u64;
  }
}

}  // namespace

const char* instruction_set() { return chosen().name; }

template <class A, class T>
A fold_chunk_sum(strided<T> x, std::size_t count) {
  return chunk_kernels_for<A, T>().sum(x.data, x.stride, count);
}

template <class A, class T>
A fold_chunk_dot(strided<T> x, strided<T> y, std::size_t count) {
  return chunk_kernels_for<A, T>().dot(x.data, x.stride, y.data, y.stride, count);
}

scaled_squares fold_chunk_squares(strided<double> x, std::size_t count) {
  scaled_squares sum;
  const kernel_table& k = *chosen().kernels;
  if (!k.squares_ordinary(x.data, x.stride, count, &sum.ordinary))
    k.squares_any(x.data, x.stride, count, &sum.large, &sum.ordinary, &sum.small);
  return sum;
}

double fold_chunk_squares(strided<float> x, std::size_t count) {
  return chosen().kernels->squares_of_floats(x.data, x.stride, count);
}

std::size_t next_strip(trapezoid_walk<float>& walk) { return chosen().kernels->strip_of_floats(walk); }
std::size_t next_strip(trapezoid_walk<double>& walk) { return chosen().kernels->strip_of_doubles(walk); }

template float fold_chunk_sum<float, float>(strided<float>, std::size_t);
template double fold_chunk_sum<double, float>(strided<float>, std::size_t);
template double fold_chunk_sum<double, double>(strided<double>, std::size_t);
template std::int64_t fold_chunk_sum<std::int64_t, std::int32_t>(strided<std::int32_t>, std::size_t);
template std::uint64_t fold_chunk_sum<std::uint64_t, std::uint32_t>(strided<std::uint32_t>, std::size_t);
template std::int64_t fold_chunk_sum<std::int64_t, std::int64_t>(strided<std::int64_t>, std::size_t);
template std::uint64_t fold_chunk_sum<std::uint64_t, std::uint64_t>(strided<std::uint64_t>, std::size_t);

template float fold_chunk_dot<float, float>(strided<float>, strided<float>, std::size_t);
template double fold_chunk_dot<double, float>(strided<float>, strided<float>, std::size_t);
template double fold_chunk_dot<double, double>(strided<double>, strided<double>, std::size_t);
template std::int64_t fold_chunk_dot<std::int64_t, std::int32_t>(strided<std::int32_t>, strided<std::int32_t>,
                                                                 std::size_t);
template std::uint64_t fold_chunk_dot<std::uint64_t, std::uint32_t>(strided<std::uint32_t>,
                                                                    strided<std::uint32_t>, std::size_t);
template std::int64_t fold_chunk_dot<std::int64_t, std::int64_t>(strided<std::int64_t>, strided<std::int64_t>,
                                                                 std::size_t);
template std::uint64_t fold_chunk_dot<std::uint64_t, std::uint64_t>(strided<std::uint64_t>,
                                                                    strided<std::uint64_t>, std::size_t);

}  // namespace twofold::backends::host
