// SPDX-License-Identifier: Apache-2.0
#include "support/cases.hpp"
#include "support/reference.hpp"

namespace {

template <class C>
class Norm2 : public cases::fixture<C> {};
TYPED_TEST_SUITE(Norm2, cases::numbers, cases::names);

template <class T>
using result_of = twofold::default_norm_t<T>;

TYPED_TEST(Norm2, EqualsTheReferenceToTheBit) {
  using T = typename TypeParam::T;
  using Exec = typename TypeParam::Exec;
  for (const std::size_t n : cases::sizes()) {
    SCOPED_TRACE(n);
    const auto x = cases::random_elements<T>(n, n + 1);
    const cases::guarded<Exec, T> v(x, n % 4);
    EXPECT_SAME_BITS(twofold::norm2(typename TypeParam::Path{}, Exec{}, v.elements()),
                     reference::norm2<result_of<T>>(x));
  }
}

TYPED_TEST(Norm2, WritesADeviceResult) {
  using T = typename TypeParam::T;
  using Exec = typename TypeParam::Exec;
  using R = result_of<T>;
  const Exec exec;
  Kokkos::View<R, typename Exec::memory_space> result("result");
  for (const std::size_t n : {std::size_t{777}, std::size_t{0}, std::size_t{100003}}) {
    const auto x = cases::random_elements<T>(n, n);
    const cases::guarded<Exec, T> v(x);
    Kokkos::deep_copy(result, R(12345));
    twofold::norm2(typename TypeParam::Path{}, exec, v.elements(), result);
    exec.fence();
    R value;
    Kokkos::deep_copy(value, result);
    EXPECT_SAME_BITS(value, reference::norm2<R>(x));
  }
}

template <class C>
class Norm2OfReals : public cases::fixture<C> {};
TYPED_TEST_SUITE(Norm2OfReals, cases::reals, cases::names);

template <class C, class T>
T norm_of(const std::vector<T>& x) {
  const cases::guarded<typename C::Exec, T> v(x);
  return twofold::norm2(typename C::Path{}, typename C::Exec{}, v.elements());
}

TYPED_TEST(Norm2OfReals, NeitherOverflowsNorUnderflows) {
  using T = typename TypeParam::T;
  using limits = std::numeric_limits<T>;
  const auto norm = [](const std::vector<T>& x) { return norm_of<TypeParam>(x); };
  const auto near = [](T value, T expected) {
    EXPECT_LE(std::abs(value / expected - 1), 2 * limits::epsilon());
  };
  near(norm({T(3e20), T(4e20)}), T(5e20));
  near(norm(std::vector<T>(1000000, T(1e-30))), T(1e-27));
  near(norm({limits::max() / 2, limits::max() / 4}), limits::max() / 4 * std::sqrt(T(5)));
  near(norm({3 * limits::min(), 4 * limits::min()}), 5 * limits::min());
  EXPECT_SAME_BITS(norm({limits::denorm_min()}), limits::denorm_min());
  EXPECT_SAME_BITS(norm({T(0), T(3) * limits::denorm_min(), T(4) * limits::denorm_min()}),
                   T(5) * limits::denorm_min());
  EXPECT_SAME_BITS(norm({-limits::max()}), limits::max());
  EXPECT_EQ(norm(std::vector<T>(10000, T(1))), T(100));
  // Every magnitude beside every other.
  for (const T large : {T(1), limits::max() / 16, std::sqrt(limits::max())}) {
    for (const T small : {T(0), limits::denorm_min(), limits::min(), std::sqrt(limits::min()), T(1)}) {
      std::vector<T> x(5000, small);
      x[4321] = large;
      SCOPED_TRACE(testing::Message() << large << " among " << small);
      EXPECT_SAME_BITS(norm(x), reference::norm2<T>(x));
      EXPECT_GE(norm(x), large);
    }
  }
}

TYPED_TEST(Norm2OfReals, OfSpecialValues) {
  using T = typename TypeParam::T;
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const auto norm = [](const std::vector<T>& x) { return norm_of<TypeParam>(x); };
  EXPECT_SAME_BITS(norm({}), T(0));
  EXPECT_SAME_BITS(norm(std::vector<T>(100, T(0))), T(0));
  EXPECT_SAME_BITS(norm(std::vector<T>(100, T(-0.0))), T(0));
  EXPECT_SAME_BITS(norm({-inf, T(1)}), inf);
  EXPECT_SAME_BITS(norm({nan, T(1)}), nan);
  EXPECT_SAME_BITS(norm({nan, inf}), nan);
  EXPECT_SAME_BITS(norm({std::numeric_limits<T>::denorm_min(), nan}), nan);
}

}  // namespace
