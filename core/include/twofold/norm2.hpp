// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/cuda_native/norm2.hpp>
#include <twofold/portable/norm2.hpp>
#include <twofold/views.hpp>

/// @file
/// `norm2`: the Euclidean norm of a vector, the square root of x(0)^2 + x(1)^2 + ... in fold order 1.
/// It neither overflows nor underflows where the norm itself is representable: floats and integers are squared
/// and summed in double, doubles in three parts by magnitude (Blue 1978, Anderson 2017, as in LAPACK 3.10).
/// A NaN gives NaN, an infinity without a NaN gives infinity.
///
/// Preconditions: x is readable from the execution space, and not null where it has elements.
/// Result type: `norm2<R>` returns R, float or double; without it float and double stay, integers give double.
///   An empty x gives +0.
/// Allocates: nothing after the first call of that size on that instance.
/// Synchronises: forms that return a value wait for it on `exec` (its stream) and for nothing else, and cannot be
///   captured into a CUDA graph; forms that take a result View are asynchronous, and can.
/// Overlap: the result must not lie in x.
/// Bits: equal for the same elements on every path, space, thread count, alignment, stride and stream.
/// Passes over memory: one, in one kernel.
/// Accuracy: relative error <= (k / 2 + 4) u, k = additions on the longest way to the root (16 + 11 a level);
///   for floats u is that of double, and the last rounding that of R.
/// Throws: precondition_error, cuda_error.

namespace twofold {

/// Whether the hand-written CUDA path can compute the norm of X in R on Exec.
template <class Exec, class X, class R>
concept native_norm2 = native_space<Exec, X> && cuda_native::norms<element_t<X>, R>;

/// What a norm comes out in.
template <class R>
concept norm_result = std::same_as<R, float> || std::same_as<R, double>;

/// Whether `norm2` takes X and a result in R on Exec along Path: memory that Exec reaches, numbers, R float or
/// double, and for the native path kernels of these types. A call without a path asks what the portable path
/// asks.
template <class Path, class Exec, class X, class R>
concept norm2_path = path<Path> && reachable_from<X, Exec> && foldable<element_t<X>> && norm_result<R> &&
                     (std::same_as<Path, portable_path> || native_norm2<Exec, X, R>);

/// Writes the norm to `result`, along the path that is named. Asynchronous.
template <path Path, execution_space Exec, vector_view X, writable_scalar Result>
  requires reachable_from<Result, Exec> && norm2_path<Path, Exec, X, element_t<Result>>
void norm2(Path, const Exec& exec, const X& x, const Result& result) {
  using R = element_t<Result>;
  detail::expects_vector("norm2", "x", x);
  detail::expects_result("norm2", result);
  const detail::retyped around(x, result);
  if constexpr (std::same_as<Path, native_path>) {
    const backends::native_call call(exec, "twofold::norm2");
    cuda_native::norm2<R>(detail::data_of(x), x.extent(0), detail::data_of(result),
                          backends::stream_of(exec));
  } else {
    portable_engine::norm2<R>(exec, detail::operand(x), x.extent(0), detail::data_of(result));
  }
}

/// Returns the norm, along the path that is named. Waits for it on `exec`.
template <class R = void, path Path, execution_space Exec, vector_view X>
  requires norm2_path<Path, Exec, X, detail::norm_in<R, X>>
auto norm2(Path, const Exec& exec, const X& x) {
  using S = detail::norm_in<R, X>;
  detail::expects_vector("norm2", "x", x);
  const detail::retyped around(x);
  if constexpr (std::same_as<Path, native_path>) {
    const backends::native_call call(exec, "twofold::norm2");
    return cuda_native::norm2<S>(detail::data_of(x), x.extent(0), backends::stream_of(exec));
  } else {
    return portable_engine::norm2<S>(exec, detail::operand(x), x.extent(0));
  }
}

/// Writes the norm to `result`, along the best path. Asynchronous.
template <execution_space Exec, vector_view X, writable_scalar Result>
  requires reachable_from<Result, Exec> && norm2_path<portable_path, Exec, X, element_t<Result>>
void norm2(const Exec& exec, const X& x, const Result& result) {
  norm2(default_path_t<native_norm2<Exec, X, element_t<Result>>>{}, exec, x, result);
}

/// Returns the norm, along the best path. Waits for it on `exec`.
template <class R = void, execution_space Exec, vector_view X>
  requires norm2_path<portable_path, Exec, X, detail::norm_in<R, X>>
auto norm2(const Exec& exec, const X& x) {
  using S = detail::norm_in<R, X>;
  return norm2<S>(default_path_t<native_norm2<Exec, X, S>>{}, exec, x);
}

/// Returns the norm, on the default instance of the View's own execution space.
template <class R = void, vector_view X>
  requires norm2_path<portable_path, typename X::execution_space, X, detail::norm_in<R, X>>
auto norm2(const X& x) {
  return norm2<R>(typename X::execution_space{}, x);
}

/// The same with spans or mdspans of host memory in place of Views; see spans.hpp.
template <class... A>
  requires detail::some_spans<A...> && requires(const A&... a) { norm2(detail::view_of(a)...); }
auto norm2(const A&... a) {
  return norm2(detail::view_of(a)...);
}

/// The same, in the result type R.
template <class R, class... A>
  requires detail::some_spans<A...> && requires(const A&... a) { norm2<R>(detail::view_of(a)...); }
auto norm2(const A&... a) {
  return norm2<R>(detail::view_of(a)...);
}

}  // namespace twofold
