// SPDX-License-Identifier: Apache-2.0
#include "support/matrices.hpp"

#include <map>

namespace {

using cases::both_layouts;
using cases::framed;
using cases::guarded;

template <class T>
reference::table<T> outer(const std::vector<T>& x, const std::vector<T>& y) {
  reference::table<T> c{x.size(), y.size(), std::vector<T>(x.size() * y.size())};
  for (std::size_t i = 0; i < c.rows; ++i) {
    for (std::size_t j = 0; j < c.columns; ++j) c(i, j) = reference::product(x[i], y[j]);
  }
  return c;
}

template <class C>
class OuterProduct : public cases::fixture<C> {};
TYPED_TEST_SUITE(OuterProduct, cases::numbers, cases::names);

template <class C, class Layout>
void expect_outer(std::size_t rows, std::size_t columns, cases::frame of_c, std::size_t x_offset) {
  using T = typename C::T;
  using Exec = typename C::Exec;
  SCOPED_TRACE(testing::Message() << rows << " x " << columns << ", C at " << of_c.offset << " pad "
                                  << of_c.pad);
  const auto x = cases::random_elements<T>(rows, 1), y = cases::random_elements<T>(columns, 2);
  const guarded<Exec, T> left(x, x_offset), right(y, x_offset + 1);
  framed<Exec, T, Layout> c(rows, columns, of_c.offset, of_c.pad);  // full of NaN: what was there is not read
  twofold::outer_product(typename C::Path{}, Exec{}, left.elements(), right.elements(), c.elements());
  c.expect(outer(x, y));
}

TYPED_TEST(OuterProduct, EqualsTheReferenceForEveryShape) {
  using C = TypeParam;
  both_layouts([](auto layout) {
    using Layout = decltype(layout);
    for (const auto& [rows, columns] : cases::shapes()) {
      expect_outer<C, Layout>(rows, columns, {0, 0}, 0);
      if (rows * columns < 50000) expect_outer<C, Layout>(rows, columns, {1, 2}, 1);
    }
  });
}

TYPED_TEST(OuterProduct, DoesNotDependOnAlignmentNorTouchesPads) {
  using C = TypeParam;
  both_layouts([](auto layout) {
    using Layout = decltype(layout);
    for (const std::size_t columns : {1, 3, 4, 5, 33, 131, 1023, 1024}) {
      for (const auto& of_c : cases::frames()) expect_outer<C, Layout>(19, columns, of_c, of_c.pad % 3);
    }
    for (std::size_t offset = 0; offset < 8; ++offset) expect_outer<C, Layout>(13, 257, {offset, 0}, offset);
  });
}

TYPED_TEST(OuterProduct, OfTwoMillionLines) {
  using T = typename TypeParam::T;
  using Exec = typename TypeParam::Exec;
  both_layouts([](auto layout) {
    using Layout = decltype(layout);
    for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{2100000, 3}, {3, 2100000}}) {
      std::vector<T> x(rows), y(columns);
      for (std::size_t i = 0; i < rows; ++i) x[i] = static_cast<T>(i % 1000);
      for (std::size_t j = 0; j < columns; ++j) y[j] = static_cast<T>(j % 1000 + 1);
      const guarded<Exec, T> left(x), right(y);
      framed<Exec, T, Layout> c(rows, columns);
      twofold::outer_product(typename TypeParam::Path{}, Exec{}, left.elements(), right.elements(),
                             c.elements());
      c.expect(outer(x, y));
    }
  });
}

TYPED_TEST(OuterProduct, HasRowsAndColumnsTheRightWayRound) {
  using T = typename TypeParam::T;
  using Exec = typename TypeParam::Exec;
  both_layouts([](auto layout) {
    using Layout = decltype(layout);
    const guarded<Exec, T> x({1, 2, 3}), y({10, 20});
    framed<Exec, T, Layout> c(3, 2);
    twofold::outer_product(typename TypeParam::Path{}, Exec{}, x.elements(), y.elements(), c.elements());
    c.expect({3, 2, {10, 20, 20, 40, 30, 60}});
  });
}

template <class C>
class OuterProductOfReals : public cases::fixture<C> {};
TYPED_TEST_SUITE(OuterProductOfReals, cases::reals, cases::names);

TYPED_TEST(OuterProductOfReals, HasOneNaNAndKeepsSigns) {
  using T = typename TypeParam::T;
  using Exec = typename TypeParam::Exec;
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const std::vector<T> v{inf, -nan, T(-0.0), -inf, std::numeric_limits<T>::denorm_min(), T(0), T(3), nan};
  both_layouts([&](auto layout) {
    using Layout = decltype(layout);
    const guarded<Exec, T> x(v), y(v);
    framed<Exec, T, Layout> c(v.size(), v.size());
    twofold::outer_product(typename TypeParam::Path{}, Exec{}, x.elements(), y.elements(), c.elements());
    c.expect(outer(v, v));
  });
}

template <class C>
class OuterProductPortably : public cases::fixture<C> {};
TYPED_TEST_SUITE(OuterProductPortably, cases::every<float>::type, cases::names);

TYPED_TEST(OuterProductPortably, OfStridedViews) {
  using T = typename TypeParam::T;
  using Exec = typename TypeParam::Exec;
  using strided_vector = Kokkos::View<const T*, Kokkos::LayoutStride, typename Exec::memory_space>;
  for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{5, 7}, {67, 131}, {1, 9}, {9, 1}}) {
    const auto x = cases::random_elements<T>(3 * rows, 1), y = cases::random_elements<T>(2 * columns, 2);
    std::vector<T> thirds(rows), halves(columns);
    for (std::size_t i = 0; i < rows; ++i) thirds[i] = x[3 * i];
    for (std::size_t j = 0; j < columns; ++j) halves[j] = y[2 * j];
    const guarded<Exec, T> all_x(x), all_y(y);
    const strided_vector left(all_x.elements().data(), Kokkos::LayoutStride(rows, 3));
    const strided_vector right(all_y.elements().data(), Kokkos::LayoutStride(columns, 2));
    const auto product = outer(thirds, halves);
    both_layouts([&, r = rows, c = columns](auto layout) {
      using Layout = decltype(layout);
      framed<Exec, T, Layout> packed(r, c, 1, 2);
      twofold::outer_product(Exec{}, left, right, packed.elements());
      packed.expect(product);
      // Every second row and third column of a larger matrix.
      reference::table<T> expected{2 * r, 3 * c, std::vector<T>(6 * r * c, T(9))};
      framed<Exec, T, Layout> large(expected);
      const auto all = large.elements();
      twofold::outer_product(
          Exec{}, left, right,
          Kokkos::View<T**, Kokkos::LayoutStride, typename Exec::memory_space>(
              all.data(), Kokkos::LayoutStride(r, 2 * all.stride(0), c, 3 * all.stride(1))));
      for (std::size_t i = 0; i < r; ++i) {
        for (std::size_t j = 0; j < c; ++j) expected(2 * i, 3 * j) = product(i, j);
      }
      large.expect(expected);
    });
  }
}

TEST(OuterProductOfViews, OfEveryKind) {
  Kokkos::View<double[2][3]> c("c");
  Kokkos::View<double[2]> x("x");
  Kokkos::View<double[3]> y("y");
  Kokkos::deep_copy(x, 2.0);
  Kokkos::deep_copy(y, 3.0);
  const Kokkos::View<const double*> constant = x;
  const Kokkos::View<const double*, Kokkos::MemoryTraits<Kokkos::RandomAccess>> random = y;
  const Kokkos::View<double**, Kokkos::MemoryTraits<Kokkos::Unmanaged>> unmanaged(c.data(), 2, 3);
  twofold::outer_product(constant, random, unmanaged);
  Kokkos::fence();
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, c);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) EXPECT_EQ(host(i, j), 6.0);
  }
}

TEST(OuterProductRefuses, WhatDoesNotFit) {
  const auto refusal = [](const auto& x, const auto& y, const auto& c) -> std::string {
    try {
      twofold::outer_product(x, y, c);
    } catch (const twofold::precondition_error& e) {
      return e.what();
    }
    return "nothing was refused";
  };
  const Kokkos::View<double**> c("c", 2, 3);
  const Kokkos::View<double*> two("two", 2), three("three", 3);
  EXPECT_EQ(refusal(three, three, c),
            "twofold::outer_product: x has extent 3, C is 2 x 3; x needs one element per row");
  EXPECT_EQ(refusal(two, two, c),
            "twofold::outer_product: y has extent 2, C is 2 x 3; y needs one element per column");
  const Kokkos::View<double**, Kokkos::MemoryTraits<Kokkos::Unmanaged>> null(nullptr, 2, 3);
  EXPECT_EQ(refusal(two, three, null), "twofold::outer_product: C is null with shape 2 x 3");
  const Kokkos::View<double*, Kokkos::MemoryTraits<Kokkos::Unmanaged>> nothing(nullptr, 3);
  EXPECT_EQ(refusal(two, nothing, c), "twofold::outer_product: y is null with extent 3");
  EXPECT_EQ(refusal(two, Kokkos::subview(c, 1, Kokkos::ALL), c),
            "twofold::outer_product: y and C share memory");
  EXPECT_EQ(refusal(Kokkos::subview(c, Kokkos::ALL, 2), three, c),
            "twofold::outer_product: x and C share memory");
  const Kokkos::View<double**, Kokkos::LayoutStride> folded(c.data(), Kokkos::LayoutStride(2, 0, 3, 1));
  EXPECT_EQ(refusal(two, three, folded),
            "twofold::outer_product: C is 2 x 3 with strides 0, 1: elements share memory");
}

TEST(OuterProductRefuses, ExactlyTheStridesThatLeadToOneElementTwice) {
  // All small matrices against a list of the elements that they have.
  const Kokkos::View<double*> x("x", 4), y("y", 4), memory("memory", 32);
  const auto first = [](const auto& v, std::size_t n) {
    return Kokkos::subview(v, std::make_pair(std::size_t{0}, n));
  };
  auto host_x = Kokkos::create_mirror_view(x), host_y = Kokkos::create_mirror_view(y);
  for (int i = 0; i < 4; ++i) {
    host_x(i) = i + 1;
    host_y(i) = 10 + i;
  }
  Kokkos::deep_copy(x, host_x);
  Kokkos::deep_copy(y, host_y);
  int interleaving = 0;
  for (std::size_t code = 0; code < 4 * 4 * 6 * 6; ++code) {
    const std::size_t rows = code % 4 + 1, columns = code / 4 % 4 + 1, down = code / 16 % 6,
                      across = code / 96;
    SCOPED_TRACE(testing::Message() << rows << " x " << columns << ", strides " << down << ", " << across);
    std::map<std::size_t, double> expected;
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) expected[i * down + j * across] = host_x(i) * host_y(j);
    }
    const Kokkos::View<double**, Kokkos::LayoutStride> c(memory.data(),
                                                         Kokkos::LayoutStride(rows, down, columns, across));
    const auto call = [&] { twofold::outer_product(first(x, rows), first(y, columns), c); };
    if (expected.size() < rows * columns) {
      EXPECT_THROW(call(), twofold::precondition_error);
      continue;
    }
    Kokkos::deep_copy(memory, -1.0);
    ASSERT_NO_THROW(call());
    Kokkos::fence();
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, memory);
    for (std::size_t e = 0; e < 32; ++e)
      ASSERT_EQ(host(e), expected.contains(e) ? expected[e] : -1.0) << "element " << e;
    if (down > 0 && across > 0 && (rows - 1) * down >= across && (columns - 1) * across >= down)
      ++interleaving;
  }
  EXPECT_GT(interleaving, 0);  // such as 3 x 2 with strides 2, 3
}

}  // namespace
