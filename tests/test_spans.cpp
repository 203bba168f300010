// SPDX-License-Identifier: Apache-2.0
// Spans and mdspans give what Views of the same memory give.
#include "support/cases.hpp"

#include <twofold/twofold.hpp>

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>
#include <type_traits>
#include <vector>
#include <version>

#if defined(__cpp_lib_mdspan)
#include <mdspan>
#endif

namespace {

using host = Kokkos::DefaultHostExecutionSpace;
template <class Data, class... Layout>
using view = Kokkos::View<Data, Layout..., Kokkos::HostSpace>;

view<double*> numbers(std::size_t n, int seed) {
  view<double*> x("x", n);
  for (std::size_t i = 0; i < n; ++i)
    x(i) = 1.0 / static_cast<double>(i % 97 + static_cast<std::size_t>(seed));
  return x;
}

template <class X>
auto span_of(const X& x) {
  return std::span(x.data(), x.extent(0));
}

template <class X, class Y>
void expect_equal(const X& x, const Y& y) {
  ASSERT_EQ(x.extent(0), y.extent(0));
  for (std::size_t i = 0; i < x.extent(0); ++i) ASSERT_EQ(x(i), y(i)) << "at " << i;
}

TEST(Spans, InFolds) {
  const auto x = numbers(10000, 1), y = numbers(10000, 2);
  const std::span<double> sx = span_of(x);
  const std::span<const double> sy = span_of(y);
  const host exec;

  EXPECT_EQ(twofold::sum(sx), twofold::sum(x));
  EXPECT_EQ(twofold::sum(exec, sy), twofold::sum(exec, y));
  EXPECT_EQ(twofold::sum(twofold::portable, exec, sx), twofold::sum(x));
  EXPECT_EQ(twofold::sum(std::span<const double, 10000>(x.data(), 10000)), twofold::sum(x));
  EXPECT_EQ(twofold::sum(std::span<const double>{}), 0.0);
  EXPECT_EQ(twofold::dot(sx, sy), twofold::dot(x, y));
  EXPECT_EQ(twofold::dot(x, sy), twofold::dot(x, y)) << "a View and a span";
  EXPECT_EQ(twofold::dot(exec, sx, sy), twofold::dot(x, y));
  EXPECT_EQ(twofold::norm2(sx), twofold::norm2(x));

  const view<double> result("result");
  twofold::dot(exec, sx, sy, result);
  EXPECT_EQ(result(), twofold::dot(x, y));
}

TEST(Spans, InAResultTypeOfTheCaller) {
  std::vector<float> x(5000, 0.1f);
  const std::span<const float> s(x);
  const view<const float*> v(x.data(), x.size());
  EXPECT_EQ(twofold::sum<double>(s), twofold::sum<double>(v));
  EXPECT_NE(twofold::sum<double>(s), twofold::sum(s));
  EXPECT_EQ(twofold::dot<double>(s, s), twofold::dot<double>(v, v));
  EXPECT_EQ(twofold::norm2<double>(host(), s), twofold::norm2<double>(v));
  const std::vector<long long> i{1, 2, 3};
  static_assert(std::is_same_v<decltype(twofold::sum<long long>(std::span(i))), long long>);
  EXPECT_EQ(twofold::sum<long long>(std::span(i)), 6);
}

TEST(Spans, InStencils) {
  const auto x = numbers(3000, 1);
  const view<double*> expected("expected", 3000), got("got", 3000);
  twofold::stencil(x, expected, 5);
  twofold::stencil(std::span<const double>(span_of(x)), span_of(got), 5);
  expect_equal(got, expected);

  const std::vector<double> weights{1, 2, 4};
  twofold::stencil(x, expected, view<const double*>(weights.data(), 3));
  twofold::stencil(span_of(x), span_of(got), std::span(weights));
  expect_equal(got, expected);
}

TEST(Spans, MistakesAreReported) {
  const auto x = numbers(100, 1);
  EXPECT_THROW(twofold::dot(span_of(x), span_of(x).first(99)), twofold::precondition_error);
  EXPECT_THROW(twofold::stencil(span_of(x), span_of(x), 1), twofold::precondition_error);
}

// What is no span of numbers stays refused, and a caller's concept can tell.
template <class... A>
concept summable = requires(const A&... a) { twofold::sum(a...); };
static_assert(summable<std::span<float>> && summable<host, std::span<const float>>);
static_assert(!summable<std::vector<float>>, "a container of the standard library is no span");
static_assert(!summable<std::span<std::string>>);
static_assert(!summable<std::span<float>, std::span<float>, std::span<float>>);
#if defined(KOKKOS_ENABLE_CUDA)
static_assert(!summable<Kokkos::Cuda, std::span<float>>, "a GPU may not reach host memory");
#endif

// The mdspans of the standard and of Kokkos.
#if defined(__cpp_lib_mdspan)
struct of_the_standard {
  template <class T, std::size_t Rank, class Layout = std::layout_right>
  using mdspan = std::mdspan<T, std::dextents<std::size_t, Rank>, Layout>;
  using right = std::layout_right;
  using left = std::layout_left;
  using stride = std::layout_stride;
};
#endif
#if defined(KOKKOS_ENABLE_IMPL_MDSPAN)
struct of_kokkos {
  template <class T, std::size_t Rank, class Layout = Kokkos::layout_right>
  using mdspan = Kokkos::mdspan<T, Kokkos::dextents<std::size_t, Rank>, Layout>;
  using right = Kokkos::layout_right;
  using left = Kokkos::layout_left;
  using stride = Kokkos::layout_stride;
};
#endif

template <class Kind>
void vectors_and_results() {
  const auto x = numbers(6300, 1);
  const typename Kind::template mdspan<const double, 1> all(x.data(), x.extent(0));
  EXPECT_EQ(twofold::sum(all), twofold::sum(x));
  double value = 0;
  const typename Kind::template mdspan<double, 0> result(&value);
  twofold::sum(host(), all, result);
  EXPECT_EQ(value, twofold::sum(x));

  using strided = typename Kind::template mdspan<double, 1, typename Kind::stride>;
  const typename strided::extents_type extents(2100);
  const strided thirds(x.data(), typename strided::mapping_type(extents, std::array<std::size_t, 1>{3}));
  const Kokkos::View<double*, Kokkos::LayoutStride, Kokkos::HostSpace> v(x.data(),
                                                                         Kokkos::LayoutStride(2100, 3));
  EXPECT_EQ(twofold::sum(thirds), twofold::sum(v));
  EXPECT_NE(twofold::sum(thirds), twofold::sum(Kokkos::subview(x, Kokkos::make_pair(0, 2100))));
}

template <class Kind, class Layout, class ViewLayout>
void matrices() {
  const std::size_t rows = 70, columns = 90;
  const auto x = numbers(rows * columns, 1), y = numbers(rows * columns, 1);
  const auto down = numbers(rows, 3), along = numbers(columns, 4);
  const typename Kind::template mdspan<double, 2, Layout> m(x.data(), rows, columns);
  const view<double**, ViewLayout> v(y.data(), rows, columns);

  const view<double*> of_rows("r", rows), expected_rows("r", rows);
  twofold::sum_rows(m, of_rows);
  twofold::sum_rows(v, expected_rows);
  expect_equal(of_rows, expected_rows);
  const view<double*> of_columns("c", columns), expected_columns("c", columns);
  twofold::sum_columns(host(), m, span_of(of_columns));
  twofold::sum_columns(host(), v, expected_columns);
  expect_equal(of_columns, expected_columns);

  twofold::scale_columns(m, span_of(along), m);
  twofold::scale_columns(v, along, v);
  expect_equal(x, y);
  twofold::outer_product(span_of(down), along, m);
  twofold::outer_product(down, along, v);
  expect_equal(x, y);
}

template <class Kind>
void mdspans() {
  vectors_and_results<Kind>();
  matrices<Kind, typename Kind::right, Kokkos::LayoutRight>();
  matrices<Kind, typename Kind::left, Kokkos::LayoutLeft>();
}

TEST(Mdspans, OfTheStandard) {
#if defined(__cpp_lib_mdspan)
  mdspans<of_the_standard>();
#else
  GTEST_SKIP() << "this standard library has none";
#endif
}

TEST(Mdspans, OfKokkos) {
#if defined(KOKKOS_ENABLE_IMPL_MDSPAN)
  mdspans<of_kokkos>();
#else
  GTEST_SKIP() << "this Kokkos has none";
#endif
}

}  // namespace
