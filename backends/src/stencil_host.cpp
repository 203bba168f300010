// SPDX-License-Identifier: Apache-2.0
// Hands the loops of the instruction set in use to the callers' types.
#include <twofold/backends/fold_host.hpp>
#include <twofold/backends/stencil_host.hpp>

#include <cstring>
#include <type_traits>

#include "stencil_host_table.hpp"

namespace twofold::backends::host {
namespace {

const stencil_table& chosen_table() {
  static const stencil_table* const table = [] {
#if defined(TWOFOLD_HOST_HAS_X86_KERNELS)
    if (std::strcmp(instruction_set(), "avx512") == 0) return &avx512_stencil_kernels;
    if (std::strcmp(instruction_set(), "avx2") == 0) return &avx2_stencil_kernels;
#endif
    return &baseline_stencil_kernels;
  }();
  return *table;
}

template <class R>
struct unsigned_of {
  using type = R;
};
template <class R>
  requires std::is_integral_v<R>
struct unsigned_of<R> {
  using type = std::make_unsigned_t<R>;
};
template <class R>
using wrapped = typename unsigned_of<R>::type;

template <class R>
const stencil_kernels<wrapped<R>>& kernels() {
  if constexpr (std::is_same_v<R, float>) {
    return chosen_table().f32;
  } else if constexpr (std::is_same_v<R, double>) {
    return chosen_table().f64;
  } else if constexpr (sizeof(R) == 4) {
    return chosen_table().u32;
  } else {
    return chosen_table().u64;
  }
}

template <class R>
const wrapped<R>* as_wrapped(const R* p) {
  return reinterpret_cast<const wrapped<R>*>(p);
}
template <class R>
wrapped<R>* as_wrapped(R* p) {
  return reinterpret_cast<wrapped<R>*>(p);
}

}  // namespace

template <class R>
void run_forward(const R* x, std::size_t chunks, unsigned block, R* runs, R* sums) {
  kernels<R>().run_forward(as_wrapped(x), chunks, block, as_wrapped(runs), as_wrapped(sums));
}
template <class R>
void run_backward(const R* x, std::size_t chunks, unsigned block, R* runs) {
  kernels<R>().run_backward(as_wrapped(x), chunks, block, as_wrapped(runs));
}
template <class R>
void join(const R* to_end, const stencil_order::between_ends<R>* between, const R* from_begin, R* out,
          std::size_t blocks, unsigned block, unsigned rest) {
  kernels<R>().join(as_wrapped(to_end), as_wrapped(&between->sum), as_wrapped(from_begin), as_wrapped(out),
                    blocks, block, rest);
}
template <class R>
void add_terms(const R* x, const R* w, std::size_t terms, R* sums, std::size_t count) {
  kernels<R>().add_terms(as_wrapped(x), as_wrapped(w), terms, as_wrapped(sums), count);
}
template <class R>
void make_canonical(R* values, std::size_t count) {
  if constexpr (std::is_floating_point_v<R>) kernels<R>().make_canonical(values, count);
}

template void run_forward(const float*, std::size_t, unsigned, float*, float*);
template void run_forward(const double*, std::size_t, unsigned, double*, double*);
template void run_forward(const std::int32_t*, std::size_t, unsigned, std::int32_t*, std::int32_t*);
template void run_forward(const std::uint32_t*, std::size_t, unsigned, std::uint32_t*, std::uint32_t*);
template void run_forward(const std::int64_t*, std::size_t, unsigned, std::int64_t*, std::int64_t*);
template void run_forward(const std::uint64_t*, std::size_t, unsigned, std::uint64_t*, std::uint64_t*);
template void run_backward(const float*, std::size_t, unsigned, float*);
template void run_backward(const double*, std::size_t, unsigned, double*);
template void run_backward(const std::int32_t*, std::size_t, unsigned, std::int32_t*);
template void run_backward(const std::uint32_t*, std::size_t, unsigned, std::uint32_t*);
template void run_backward(const std::int64_t*, std::size_t, unsigned, std::int64_t*);
template void run_backward(const std::uint64_t*, std::size_t, unsigned, std::uint64_t*);
template void join(const float*, const stencil_order::between_ends<float>*, const float*, float*, std::size_t,
                   unsigned, unsigned);
template void join(const double*, const stencil_order::between_ends<double>*, const double*, double*,
                   std::size_t, unsigned, unsigned);
template void join(const std::int32_t*, const stencil_order::between_ends<std::int32_t>*, const std::int32_t*,
                   std::int32_t*, std::size_t, unsigned, unsigned);
template void join(const std::uint32_t*, const stencil_order::between_ends<std::uint32_t>*,
                   const std::uint32_t*, std::uint32_t*, std::size_t, unsigned, unsigned);
template void join(const std::int64_t*, const stencil_order::between_ends<std::int64_t>*, const std::int64_t*,
                   std::int64_t*, std::size_t, unsigned, unsigned);
template void join(const std::uint64_t*, const stencil_order::between_ends<std::uint64_t>*,
                   const std::uint64_t*, std::uint64_t*, std::size_t, unsigned, unsigned);
template void add_terms(const float*, const float*, std::size_t, float*, std::size_t);
template void add_terms(const double*, const double*, std::size_t, double*, std::size_t);
template void add_terms(const std::int32_t*, const std::int32_t*, std::size_t, std::int32_t*, std::size_t);
template void add_terms(const std::uint32_t*, const std::uint32_t*, std::size_t, std::uint32_t*, std::size_t);
template void add_terms(const std::int64_t*, const std::int64_t*, std::size_t, std::int64_t*, std::size_t);
template void add_terms(const std::uint64_t*, const std::uint64_t*, std::size_t, std::uint64_t*, std::size_t);
template void make_canonical(float*, std::size_t);
template void make_canonical(double*, std::size_t);
template void make_canonical(std::int32_t*, std::size_t);
template void make_canonical(std::uint32_t*, std::size_t);
template void make_canonical(std::int64_t*, std::size_t);
template void make_canonical(std::uint64_t*, std::size_t);

}  // namespace twofold::backends::host
