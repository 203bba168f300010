// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/accumulator.hpp>
#include <twofold/backends/error.hpp>
#include <twofold/backends/fixed_width.hpp>
#include <twofold/backends/kokkos/execution.hpp>
#include <twofold/backends/path.hpp>
#include <twofold/backends/sources.hpp>
#include <twofold/spans.hpp>

#include <Kokkos_Core.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <string>
#include <type_traits>

/// @file
/// What the public functions take: execution spaces, vectors, results; how Views become pointers, counts
/// and streams. The one place where that conversion happens.

namespace twofold {

/// An execution space of Kokkos.
template <class E>
concept execution_space = Kokkos::is_execution_space_v<E>;

/// A View of rank 1 that elements are read from; const or not, of any layout and any traits.
template <class X>
concept vector_view = Kokkos::is_view_v<X> && bool(X::rank == 1);

/// A View of rank 1 that elements are written to; a View of const is none.
template <class X>
concept writable_vector = vector_view<X> && !std::is_const_v<typename X::value_type>;

/// A View of rank 0 that a result is written to.
template <class R>
concept scalar_view = Kokkos::is_view_v<R> && bool(R::rank == 0);

/// The element type of a View as the library computes with it: without const, integers by size and sign alone. So
/// `long`, `long long` and std::int64_t are one type here, with the same kernels and the same bits.
template <class X>
using element_t = fixed_width_t<typename X::non_const_value_type>;

/// Whether code on Exec can reach the memory of View X.
template <class X, class Exec>
concept reachable_from = bool(Kokkos::SpaceAccessibility<Exec, typename X::memory_space>::accessible);

/// Whether the elements of a vector stand side by side, as the type of the View tells.
template <class X>
concept contiguous_vector = vector_view<X> && !std::same_as<typename X::array_layout, Kokkos::LayoutStride>;

/// Whether a scalar View can be written; a View of const cannot.
template <class R>
concept writable_scalar = scalar_view<R> && !std::is_const_v<typename R::value_type>;

/// Native where that exists, portable elsewhere. What the portable path takes, the best path takes: a call without a path
/// asks for no more.
template <bool NativeExists>
using default_path_t = std::conditional_t<NativeExists, native_path, portable_path>;

/// What every native path asks for: kernels were built, the space is CUDA, the elements are side by side.
template <class Exec, class... X>
concept native_space =
    backends::cuda_native_built && backends::cuda_execution<Exec> && (contiguous_vector<X> && ...);

namespace detail {

/// `Chosen`, or `Default` where the caller named none.
template <class Chosen, class Default>
using chosen_or = std::conditional_t<std::is_void_v<Chosen>, Default, Chosen>;

/// What a sum (a norm) of X comes out in: R, where the caller names one.
template <class R, class X>
using sum_in = chosen_or<R, default_sum_t<element_t<X>>>;
template <class R, class X>
using norm_in = chosen_or<R, default_norm_t<element_t<X>>>;

/// Where the elements of a View are, as numbers of element_t; const where they are. Every View becomes a pointer here.
template <class X>
auto* data_of(const X& x) {
  return as_fixed_width(x.data());
}

/// Stands around the accesses of a call to Views whose elements it takes for another integer type. Compilers assume that
/// accesses through the two types never meet, and could move the caller's across ours where all of it is inlined.
template <class... X>
class retyped {
 public:
  explicit retyped(const X&... x) { (seen(x), ...); }
  ~retyped() { barrier(nullptr); }
  retyped(const retyped&) = delete;
  retyped& operator=(const retyped&) = delete;

 private:
  template <class V>
  static constexpr bool is_retyped = !std::same_as<element_t<V>, typename V::non_const_value_type>;
  template <class V>
  static void seen(const V& v) {
    if constexpr (is_retyped<V>) barrier(v.data());
  }
  static void barrier([[maybe_unused]] const void* memory) {
    if constexpr ((is_retyped<X> || ...)) {
#if defined(__GNUC__)
      asm volatile("" : : "r"(memory) : "memory");
#else
      std::atomic_signal_fence(std::memory_order_seq_cst);
#endif
    }
  }
};

template <class X>
backends::strided<element_t<X>> operand(const X& x) {
  return {data_of(x), static_cast<std::ptrdiff_t>(x.stride(0))};
}

template <class X>
void expects_vector(const char* where, const char* which, const X& x) {
  backends::expects(x.data() != nullptr || x.extent(0) == 0, where, [&] {
    return std::string(which) + " is null with extent " + std::to_string(x.extent(0));
  });
}

/// A vector that is written: besides, no two of its elements may share memory.
template <class X>
void expects_output_vector(const char* where, const char* which, const X& x) {
  expects_vector(where, which, x);
  backends::expects(x.extent(0) <= 1 || x.stride(0) != 0, where, [&] {
    return std::string(which) + " has extent " + std::to_string(x.extent(0)) +
           " with stride 0: elements share memory";
  });
}

template <class X, class Y>
void expects_same_extent(const char* where, const X& x, const Y& y) {
  backends::expects(x.extent(0) == y.extent(0), where, [&] {
    return "x has extent " + std::to_string(x.extent(0)) + ", y has extent " + std::to_string(y.extent(0)) +
           "; they must be equal";
  });
}

template <class R>
void expects_result(const char* where, const R& result) {
  backends::expects(result.data() != nullptr, where,
                    [] { return std::string("result is null (an unallocated View)"); });
}

}  // namespace detail
}  // namespace twofold
