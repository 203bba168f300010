// SPDX-License-Identifier: Apache-2.0
// What each overload takes and what it refuses, as the answer of a requires-expression: a refusal is `false` in the
// caller's concepts, never an error inside the library. There is nothing to run; it need only compile.
#include <twofold/twofold.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <array>
#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace {

// ---- the questions: may it be called like this? With R named, or left to the library.

template <class R, class... A>
concept sum_takes = requires(A... a) { twofold::sum<R>(a...); };
template <class R, class... A>
concept dot_takes = requires(A... a) { twofold::dot<R>(a...); };
template <class R, class... A>
concept norm2_takes = requires(A... a) { twofold::norm2<R>(a...); };
template <class T, class... A>
concept integrate_takes = requires(A... a) { twofold::integrate<T>(a...); };
// Forms that write a result View do not name its type.
template <class... A>
concept sum_writes = requires(A... a) { twofold::sum(a...); };
template <class... A>
concept dot_writes = requires(A... a) { twofold::dot(a...); };
template <class... A>
concept norm2_writes = requires(A... a) { twofold::norm2(a...); };
template <class... A>
concept integrate_writes = requires(A... a) { twofold::integrate(a...); };
template <class... A>
concept outer_product_takes = requires(A... a) { twofold::outer_product(a...); };
template <class... A>
concept scale_columns_takes = requires(A... a) { twofold::scale_columns(a...); };
template <class... A>
concept sum_rows_takes = requires(A... a) { twofold::sum_rows(a...); };
template <class... A>
concept sum_columns_takes = requires(A... a) { twofold::sum_columns(a...); };
template <class... A>
concept stencil_takes = requires(A... a) { twofold::stencil(a...); };

// Every question is asked of all three forms: with path and instance, with an instance, with neither.
using exec = Kokkos::DefaultHostExecutionSpace;
using portable = twofold::portable_path;
using native = twofold::native_path;
using none = void;

enum class answer { no, yes, differs };
constexpr answer all_of(std::initializer_list<bool> each) {
  bool any = false, all = true;
  for (const bool b : each) {
    any = any || b;
    all = all && b;
  }
  return all ? answer::yes : any ? answer::differs : answer::no;
}
template <class R, class X>
constexpr answer sum_of = all_of({sum_takes<R, portable, exec, X>, sum_takes<R, exec, X>, sum_takes<R, X>});
template <class R, class X, class Y>
constexpr answer dot_of =
    all_of({dot_takes<R, portable, exec, X, Y>, dot_takes<R, exec, X, Y>, dot_takes<R, X, Y>});
template <class R, class X>
constexpr answer norm2_of =
    all_of({norm2_takes<R, portable, exec, X>, norm2_takes<R, exec, X>, norm2_takes<R, X>});
template <class T, class F, class A, class B>
constexpr answer integral_of =
    all_of({integrate_takes<T, portable, exec, F, A, B, std::size_t>,
            integrate_takes<T, exec, F, A, B, std::size_t>, integrate_takes<T, F, A, B, std::size_t>});
template <class X, class Result>
constexpr answer sum_into = all_of({sum_writes<portable, exec, X, Result>, sum_writes<exec, X, Result>});
template <class X, class Y, class Result>
constexpr answer dot_into =
    all_of({dot_writes<portable, exec, X, Y, Result>, dot_writes<exec, X, Y, Result>});
template <class X, class Result>
constexpr answer norm2_into =
    all_of({norm2_writes<portable, exec, X, Result>, norm2_writes<exec, X, Result>});
template <class F, class A, class B, class Result>
constexpr answer integral_into = all_of({integrate_writes<portable, exec, F, A, B, std::size_t, Result>,
                                         integrate_writes<exec, F, A, B, std::size_t, Result>});
template <class X, class Y, class C>
constexpr answer outer_product_of =
    all_of({outer_product_takes<portable, exec, X, Y, C>, outer_product_takes<exec, X, Y, C>,
            outer_product_takes<X, Y, C>});
template <class M, class V, class R>
constexpr answer scaled_columns_of =
    all_of({scale_columns_takes<portable, exec, M, V, R>, scale_columns_takes<exec, M, V, R>,
            scale_columns_takes<M, V, R>});
template <class M, class R>
constexpr answer row_sums_of =
    all_of({sum_rows_takes<portable, exec, M, R>, sum_rows_takes<exec, M, R>, sum_rows_takes<M, R>});
template <class M, class R>
constexpr answer column_sums_of =
    all_of({sum_columns_takes<portable, exec, M, R>, sum_columns_takes<exec, M, R>, sum_columns_takes<M, R>});
template <class In, class Out, class Third>
constexpr answer stencil_of = all_of({stencil_takes<portable, exec, In, Out, Third>,
                                      stencil_takes<exec, In, Out, Third>, stencil_takes<In, Out, Third>});

using enum answer;

template <class T>
using vector = Kokkos::View<T*, Kokkos::HostSpace>;
template <class T>
using strided = Kokkos::View<T*, Kokkos::LayoutStride, Kokkos::HostSpace>;
template <class T>
using scalar = Kokkos::View<T, Kokkos::HostSpace>;
template <class T>
using matrix = Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::HostSpace>;
template <class T>
using columns = Kokkos::View<T**, Kokkos::LayoutLeft, Kokkos::HostSpace>;
template <class T>
using any_matrix = Kokkos::View<T**, Kokkos::LayoutStride, Kokkos::HostSpace>;

// ---- vectors: what all folds agree on

template <class X>
constexpr answer vector_is_folded =
    all_of({sum_of<none, X> == yes, dot_of<none, X, X> == yes, norm2_of<none, X> == yes}) == yes ? yes
    : all_of({sum_of<none, X> == no, dot_of<none, X, X> == no, norm2_of<none, X> == no}) == yes  ? no
                                                                                                 : differs;

static_assert(vector_is_folded<vector<float>> == yes);
static_assert(vector_is_folded<vector<double>> == yes);
static_assert(vector_is_folded<vector<const double>> == yes);
static_assert(vector_is_folded<strided<double>> == yes);
static_assert(vector_is_folded<Kokkos::View<float[8], Kokkos::HostSpace>> == yes);
static_assert(vector_is_folded<Kokkos::View<const float*, Kokkos::HostSpace, Kokkos::MemoryRandomAccess>> ==
              yes);
static_assert(vector_is_folded<Kokkos::View<float*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>> == yes);
static_assert(vector_is_folded<vector<bool>> == yes);
static_assert(vector_is_folded<vector<char>> == yes);
static_assert(vector_is_folded<vector<short>> == yes);
static_assert(vector_is_folded<vector<int>> == yes);
static_assert(vector_is_folded<vector<unsigned>> == yes);
static_assert(vector_is_folded<vector<long>> == yes);
static_assert(vector_is_folded<vector<unsigned long>> == yes);
static_assert(vector_is_folded<vector<long long>> == yes);
static_assert(vector_is_folded<vector<unsigned long long>> == yes);

struct number_like {
  operator double() const { return 0; }
};
enum class color { red };
static_assert(vector_is_folded<vector<std::complex<double>>> == no);
static_assert(vector_is_folded<vector<Kokkos::complex<float>>> == no);
static_assert(vector_is_folded<vector<long double>> == no);
static_assert(vector_is_folded<vector<number_like>> == no);
static_assert(vector_is_folded<vector<color>> == no);
static_assert(vector_is_folded<vector<int*>> == no);
static_assert(vector_is_folded<scalar<double>> == no, "rank 0");
static_assert(vector_is_folded<matrix<double>> == no, "rank 2");
static_assert(vector_is_folded<Kokkos::View<double***, Kokkos::HostSpace>> == no, "rank 3");
static_assert(vector_is_folded<std::vector<double>> == no);
static_assert(vector_is_folded<std::array<double, 3>> == no);
static_assert(vector_is_folded<double*> == no);
static_assert(vector_is_folded<int> == no);
static_assert(vector_is_folded<exec> == no);
static_assert(vector_is_folded<portable> == no);
static_assert(vector_is_folded<std::nullptr_t> == no);

// ---- results of folds

static_assert(sum_of<double, vector<float>> == yes);
static_assert(sum_of<float, vector<double>> == yes);
static_assert(sum_of<double, vector<int>> == yes);
static_assert(sum_of<int, vector<int>> == yes);
static_assert(sum_of<unsigned, vector<long>> == yes);
static_assert(sum_of<long long, vector<int>> == yes);
static_assert(sum_of<unsigned long long, vector<unsigned long long>> == yes);
static_assert(sum_of<long, vector<float>> == no, "reals are not summed in integers");
static_assert(sum_of<short, vector<int>> == no, "nor anything in 16 bits");
static_assert(sum_of<bool, vector<bool>> == no);
static_assert(sum_of<long double, vector<double>> == no);
static_assert(sum_of<double, vector<std::complex<double>>> == no);
static_assert(sum_of<double, vector<long double>> == no);
static_assert(sum_of<std::complex<double>, vector<double>> == no);
static_assert(sum_of<const double, vector<double>> == no);
static_assert(sum_of<double&, vector<double>> == no);
static_assert(sum_of<std::string, vector<double>> == no);

static_assert(dot_of<double, vector<float>, vector<float>> == yes);
static_assert(dot_of<long long, vector<int>, vector<int>> == yes);
static_assert(dot_of<none, vector<float>, strided<const float>> == yes);
static_assert(dot_of<none, vector<long>, vector<long long>> == (sizeof(long) == 8 ? yes : no),
              "one type in two names");
static_assert(dot_of<none, vector<float>, vector<double>> == no);
static_assert(dot_of<none, vector<int>, vector<unsigned>> == no);
static_assert(dot_of<double, vector<float>, vector<double>> == no);
static_assert(dot_of<none, vector<double>, int> == no);
static_assert(dot_of<none, std::vector<double>, vector<double>> == no);
static_assert(dot_of<none, vector<double>, matrix<double>> == no);
static_assert(dot_of<float, vector<std::complex<double>>, vector<std::complex<double>>> == no);
static_assert(dot_of<int, vector<double>, vector<double>> == no);

static_assert(norm2_of<float, vector<double>> == yes);
static_assert(norm2_of<double, vector<long long>> == yes);
static_assert(norm2_of<float, vector<int>> == yes);
static_assert(norm2_of<int, vector<int>> == no);
static_assert(norm2_of<long double, vector<double>> == no);
static_assert(norm2_of<double, vector<std::complex<double>>> == no);

static_assert(sum_into<vector<float>, scalar<float>> == yes);
static_assert(sum_into<vector<float>, scalar<double>> == yes);
static_assert(sum_into<vector<int>, scalar<long long>> == yes);
static_assert(sum_into<vector<int>, scalar<unsigned>> == yes);
static_assert(sum_into<vector<float>, scalar<const float>> == no, "a View of const is no result");
static_assert(sum_into<vector<float>, scalar<int>> == no);
static_assert(sum_into<vector<float>, scalar<std::complex<float>>> == no);
static_assert(sum_into<vector<std::complex<double>>, scalar<double>> == no);
static_assert(sum_into<vector<float>, vector<float>> == no);
static_assert(sum_into<vector<float>, float*> == no);
static_assert(sum_into<vector<float>, float> == no);
static_assert(sum_into<matrix<float>, scalar<float>> == no);
static_assert(sum_into<std::vector<float>, scalar<float>> == no);
static_assert(dot_into<vector<float>, vector<float>, scalar<double>> == yes);
static_assert(dot_into<vector<int>, vector<int>, scalar<unsigned long long>> == yes);
static_assert(dot_into<vector<float>, vector<double>, scalar<double>> == no);
static_assert(dot_into<vector<float>, vector<float>, scalar<const float>> == no);
static_assert(dot_into<vector<float>, vector<float>, vector<float>> == no);
static_assert(dot_into<vector<float>, int, scalar<float>> == no);
static_assert(norm2_into<vector<long long>, scalar<double>> == yes);
static_assert(norm2_into<vector<float>, scalar<float>> == yes);
static_assert(norm2_into<vector<int>, scalar<int>> == no);
static_assert(norm2_into<vector<float>, scalar<const float>> == no);
static_assert(norm2_into<vector<long double>, scalar<double>> == no);
static_assert(norm2_into<int, scalar<double>> == no);

// ---- integrals

struct parabola {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return x * x;
  }
};
struct of_complex {
  [[maybe_unused]] std::complex<double> operator()(double x) const { return x; }
};
struct of_two {
  [[maybe_unused]] double operator()(double x, double y) const { return x * y; }
};
struct changing {
  [[maybe_unused]] double operator()(double x) { return x; }  // not const: one functor serves all threads
};
static_assert(integral_of<none, parabola, double, double> == yes);
static_assert(integral_of<none, parabola, float, float> == yes);
static_assert(integral_of<none, parabola, int, double> == yes);
static_assert(integral_of<none, parabola, int, long long> == yes);
static_assert(integral_of<float, parabola, int, int> == yes);
static_assert(integral_of<double, parabola, number_like, number_like> == yes);
static_assert(integral_of<none, double (*)(double), double, double> == yes);
static_assert(integral_of<none, parabola, long double, double> == no, "abscissae are float or double");
static_assert(integral_of<long double, parabola, double, double> == no);
static_assert(integral_of<int, parabola, double, double> == no);
static_assert(integral_of<none, of_complex, double, double> == no);
static_assert(integral_of<none, of_two, double, double> == no);
static_assert(integral_of<none, changing, double, double> == no);
static_assert(integral_of<none, int, double, double> == no);
static_assert(integral_of<none, std::vector<double>, double, double> == no);
static_assert(integral_of<none, parabola, std::string, double> == no);
static_assert(integral_of<none, parabola, double, std::complex<double>> == no);
static_assert(integral_of<none, parabola, double*, double> == no);
static_assert(integral_into<parabola, double, double, scalar<double>> == yes);
static_assert(integral_into<parabola, int, int, scalar<float>> == yes);
static_assert(integral_into<parabola, double, double, scalar<const double>> == no);
static_assert(integral_into<parabola, double, double, scalar<int>> == no);
static_assert(integral_into<parabola, double, double, vector<double>> == no);
static_assert(integral_into<parabola, double, double, double*> == no);
static_assert(integral_into<of_complex, double, double, scalar<double>> == no);
static_assert(integral_into<parabola, std::string, double, scalar<double>> == no);

// ---- matrices

template <class T>
constexpr answer matrix_of_is_multiplied =
    all_of({outer_product_of<vector<T>, vector<T>, matrix<T>> == yes,
            scaled_columns_of<matrix<T>, vector<T>, matrix<T>> == yes}) == yes
        ? yes
    : all_of({outer_product_of<vector<T>, vector<T>, matrix<T>> == no,
              scaled_columns_of<matrix<T>, vector<T>, matrix<T>> == no}) == yes
        ? no
        : differs;
static_assert(matrix_of_is_multiplied<float> == yes);
static_assert(matrix_of_is_multiplied<double> == yes);
static_assert(matrix_of_is_multiplied<int> == yes);
static_assert(matrix_of_is_multiplied<unsigned> == yes);
static_assert(matrix_of_is_multiplied<long> == yes);
static_assert(matrix_of_is_multiplied<unsigned long> == yes);
static_assert(matrix_of_is_multiplied<long long> == yes);
static_assert(matrix_of_is_multiplied<unsigned long long> == yes);
static_assert(matrix_of_is_multiplied<short> == no);
static_assert(matrix_of_is_multiplied<bool> == no);
static_assert(matrix_of_is_multiplied<long double> == no);
static_assert(matrix_of_is_multiplied<std::complex<double>> == no);
static_assert(matrix_of_is_multiplied<const double> == no, "a View of const is not written");

static_assert(outer_product_of<vector<const float>, strided<float>, columns<float>> == yes);
static_assert(outer_product_of<vector<float>, vector<float>, any_matrix<float>> == yes);
static_assert(outer_product_of<vector<float>, vector<double>, matrix<double>> == no);
static_assert(outer_product_of<vector<float>, vector<float>, matrix<double>> == no);
static_assert(outer_product_of<matrix<float>, vector<float>, matrix<float>> == no);
static_assert(outer_product_of<vector<float>, vector<float>, vector<float>> == no);
static_assert(outer_product_of<std::vector<float>, vector<float>, matrix<float>> == no);
static_assert(outer_product_of<vector<float>, vector<float>, std::vector<float>> == no);
static_assert(outer_product_of<int, int, int> == no);

static_assert(scaled_columns_of<matrix<const float>, vector<const float>, columns<float>> == yes);
static_assert(scaled_columns_of<any_matrix<float>, strided<float>, matrix<float>> == yes);
static_assert(scaled_columns_of<matrix<float>, vector<double>, matrix<float>> == no);
static_assert(scaled_columns_of<matrix<double>, vector<float>, matrix<float>> == no);
static_assert(scaled_columns_of<vector<float>, vector<float>, matrix<float>> == no);
static_assert(scaled_columns_of<matrix<float>, matrix<float>, matrix<float>> == no);
static_assert(scaled_columns_of<matrix<float>, vector<float>, vector<float>> == no);
static_assert(scaled_columns_of<matrix<float>, float, matrix<float>> == no);
static_assert(scaled_columns_of<int, int, int> == no);

template <class M, class R>
constexpr answer lines_are_summed = row_sums_of<M, R> == column_sums_of<M, R> ? row_sums_of<M, R> : differs;
static_assert(lines_are_summed<matrix<float>, vector<float>> == yes);
static_assert(lines_are_summed<matrix<float>, vector<double>> == yes);
static_assert(lines_are_summed<columns<const double>, strided<double>> == yes);
static_assert(lines_are_summed<any_matrix<int>, vector<long long>> == yes);
static_assert(lines_are_summed<matrix<long long>, vector<unsigned long long>> == yes);
static_assert(lines_are_summed<matrix<short>, vector<int>> == yes);
static_assert(lines_are_summed<matrix<float>, vector<int>> == no);
static_assert(lines_are_summed<matrix<float>, vector<const float>> == no);
static_assert(lines_are_summed<matrix<int>, vector<short>> == no);
static_assert(lines_are_summed<matrix<long double>, vector<double>> == no);
static_assert(lines_are_summed<matrix<std::complex<double>>, vector<double>> == no);
static_assert(lines_are_summed<matrix<double>, vector<std::complex<double>>> == no);
static_assert(lines_are_summed<matrix<float>, matrix<float>> == no);
static_assert(lines_are_summed<matrix<float>, scalar<float>> == no);
static_assert(lines_are_summed<vector<float>, vector<float>> == no);
static_assert(lines_are_summed<std::vector<float>, vector<float>> == no);
static_assert(lines_are_summed<matrix<float>, std::vector<float>> == no);
static_assert(lines_are_summed<int, int> == no);

// ---- stencils

static_assert(stencil_of<vector<float>, vector<float>, int> == yes);
static_assert(stencil_of<vector<const float>, vector<double>, std::size_t> == yes);
static_assert(stencil_of<strided<double>, strided<double>, long long> == yes);
static_assert(stencil_of<vector<int>, vector<long long>, int> == yes);
static_assert(stencil_of<vector<long long>, vector<long long>, int> == yes);
static_assert(stencil_of<vector<unsigned long long>, vector<unsigned long>, int> ==
              (sizeof(long) == 8 ? yes : no));
static_assert(stencil_of<vector<long long>, vector<long long>, vector<const long long>> == yes);
static_assert(stencil_of<vector<float>, vector<double>, strided<float>> == yes);
static_assert(stencil_of<vector<float>, vector<float>, double> == no, "no radius");
static_assert(stencil_of<vector<float>, vector<float>, vector<double>> == no, "weights of another type");
static_assert(stencil_of<vector<float>, vector<float>, matrix<float>> == no);
static_assert(stencil_of<vector<float>, vector<float>, std::vector<float>> == no);
static_assert(stencil_of<vector<double>, vector<float>, int> == no, "narrower");
static_assert(stencil_of<vector<int>, vector<unsigned>, int> == no);
static_assert(stencil_of<vector<float>, vector<const float>, int> == no);
static_assert(stencil_of<vector<short>, vector<short>, int> == no);
static_assert(stencil_of<vector<long double>, vector<long double>, int> == no);
static_assert(stencil_of<vector<std::complex<double>>, vector<std::complex<double>>, int> == no);
static_assert(stencil_of<matrix<float>, matrix<float>, int> == no);
static_assert(stencil_of<std::vector<float>, vector<float>, int> == no);
static_assert(stencil_of<vector<float>, std::vector<float>, int> == no);
static_assert(stencil_of<int, int, int> == no);
static_assert(!stencil_takes<native, exec, vector<float>, vector<float>, int>);
static_assert(!stencil_takes<native, exec, vector<float>, vector<float>, vector<float>>);

// ---- paths and spaces

static_assert(!sum_takes<none, native, exec, vector<double>>, "no native path on the host");
static_assert(!sum_writes<native, exec, vector<double>, scalar<double>>);
static_assert(!dot_takes<none, native, exec, vector<double>, vector<double>>);
static_assert(!norm2_takes<none, native, exec, vector<double>>);
static_assert(!integrate_takes<none, native, exec, parabola, double, double, int>);
static_assert(!outer_product_takes<native, exec, vector<float>, vector<float>, matrix<float>>);
static_assert(!scale_columns_takes<native, exec, matrix<float>, vector<float>, matrix<float>>);
static_assert(!sum_rows_takes<native, exec, matrix<float>, vector<float>>);
static_assert(!sum_columns_takes<native, exec, matrix<float>, vector<float>>);
static_assert(!sum_takes<none, int, exec, vector<double>>, "no path");
static_assert(!sum_takes<none, portable, int, vector<double>>, "no space");
static_assert(!sum_takes<none, int, vector<double>>);
static_assert(!sum_takes<none, portable, vector<double>>, "a path without an instance");
static_assert(!sum_takes<none>);

#if defined(KOKKOS_ENABLE_CUDA)
// Memory that the space cannot reach.
template <class T>
using on_device = Kokkos::View<T*, Kokkos::CudaSpace>;
using device_matrix = Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::CudaSpace>;
static_assert(sum_takes<none, Kokkos::Cuda, on_device<long long>>);
static_assert(sum_takes<none, native, Kokkos::Cuda, on_device<long long>> ==
              twofold::backends::cuda_native_built);
static_assert(!sum_takes<none, exec, on_device<double>>);
static_assert(!sum_takes<none, Kokkos::Cuda, vector<double>>);
static_assert(!sum_writes<Kokkos::Cuda, on_device<double>, scalar<double>>);
static_assert(!dot_takes<none, on_device<double>, vector<double>>);
static_assert(!norm2_takes<none, exec, on_device<double>>);
static_assert(!integrate_writes<Kokkos::Cuda, parabola, double, double, int, scalar<double>>);
static_assert(!outer_product_takes<vector<float>, on_device<float>, device_matrix>);
static_assert(!scale_columns_takes<device_matrix, vector<float>, device_matrix>);
static_assert(!sum_rows_takes<device_matrix, vector<float>>);
static_assert(!sum_columns_takes<matrix<float>, on_device<float>>);
#endif

// What nvcc takes for code of the device alone is a function on the device, and nowhere else.
#if defined(__CUDACC_EXTENDED_LAMBDA__)
[[maybe_unused]] void lambdas_of_the_device_are_integrated(const Kokkos::Cuda& on_gpu) {
  const auto f = [] __device__(double x) { return x * x; };
  using F = decltype(f);
  const Kokkos::View<double, Kokkos::CudaSpace> result("result");
  twofold::integrate(on_gpu, f, 0, 1, 10, result);
  twofold::integrate(twofold::portable, on_gpu, f, 0, 1, 10, result);
  (void)twofold::integrate(twofold::portable, on_gpu, f, 0, 1, 10);
  static_assert(!integrate_takes<none, exec, F, double, double, int>);
  static_assert(!integrate_writes<portable, exec, F, double, double, int, scalar<double>>);
}
#endif

TEST(AcceptedArguments, AreCheckedByTheCompiler) {}

}  // namespace
