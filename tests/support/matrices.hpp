// SPDX-License-Identifier: Apache-2.0
// Matrices framed by guards on all sides, and the plain loops that the matrix algorithms are compared with.
#pragma once

#include "cases.hpp"
#include "reference.hpp"

#include <utility>

namespace reference {

/// x * y rounded once, with one NaN; wraps for integers.
template <class T>
T product(T x, T y) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y));
  } else {
    volatile T p = x * y;
    return std::isnan(p) ? std::numeric_limits<T>::quiet_NaN() : T(p);
  }
}

/// Row by row, whatever the layout of what it is compared with.
template <class T>
struct table {
  std::size_t rows, columns;
  std::vector<T> elements;
  T& operator()(std::size_t i, std::size_t j) { return elements[i * columns + j]; }
  T operator()(std::size_t i, std::size_t j) const { return elements[i * columns + j]; }
  std::vector<T> row(std::size_t i) const {
    return {elements.begin() + static_cast<std::ptrdiff_t>(i * columns),
            elements.begin() + static_cast<std::ptrdiff_t>((i + 1) * columns)};
  }
  std::vector<T> column(std::size_t j) const {
    std::vector<T> c(rows);
    for (std::size_t i = 0; i < rows; ++i) c[i] = (*this)(i, j);
    return c;
  }
};

}  // namespace reference

namespace cases {

template <class T>
reference::table<T> random_table(std::size_t rows, std::size_t columns, std::uint64_t seed = 1) {
  return {rows, columns, random_elements<T>(rows * columns, seed)};
}

/// A matrix as a part of a larger one: its lines begin `offset` elements after those of the larger one and end `pad`
/// before; a line more on both sides. What is around it holds guards.
template <class Exec, class T, class Layout>
class framed {
 public:
  static constexpr bool by_rows = std::is_same_v<Layout, Kokkos::LayoutRight>;
  using whole = Kokkos::View<T**, Layout, typename Exec::memory_space>;

  framed(std::size_t rows, std::size_t columns, std::size_t offset = 0, std::size_t pad = 0)
      : rows_(rows),
        columns_(columns),
        offset_(offset),
        all_("all", by_rows ? rows + 2 : offset + rows + pad, by_rows ? offset + columns + pad : columns + 2),
        host_(Kokkos::create_mirror_view(all_)) {
    fill();
  }
  explicit framed(const reference::table<T>& m, std::size_t offset = 0, std::size_t pad = 0)
      : framed(m.rows, m.columns, offset, pad) {
    for (std::size_t i = 0; i < m.rows; ++i) {
      for (std::size_t j = 0; j < m.columns; ++j) at(i, j) = m(i, j);
    }
    Kokkos::deep_copy(all_, host_);
  }

  auto elements() const {
    const std::size_t i = by_rows ? 1 : offset_, j = by_rows ? offset_ : 1;
    auto part = Kokkos::subview(all_, std::make_pair(i, i + rows_), std::make_pair(j, j + columns_));
    static_assert(by_rows ? twofold::packed_rows<decltype(part)> : twofold::packed_columns<decltype(part)>);
    return part;
  }

  /// Every element is as expected and every guard untouched.
  void expect(const reference::table<T>& expected) {
    auto found = Kokkos::create_mirror_view(all_);
    if (found.data() == all_.data()) found = decltype(found)("copy", all_.extent(0), all_.extent(1));
    Kokkos::fence();
    Kokkos::deep_copy(found, all_);
    fill();
    for (std::size_t i = 0; i < rows_; ++i) {
      for (std::size_t j = 0; j < columns_; ++j) at(i, j) = expected(i, j);
    }
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < all_.extent(0); ++i) {
      for (std::size_t j = 0; j < all_.extent(1); ++j) {
        const T a = found(i, j), b = host_(i, j);
        if (std::memcmp(&a, &b, sizeof a) == 0) continue;
        if (++wrong > 3) continue;
        ADD_FAILURE() << "(" << i << ", " << j << ") of the framed matrix: " << a << " " << bits_of(a)
                      << ", expected " << b << " " << bits_of(b);
      }
    }
    EXPECT_EQ(wrong, 0u);
  }

 private:
  T& at(std::size_t i, std::size_t j) {
    return by_rows ? host_(i + 1, j + offset_) : host_(i + offset_, j + 1);
  }
  void fill() {
    if (host_.data() == all_.data())
      host_ = typename whole::host_mirror_type("host", all_.extent(0), all_.extent(1));
    for (std::size_t i = 0; i < all_.extent(0); ++i) {
      for (std::size_t j = 0; j < all_.extent(1); ++j) host_(i, j) = guarded<Exec, T>::guard();
    }
    if (!filled_) Kokkos::deep_copy(all_, host_);
    filled_ = true;
  }

  std::size_t rows_, columns_, offset_;
  whole all_;
  typename whole::host_mirror_type host_;
  bool filled_ = false;
};

/// Shapes around every boundary: of packs, warps, teams and steps; empty; one line; few and many.
inline std::vector<std::pair<std::size_t, std::size_t>> shapes() {
  std::vector<std::pair<std::size_t, std::size_t>> all{{0, 0},     {0, 5},     {5, 0},     {1, 1},
                                                       {1, 70001}, {70001, 1}, {40001, 3}, {3, 40001}};
  for (const std::size_t columns : {1, 2, 3, 4, 5, 31, 32, 33, 127, 128, 129, 1000, 1024, 1025, 4097}) {
    for (const std::size_t rows : {1, 2, 7, 8, 9, 67}) all.emplace_back(rows, columns);
  }
  return all;
}

struct frame {
  std::size_t offset, pad;
};
inline std::vector<frame> frames() { return {{0, 0}, {0, 3}, {1, 0}, {2, 2}, {4, 4}, {3, 5}}; }

/// body(layout) for both layouts. (A tag, no template argument: nvcc warns of lambdas that are told their type.)
template <class Body>
void both_layouts(Body body) {
  {
    SCOPED_TRACE("LayoutRight");
    body(Kokkos::LayoutRight{});
  }
  {
    SCOPED_TRACE("LayoutLeft");
    body(Kokkos::LayoutLeft{});
  }
}

}  // namespace cases
