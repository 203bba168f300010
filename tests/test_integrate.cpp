// SPDX-License-Identifier: Apache-2.0
#include "support/cases.hpp"
#include "support/reference.hpp"

#include <numbers>

namespace {

// Explicit fma: the same bits whatever a compiler does with a * b + c.
struct parabola {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return Kokkos::fma(x, x, T(1));
  }
};
struct product_only {  // would be fused with the library's own addition, if that were a plain one
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return x * x;
  }
};
struct line {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return Kokkos::fma(T(3), x, T(1));
  }
};
struct reciprocal {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return T(1) / x;
  }
};
struct cosine {
  KOKKOS_FUNCTION double operator()(double x) const { return Kokkos::cos(x); }
};
struct identity {
  template <class T>
  KOKKOS_FUNCTION T operator()(T x) const {
    return x;
  }
};

template <class T>
struct inside {  // 1 / max within [-max / 2, max / 2], and something that would be seen outside
  KOKKOS_FUNCTION T operator()(T x) const {
    constexpr T most = Kokkos::Experimental::finite_max_v<T>;
    return x >= -most / 2 && x <= most / 2 ? 1 / most : most;
  }
};

template <class C>
class Integrate : public cases::fixture<C> {};
TYPED_TEST_SUITE(Integrate, cases::reals, cases::names);

template <class C, class F, class T = typename C::T>
T integral(F f, T a, T b, std::size_t n) {
  return twofold::integrate(typename C::Path{}, typename C::Exec{}, f, a, b, n);
}

TYPED_TEST(Integrate, EqualsTheReferenceToTheBit) {
  using T = typename TypeParam::T;
  for (const std::size_t n : cases::sizes()) {
    if (n == 0) continue;
    SCOPED_TRACE(n);
    EXPECT_SAME_BITS((integral<TypeParam>(parabola{}, T(-1.25), T(3.1), n)),
                     reference::integrate(parabola{}, T(-1.25), T(3.1), n));
    EXPECT_SAME_BITS((integral<TypeParam>(product_only{}, T(0.1), T(7), n)),
                     reference::integrate(product_only{}, T(0.1), T(7), n));
    EXPECT_SAME_BITS((integral<TypeParam>(reciprocal{}, T(5), T(0.3), n)),
                     reference::integrate(reciprocal{}, T(5), T(0.3), n));
  }
}

TYPED_TEST(Integrate, OfALineIsExactUpToRounding) {
  using T = typename TypeParam::T;
  for (const std::size_t n : {1, 2, 3, 7, 1000, 1000003}) {
    EXPECT_NEAR((integral<TypeParam>(line{}, T(2), T(10), n)), 152.0,
                (std::is_same_v<T, float> ? 152e-6 : 152e-12))
        << n;
  }
}

TYPED_TEST(Integrate, StaysAccurateForManyTrapezoids) {
  using T = typename TypeParam::T;
  const std::size_t n = (std::size_t{1} << 25) + 1;
  EXPECT_NEAR((integral<TypeParam>(parabola{}, T(0), T(3), n)), 12.0,
              (std::is_same_v<T, float> ? 3e-6 : 1e-12));
  EXPECT_NEAR((integral<TypeParam>(identity{}, T(0), T(1), n)), 0.5,
              (std::is_same_v<T, float> ? 1e-7 : 1e-14));
}

TYPED_TEST(Integrate, TurnsItsSignWithItsBounds) {
  using T = typename TypeParam::T;
  EXPECT_NEAR((integral<TypeParam>(identity{}, T(1), T(0), 10)), -0.5, 1e-6);
  for (const std::size_t n : {1, 10, 12345}) {
    EXPECT_SAME_BITS((integral<TypeParam>(reciprocal{}, T(0.7), T(9), n)),
                     -(integral<TypeParam>(reciprocal{}, T(9), T(0.7), n)));
  }
}

TYPED_TEST(Integrate, OfAnEmptyIntervalIsZero) {
  using T = typename TypeParam::T;
  EXPECT_SAME_BITS((integral<TypeParam>(parabola{}, T(2), T(2), 100)), T(0));
  EXPECT_SAME_BITS((integral<TypeParam>(reciprocal{}, T(0), T(0), 3)), T(0));
}

TYPED_TEST(Integrate, WithOneTrapezoid) {
  using T = typename TypeParam::T;
  EXPECT_EQ((integral<TypeParam>(product_only{}, T(0), T(2), 1)), T(4));
}

TYPED_TEST(Integrate, RefusesWhatHasNoAnswer) {
  using T = typename TypeParam::T;
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  EXPECT_THROW((integral<TypeParam>(line{}, T(0), T(1), 0)), twofold::precondition_error);
  EXPECT_THROW((integral<TypeParam>(line{}, T(0), inf, 5)), twofold::precondition_error);
  EXPECT_THROW((integral<TypeParam>(line{}, nan, T(1), 5)), twofold::precondition_error);
}

TYPED_TEST(Integrate, WritesADeviceResult) {
  using T = typename TypeParam::T;
  using Exec = typename TypeParam::Exec;
  const Exec exec;
  Kokkos::View<T, typename Exec::memory_space> result("result");
  Kokkos::deep_copy(result, T(12345));
  twofold::integrate(typename TypeParam::Path{}, exec, parabola{}, 0, 3, 5000, result);
  exec.fence();
  T value;
  Kokkos::deep_copy(value, result);
  EXPECT_SAME_BITS(value, reference::integrate(parabola{}, T(0), T(3), 5000));
}

TYPED_TEST(Integrate, BoundsThatAreFarApart) {
  using T = typename TypeParam::T;
  const T most = std::numeric_limits<T>::max();
  // No abscissa leaves the interval, so that 1 / most is integrated to about 1 however many there are.
  for (const std::size_t n : {1, 2, 3, 100, 4000}) {
    EXPECT_NEAR((integral<TypeParam>(inside<T>{}, -most / 2, most / 2, n)), 1.0, 1e-5) << n;
    EXPECT_NEAR((integral<TypeParam>(inside<T>{}, most / 2, -most / 2, n)), -1.0, 1e-5) << n;
  }
  EXPECT_THROW((integral<TypeParam>(inside<T>{}, -most, most, 3)), twofold::precondition_error);
}

TEST(IntegrateCosine, OverAPeriodCancels) {
  EXPECT_LT(std::abs(twofold::integrate(cosine{}, 0.0, std::numbers::pi, 8)), 1e-14);
}

// ---- forms of functor; lambdas in free functions, since nvcc allows them nowhere private

double by_lambda(std::size_t n) {
  return twofold::integrate(
      Kokkos::DefaultExecutionSpace{}, KOKKOS_LAMBDA(double x) { return 3 * x + 1; }, 2, 10, n);
}
double by_generic_lambda(std::size_t n) {
  const auto f = [](auto x) { return 3 * x + 1; };  // host only: nvcc has no generic device lambdas
  return twofold::integrate(Kokkos::DefaultHostExecutionSpace{}, f, 2.0, 10.0, n);
}
double by_captured_view(std::size_t n) {
  const Kokkos::View<double*> c("coefficients", 2);
  auto host = Kokkos::create_mirror_view(c);
  host(0) = 1, host(1) = 3;
  Kokkos::deep_copy(c, host);
  return twofold::integrate(
      Kokkos::DefaultExecutionSpace{}, KOKKOS_LAMBDA(double x) { return c(1) * x + c(0); }, 2, 10, n);
}
struct model {
  double slope = 3;
  double by_member(std::size_t n) const {
    const double s = slope;  // a copy: a lambda would capture this, which the device cannot read
    return twofold::integrate(
        Kokkos::DefaultExecutionSpace{}, KOKKOS_LAMBDA(double x) { return s * x + 1; }, 2, 10, n);
  }
};
template <class T>
T in_a_template(T slope, std::size_t n) {
  return twofold::integrate<T>(
      Kokkos::DefaultExecutionSpace{}, KOKKOS_LAMBDA(T x) { return slope * x + 1; }, 2, 10, n);
}

TEST(IntegrateFunctors, OfEveryForm) {
  for (const std::size_t n : {1, 7, 1000}) {
    EXPECT_NEAR(by_lambda(n), 152, 1e-10);
    EXPECT_NEAR(by_generic_lambda(n), 152, 1e-10);
    EXPECT_NEAR(by_captured_view(n), 152, 1e-10);
    EXPECT_NEAR(model{}.by_member(n), 152, 1e-10);
    EXPECT_NEAR(in_a_template(3.0, n), 152, 1e-10);
    EXPECT_NEAR(twofold::integrate(line{}, 2, 10, n), 152, 1e-10);
  }
}

// A fold inside the functor of a fold: neither may disturb the other.
TEST(IntegrateFunctors, MayFoldThemselves) {
  using host = Kokkos::DefaultHostExecutionSpace;
  const auto inner = [](double x) {
    return twofold::integrate(
        host{}, [](double y) { return y; }, 0.0, x, 20000);
  };
  const auto as_formula = [](double x) { return 0.5 * x * x; };
  for (const std::size_t n : {10, 10000, 40000}) {
    EXPECT_NEAR(twofold::integrate(host{}, inner, 0.0, 1.0, n),
                twofold::integrate(host{}, as_formula, 0.0, 1.0, n), 1e-12)
        << n;
  }
}

}  // namespace
