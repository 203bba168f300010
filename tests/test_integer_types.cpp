// SPDX-License-Identifier: Apache-2.0
// C++ has more integer types than sizes and signs. Each of 4 or 8 bytes works everywhere, with the bits of the
// std::[u]int*_t of its size and sign: `long` and `long long` are two types, one of which std::int64_t is.
#include "support/cases.hpp"

namespace {

using twofold::fixed_width_t;

// ---- which type stands for which

static_assert(std::is_same_v<fixed_width_t<long long>, std::int64_t>);
static_assert(std::is_same_v<fixed_width_t<unsigned long long>, std::uint64_t>);
static_assert(std::is_same_v<fixed_width_t<int>, std::int32_t>);
static_assert(std::is_same_v<fixed_width_t<unsigned>, std::uint32_t>);
static_assert(sizeof(long) != 8 || std::is_same_v<fixed_width_t<long>, std::int64_t>);
static_assert(sizeof(long) != 8 || std::is_same_v<fixed_width_t<unsigned long>, std::uint64_t>);
static_assert(std::is_same_v<fixed_width_t<char32_t>, std::uint32_t>);
static_assert(std::is_same_v<fixed_width_t<short>, std::int16_t>);
static_assert(std::is_same_v<fixed_width_t<char>,
                             std::conditional_t<std::is_signed_v<char>, std::int8_t, std::uint8_t>>);
static_assert(std::is_same_v<fixed_width_t<const long long>, const std::int64_t>);
static_assert(std::is_same_v<fixed_width_t<bool>, bool>);
static_assert(std::is_same_v<fixed_width_t<float>, float>);

// So nothing is compiled twice, and every type has the kernels of the library.
template <class T>
using view_of = Kokkos::View<T*, Kokkos::HostSpace>;
static_assert(std::is_same_v<twofold::element_t<view_of<const long long>>, std::int64_t>);
static_assert(twofold::backends::host::has_kernel<twofold::element_t<view_of<long long>>,
                                                  twofold::default_sum_t<long long>>);
static_assert(twofold::backends::host::has_kernel<twofold::element_t<view_of<unsigned long long>>,
                                                  twofold::default_sum_t<unsigned long long>>);

// The native library is called with pointers: its concepts name what is compiled, and as_fixed_width leads there.
static_assert(twofold::cuda_native::sums<fixed_width_t<long long>>);
static_assert(twofold::cuda_native::sums<fixed_width_t<unsigned long long>>);
static_assert(std::is_same_v<decltype(twofold::as_fixed_width(static_cast<const long long*>(nullptr))),
                             const std::int64_t*>);
static_assert(std::is_same_v<decltype(twofold::as_fixed_width(static_cast<float*>(nullptr))), float*>);

// ---- the same bits

template <class C>
class IntegerTypes : public cases::fixture<C> {};
struct names {
  template <class C>
  static std::string GetName(int i) {
    return std::string(C::Exec::name()) + "_" + C::Path::name + "_" + std::to_string(i);
  }
};
using every_integer =
    cases::every<long long, unsigned long long, long, unsigned long, int, unsigned, wchar_t>::type;
TYPED_TEST_SUITE(IntegerTypes, every_integer, names);

/// The same numbers as T and as the fixed-width type.
template <class C>
struct twins {
  using T = typename C::T;
  using F = fixed_width_t<T>;
  using Memory = typename C::Exec::memory_space;

  twins(std::size_t n, std::uint64_t seed) : odd("odd", n), fixed("fixed", n) {
    const auto x = cases::random_elements<F>(n, seed);
    auto odd_host = Kokkos::create_mirror_view(odd);
    auto fixed_host = Kokkos::create_mirror_view(fixed);
    for (std::size_t i = 0; i < n; ++i) {
      odd_host(i) = static_cast<T>(x[i]);
      fixed_host(i) = x[i];
    }
    Kokkos::deep_copy(odd, odd_host);
    Kokkos::deep_copy(fixed, fixed_host);
  }
  Kokkos::View<T*, Memory> odd;
  Kokkos::View<F*, Memory> fixed;
};

template <class Odd, class Fixed>
void expect_equal(const Odd& odd, const Fixed& fixed) {
  Kokkos::fence();
  const auto a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, odd);
  const auto b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, fixed);
  ASSERT_EQ(a.size(), b.size());
  ASSERT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(*a.data())), 0);
}

TYPED_TEST(IntegerTypes, OfFolds) {
  using T = typename TypeParam::T;
  using F = fixed_width_t<T>;
  using S = twofold::default_sum_t<F>;
  using Memory = typename TypeParam::Exec::memory_space;
  const typename TypeParam::Path path;
  const typename TypeParam::Exec exec;
  for (const std::size_t n : cases::few_sizes()) {
    SCOPED_TRACE(n);
    const twins<TypeParam> x(n, n), y(n, n + 1);
    const Kokkos::View<const T*, Memory> constant = x.odd;
    EXPECT_EQ(twofold::sum(path, exec, x.odd), twofold::sum(path, exec, x.fixed));
    EXPECT_EQ(twofold::sum(path, exec, constant), twofold::sum(path, exec, x.fixed));
    EXPECT_EQ(twofold::dot(path, exec, x.odd, y.odd), twofold::dot(path, exec, x.fixed, y.fixed));
    EXPECT_EQ(twofold::dot(path, exec, x.odd, y.fixed), twofold::dot(path, exec, x.fixed, y.fixed));
    EXPECT_SAME_BITS(twofold::norm2(path, exec, x.odd), twofold::norm2(path, exec, x.fixed));
    static_assert(std::is_same_v<decltype(twofold::sum(path, exec, x.odd)), S>);

    // Into a result of such a type, and returned as one that was asked for.
    using Wide = std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>;
    const Kokkos::View<Wide, Memory> result("result");
    const auto value = [&] {
      exec.fence();
      Wide v;
      Kokkos::deep_copy(v, result);
      return v;
    };
    twofold::sum(path, exec, x.odd, result);
    EXPECT_EQ(value(), static_cast<Wide>(twofold::sum(path, exec, x.fixed)));
    twofold::dot(path, exec, x.odd, y.odd, result);
    EXPECT_EQ(value(), static_cast<Wide>(twofold::dot(path, exec, x.fixed, y.fixed)));
    EXPECT_EQ(twofold::sum<Wide>(path, exec, x.odd), static_cast<Wide>(twofold::sum(path, exec, x.fixed)));
    static_assert(std::is_same_v<decltype(twofold::sum<Wide>(path, exec, x.odd)), Wide>);
    static_assert(std::is_same_v<decltype(twofold::dot<Wide>(exec, x.odd, y.odd)), Wide>);
    static_assert(std::is_same_v<decltype(twofold::sum<Wide>(x.odd)), Wide>);
  }
}

// Sums in the element's own type: wraps where that has 32 bits.
TYPED_TEST(IntegerTypes, OfFoldsInTheirOwnType) {
  using T = typename TypeParam::T;
  const typename TypeParam::Exec exec;
  const twins<TypeParam> x(70001, 1);
  EXPECT_EQ(twofold::sum<T>(exec, x.odd), static_cast<T>(twofold::sum(exec, x.fixed)));
  EXPECT_EQ(twofold::dot<T>(exec, x.odd, x.odd), static_cast<T>(twofold::dot(exec, x.fixed, x.fixed)));
  EXPECT_SAME_BITS(twofold::sum<double>(exec, x.odd), twofold::sum<double>(exec, x.fixed));
}

TYPED_TEST(IntegerTypes, OfStencils) {
  using T = typename TypeParam::T;
  using F = fixed_width_t<T>;
  using S = twofold::default_sum_t<F>;
  using Wide = std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>;
  using Memory = typename TypeParam::Exec::memory_space;
  const typename TypeParam::Path path;
  const typename TypeParam::Exec exec;
  for (const std::size_t n : {1, 33, 5000, 70001}) {
    const twins<TypeParam> x(n, n), w(7, 3);
    const Kokkos::View<T*, Memory> odd("odd", n);
    const Kokkos::View<F*, Memory> fixed("fixed", n);
    const Kokkos::View<Wide*, Memory> wide("wide", n);
    const Kokkos::View<S*, Memory> fixed_wide("fixed wide", n);
    for (const int k : {0, 3, 12, 100, 20000}) {  // each of the ways that a window is summed
      SCOPED_TRACE(testing::Message() << n << " elements, radius " << k);
      twofold::stencil(path, exec, x.odd, odd, k);
      twofold::stencil(path, exec, x.fixed, fixed, k);
      expect_equal(odd, fixed);
      twofold::stencil(path, exec, x.odd, wide, k);
      twofold::stencil(path, exec, x.fixed, fixed_wide, k);
      expect_equal(wide, fixed_wide);
    }
    twofold::stencil(path, exec, x.odd, odd, w.odd);
    twofold::stencil(path, exec, x.fixed, fixed, w.fixed);
    expect_equal(odd, fixed);
  }
}

TYPED_TEST(IntegerTypes, OfMatrices) {
  using T = typename TypeParam::T;
  using F = fixed_width_t<T>;
  using S = twofold::default_sum_t<F>;
  using Wide = std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>;
  using Memory = typename TypeParam::Exec::memory_space;
  const typename TypeParam::Path path;
  const typename TypeParam::Exec exec;
  constexpr std::size_t rows = 37, columns = 131;
  const twins<TypeParam> x(rows, 1), y(columns, 2);
  const auto each_layout = [&](auto layout) {
    using Layout = decltype(layout);
    const Kokkos::View<T**, Layout, Memory> odd("odd", rows, columns), scaled("scaled", rows, columns);
    const Kokkos::View<F**, Layout, Memory> fixed("fixed", rows, columns);
    twofold::outer_product(path, exec, x.odd, y.odd, odd);
    twofold::outer_product(path, exec, x.fixed, y.fixed, fixed);
    expect_equal(odd, fixed);

    const Kokkos::View<Wide*, Memory> of_rows("of rows", rows), of_columns("of columns", columns);
    const Kokkos::View<S*, Memory> of_fixed_rows("of rows", rows), of_fixed_columns("of columns", columns);
    twofold::sum_rows(path, exec, odd, of_rows);
    twofold::sum_rows(path, exec, fixed, of_fixed_rows);
    expect_equal(of_rows, of_fixed_rows);
    twofold::sum_columns(path, exec, odd, of_columns);
    twofold::sum_columns(path, exec, fixed, of_fixed_columns);
    expect_equal(of_columns, of_fixed_columns);

    twofold::scale_columns(path, exec, odd, y.odd, scaled);
    twofold::scale_columns(path, exec, fixed, y.fixed, fixed);
    expect_equal(scaled, fixed);
    twofold::scale_columns(path, exec, odd, y.odd, odd);
    expect_equal(odd, fixed);
    // Spellings may be mixed.
    twofold::scale_columns(path, exec, odd, y.fixed, fixed);
    twofold::scale_columns(path, exec, odd, y.odd, odd);
    expect_equal(odd, fixed);
  };
  each_layout(Kokkos::LayoutRight{});
  each_layout(Kokkos::LayoutLeft{});
}

// ---- the caller's accesses stay where they are

// Short strided Views run through code that is compiled into the caller, who writes before and after. As two types that
// a compiler may take for strangers, the accesses could change places.
template <class T>
void expect_order_of_accesses() {
  constexpr int n = 6;
  const Kokkos::DefaultHostExecutionSpace exec;
  for (int repeat = 0; repeat < 3; ++repeat) {
    T memory[2 * n], squares[2 * n * n], total = 99;
    const Kokkos::View<T*, Kokkos::LayoutStride, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> x(
        memory, Kokkos::LayoutStride(n, 2));
    const Kokkos::View<T, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> result(&total);
    const Kokkos::View<T**, Kokkos::LayoutStride, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> c(
        squares, Kokkos::LayoutStride(n, 2 * n, n, 2));
    for (int i = 0; i < n; ++i) x(i) = static_cast<T>(i + 1 + repeat);
    twofold::sum(exec, x, result);
    const T sum = total;
    twofold::outer_product(exec, x, x, c);
    const T corner = c(n - 1, n - 1), product = squares[2];
    for (int i = 0; i < n; ++i) x(i) = T(0);
    total = T(0);
    EXPECT_EQ(sum, static_cast<T>(n * (n + 1) / 2 + n * repeat));
    EXPECT_EQ(corner, static_cast<T>((n + repeat) * (n + repeat)));
    EXPECT_EQ(product, static_cast<T>((1 + repeat) * (2 + repeat)));
    EXPECT_EQ(twofold::sum(exec, x), twofold::default_sum_t<T>(0));
  }
}

TEST(IntegerTypesOnTheHost, KeepTheOrderOfAccesses) {
  expect_order_of_accesses<long long>();
  expect_order_of_accesses<unsigned long long>();
  expect_order_of_accesses<long>();
  expect_order_of_accesses<int>();
}

}  // namespace
