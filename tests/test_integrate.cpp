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

// Chunks of which a GPU's team takes one, several or as many as it can, in two groups too. The host's bits are those of the
// reference by the tests above.
TYPED_TEST(Integrate, OfManyLongChunksIsOnAGpuWhatItIsOnTheHost) {
  using T = typename TypeParam::T;
  if constexpr (twofold::backends::host_execution<typename TypeParam::Exec>) {
    GTEST_SKIP() << "compares a GPU with the host";
  } else {
    constexpr std::size_t chunk = std::size_t{1} << 15;
    for (const std::size_t chunks : {300, 420, 700, 1100, 2128, 4240, 5000, 8192 + 4224 + 600}) {
      for (const std::size_t n : {chunks * chunk - 1, chunks * chunk + chunks}) {
        if (n > cases::largest_size()) continue;
        SCOPED_TRACE(n);
        EXPECT_SAME_BITS((integral<TypeParam>(parabola{}, T(-1.25), T(3.1), n)),
                         twofold::integrate(twofold::portable, Kokkos::DefaultHostExecutionSpace(),
                                            parabola{}, T(-1.25), T(3.1), n));
      }
    }
  }
}

// Something at the first abscissa of each chunk of 2^15, nothing between.
struct one_of_each_chunk {
  static constexpr std::int64_t chunk = 1 << 15;
  KOKKOS_FUNCTION static double of_chunk(std::int64_t c) {
    return 1.0 / static_cast<double>(c % 1000 + 3);  // not exact: the order of additions shows
  }
  KOKKOS_FUNCTION double operator()(double x) const {
    const auto i = static_cast<std::int64_t>(x);
    return i % chunk == 0 ? of_chunk(i / chunk) : 0.0;
  }
};

// More chunks than are folded in short rows: then the chunk results are, too, in long ones. With h = 1 abscissae are
// indices, and the integral is the sum of one known value a chunk, in the same order from there on.
TYPED_TEST(Integrate, OfMoreThan2To36TrapezoidsOnAGpu) {
  using Exec = typename TypeParam::Exec;
  if constexpr (twofold::backends::host_execution<Exec> || !std::is_same_v<typename TypeParam::T, double>) {
    GTEST_SKIP() << "too long for a host, too many indices for a float";
  } else {
    constexpr std::int64_t chunk = one_of_each_chunk::chunk;
    for (const std::int64_t n : {std::int64_t{1} << 36, (std::int64_t{1} << 36) + 40000 * chunk + 77}) {
      std::vector<double> of_chunks;
      for (std::int64_t c = 0; c * chunk <= n; ++c) of_chunks.push_back(one_of_each_chunk::of_chunk(c));
      of_chunks.front() /= 2;
      if (n % chunk == 0) of_chunks.back() /= 2;
      EXPECT_SAME_BITS((integral<TypeParam>(one_of_each_chunk{}, 0.0, static_cast<double>(n),
                                            static_cast<std::size_t>(n))),
                       reference::sum<double>(of_chunks));
    }
  }
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

// ---- at the edges of the type

// Constant in [low, high], NaN outside.
template <class T>
struct within {
  T low, high, value;
  KOKKOS_FUNCTION T operator()(T x) const {
    return x >= low && x <= high ? value : Kokkos::Experimental::quiet_NaN_v<T>;
  }
};
template <class T>
struct constant {
  T value;
  KOKKOS_FUNCTION T operator()(T) const { return value; }
};
template <class T>
struct either_sign {  // large on both sides of 0
  T value;
  KOKKOS_FUNCTION T operator()(T x) const { return x < 0 ? -value : value; }
};

template <class C>
class IntegrateInDouble : public cases::fixture<C> {};
TYPED_TEST_SUITE(IntegrateInDouble, cases::every<double>::type, cases::names);

TYPED_TEST(IntegrateInDouble, OverIntervalsWhoseTrapezoidsAreSubnormal) {
  const double tiny = std::numeric_limits<double>::denorm_min(), least = std::numeric_limits<double>::min();
  // From one step of the numbers near zero (h is 0 but for n = 1) to widths that are just normal.
  for (const double length : {tiny, 3 * tiny, 7777 * tiny, 1e-310, least, 3.3 * least, 1e-303}) {
    for (const double a : {0.0, -length, -7 * tiny, 5 * least}) {
      const double b = a + length;
      if (a == b) continue;
      for (const std::size_t n : {1, 2, 5, 1000, 2049, 70001}) {
        SCOPED_TRACE(testing::Message() << "[" << a << ", " << b << "] by " << n);
        const within<double> f{a, b, 1e300};
        const double value = integral<TypeParam>(f, a, b, n);
        EXPECT_NEAR(value / (1e300 * (b - a)), 1, 1e-14);
        EXPECT_SAME_BITS(value, reference::integrate(f, a, b, n));
        EXPECT_SAME_BITS((integral<TypeParam>(f, b, a, n)), -value);
      }
    }
  }
}

TYPED_TEST(Integrate, OfValuesWhoseSumJustFits) {
  using T = typename TypeParam::T;
  const T most = std::numeric_limits<T>::max();
  for (const std::size_t n : {1, 1000, 40000}) {
    const T value = most / static_cast<T>(2 * (n + 1));
    EXPECT_NEAR((integral<TypeParam>(constant<T>{value}, T(0), T(1), n)) / value, 1, 1e-5);
    // As much over an interval of length n.
    EXPECT_NEAR((integral<TypeParam>(constant<T>{value}, T(-1), T(static_cast<T>(n) - 1), n)) / most,
                static_cast<double>(n) / static_cast<double>(2 * (n + 1)), 1e-5);
  }
}

// What the contract says of sums that do not fit, although the integral would.
TYPED_TEST(Integrate, OfValuesWhoseSumOverflows) {
  using T = typename TypeParam::T;
  const T most = std::numeric_limits<T>::max(), inf = std::numeric_limits<T>::infinity();
  for (const std::size_t n : {1000, 10000, 100003}) {
    const T value = most / 100;
    EXPECT_SAME_BITS((integral<TypeParam>(constant<T>{value}, T(0), T(1), n)), inf);
    EXPECT_SAME_BITS((integral<TypeParam>(constant<T>{value}, T(1), T(0), n)), -inf);
    EXPECT_SAME_BITS((integral<TypeParam>(constant<T>{-value}, T(0), T(1), n)), -inf);
    const T apart = integral<TypeParam>(either_sign<T>{value}, T(-1), T(1), n);
    const T expected = reference::integrate(either_sign<T>{value}, T(-1), T(1), n);
    EXPECT_SAME_BITS(apart, std::isnan(expected) ? std::numeric_limits<T>::quiet_NaN() : expected);
    // The remedy: a power of two less, which changes no digit.
    EXPECT_NEAR((integral<TypeParam>(constant<T>{value / 0x1p20F}, T(0), T(1), n)) * T(0x1p20F) / value, 1,
                1e-5);
  }
  // The integral itself is too large.
  EXPECT_SAME_BITS((integral<TypeParam>(constant<T>{most}, T(0), T(4), 1)), inf);
}

TYPED_TEST(Integrate, OfInfinitiesAndNaN) {
  using T = typename TypeParam::T;
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  for (const std::size_t n : {1, 2, 3000}) {
    EXPECT_SAME_BITS((integral<TypeParam>(reciprocal{}, T(0), T(1), n)), inf);
    EXPECT_SAME_BITS((integral<TypeParam>(constant<T>{nan}, T(0), T(1), n)), nan);
    EXPECT_SAME_BITS((integral<TypeParam>(constant<T>{-nan}, T(1), T(0), n)), nan);
    EXPECT_SAME_BITS((integral<TypeParam>(constant<T>{inf}, T(3), T(3), n)), T(0));
  }
}

TEST(IntegrateFloats, InDoubleHaveRoom) {
  const float most = std::numeric_limits<float>::max();
  const auto f = constant<float>{most / 2};
  EXPECT_EQ(twofold::integrate(f, 0.0F, 1.0F, 1000), std::numeric_limits<float>::infinity());
  EXPECT_NEAR(twofold::integrate<double>(f, 0.0F, 1.0F, 1000) / (most / 2), 1, 1e-12);
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
