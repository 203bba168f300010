// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/cuda_native/dot.hpp>
#include <twofold/portable/dot.hpp>
#include <twofold/views.hpp>

/// @file
/// `dot`: the inner product of two vectors, x(0) y(0) + x(1) y(1) + ... in fold order 1. Each product enters
/// the sum through one fused rounding (fma), on every path. Nothing is conjugated.
///
/// Preconditions: x and y have the same element type and extent, are readable from the execution space, and
///   not null where they have elements.
/// Result type: `dot<R>` multiplies and sums in R and returns R; without it float and double stay, integers
///   use 64 bits of their signedness. In a 32-bit integer R the sum wraps modulo 2^32. Empty vectors give 0.
/// Allocates: nothing after the first call of that size on that instance.
/// Synchronises: forms that return a value wait for it on `exec` (its stream) and for nothing else, and cannot be
///   captured into a CUDA graph; forms that take a result View are asynchronous, and can.
/// Overlap: the result must not lie in x or y.
/// Bits: equal for the same elements on every path, space, thread count, alignment, stride and stream.
/// Passes over memory: one, in one kernel.
/// Accuracy: |error| <= k u sum|x(i) y(i)|, k = additions on the longest way to the root (16 + 11 a level).
/// Throws: precondition_error, cuda_error.

namespace twofold {

/// Whether the hand-written CUDA path can multiply X and Y in R on Exec.
template <class Exec, class X, class Y, class R>
concept native_dot = native_space<Exec, X, Y> && cuda_native::dots<element_t<X>, fixed_width_t<R>>;

/// Whether `dot` takes X and Y and a result in R on Exec along Path: memory that Exec reaches, elements of one type, an
/// accumulator that holds them, and for the native path kernels of these types. A call without a path asks what the
/// portable path asks.
template <class Path, class Exec, class X, class Y, class R>
concept dot_path = path<Path> && reachable_from<X, Exec> && reachable_from<Y, Exec> &&
                   std::same_as<element_t<X>, element_t<Y>> && accumulator_for<R, element_t<X>> &&
                   (std::same_as<Path, portable_path> || native_dot<Exec, X, Y, R>);

/// Writes the inner product to `result`, along the path that is named. Asynchronous.
template <path Path, execution_space Exec, vector_view X, vector_view Y, writable_scalar Result>
  requires reachable_from<Result, Exec> && dot_path<Path, Exec, X, Y, element_t<Result>>
void dot(Path, const Exec& exec, const X& x, const Y& y, const Result& result) {
  using R = element_t<Result>;
  detail::expects_vector("dot", "x", x);
  detail::expects_vector("dot", "y", y);
  detail::expects_same_extent("dot", x, y);
  detail::expects_result("dot", result);
  const detail::retyped around(x, y, result);
  if constexpr (std::same_as<Path, native_path>) {
    const backends::native_call call(exec, "twofold::dot");
    cuda_native::dot<R>(detail::data_of(x), detail::data_of(y), x.extent(0), detail::data_of(result),
                        backends::stream_of(exec));
  } else {
    portable_engine::dot<R>(exec, detail::operand(x), detail::operand(y), x.extent(0),
                            detail::data_of(result));
  }
}

/// Returns the inner product, along the path that is named. Waits for it on `exec`.
template <class R = void, path Path, execution_space Exec, vector_view X, vector_view Y>
  requires dot_path<Path, Exec, X, Y, detail::sum_in<R, X>>
auto dot(Path, const Exec& exec, const X& x, const Y& y) {
  using Chosen = detail::sum_in<R, X>;
  using S = fixed_width_t<Chosen>;
  detail::expects_vector("dot", "x", x);
  detail::expects_vector("dot", "y", y);
  detail::expects_same_extent("dot", x, y);
  const detail::retyped around(x, y);
  if constexpr (std::same_as<Path, native_path>) {
    const backends::native_call call(exec, "twofold::dot");
    return Chosen(
        cuda_native::dot<S>(detail::data_of(x), detail::data_of(y), x.extent(0), backends::stream_of(exec)));
  } else {
    return Chosen(portable_engine::dot<S>(exec, detail::operand(x), detail::operand(y), x.extent(0)));
  }
}

/// Writes the inner product to `result`, along the best path. Asynchronous.
template <execution_space Exec, vector_view X, vector_view Y, writable_scalar Result>
  requires reachable_from<Result, Exec> && dot_path<portable_path, Exec, X, Y, element_t<Result>>
void dot(const Exec& exec, const X& x, const Y& y, const Result& result) {
  dot(default_path_t<native_dot<Exec, X, Y, element_t<Result>>>{}, exec, x, y, result);
}

/// Returns the inner product, along the best path. Waits for it on `exec`.
template <class R = void, execution_space Exec, vector_view X, vector_view Y>
  requires dot_path<portable_path, Exec, X, Y, detail::sum_in<R, X>>
auto dot(const Exec& exec, const X& x, const Y& y) {
  using S = detail::sum_in<R, X>;
  return dot<S>(default_path_t<native_dot<Exec, X, Y, S>>{}, exec, x, y);
}

/// Returns the inner product, on the default instance of x's own execution space.
template <class R = void, vector_view X, vector_view Y>
  requires dot_path<portable_path, typename X::execution_space, X, Y, detail::sum_in<R, X>>
auto dot(const X& x, const Y& y) {
  return dot<R>(typename X::execution_space{}, x, y);
}

/// The same with spans or mdspans of host memory in place of Views; see spans.hpp.
template <class... A>
  requires detail::some_spans<A...> && requires(const A&... a) { dot(detail::view_of(a)...); }
auto dot(const A&... a) {
  return dot(detail::view_of(a)...);
}

/// The same, in the result type R.
template <class R, class... A>
  requires detail::some_spans<A...> && requires(const A&... a) { dot<R>(detail::view_of(a)...); }
auto dot(const A&... a) {
  return dot<R>(detail::view_of(a)...);
}

}  // namespace twofold
