// SPDX-License-Identifier: Apache-2.0
#include "support/cases.hpp"
#include "support/reference.hpp"

namespace {

template <class C>
class Dot : public cases::fixture<C> {};
TYPED_TEST_SUITE(Dot, cases::numbers, cases::names);

template <class T>
using result_of = twofold::default_sum_t<T>;

TYPED_TEST(Dot, EqualsTheReferenceToTheBit) {
  using T = typename TypeParam::T;
  using Exec = typename TypeParam::Exec;
  for (const std::size_t n : cases::sizes()) {
    SCOPED_TRACE(n);
    const auto x = cases::random_elements<T>(n, n + 1), y = cases::random_elements<T>(n, n + 2);
    const cases::guarded<Exec, T> vx(x), vy(y);
    EXPECT_SAME_BITS(twofold::dot(typename TypeParam::Path{}, Exec{}, vx.elements(), vy.elements()),
                     reference::dot<result_of<T>>(x, y));
  }
}

TYPED_TEST(Dot, DoesNotDependOnEitherAlignment) {
  using T = typename TypeParam::T;
  using Exec = typename TypeParam::Exec;
  for (const std::size_t n : cases::few_sizes()) {
    const auto x = cases::random_elements<T>(n, n), y = cases::random_elements<T>(n, n + 7);
    const auto expected = reference::dot<result_of<T>>(x, y);
    for (std::size_t a = 0; a < 8; ++a) {
      const std::size_t b = (3 * a + 1) % 8;
      SCOPED_TRACE(testing::Message() << n << " elements at offsets " << a << " and " << b);
      const cases::guarded<Exec, T> vx(x, a), vy(y, b);
      EXPECT_SAME_BITS(twofold::dot(typename TypeParam::Path{}, Exec{}, vx.elements(), vy.elements()),
                       expected);
    }
  }
}

TYPED_TEST(Dot, WritesADeviceResult) {
  using T = typename TypeParam::T;
  using Exec = typename TypeParam::Exec;
  using R = result_of<T>;
  const Exec exec;
  Kokkos::View<R, typename Exec::memory_space> result("result");
  for (const std::size_t n : {std::size_t{777}, std::size_t{0}, std::size_t{1}, std::size_t{100003}}) {
    const auto x = cases::random_elements<T>(n, n);
    const cases::guarded<Exec, T> v(x);
    Kokkos::deep_copy(result, R(12345));
    twofold::dot(typename TypeParam::Path{}, exec, v.elements(), v.elements(), result);
    exec.fence();
    R value;
    Kokkos::deep_copy(value, result);
    EXPECT_SAME_BITS(value, reference::dot<R>(x, x));
  }
}

TYPED_TEST(Dot, OfStridedViews) {
  using T = typename TypeParam::T;
  using Exec = typename TypeParam::Exec;
  for (const std::size_t n : cases::few_sizes()) {
    Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::memory_space> matrix("matrix", n, 2);
    auto host = Kokkos::create_mirror_view(matrix);
    const auto x = cases::random_elements<T>(n, n), y = cases::random_elements<T>(n, n + 1);
    for (std::size_t i = 0; i < n; ++i) host(i, 0) = x[i], host(i, 1) = y[i];
    Kokkos::deep_copy(matrix, host);
    EXPECT_SAME_BITS(twofold::dot(Exec{}, Kokkos::subview(matrix, Kokkos::ALL, 0),
                                  Kokkos::subview(matrix, Kokkos::ALL, 1)),
                     reference::dot<result_of<T>>(x, y));
  }
}

template <class C>
class DotOfReals : public cases::fixture<C> {};
TYPED_TEST_SUITE(DotOfReals, cases::reals, cases::names);

TYPED_TEST(DotOfReals, InDouble) {
  using T = typename TypeParam::T;
  using Exec = typename TypeParam::Exec;
  for (const std::size_t n : cases::few_sizes()) {
    const auto x = cases::random_elements<T>(n, n), y = cases::random_elements<T>(n, n + 7);
    const cases::guarded<Exec, T> vx(x), vy(y, 1);
    EXPECT_SAME_BITS(twofold::dot<double>(typename TypeParam::Path{}, Exec{}, vx.elements(), vy.elements()),
                     reference::dot<double>(x, y));
  }
}

TYPED_TEST(DotOfReals, RoundsEachProductOnceIntoTheSum) {
  // (1 + e)(1 - e) = 1 - e^2: as a rounded product 1, so that -1 + it would be 0; fused it is -e^2.
  using T = typename TypeParam::T;
  using Exec = typename TypeParam::Exec;
  const T e = std::ldexp(T(1), -std::numeric_limits<T>::digits / 2 - 1);
  std::vector<T> x(2049, T(0)), y(2049, T(0));
  x[0] = T(-1), y[0] = T(1), x[2048] = T(1) + e, y[2048] = T(1) - e;
  const cases::guarded<Exec, T> vx(x), vy(y);
  EXPECT_SAME_BITS(twofold::dot(typename TypeParam::Path{}, Exec{}, vx.elements(), vy.elements()), -(e * e));
}

TEST(DotRefuses, UnequalExtents) {
  const Kokkos::View<double*> x("x", 5), y("y", 7);
  try {
    twofold::dot(x, y);
    FAIL() << "no exception";
  } catch (const twofold::precondition_error& e) {
    EXPECT_STREQ(e.what(), "twofold::dot: x has extent 5, y has extent 7; they must be equal");
  }
}

TEST(DotOfInts, ComesOutInSixtyFourBits) {
  const Kokkos::View<std::int32_t*> x("x", 1);
  Kokkos::deep_copy(x, 70000);
  EXPECT_EQ(twofold::dot(x, x), 4900000000);
  EXPECT_EQ(twofold::dot<std::int32_t>(x, x), static_cast<std::int32_t>(4900000000u & 0xffffffffu));
}

}  // namespace
