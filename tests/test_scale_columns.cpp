// SPDX-License-Identifier: Apache-2.0
#include "support/matrices.hpp"

namespace {

using cases::both_layouts;
using cases::framed;
using cases::guarded;

template <class T>
reference::table<T> scaled(reference::table<T> m, const std::vector<T>& v) {
  for (std::size_t i = 0; i < m.rows; ++i) {
    for (std::size_t j = 0; j < m.columns; ++j) m(i, j) = reference::product(m(i, j), v[j]);
  }
  return m;
}

template <class C>
class ScaleColumns : public cases::fixture<C> {};
TYPED_TEST_SUITE(ScaleColumns, cases::numbers, cases::names);

template <class C, class Layout>
void expect_scaled(std::size_t rows, std::size_t columns, cases::frame of_m, cases::frame of_r,
                   std::size_t v_offset) {
  using T = typename C::T;
  using Exec = typename C::Exec;
  SCOPED_TRACE(testing::Message() << rows << " x " << columns << ", M at " << of_m.offset << " pad "
                                  << of_m.pad << ", R at " << of_r.offset << " pad " << of_r.pad);
  const auto m = cases::random_table<T>(rows, columns);
  const auto v = cases::random_elements<T>(columns, 2);
  const guarded<Exec, T> factors(v, v_offset);
  framed<Exec, T, Layout> from(m, of_m.offset, of_m.pad), to(rows, columns, of_r.offset, of_r.pad);
  twofold::scale_columns(typename C::Path{}, Exec{}, from.elements(), factors.elements(), to.elements());
  to.expect(scaled(m, v));
  from.expect(m);
  twofold::scale_columns(typename C::Path{}, Exec{}, from.elements(), factors.elements(), from.elements());
  from.expect(scaled(m, v));
}

TYPED_TEST(ScaleColumns, EqualsTheReferenceForEveryShape) {
  using C = TypeParam;
  both_layouts([](auto layout) {
    using Layout = decltype(layout);
    for (const auto& [rows, columns] : cases::shapes()) {
      expect_scaled<C, Layout>(rows, columns, {0, 0}, {0, 0}, 0);
      if (rows * columns < 50000) {
        expect_scaled<C, Layout>(rows, columns, {1, 2}, {1, 2}, 1);
        expect_scaled<C, Layout>(rows, columns, {0, 4}, {0, 0}, 2);
      }
    }
  });
}

TYPED_TEST(ScaleColumns, DoesNotDependOnAlignmentNorTouchesPads) {
  using C = TypeParam;
  both_layouts([](auto layout) {
    using Layout = decltype(layout);
    for (const std::size_t columns : {1, 3, 4, 5, 33, 131, 1023, 1024}) {
      for (const auto& of_m : cases::frames()) {
        for (const auto& of_r : cases::frames())
          expect_scaled<C, Layout>(9, columns, of_m, of_r, of_m.pad % 3);
      }
    }
    for (std::size_t offset = 0; offset < 8; ++offset)
      expect_scaled<C, Layout>(13, 257, {offset, 0}, {offset, 0}, offset);
  });
}

TYPED_TEST(ScaleColumns, OfTwoMillionLines) {
  using T = typename TypeParam::T;
  using Exec = typename TypeParam::Exec;
  both_layouts([](auto layout) {
    using Layout = decltype(layout);
    for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{2100000, 3}, {3, 2100000}}) {
      reference::table<T> m{rows, columns, std::vector<T>(rows * columns)};
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < columns; ++j) m(i, j) = static_cast<T>((i + j) % 1000);
      }
      std::vector<T> v(columns);
      for (std::size_t j = 0; j < columns; ++j) v[j] = static_cast<T>(j % 7 + 1);
      framed<Exec, T, Layout> a(m);
      const guarded<Exec, T> factors(v);
      // Twice in place: an element that is met twice, or not at all, shows.
      twofold::scale_columns(typename TypeParam::Path{}, Exec{}, a.elements(), factors.elements(),
                             a.elements());
      a.expect(scaled(m, v));
      twofold::scale_columns(typename TypeParam::Path{}, Exec{}, a.elements(), factors.elements(),
                             a.elements());
      a.expect(scaled(scaled(m, v), v));
    }
  });
}

TYPED_TEST(ScaleColumns, ScalesColumnsNotRows) {
  using T = typename TypeParam::T;
  using Exec = typename TypeParam::Exec;
  both_layouts([](auto layout) {
    using Layout = decltype(layout);
    framed<Exec, T, Layout> m(reference::table<T>{2, 3, {1, 2, 3, 4, 5, 6}});
    const guarded<Exec, T> v({10, 100, 1000});
    twofold::scale_columns(typename TypeParam::Path{}, Exec{}, m.elements(), v.elements(), m.elements());
    m.expect({2, 3, {10, 200, 3000, 40, 500, 6000}});
  });
}

template <class C>
class ScaleColumnsOfReals : public cases::fixture<C> {};
TYPED_TEST_SUITE(ScaleColumnsOfReals, cases::reals, cases::names);

TYPED_TEST(ScaleColumnsOfReals, HasOneNaNAndKeepsSigns) {
  using T = typename TypeParam::T;
  using Exec = typename TypeParam::Exec;
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const T tiny = std::numeric_limits<T>::denorm_min();
  both_layouts([&](auto layout) {
    using Layout = decltype(layout);
    const reference::table<T> m{
        2, 7, {inf, -nan, T(-0.0), -inf, tiny, T(0), T(3), T(1), nan, T(5), inf, tiny, T(-0.0), T(4)}};
    const std::vector<T> v{T(0), T(1), T(2), T(1), T(1), T(-1), -nan};
    framed<Exec, T, Layout> a(m);
    const guarded<Exec, T> factors(v);
    twofold::scale_columns(typename TypeParam::Path{}, Exec{}, a.elements(), factors.elements(),
                           a.elements());
    a.expect(scaled(m, v));
  });
}

// ---- what has no native path: strides, mixed layouts

template <class C>
class ScaleColumnsPortably : public cases::fixture<C> {};
TYPED_TEST_SUITE(ScaleColumnsPortably, cases::every<float>::type, cases::names);

TYPED_TEST(ScaleColumnsPortably, OfStridedViewsAndMixedLayouts) {
  using T = typename TypeParam::T;
  using Exec = typename TypeParam::Exec;
  for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{5, 7}, {67, 131}, {1, 9}, {9, 1}}) {
    const auto m = cases::random_table<T>(rows, columns);
    const auto v = cases::random_elements<T>(columns, 3);
    std::vector<T> spread(3 * columns, T(-1));
    for (std::size_t j = 0; j < columns; ++j) spread[3 * j] = v[j];
    const guarded<Exec, T> packed(v), apart(spread);
    const auto every_third = Kokkos::View<const T*, Kokkos::LayoutStride, typename Exec::memory_space>(
        apart.elements().data(), Kokkos::LayoutStride(columns, 3));

    framed<Exec, T, Kokkos::LayoutRight> right(m, 1, 1), to_right(rows, columns);
    framed<Exec, T, Kokkos::LayoutLeft> left(m), to_left(rows, columns, 2, 1);
    twofold::scale_columns(Exec{}, right.elements(), packed.elements(), to_left.elements());
    to_left.expect(scaled(m, v));
    twofold::scale_columns(Exec{}, left.elements(), every_third, to_right.elements());
    to_right.expect(scaled(m, v));

    // Every second row and every third column of a larger matrix; then pitched, as strides.
    framed<Exec, T, Kokkos::LayoutRight> large(
        reference::table<T>{2 * rows, 3 * columns, std::vector<T>(6 * rows * columns, T(9))});
    const auto all = large.elements();
    const std::size_t pitch = all.stride(0);
    const Kokkos::View<T**, Kokkos::LayoutStride, typename Exec::memory_space> sparse(
        all.data(), Kokkos::LayoutStride(rows, 2 * pitch, columns, 3));
    twofold::scale_columns(Exec{}, right.elements(), every_third, sparse);
    reference::table<T> expected{2 * rows, 3 * columns, std::vector<T>(6 * rows * columns, T(9))};
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) expected(2 * i, 3 * j) = scaled(m, v)(i, j);
    }
    large.expect(expected);
    const Kokkos::View<T**, Kokkos::LayoutStride, typename Exec::memory_space> pitched(
        all.data(), Kokkos::LayoutStride(rows, pitch, columns, 1));
    twofold::scale_columns(Exec{}, left.elements(), packed.elements(), pitched);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) expected(i, j) = scaled(m, v)(i, j);
    }
    large.expect(expected);
  }
}

TEST(ScaleColumnsOfViews, OfEveryKind) {
  Kokkos::View<double[2][3]> m("m"), r("r");
  Kokkos::View<double[3]> v("v");
  Kokkos::deep_copy(m, 2.0);
  Kokkos::deep_copy(v, 3.0);
  const Kokkos::View<const double**> constant = m;
  const Kokkos::View<const double*, Kokkos::MemoryTraits<Kokkos::RandomAccess>> random = v;
  const Kokkos::View<double**, Kokkos::MemoryTraits<Kokkos::Unmanaged>> unmanaged(r.data(), 2, 3);
  twofold::scale_columns(constant, random, unmanaged);
  Kokkos::fence();
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, r);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) EXPECT_EQ(host(i, j), 6.0);
  }
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const twofold::precondition_error& e) {
    return e.what();
  }
  return "nothing was refused";
}

TEST(ScaleColumnsRefuses, WhatDoesNotFit) {
  const Kokkos::View<double**> m("m", 2, 3), r("r", 2, 3), wide("wide", 2, 4);
  const Kokkos::View<double*> two("two", 2), three("three", 3);
  Kokkos::deep_copy(r, 5.0);
  EXPECT_EQ(refusal([&] { twofold::scale_columns(m, two, r); }),
            "twofold::scale_columns: v has extent 2, M is 2 x 3; v needs one element per column");
  EXPECT_EQ(refusal([&] { twofold::scale_columns(m, three, wide); }),
            "twofold::scale_columns: M is 2 x 3, R is 2 x 4; they must be equal");
  const Kokkos::View<double**, Kokkos::MemoryTraits<Kokkos::Unmanaged>> null(nullptr, 2, 3);
  EXPECT_EQ(refusal([&] { twofold::scale_columns(null, three, r); }),
            "twofold::scale_columns: M is null with shape 2 x 3");
  EXPECT_EQ(refusal([&] { twofold::scale_columns(m, three, null); }),
            "twofold::scale_columns: R is null with shape 2 x 3");
  const Kokkos::View<double**, Kokkos::LayoutStride> folded(r.data(), Kokkos::LayoutStride(2, 2, 3, 1));
  EXPECT_EQ(refusal([&] { twofold::scale_columns(m, three, folded); }),
            "twofold::scale_columns: R is 2 x 3 with strides 2, 1: elements share memory");
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, r);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) EXPECT_EQ(host(i, j), 5.0) << "written before it was refused";
  }
  // Rows and columns that interleave: elements 0 3 | 2 5 | 4 7, in place; with a row more 6 would be there twice.
  const Kokkos::View<double*> memory("memory", 12);
  Kokkos::deep_copy(memory, 2.0);
  Kokkos::deep_copy(two, 3.0);
  const auto interleaved = [&](std::size_t rows, std::size_t columns) {
    return Kokkos::View<double**, Kokkos::LayoutStride>(memory.data(),
                                                        Kokkos::LayoutStride(rows, 2, columns, 3));
  };
  EXPECT_EQ(refusal([&] { twofold::scale_columns(interleaved(4, 3), three, interleaved(4, 3)); }),
            "twofold::scale_columns: R is 4 x 3 with strides 2, 3: elements share memory");
  EXPECT_EQ(refusal([&] { twofold::scale_columns(interleaved(3, 2), two, interleaved(3, 2)); }),
            "nothing was refused");
  Kokkos::fence();
  const auto elements = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, memory);
  for (const int e : {0, 2, 3, 4, 5, 7}) EXPECT_EQ(elements(e), 6.0) << e;
  for (const int e : {1, 6, 8, 9, 10, 11}) EXPECT_EQ(elements(e), 2.0) << e;
}

TEST(ScaleColumnsRefuses, OverlapButTheSame) {
  const auto check = [](auto layout) {
    using Layout = decltype(layout);
    const Kokkos::View<double**, Layout> all("all", 8, 9);
    const Kokkos::View<double*> v("v", 4);
    const auto part = [&](std::size_t i, std::size_t j) {
      return Kokkos::subview(all, std::make_pair(i, i + 3), std::make_pair(j, j + 4));
    };
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = 0; j < 6; ++j) {
        const auto m = part(2, 2), r = part(i, j);
        const std::size_t di = i > 2 ? i - 2 : 2 - i, dj = j > 2 ? j - 2 : 2 - j;
        const bool same = i == 2 && j == 2, apart = di >= 3 || dj >= 4;
        SCOPED_TRACE(testing::Message() << "R at (" << i << ", " << j << ")");
        if (same || apart) {
          EXPECT_NO_THROW(twofold::scale_columns(m, v, r));
        } else {
          EXPECT_EQ(refusal([&] { twofold::scale_columns(m, v, r); }),
                    "twofold::scale_columns: M and R share memory; only one and the same matrix may");
        }
      }
    }
    // v as a row beside R, and as a row of R.
    const auto r = part(2, 2);
    EXPECT_NO_THROW(twofold::scale_columns(r, Kokkos::subview(all, 1, std::make_pair(2, 6)), r));
    EXPECT_NO_THROW(twofold::scale_columns(r, Kokkos::subview(all, std::make_pair(2, 6), 1), r));
    EXPECT_EQ(refusal([&] { twofold::scale_columns(r, Kokkos::subview(all, 2, std::make_pair(2, 6)), r); }),
              "twofold::scale_columns: v and R share memory");
    EXPECT_EQ(refusal([&] { twofold::scale_columns(r, Kokkos::subview(all, std::make_pair(2, 6), 3), r); }),
              "twofold::scale_columns: v and R share memory");
    Kokkos::fence();
  };
  check(Kokkos::LayoutRight{});
  check(Kokkos::LayoutLeft{});
}

}  // namespace
