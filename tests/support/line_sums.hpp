// SPDX-License-Identifier: Apache-2.0
// The tests of sum_rows and sum_columns: one body, told which of the two by `Sums`.
#pragma once

#include "matrices.hpp"

namespace line_sums {

/// reference::sum; for one row of lanes the tree over them is all there is, and spares two thousand absent ones.
template <class R, class T>
R reference_sum(const std::vector<T>& x) {
  R value(0);
  if (x.size() > 2048) {
    value = reference::sum<R>(x);
  } else if (!x.empty()) {
    std::vector<std::optional<R>> lanes(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) lanes[i] = static_cast<R>(x[i]);
    value = *reference::tree<R>(std::move(lanes), reference::plus<R>);
  }
  if constexpr (std::is_floating_point_v<R>)
    return std::isnan(value) ? std::numeric_limits<R>::quiet_NaN() : value;
  return value;
}

using cases::both_layouts;
using cases::framed;
using cases::guarded;

struct of_rows {
  static constexpr const char* name = "sum_rows";
  static constexpr const char* one = "row";
  template <class... A>
  static auto call(const A&... a) -> decltype(twofold::sum_rows(a...)) {
    return twofold::sum_rows(a...);
  }
  template <class R, class T>
  static std::vector<R> expected(const reference::table<T>& m) {
    std::vector<R> r(m.rows);
    for (std::size_t i = 0; i < m.rows; ++i) r[i] = reference_sum<R>(m.row(i));
    return r;
  }
};

struct of_columns {
  static constexpr const char* name = "sum_columns";
  static constexpr const char* one = "column";
  template <class... A>
  static auto call(const A&... a) -> decltype(twofold::sum_columns(a...)) {
    return twofold::sum_columns(a...);
  }
  template <class R, class T>
  static std::vector<R> expected(const reference::table<T>& m) {
    reference::table<T> t{m.columns, m.rows, std::vector<T>(m.elements.size())};
    for (std::size_t i = 0; i < m.rows; ++i) {
      for (std::size_t j = 0; j < m.columns; ++j) t(j, i) = m(i, j);
    }
    return of_rows::expected<R>(t);
  }
};

/// Results with guards around them.
template <class Exec, class R>
struct results {
  static constexpr std::size_t guards = 7;
  Kokkos::View<R*, typename Exec::memory_space> all;
  std::size_t n;
  explicit results(std::size_t count) : all("results", count + 2 * guards), n(count) {
    Kokkos::deep_copy(all, guarded<Exec, R>::guard());
  }
  auto view() const { return Kokkos::subview(all, std::make_pair(guards, guards + n)); }
  void expect(const std::vector<R>& expected) const {
    Kokkos::fence();
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, all);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < host.extent(0); ++i) {
      const bool inside = i >= guards && i < guards + n;
      const R a = host(i), b = inside ? expected[i - guards] : guarded<Exec, R>::guard();
      if (std::memcmp(&a, &b, sizeof a) == 0 || ++wrong > 3) continue;
      ADD_FAILURE() << (inside ? "sum " : "guard ") << i << " - " << guards << ": " << a << " "
                    << cases::bits_of(a) << ", expected " << b << " " << cases::bits_of(b);
    }
    EXPECT_EQ(wrong, 0u);
  }
};

template <class Sums, class C, class R, class Layout>
void expect_sums(const reference::table<typename C::T>& m, std::size_t offset, std::size_t pad) {
  using Exec = typename C::Exec;
  SCOPED_TRACE(testing::Message() << m.rows << " x " << m.columns << " at " << offset << " pad " << pad);
  const framed<Exec, typename C::T, Layout> from(m, offset, pad);
  const auto expected = Sums::template expected<R>(m);
  const results<Exec, R> r(expected.size());
  Sums::call(typename C::Path{}, Exec{}, from.elements(), r.view());
  r.expect(expected);
}

/// Shapes with folds short and long in both directions; lines of one and several chunks, of one and two levels.
inline std::vector<std::pair<std::size_t, std::size_t>> shapes() {
  std::vector<std::pair<std::size_t, std::size_t>> all{
      {0, 0},
      {0, 5},
      {5, 0},
      {1, 1},
      {1, 100003},
      {100003, 1},
      {2, 100003},
      {100003, 2},
      {30011, 3},
      {3, 30011},
      {257, 2049},
      {2049, 257},
      // lines of one chunk, on either side of what a team takes
      {400, 1999},
      {1750, 1030}};
  for (const std::size_t a :
       {1, 2, 3, 4, 5, 31, 32, 33, 129, 1000, 1025, 2047, 2048, 2049, 4097, 8191, 8192, 8193, 20001}) {
    for (const std::size_t b : {1, 2, 5, 33}) {
      all.emplace_back(a, b);
      if (a != b) all.emplace_back(b, a);
    }
  }
  return all;
}

template <class Sums, class C>
void equal_the_reference_for_every_shape() {
  using T = typename C::T;
  both_layouts([](auto layout) {
    using Layout = decltype(layout);
    for (const auto& [rows, columns] : shapes()) {
      const auto m = cases::random_table<T>(rows, columns, rows + columns);
      expect_sums<Sums, C, twofold::default_sum_t<T>, Layout>(m, 0, 0);
      if (rows * columns < 20000) expect_sums<Sums, C, twofold::default_sum_t<T>, Layout>(m, 1, 2);
    }
  });
}

template <class Sums, class C>
void do_not_depend_on_alignment() {
  using T = typename C::T;
  both_layouts([](auto layout) {
    using Layout = decltype(layout);
    for (const std::size_t columns : {3, 33, 257, 2050}) {
      for (const std::size_t rows : {5, 2050}) {
        if (rows + columns > 3000) continue;
        const auto m = cases::random_table<T>(rows, columns);
        for (std::size_t offset = 0; offset < 8; ++offset) {
          expect_sums<Sums, C, twofold::default_sum_t<T>, Layout>(m, offset, offset % 3);
          expect_sums<Sums, C, twofold::default_sum_t<T>, Layout>(m, offset, 8 - offset);
        }
      }
    }
  });
}

/// Folds in long chunks, and of more chunks than one team's: the second level.
template <class Sums, class C>
void of_long_folds() {
  using T = typename C::T;
  both_layouts([](auto layout) {
    using Layout = decltype(layout);
    const std::size_t n = (std::size_t{1} << 21) + 3 * 32768 + 5;
    for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{2, n}, {n, 3}}) {
      expect_sums<Sums, C, twofold::default_sum_t<T>, Layout>(cases::random_table<T>(rows, columns), 0, 0);
    }
  });
}

template <class Sums, class C>
void of_two_million_lines() {
  using T = typename C::T;
  using Exec = typename C::Exec;
  using R = twofold::default_sum_t<T>;
  both_layouts([](auto layout) {
    using Layout = decltype(layout);
    for (const auto& [rows, columns] : {std::pair<std::size_t, std::size_t>{2100000, 3}, {3, 2100000}}) {
      reference::table<T> m{rows, columns, std::vector<T>(rows * columns)};
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < columns; ++j) m(i, j) = static_cast<T>((i + j) % 1000);
      }
      const framed<Exec, T, Layout> from(m);
      const auto expected = Sums::template expected<R>(m);
      const results<Exec, R> r(expected.size());
      Sums::call(typename C::Path{}, Exec{}, from.elements(), r.view());
      r.expect(expected);
    }
  });
}

/// Reals: sums in double, signs of zero, one NaN, no stall at 2^24.
template <class Sums, class C>
void of_reals() {
  using T = typename C::T;
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  both_layouts([&](auto layout) {
    using Layout = decltype(layout);
    for (const auto& [rows, columns] :
         {std::pair<std::size_t, std::size_t>{5, 7}, {67, 8195}, {8195, 67}, {3, 40}}) {
      const auto m = cases::random_table<T>(rows, columns);
      expect_sums<Sums, C, double, Layout>(m, 1, 1);
      expect_sums<Sums, C, double, Layout>(m, 0, 0);
    }
    expect_sums<Sums, C, T, Layout>({3, 4, std::vector<T>(12, T(-0.0))}, 0, 0);
    expect_sums<Sums, C, T, Layout>({70, 2050, std::vector<T>(143500, T(-0.0))}, 0, 0);
    expect_sums<Sums, C, T, Layout>(
        {4,
         4,
         {inf, -inf, T(1), T(2), T(1), -nan, T(3), T(0), T(-0.0), T(0), T(1), inf, T(2), T(1), -inf, inf}},
        0, 0);
  });
}

template <class Sums, class C>
void do_not_stall() {
  using T = typename C::T;
  using Exec = typename C::Exec;
  const std::size_t n = 20000000;
  Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::memory_space> ones(
      "ones", Sums::one == std::string("row") ? 2 : n, Sums::one == std::string("row") ? n : 2);
  Kokkos::deep_copy(ones, T(1));
  const results<Exec, T> r(2);
  Sums::call(typename C::Path{}, Exec{}, ones, r.view());
  r.expect({T(n), T(n)});
  const results<Exec, double> wide(2);
  Sums::call(typename C::Path{}, Exec{}, ones, wide.view());
  wide.expect({double(n), double(n)});
}

template <class Sums, class C>
void of_ints_come_out_in_sixty_four_bits() {
  both_layouts([](auto layout) {
    using Layout = decltype(layout);
    expect_sums<Sums, C, std::int64_t, Layout>({3, 5, std::vector<std::int32_t>(15, 1500000000)}, 0, 0);
    expect_sums<Sums, C, std::int64_t, Layout>({70, 9000, std::vector<std::int32_t>(630000, 1500000000)}, 0,
                                               0);
    expect_sums<Sums, C, std::int64_t, Layout>({9000, 70, std::vector<std::int32_t>(630000, -1500000000)}, 0,
                                               0);
  });
}

/// Strides, results with strides, narrow types: the portable way everywhere.
template <class Sums, class C>
void of_strided_views() {
  using T = typename C::T;
  using Exec = typename C::Exec;
  using R = twofold::default_sum_t<T>;
  for (const auto& [rows, columns] :
       {std::pair<std::size_t, std::size_t>{5, 7}, {67, 131}, {1, 9}, {9, 1}, {3, 9001}, {9001, 3}}) {
    const auto m = cases::random_table<T>(rows, columns);
    reference::table<T> spread{2 * rows, 3 * columns, std::vector<T>(6 * rows * columns, T(3))};
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) spread(2 * i, 3 * j) = m(i, j);
    }
    const auto expected = Sums::template expected<R>(m);
    both_layouts([&, r = rows, c = columns](auto layout) {
      using Layout = decltype(layout);
      const framed<Exec, T, Layout> large(spread);
      const auto all = large.elements();
      const Kokkos::View<const T**, Kokkos::LayoutStride, typename Exec::memory_space> sparse(
          all.data(), Kokkos::LayoutStride(r, 2 * all.stride(0), c, 3 * all.stride(1)));
      const results<Exec, R> packed(expected.size());
      Sums::call(Exec{}, sparse, packed.view());
      packed.expect(expected);

      const results<Exec, R> gaps(3 * expected.size());
      Sums::call(Exec{}, sparse,
                 Kokkos::View<R*, Kokkos::LayoutStride, typename Exec::memory_space>(
                     gaps.view().data(), Kokkos::LayoutStride(expected.size(), 3)));
      std::vector<R> with_gaps(3 * expected.size(), guarded<Exec, R>::guard());
      for (std::size_t k = 0; k < expected.size(); ++k) with_gaps[3 * k] = expected[k];
      gaps.expect(with_gaps);
    });
  }
}

template <class Sums>
void refuse_what_does_not_fit() {
  const auto refusal = [](const auto& m, const auto& r) -> std::string {
    try {
      Sums::call(m, r);
    } catch (const twofold::precondition_error& e) {
      return e.what();
    }
    return "nothing was refused";
  };
  const std::string where = std::string("twofold::") + Sums::name + ": ", one = Sums::one;
  const Kokkos::View<double**> m("m", 2, 3);
  const Kokkos::View<double*> seven("seven", 7), fits("fits", one == "row" ? 2 : 3);
  EXPECT_EQ(refusal(m, seven), where + "r has extent 7, M is 2 x 3; r needs one element per " + one);
  const Kokkos::View<double**, Kokkos::MemoryTraits<Kokkos::Unmanaged>> null(nullptr, 2, 3);
  EXPECT_EQ(refusal(null, fits), where + "M is null with shape 2 x 3");
  const Kokkos::View<double*, Kokkos::MemoryTraits<Kokkos::Unmanaged>> nothing(nullptr, fits.extent(0));
  EXPECT_EQ(refusal(m, nothing), where + "r is null with extent " + std::to_string(fits.extent(0)));
  const Kokkos::View<double*, Kokkos::LayoutStride> repeated(fits.data(),
                                                             Kokkos::LayoutStride(fits.extent(0), 0));
  EXPECT_EQ(refusal(m, repeated), where + "r has extent " + std::to_string(fits.extent(0)) +
                                      " with stride 0: elements share memory");
  if (one == "row") {
    EXPECT_EQ(refusal(m, Kokkos::subview(m, Kokkos::ALL, 1)), where + "r and M share memory");
  } else {
    EXPECT_EQ(refusal(m, Kokkos::subview(m, 1, Kokkos::ALL)), where + "r and M share memory");
  }
}

}  // namespace line_sums
