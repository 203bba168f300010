// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/cuda_native/integrate.hpp>
#include <twofold/portable/integrate.hpp>
#include <twofold/views.hpp>

#include <cmath>

// The native form compiles the caller's functor into its kernel, so it is there for nvcc alone. (In a build of
// Kokkos with CUDA every source that includes this header is compiled by nvcc.) Without the native library it is not
// installed, and nothing asks for it.
#if defined(__CUDACC__) && __has_include(<twofold/cuda_native/integrate.cuh>)
#include <twofold/cuda_native/integrate.cuh>
#endif

/// @file
/// `integrate`: the composite trapezoidal rule. The integral of f from a to b as n trapezoids of equal width,
/// h (f(x_0)/2 + f(x_1) + ... + f(x_(n-1)) + f(x_n)/2), x_i = a + i h, folded in fold order 1.
///
/// f: a functor or lambda (KOKKOS_LAMBDA, say) of one argument, callable on the execution space, without side effects.
/// T: the type of the abscissae, the sum and the result: `integrate<T>`, else that of the result View, else the
///   common type of a and b (double for integers). Abscissae are computed from the index, never accumulated,
///   with an error that does not grow with n (docs/fold_order.md has the bound), and x_n is exactly b.
/// Preconditions: a, b and b - a finite in T, n in 1 .. 2^53. b < a gives exactly the negative of the integral from b to a;
///   a == b gives 0 whatever f is there.
/// Overflow: values are summed in T before h scales the sum. While 2 (n + 1) max|f| is finite in T no sum overflows;
///   beyond, the result may be an infinity, or NaN where f has both signs, though the integral is representable. Then
///   integrate a multiple of f, or floats in double. A NaN or infinity of f comes out as NaN or infinity.
/// Short intervals: any a != b is an interval. Where h is subnormal (in double), abscissae are evenly spaced but for
///   n 2^-1074 and in [a, b], and the sum is scaled by (b - a) / n with all its digits.
/// Allocates: nothing after the first call of that n on that instance.
/// Synchronises: forms that return a value wait for it on `exec` and cannot be captured into a CUDA graph; forms that
///   take a result View are asynchronous.
/// Overlap: no memory is read but by f, which must not read the result.
/// Bits: equal on every path and space as far as those of f are: explicit fma and exact arithmetic are
///   portable, a * b + c is contracted by some compilers, sin differs between libraries.
/// Passes over memory: none.
/// Throws: precondition_error (n = 0, bounds not finite or too far apart), cuda_error.
/// Source: any text on numerical integration; the kernels of the ladder follow P. Pacheco, M. Malensek, "An
///   Introduction to Parallel Programming", 2nd ed., chapter 6.

namespace twofold {

/// Whether f can be integrated over abscissae of type T.
template <class F, class T>
concept integrand = cuda_native::integrates<F, T>;

/// Whether the hand-written CUDA path can integrate f in T on Exec.
template <class Exec, class F, class T>
concept native_integrate = native_space<Exec> && cuda_native::integrates<F, T>;

/// Whether code on Exec can call an F: a lambda for the device alone only on a GPU.
template <class F, class Exec>
concept callable_on = !cuda_native::device_lambda<F> || backends::cuda_execution<Exec>;

/// Whether `integrate` takes f with abscissae of type T on Exec along Path: a function of T that can be
/// called there, and for the native path a CUDA space. A call without a path asks what the portable path asks.
template <class Path, class Exec, class F, class T>
concept integrate_path = path<Path> && integrand<F, T> && callable_on<F, Exec> &&
                         (std::same_as<Path, portable_path> || native_integrate<Exec, F, T>);

/// The type in which bounds A and B are integrated unless another is asked for.
template <class A, class B>
using default_abscissa_t =
    std::conditional_t<std::is_floating_point_v<std::common_type_t<A, B>>, std::common_type_t<A, B>, double>;

/// What an integral may begin or end at.
template <class A>
concept integral_bound = std::convertible_to<A, double>;

namespace detail {
/// What an integral comes out in: T, where the caller names one.
template <class T, class A, class B>
using integral_in = chosen_or<T, default_abscissa_t<A, B>>;
}  // namespace detail

/// Writes the integral to `result`, along the path that is named. Asynchronous.
template <path Path, execution_space Exec, class F, integral_bound A, integral_bound B,
          writable_scalar Result>
  requires reachable_from<Result, Exec> && integrate_path<Path, Exec, F, typename Result::value_type>
void integrate(Path, const Exec& exec, const F& f, A a, B b, std::size_t n, const Result& result) {
  using T = typename Result::value_type;
  const T from = static_cast<T>(a), to = static_cast<T>(b);
  backends::expects_interval("integrate", from, to, n);
  detail::expects_result("integrate", result);
  if constexpr (std::same_as<Path, native_path>) {
    const backends::native_call call(exec, "twofold::integrate");
    cuda_native::integrate<T>(f, from, to, n, result.data(), backends::stream_of(exec));
  } else {
    portable_engine::integrate<T>(exec, f, from, to, n, result.data());
  }
}

/// Returns the integral, along the path that is named. Waits for it on `exec`.
template <class T = void, path Path, execution_space Exec, class F, integral_bound A, integral_bound B>
  requires integrate_path<Path, Exec, F, detail::integral_in<T, A, B>>
auto integrate(Path, const Exec& exec, const F& f, A a, B b, std::size_t n) {
  using S = detail::integral_in<T, A, B>;
  const S from = static_cast<S>(a), to = static_cast<S>(b);
  backends::expects_interval("integrate", from, to, n);
  if constexpr (std::same_as<Path, native_path>) {
    const backends::native_call call(exec, "twofold::integrate");
    return cuda_native::integrate<S>(f, from, to, n, backends::stream_of(exec));
  } else {
    return portable_engine::integrate<S>(exec, f, from, to, n);
  }
}

/// Writes the integral to `result`, along the best path. Asynchronous.
template <execution_space Exec, class F, integral_bound A, integral_bound B, writable_scalar Result>
  requires reachable_from<Result, Exec> && integrate_path<portable_path, Exec, F, typename Result::value_type>
void integrate(const Exec& exec, const F& f, A a, B b, std::size_t n, const Result& result) {
  integrate(default_path_t<native_integrate<Exec, F, typename Result::value_type>>{}, exec, f, a, b, n,
            result);
}

/// Returns the integral, along the best path. Waits for it on `exec`.
template <class T = void, execution_space Exec, class F, integral_bound A, integral_bound B>
  requires integrate_path<portable_path, Exec, F, detail::integral_in<T, A, B>>
auto integrate(const Exec& exec, const F& f, A a, B b, std::size_t n) {
  using S = detail::integral_in<T, A, B>;
  return integrate<S>(default_path_t<native_integrate<Exec, F, S>>{}, exec, f, a, b, n);
}

/// Returns the integral, on the default execution space.
template <class T = void, class F, integral_bound A, integral_bound B>
  requires(!execution_space<F> && !path<F>) &&
          integrate_path<portable_path, Kokkos::DefaultExecutionSpace, F, detail::integral_in<T, A, B>>
auto integrate(const F& f, A a, B b, std::size_t n) {
  return integrate<T>(Kokkos::DefaultExecutionSpace{}, f, a, b, n);
}

}  // namespace twofold
