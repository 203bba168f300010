// SPDX-License-Identifier: Apache-2.0
// The orders of the algorithms whose results are arrays, frozen as test_golden.cpp freezes those of one number: what is
// kept is a hash of all bits. Compiled with the same flags, and held against the plain loops of tests/support too.
#include "support/line_sums.hpp"
#include "support/made.hpp"
#include "support/stencil_reference.hpp"

#include <algorithm>
#include <utility>

namespace {

using cases::made;

/// FNV-1a over the bits of the elements.
template <class T>
std::string hash_of(const std::vector<T>& x) {
  using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  std::uint64_t hash = 14695981039346656037u;
  for (const T& e : x) {
    bits raw;
    std::memcpy(&raw, &e, sizeof e);
    hash = (hash ^ raw) * 1099511628211u;
  }
  return cases::bits_of(hash);
}

/// What plain loops give, which is what is frozen.
template <class T>
struct expected_array {
  std::vector<T> elements;
  const char* frozen;

  expected_array(std::vector<T> by_plain_loops, const char* hash)
      : elements(std::move(by_plain_loops)), frozen(hash) {
    EXPECT_EQ(hash_of(elements), frozen) << "of plain loops";
  }
  void expect(const std::vector<T>& found) const {
    EXPECT_EQ(hash_of(found), frozen);
    ASSERT_EQ(found.size(), elements.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (std::memcmp(&found[i], &elements[i], sizeof(T)) == 0) continue;
      FAIL() << "element " << i << ": " << found[i] << " " << cases::bits_of(found[i])
             << ", plain loops give " << elements[i] << " " << cases::bits_of(elements[i]);
    }
  }
};

/// What a packed View holds; matrices row by row.
template <class View>
auto elements_of(const View& v) {
  Kokkos::fence();
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, v);
  std::vector<typename View::non_const_value_type> x;
  x.reserve(host.size());
  for (std::size_t i = 0; i < host.extent(0); ++i) {
    if constexpr (View::rank() == 1) {
      x.push_back(host(i));
    } else {
      for (std::size_t j = 0; j < host.extent(1); ++j) x.push_back(host(i, j));
    }
  }
  return x;
}

struct golden_windows {
  const char* name;
  std::size_t n;
  int binades;
  std::int64_t k;
  const char* windows;   // stencil of radius k
  const char* weighted;  // stencil with 2k + 1 weights
};
template <class T>
std::vector<golden_windows> windows();

struct golden_matrix {
  const char* name;
  std::size_t rows, columns;
  int binades;
  const char* outer_product;  // of the first row elements, and of the first column elements in reverse
  const char* scale_columns;  // by the latter
  const char* sum_rows;
  const char* sum_columns;
};
template <class T>
std::vector<golden_matrix> matrices();

#include "golden_array_values.inc"

template <class C>
class GoldenArrays : public cases::fixture<C> {};
TYPED_TEST_SUITE(GoldenArrays, cases::reals, cases::names);

/// Element i at 3 i.
template <class T>
std::vector<T> spread(const std::vector<T>& x) {
  std::vector<T> all(3 * x.size(), T(3));
  for (std::size_t i = 0; i < x.size(); ++i) all[3 * i] = x[i];
  return all;
}
template <class View>
auto every_third(const View& v) {
  using T = typename View::const_value_type;
  return Kokkos::View<T*, Kokkos::LayoutStride, typename View::memory_space>(
      v.data(), Kokkos::LayoutStride(v.extent(0) / 3, 3));
}

TYPED_TEST(GoldenArrays, WindowsAreFrozen) {
  using T = typename TypeParam::T;
  using Exec = typename TypeParam::Exec;
  const typename TypeParam::Path path;
  const Exec exec;
  for (const golden_windows& g : windows<T>()) {
    SCOPED_TRACE(g.name);
    const std::vector<T> x = made<T>(g.n, g.binades),
                         w = made<T>(static_cast<std::size_t>(2 * g.k + 1), g.binades);
    const cases::guarded<Exec, T> in(x), sparse(spread(x)), weights(w), sparse_weights(spread(w));
    const expected_array<T> sums(reference::stencil<T>(x, g.k), g.windows);
    const expected_array<T> weighted_sums(reference::stencil<T>(x, w), g.weighted);
    const Kokkos::View<T*, typename Exec::memory_space> out("out", g.n);

    twofold::stencil(path, exec, in.elements(), out, g.k);
    sums.expect(elements_of(out));
    twofold::stencil(path, exec, in.elements(), out, weights.elements());
    weighted_sums.expect(elements_of(out));

    SCOPED_TRACE("strided");
    twofold::stencil(exec, every_third(sparse.elements()), out, g.k);
    sums.expect(elements_of(out));
    twofold::stencil(exec, every_third(sparse.elements()), out, every_third(sparse_weights.elements()));
    weighted_sums.expect(elements_of(out));
  }
}

/// A matrix, the vectors that it is multiplied by, and what comes of them.
template <class T>
struct frozen_matrix {
  reference::table<T> m;
  std::vector<T> x, y;
  expected_array<T> outer_product, scale_columns, sum_rows, sum_columns;

  static frozen_matrix of(const golden_matrix& g) {
    const reference::table<T> m{g.rows, g.columns, made<T>(g.rows * g.columns, g.binades)};
    const std::vector<T> x = made<T>(g.rows, g.binades);
    std::vector<T> y = made<T>(g.columns, g.binades);
    std::reverse(y.begin(), y.end());
    auto products = m, scaled = m;
    for (std::size_t i = 0; i < g.rows; ++i) {
      for (std::size_t j = 0; j < g.columns; ++j) {
        products(i, j) = reference::product(x[i], y[j]);
        scaled(i, j) = reference::product(m(i, j), y[j]);
      }
    }
    return {m,
            x,
            y,
            {products.elements, g.outer_product},
            {scaled.elements, g.scale_columns},
            {line_sums::of_rows::expected<T>(m), g.sum_rows},
            {line_sums::of_columns::expected<T>(m), g.sum_columns}};
  }
};

/// The library's results for a View of the matrix.
template <class C, class M, class... Path>
void expect_frozen(const frozen_matrix<typename C::T>& f, const M& m, Path... path) {
  using T = typename C::T;
  using Exec = typename C::Exec;
  using layout = std::conditional_t<std::is_same_v<typename M::array_layout, Kokkos::LayoutStride>,
                                    Kokkos::LayoutRight, typename M::array_layout>;
  const Exec exec;
  const cases::guarded<Exec, T> x(f.x), y(f.y);
  const Kokkos::View<T**, layout, typename Exec::memory_space> out("out", f.m.rows, f.m.columns);
  const Kokkos::View<T*, typename Exec::memory_space> of_rows("of rows", f.m.rows),
      of_columns("of columns", f.m.columns);
  twofold::outer_product(path..., exec, x.elements(), y.elements(), out);
  f.outer_product.expect(elements_of(out));
  twofold::scale_columns(path..., exec, m, y.elements(), out);
  f.scale_columns.expect(elements_of(out));
  twofold::sum_rows(path..., exec, m, of_rows);
  f.sum_rows.expect(elements_of(of_rows));
  twofold::sum_columns(path..., exec, m, of_columns);
  f.sum_columns.expect(elements_of(of_columns));
}

TYPED_TEST(GoldenArrays, MatricesAreFrozen) {
  using T = typename TypeParam::T;
  using Exec = typename TypeParam::Exec;
  for (const golden_matrix& g : matrices<T>()) {
    SCOPED_TRACE(g.name);
    const auto f = frozen_matrix<T>::of(g);
    reference::table<T> gaps{g.rows, 2 * g.columns, std::vector<T>(2 * g.rows * g.columns, T(3))};
    for (std::size_t i = 0; i < g.rows; ++i) {
      for (std::size_t j = 0; j < g.columns; ++j) gaps(i, 2 * j) = f.m(i, j);
    }
    cases::both_layouts([&](auto layout) {
      using Layout = decltype(layout);
      const typename TypeParam::Path path;
      const cases::framed<Exec, T, Layout> packed(f.m), padded(f.m, 1, 2), sparse(gaps);
      expect_frozen<TypeParam>(f, packed.elements(), path);
      expect_frozen<TypeParam>(f, padded.elements(), path);
      SCOPED_TRACE("strided");
      const auto all = sparse.elements();
      const Kokkos::View<const T**, Kokkos::LayoutStride, typename Exec::memory_space> every_second(
          all.data(), Kokkos::LayoutStride(g.rows, all.stride(0), g.columns, 2 * all.stride(1)));
      expect_frozen<TypeParam>(f, every_second);
    });
  }
}

}  // namespace
