// SPDX-License-Identifier: Apache-2.0
// sum_rows and sum_columns at the ends of what they take: one line of 10^8 elements, 10^8 lines of one, and lines so
// long that the order has a third level. Beside the tests of either, for it takes seconds and gigabytes.
#include "support/cases.hpp"
#include "support/reference.hpp"

#include <map>

namespace {

/// Elements are numbered line by line. Every bit of a mantissa, two magnitudes, both signs: sums depend on their order.
KOKKOS_FUNCTION float element(std::size_t number) {
  std::uint64_t h = (number + 1) * 0x9e3779b97f4a7c15u;
  h ^= h >> 32;
  const int mantissa = static_cast<int>(h & 0xffffff) - 0x800000;
  return static_cast<float>(mantissa) * ((h >> 24 & 1) != 0 ? 1.0f : 0x1p-9f);  // exact
}

/// The sum of n elements from `first` on. Spaces and paths share it: it is a plain loop, and the elements are many.
float expected_sum(std::size_t first, std::size_t n) {
  if (n == 1) return element(first);
  static std::map<std::pair<std::size_t, std::size_t>, float> known;
  const auto [at, is_new] = known.try_emplace({first, n});
  if (is_new) {
    at->second = reference::fold<float>(
        n,
        [first](const std::optional<float>& lane, std::size_t i) {
          return lane ? *lane + element(first + i) : element(first + i);
        },
        reference::plus<float>);
  }
  return at->second;
}

/// Writes the elements from `first` on, `step` apart.
struct fill_elements {
  float* x;
  std::size_t first;
  std::size_t step;
  KOKKOS_FUNCTION void operator()(std::size_t i) const { x[i * step] = element(first + i); }
};

template <class C>
class LineExtremes : public cases::fixture<C> {
 protected:
  using Exec = typename C::Exec;
  using vector = Kokkos::View<float*, typename Exec::memory_space>;
  template <class Layout>
  using matrix = Kokkos::View<const float**, Layout, typename Exec::memory_space,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  /// `lines` lines of n elements as rows and as columns of both layouts: along memory, then across.
  static void expect_line_sums(std::size_t lines, std::size_t n) {
    const vector x(Kokkos::view_alloc("x", Kokkos::WithoutInitializing), lines * n);
    fill(lines * n, {x.data(), 0, 1});
    expect_rows(matrix<Kokkos::LayoutRight>(x.data(), lines, n), lines, n);
    expect_columns(matrix<Kokkos::LayoutLeft>(x.data(), n, lines), lines, n);
    if (n > 1) {
      for (std::size_t l = 0; l < lines; ++l) fill(n, {x.data() + l, l * n, lines});
    }
    expect_rows(matrix<Kokkos::LayoutLeft>(x.data(), lines, n), lines, n);
    expect_columns(matrix<Kokkos::LayoutRight>(x.data(), n, lines), lines, n);
  }

 private:
  static void fill(std::size_t count, const fill_elements& elements) {
    Kokkos::parallel_for("fill", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(0, count),
                         elements);
    Kokkos::fence();
  }
  template <class M>
  static void expect_rows(const M& m, std::size_t lines, std::size_t n) {
    SCOPED_TRACE(testing::Message() << "sum_rows of " << m.extent(0) << " x " << m.extent(1));
    const vector r = poisoned(lines);
    twofold::sum_rows(typename C::Path{}, Exec{}, m, results(r));
    expect(r, n);
  }
  template <class M>
  static void expect_columns(const M& m, std::size_t lines, std::size_t n) {
    SCOPED_TRACE(testing::Message() << "sum_columns of " << m.extent(0) << " x " << m.extent(1));
    const vector r = poisoned(lines);
    twofold::sum_columns(typename C::Path{}, Exec{}, m, results(r));
    expect(r, n);
  }

  static constexpr std::size_t guards = 7;
  static constexpr float poison = -77.125f;  // no element, and no sum of them
  static vector poisoned(std::size_t lines) {
    const vector r(Kokkos::view_alloc("r", Kokkos::WithoutInitializing), lines + 2 * guards);
    Kokkos::deep_copy(r, poison);
    return r;
  }
  static auto results(const vector& r) {
    return Kokkos::subview(r, std::make_pair(guards, r.extent(0) - guards));
  }
  static void expect(const vector& r, std::size_t n) {
    Kokkos::fence();
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, r);
    const std::size_t end = host.extent(0) - guards;
    for (std::size_t k = 0; k < host.extent(0); ++k) {
      const bool inside = k >= guards && k < end;
      const std::size_t l = k - guards;
      const float found = host(k), wanted = inside ? expected_sum(l * n, n) : poison;
      ASSERT_TRUE(std::memcmp(&found, &wanted, sizeof found) == 0)
          << (inside ? "line " : "guard ") << l << ": " << found << " " << cases::bits_of(found)
          << ", expected " << wanted << " " << cases::bits_of(wanted);
    }
  }
};
TYPED_TEST_SUITE(LineExtremes, cases::every<float>::type, cases::names);

constexpr std::size_t hundred_million = 100000000;

TYPED_TEST(LineExtremes, OneLineOfAHundredMillionElements) {
  if (hundred_million > cases::largest_size()) GTEST_SKIP() << "TWOFOLD_TEST_MAX_SIZE is less";
  this->expect_line_sums(1, hundred_million);
}

TYPED_TEST(LineExtremes, AHundredMillionLinesOfOneElement) {
  if (hundred_million > cases::largest_size()) GTEST_SKIP() << "TWOFOLD_TEST_MAX_SIZE is less";
  this->expect_line_sums(hundred_million, 1);
}

TYPED_TEST(LineExtremes, LinesWithAThirdLevel) {
  // 8196 chunks of 32768 elements, the last of 5; their results are a chunk of 8192 and one of 4.
  constexpr std::size_t n = (std::size_t{1} << 28) + 3 * 32768 + 5;
  if (2 * n > cases::largest_size()) GTEST_SKIP() << "TWOFOLD_TEST_MAX_SIZE is less";
  this->expect_line_sums(2, n);
}

}  // namespace
