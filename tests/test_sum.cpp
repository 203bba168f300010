// SPDX-License-Identifier: Apache-2.0
#include "support/cases.hpp"
#include "support/reference.hpp"

namespace {

template <class C>
class Sum : public cases::fixture<C> {};
TYPED_TEST_SUITE(Sum, cases::numbers, cases::names);

template <class T>
using result_of = twofold::default_sum_t<T>;

TYPED_TEST(Sum, EqualsTheReferenceToTheBit) {
  using T = typename TypeParam::T;
  using Exec = typename TypeParam::Exec;
  const typename TypeParam::Path path;
  const Exec exec;
  for (const std::size_t n : cases::sizes()) {
    SCOPED_TRACE(n);
    const auto x = cases::random_elements<T>(n, n + 1);
    const cases::guarded<Exec, T> v(x);
    EXPECT_SAME_BITS(twofold::sum(path, exec, v.elements()), reference::sum<result_of<T>>(x));
  }
}

TYPED_TEST(Sum, DoesNotDependOnAlignment) {
  using T = typename TypeParam::T;
  using Exec = typename TypeParam::Exec;
  for (const std::size_t n : cases::few_sizes()) {
    const auto x = cases::random_elements<T>(n, n);
    const auto expected = reference::sum<result_of<T>>(x);
    for (std::size_t offset = 0; offset < 8; ++offset) {
      SCOPED_TRACE(testing::Message() << n << " elements at offset " << offset);
      const cases::guarded<Exec, T> v(x, offset);
      EXPECT_SAME_BITS(twofold::sum(typename TypeParam::Path{}, Exec{}, v.elements()), expected);
    }
  }
}

TYPED_TEST(Sum, WritesADeviceResult) {
  using T = typename TypeParam::T;
  using Exec = typename TypeParam::Exec;
  using R = result_of<T>;
  const Exec exec;
  Kokkos::View<R, typename Exec::memory_space> result("result");
  for (const std::size_t n : {std::size_t{777}, std::size_t{0}, std::size_t{1}, std::size_t{100003}}) {
    SCOPED_TRACE(n);
    const auto x = cases::random_elements<T>(n, n);
    const cases::guarded<Exec, T> v(x);
    Kokkos::deep_copy(result, R(12345));
    twofold::sum(typename TypeParam::Path{}, exec, v.elements(), result);
    exec.fence();
    R value;
    Kokkos::deep_copy(value, result);
    EXPECT_SAME_BITS(value, reference::sum<R>(x));
  }
}

TYPED_TEST(Sum, OfCountsIsExact) {
  using T = typename TypeParam::T;
  using Exec = typename TypeParam::Exec;
  for (const std::size_t n : {1, 2, 3, 31, 33, 127, 129, 513, 1025, 4095}) {
    std::vector<T> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>(i + 1);
    const cases::guarded<Exec, T> v(x);
    EXPECT_EQ(twofold::sum(typename TypeParam::Path{}, Exec{}, v.elements()),
              static_cast<result_of<T>>(n * (n + 1) / 2));
  }
}

// ---- what has a type of its own: wide accumulators, strides, overflow, accuracy

template <class C>
class SumOfReals : public cases::fixture<C> {};
TYPED_TEST_SUITE(SumOfReals, cases::reals, cases::names);

TYPED_TEST(SumOfReals, InDouble) {
  using T = typename TypeParam::T;
  using Exec = typename TypeParam::Exec;
  for (const std::size_t n : cases::few_sizes()) {
    const auto x = cases::random_elements<T>(n, n);
    const cases::guarded<Exec, T> v(x, n % 3);
    EXPECT_SAME_BITS(twofold::sum<double>(typename TypeParam::Path{}, Exec{}, v.elements()),
                     reference::sum<double>(x));
  }
}

TYPED_TEST(SumOfReals, KeepsTheSignOfZeroAndOneNaN) {
  using T = typename TypeParam::T;
  using Exec = typename TypeParam::Exec;
  const T inf = std::numeric_limits<T>::infinity();
  const auto sum_of = [](const std::vector<T>& x) {
    const cases::guarded<Exec, T> v(x);
    return twofold::sum(typename TypeParam::Path{}, Exec{}, v.elements());
  };
  EXPECT_SAME_BITS(sum_of({}), T(0));
  for (const std::size_t n : cases::few_sizes())
    EXPECT_SAME_BITS(sum_of(std::vector<T>(n, T(-0.0))), T(-0.0));
  EXPECT_SAME_BITS(sum_of({T(-0.0), T(0)}), T(0));
  EXPECT_SAME_BITS(sum_of({inf, T(1)}), inf);
  EXPECT_SAME_BITS(sum_of({inf, T(1), -inf}), std::numeric_limits<T>::quiet_NaN());
  EXPECT_SAME_BITS(sum_of({-std::numeric_limits<T>::quiet_NaN(), T(1)}), std::numeric_limits<T>::quiet_NaN());
  const T tiny = std::numeric_limits<T>::denorm_min();
  EXPECT_SAME_BITS(sum_of(std::vector<T>(1025, tiny)), T(1025) * tiny);
}

TYPED_TEST(SumOfReals, DoesNotStallOrDrift) {
  using T = typename TypeParam::T;
  using Exec = typename TypeParam::Exec;
  const auto sum_of = [](auto tag, const std::vector<T>& x) {
    const cases::guarded<Exec, T> v(x);
    return twofold::sum<decltype(tag)>(typename TypeParam::Path{}, Exec{}, v.elements());
  };
  const std::size_t n = (std::size_t{1} << 25) + 3;
  const std::vector<T> ones(n, T(1));
  EXPECT_EQ(sum_of(T{}, ones), static_cast<T>(n));
  EXPECT_EQ(sum_of(double{}, ones), static_cast<double>(n));
  std::vector<T> one_large(1000001, T(1));
  one_large[0] = T(1e8);
  EXPECT_NEAR(sum_of(T{}, one_large), 101000000.0, 101.0);
  EXPECT_EQ(sum_of(double{}, one_large), 101000000.0);
  const std::vector<T> tenths(100000000, T(0.1F));
  EXPECT_NEAR(sum_of(T{}, tenths), 10000000.149, 10.0);
  EXPECT_NEAR(sum_of(double{}, tenths), 10000000.149, 0.01);
}

template <class C>
class SumOfInts : public cases::fixture<C> {};
TYPED_TEST_SUITE(SumOfInts, cases::every<std::int32_t>::type, cases::names);

TYPED_TEST(SumOfInts, ComesOutInSixtyFourBits) {
  using Exec = typename TypeParam::Exec;
  const auto sum_of = [](const std::vector<std::int32_t>& x) {
    const cases::guarded<Exec, std::int32_t> v(x);
    return twofold::sum(typename TypeParam::Path{}, Exec{}, v.elements());
  };
  static_assert(std::is_same_v<decltype(sum_of({})), std::int64_t>);
  EXPECT_EQ(sum_of(std::vector<std::int32_t>(5, 1500000000)), 7500000000);
  EXPECT_EQ(sum_of(std::vector<std::int32_t>(300000, 1500000000)), 450000000000000);
}

// Strides and narrow types go the portable way everywhere.
template <class C>
class SumPortably : public cases::fixture<C> {};
TYPED_TEST_SUITE(SumPortably, cases::numbers, cases::names);

TYPED_TEST(SumPortably, OfStridedViews) {
  using T = typename TypeParam::T;
  using Exec = typename TypeParam::Exec;
  for (const std::size_t n : cases::few_sizes()) {
    const auto all = cases::random_elements<T>(3 * n, n);
    Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::memory_space> matrix("matrix", n, 3);
    auto host = Kokkos::create_mirror_view(matrix);
    std::vector<T> column(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < 3; ++j) host(i, j) = all[3 * i + j];
      column[i] = all[3 * i + 1];
    }
    Kokkos::deep_copy(matrix, host);
    const auto strided = Kokkos::subview(matrix, Kokkos::ALL, 1);
    static_assert(!twofold::contiguous_vector<decltype(strided)>);
    EXPECT_SAME_BITS(twofold::sum(Exec{}, strided), reference::sum<result_of<T>>(column));
  }
}

TEST(SumOfNarrowTypes, IsExact) {
  const auto check = [](auto one) {
    using T = decltype(one);
    for (std::size_t n = 1; n <= 300; ++n) {
      Kokkos::View<T*> x("x", n);
      Kokkos::deep_copy(x, one);
      EXPECT_EQ(twofold::sum(x), static_cast<twofold::default_sum_t<T>>(n));
    }
    Kokkos::View<T*> x("x", 100003);
    Kokkos::deep_copy(x, one);
    EXPECT_EQ(twofold::sum(x), static_cast<twofold::default_sum_t<T>>(100003));
  };
  check(std::int8_t{1});
  check(std::uint8_t{1});
  check(std::int16_t{1});
  check(std::uint16_t{1});
  check(true);
}

TEST(SumOfViews, OfEveryKind) {
  Kokkos::View<double[8]> fixed("fixed");
  auto host = Kokkos::create_mirror_view(fixed);
  for (int i = 0; i < 8; ++i) host(i) = i + 1;
  Kokkos::deep_copy(fixed, host);
  const Kokkos::View<const double*> constant = fixed;
  const Kokkos::View<const double*, Kokkos::MemoryTraits<Kokkos::RandomAccess>> random = fixed;
  const Kokkos::View<double*, Kokkos::MemoryTraits<Kokkos::Unmanaged>> unmanaged(fixed.data(), 8);
  const Kokkos::View<double*, Kokkos::LayoutStride> strided(fixed.data(), Kokkos::LayoutStride(4, 2));
  EXPECT_EQ(twofold::sum(fixed), 36);
  EXPECT_EQ(twofold::sum(constant), 36);
  EXPECT_EQ(twofold::sum(random), 36);
  EXPECT_EQ(twofold::sum(unmanaged), 36);
  EXPECT_EQ(twofold::sum(strided), 1 + 3 + 5 + 7);
  static_assert(std::is_same_v<decltype(twofold::sum(constant)), double>);
}

// What must not compile does not: asked for as a concept, since a failed compilation is no test that runs.
template <class Path, class Exec, class X>
concept sums_along = requires(Path path, Exec exec, X x) { twofold::sum(path, exec, x); };
template <class Exec, class X, class R>
concept sums_into = requires(Exec exec, X x, R result) { twofold::sum(exec, x, result); };
using host = Kokkos::DefaultHostExecutionSpace;
using host_vector = Kokkos::View<double*, Kokkos::HostSpace>;
static_assert(sums_along<twofold::portable_path, host, host_vector>);
static_assert(!sums_along<twofold::native_path, host, host_vector>, "no native path on the host");
static_assert(!sums_along<twofold::portable_path, host, Kokkos::View<double**, Kokkos::HostSpace>>,
              "rank 1 only");
static_assert(!sums_along<twofold::portable_path, host, Kokkos::View<double, Kokkos::HostSpace>>,
              "rank 1 only");
static_assert(!twofold::writable_scalar<Kokkos::View<const double, Kokkos::HostSpace>>, "const is no result");
static_assert(!sums_into<host, host_vector, Kokkos::View<const double, Kokkos::HostSpace>>,
              "const is no result");
static_assert(!twofold::accumulator_for<std::int64_t, float>, "floats are not summed in integers");

TEST(SumRefuses, NullPointers) {
  const Kokkos::View<double*, Kokkos::MemoryTraits<Kokkos::Unmanaged>> null(nullptr, 5);
  EXPECT_THROW(twofold::sum(null), twofold::precondition_error);
  const Kokkos::View<double*> x("x", 5);
  const Kokkos::View<double> unallocated;
  EXPECT_THROW(twofold::sum(Kokkos::DefaultExecutionSpace{}, x, unallocated), twofold::precondition_error);
  try {
    twofold::sum(null);
  } catch (const twofold::precondition_error& e) {
    EXPECT_STREQ(e.what(), "twofold::sum: x is null with extent 5");
  }
}

}  // namespace
