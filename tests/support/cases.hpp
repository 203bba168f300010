// SPDX-License-Identifier: Apache-2.0
// What the typed tests run over: spaces, paths, types; sizes; inputs; Views with guards around them.
#pragma once

#include <twofold/twofold.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace cases {

template <class Exec_, class Path_, class T_>
struct combination {
  using Exec = Exec_;
  using Path = Path_;
  using T = T_;
};

template <class... Lists>
struct joined;
template <class... A>
struct joined<::testing::Types<A...>> {
  using type = ::testing::Types<A...>;
};
template <class... A, class... B, class... Rest>
struct joined<::testing::Types<A...>, ::testing::Types<B...>, Rest...>
    : joined<::testing::Types<A..., B...>, Rest...> {};

template <class Exec, class Path, class... T>
using over_types = ::testing::Types<combination<Exec, Path, T>...>;

// Every space of this Kokkos, with every path that it has.
template <class... T>
struct every {
#if defined(KOKKOS_ENABLE_OPENMP)
  using openmp = over_types<Kokkos::OpenMP, twofold::portable_path, T...>;
#else
  using openmp = ::testing::Types<>;
#endif
#if defined(KOKKOS_ENABLE_SERIAL)
  using serial = over_types<Kokkos::Serial, twofold::portable_path, T...>;
#else
  using serial = ::testing::Types<>;
#endif
#if defined(KOKKOS_ENABLE_CUDA)
  using native = std::conditional_t<twofold::backends::cuda_native_built,
                                    over_types<Kokkos::Cuda, twofold::native_path, T...>, ::testing::Types<>>;
  using cuda = typename joined<over_types<Kokkos::Cuda, twofold::portable_path, T...>, native>::type;
#else
  using cuda = ::testing::Types<>;
#endif
  using type = typename joined<openmp, serial, cuda>::type;
};

using numbers = every<float, double, std::int32_t, std::int64_t, std::uint32_t, std::uint64_t>::type;
using reals = every<float, double>::type;

/// Lets gtest name a combination.
struct names {
  template <class C>
  static std::string GetName(int) {
    const char* t = std::is_same_v<typename C::T, float>           ? "float"
                    : std::is_same_v<typename C::T, double>        ? "double"
                    : std::is_same_v<typename C::T, std::int32_t>  ? "int32"
                    : std::is_same_v<typename C::T, std::int64_t>  ? "int64"
                    : std::is_same_v<typename C::T, std::uint32_t> ? "uint32"
                                                                   : "uint64";
    return std::string(C::Exec::name()) + "_" + C::Path::name + "_" + t;
  }
};

/// TWOFOLD_TEST_MAX_SIZE leaves out larger inputs, for runs under a checker that slows them a hundredfold.
inline std::size_t largest_size() {
  const char* limit = std::getenv("TWOFOLD_TEST_MAX_SIZE");
  return limit ? std::strtoull(limit, nullptr, 10) : ~std::size_t{0};
}

/// Sizes around every boundary of the order and of the hardware under it, up to the largest that is wanted. 2^21 + 1 and
/// beyond have long chunks.
inline std::vector<std::size_t> sizes() {
  const std::size_t most = largest_size();
  constexpr std::size_t w = twofold::fold_order::lanes, short_chunk = 4 * w, long_chunk = 16 * w;
  std::vector<std::size_t> all = {0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 513,
                                  1000, 1023, 1024, 1025, w - 1, w, w + 1, 2 * w - 1, 4095, 4097,
                                  short_chunk - 1, short_chunk, short_chunk + 1, 3 * short_chunk + 777,
                                  long_chunk - 1, long_chunk, long_chunk + 1, 65537, 100003,
                                  // on a large GPU two teams a chunk
                                  40 * short_chunk + 3, 66 * short_chunk, (1u << 20) + 1, (1u << 21),
                                  (1u << 21) + 1, (1u << 21) + 3 * long_chunk + 5};
  std::erase_if(all, [most](std::size_t n) { return n > most; });
  return all;
}

/// A few sizes for the slower cross products.
inline std::vector<std::size_t> few_sizes() { return {1, 5, 33, 1000, 2049, 8193, 70001}; }

/// Random elements: floating point over 40 binades and both signs, integers over their whole range.
template <class T>
std::vector<T> random_elements(std::size_t n, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  std::vector<T> x(n);
  for (T& e : x) {
    if constexpr (std::is_floating_point_v<T>) {
      const double mantissa = static_cast<double>(static_cast<std::int64_t>(bits()) >> 11);
      e = static_cast<T>(std::ldexp(mantissa, static_cast<int>(bits() % 40) - 72));
    } else {
      e = static_cast<T>(bits());
    }
  }
  return x;
}

/// A vector in an execution space's memory, at an offset and with guard elements on both sides.
template <class Exec, class T>
class guarded {
 public:
  using view = Kokkos::View<T*, typename Exec::memory_space>;
  static constexpr std::size_t guards = 64;

  explicit guarded(const std::vector<T>& x, std::size_t offset = 0)
      : all_("all", guards + offset + x.size() + guards), begin_(guards + offset), n_(x.size()) {
    auto host = Kokkos::create_mirror_view(all_);
    for (std::size_t i = 0; i < all_.extent(0); ++i) host(i) = guard();
    for (std::size_t i = 0; i < n_; ++i) host(begin_ + i) = x[i];
    Kokkos::deep_copy(all_, host);
  }
  view elements() const { return Kokkos::subview(all_, std::make_pair(begin_, begin_ + n_)); }
  static T guard() {
    return static_cast<T>(std::is_floating_point_v<T> ? std::numeric_limits<T>::quiet_NaN() : T(77));
  }

 private:
  view all_;
  std::size_t begin_;
  std::size_t n_;
};

template <class T>
std::string bits_of(T value) {
  char text[32];
  std::uint64_t raw = 0;
  std::memcpy(&raw, &value, sizeof value);
  std::snprintf(text, sizeof text, sizeof value == 4 ? "%08llx" : "%016llx",
                static_cast<unsigned long long>(raw));
  return text;
}

/// Equal to the bit: tells -0.0 from 0.0, and a NaN equals itself.
#define EXPECT_SAME_BITS(a, b) EXPECT_EQ(cases::bits_of(a), cases::bits_of(b)) << (a) << " against " << (b)

/// Asynchronous errors surface in the test that caused them.
template <class Combination>
class fixture : public ::testing::Test {
 protected:
  void TearDown() override { ASSERT_NO_THROW(Kokkos::fence("end of test")); }
};

}  // namespace cases
