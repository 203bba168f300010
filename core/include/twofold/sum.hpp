// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/cuda_native/sum.hpp>
#include <twofold/portable/sum.hpp>
#include <twofold/views.hpp>

/// @file
/// `sum`: the sum of a vector, x(0) + x(1) + ... in fold order 1.
///
/// Preconditions: x is readable from the execution space, and not null where it has elements.
/// Result type: `sum<R>` sums in R and returns R; without it float and double stay, integers are summed in 64
///   bits of their signedness. In a 32-bit integer R the sum wraps modulo 2^32. An empty x gives 0.
/// Allocates: nothing after the first call of that size on that instance.
/// Synchronises: forms that return a value wait for it on `exec` (its stream) and for nothing else, and cannot be
///   captured into a CUDA graph; forms that take a result View are asynchronous, and can.
/// Overlap: the result must not lie in x.
/// Bits: equal for the same elements on every path, space, thread count, alignment, stride and stream.
/// Passes over memory: one, in one kernel.
/// Accuracy: |error| <= k u sum|x(i)|, k = additions on the longest way to the root (16 + 11 a level).
/// Throws: precondition_error, cuda_error.

namespace twofold {

/// Whether the hand-written CUDA path can sum X in R on Exec.
template <class Exec, class X, class R>
concept native_sum = native_space<Exec, X> && cuda_native::sums<element_t<X>, fixed_width_t<R>>;

/// Whether `sum` takes X and a result in R on Exec along Path: memory that Exec reaches, an accumulator that holds the
/// elements, and for the native path kernels of these types. A call without a path asks what the portable path asks.
template <class Path, class Exec, class X, class R>
concept sum_path = path<Path> && reachable_from<X, Exec> && accumulator_for<R, element_t<X>> &&
                   (std::same_as<Path, portable_path> || native_sum<Exec, X, R>);

/// Writes the sum to `result`, along the path that is named. Asynchronous.
template <path Path, execution_space Exec, vector_view X, writable_scalar Result>
  requires reachable_from<Result, Exec> && sum_path<Path, Exec, X, element_t<Result>>
void sum(Path, const Exec& exec, const X& x, const Result& result) {
  using R = element_t<Result>;
  detail::expects_vector("sum", "x", x);
  detail::expects_result("sum", result);
  const detail::retyped around(x, result);
  if constexpr (std::same_as<Path, native_path>) {
    const backends::native_call call(exec, "twofold::sum");
    cuda_native::sum<R>(detail::data_of(x), x.extent(0), detail::data_of(result), backends::stream_of(exec));
  } else {
    portable_engine::sum<R>(exec, detail::operand(x), x.extent(0), detail::data_of(result));
  }
}

/// Returns the sum, along the path that is named. Waits for it on `exec`.
template <class R = void, path Path, execution_space Exec, vector_view X>
  requires sum_path<Path, Exec, X, detail::sum_in<R, X>>
auto sum(Path, const Exec& exec, const X& x) {
  using Chosen = detail::sum_in<R, X>;
  using S = fixed_width_t<Chosen>;
  detail::expects_vector("sum", "x", x);
  const detail::retyped around(x);
  if constexpr (std::same_as<Path, native_path>) {
    const backends::native_call call(exec, "twofold::sum");
    return Chosen(cuda_native::sum<S>(detail::data_of(x), x.extent(0), backends::stream_of(exec)));
  } else {
    return Chosen(portable_engine::sum<S>(exec, detail::operand(x), x.extent(0)));
  }
}

/// Writes the sum to `result`, along the best path. Asynchronous.
template <execution_space Exec, vector_view X, writable_scalar Result>
  requires reachable_from<Result, Exec> && sum_path<portable_path, Exec, X, element_t<Result>>
void sum(const Exec& exec, const X& x, const Result& result) {
  sum(default_path_t<native_sum<Exec, X, element_t<Result>>>{}, exec, x, result);
}

/// Returns the sum, along the best path. Waits for it on `exec`.
template <class R = void, execution_space Exec, vector_view X>
  requires sum_path<portable_path, Exec, X, detail::sum_in<R, X>>
auto sum(const Exec& exec, const X& x) {
  using S = detail::sum_in<R, X>;
  return sum<S>(default_path_t<native_sum<Exec, X, S>>{}, exec, x);
}

/// Returns the sum, on the default instance of the View's own execution space.
template <class R = void, vector_view X>
  requires sum_path<portable_path, typename X::execution_space, X, detail::sum_in<R, X>>
auto sum(const X& x) {
  return sum<R>(typename X::execution_space{}, x);
}

/// The same with spans or mdspans of host memory in place of Views; see spans.hpp.
template <class... A>
  requires detail::some_spans<A...> && requires(const A&... a) { sum(detail::view_of(a)...); }
auto sum(const A&... a) {
  return sum(detail::view_of(a)...);
}

/// The same, in the result type R.
template <class R, class... A>
  requires detail::some_spans<A...> && requires(const A&... a) { sum<R>(detail::view_of(a)...); }
auto sum(const A&... a) {
  return sum<R>(detail::view_of(a)...);
}

}  // namespace twofold
