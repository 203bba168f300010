// SPDX-License-Identifier: Apache-2.0
#include "support/cases.hpp"
#include "support/stencil_reference.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace {

template <class C>
class Stencil : public cases::fixture<C> {};
TYPED_TEST_SUITE(Stencil, cases::numbers, cases::names);

template <class C>
class StencilOfReals : public cases::fixture<C> {};
TYPED_TEST_SUITE(StencilOfReals, cases::reals, cases::names);

/// The elements of a View on the host.
template <class View>
auto copied(const View& v) {
  std::vector<typename View::non_const_value_type> x(v.extent(0));
  auto dense =
      Kokkos::View<typename View::non_const_value_type*, typename View::memory_space>("dense", v.extent(0));
  Kokkos::deep_copy(dense, v);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, dense);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = host(i);
  return x;
}

/// A vector to write, with guards on both sides that must stay as they are.
template <class Exec, class R>
class guarded_output {
 public:
  static constexpr std::size_t guards = 96;
  guarded_output(std::size_t n, std::size_t offset)
      : all_("out", guards + offset + n + guards), begin_(guards + offset), n_(n) {
    Kokkos::deep_copy(all_, guard());
  }
  auto elements() const { return Kokkos::subview(all_, std::make_pair(begin_, begin_ + n_)); }
  static R guard() { return cases::guarded<Exec, R>::guard(); }
  /// The elements, once the guards are found intact.
  std::vector<R> result() const {
    const auto all = copied(all_);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const R expected = guard();
      if ((i < begin_ || i >= begin_ + n_) && std::memcmp(&all[i], &expected, sizeof(R)) != 0) {
        ADD_FAILURE() << "guard " << i << " was overwritten";
      }
    }
    return {all.begin() + static_cast<std::ptrdiff_t>(begin_),
            all.begin() + static_cast<std::ptrdiff_t>(begin_ + n_)};
  }

 private:
  Kokkos::View<R*, typename Exec::memory_space> all_;
  std::size_t begin_, n_;
};

template <class R>
void expect_same(const std::vector<R>& found, const std::vector<R>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  if (found.empty() || std::memcmp(found.data(), expected.data(), found.size() * sizeof(R)) == 0) return;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < found.size() && wrong < 3; ++i) {
    if (cases::bits_of(found[i]) != cases::bits_of(expected[i])) {
      ADD_FAILURE() << "element " << i << " is " << found[i] << ", expected " << expected[i];
      ++wrong;
    }
  }
}

template <class C, class R = typename C::T, class Third>
std::vector<R> stencil_of(const std::vector<typename C::T>& x, const Third& third, std::size_t in_offset = 0,
                          std::size_t out_offset = 0) {
  using Exec = typename C::Exec;
  const Exec exec;
  const cases::guarded<Exec, typename C::T> in(x, in_offset);
  const guarded_output<Exec, R> out(x.size(), out_offset);
  twofold::stencil(typename C::Path{}, exec, in.elements(), out.elements(), third);
  exec.fence();
  return out.result();
}

template <class C, class R = typename C::T>
std::vector<R> weighted_stencil_of(const std::vector<typename C::T>& x, const std::vector<typename C::T>& w,
                                   std::size_t in_offset = 0, std::size_t out_offset = 0) {
  const cases::guarded<typename C::Exec, typename C::T> weights(w, 1);
  return stencil_of<C, R>(x, weights.elements(), in_offset, out_offset);
}

// ---- radii around every switch of the order and of the kernels; sizes around every tile

TYPED_TEST(Stencil, EqualsTheReferenceToTheBit) {
  using T = typename TypeParam::T;
  const std::vector<std::int64_t> radii = {0,   1,   2,   3,   4,   7,   8,   9,    10,   12,  15,
                                           16,  17,  24,  31,  32,  33,  47,  48,   63,   64,  100,
                                           127, 128, 255, 256, 511, 560, 576, 1000, 1023, 1024};
  for (const std::int64_t k : radii) {
    for (const std::size_t n : {1, 2, 5, 31, 33, 100, 1023, 4097, 9001}) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", k = " << k);
      const auto x = cases::random_elements<T>(n, n + static_cast<std::size_t>(k));
      expect_same(stencil_of<TypeParam>(x, k), reference::stencil<T>(x, k));
    }
  }
}

TYPED_TEST(Stencil, OfLongWindowsEqualsTheReference) {
  using T = typename TypeParam::T;
  for (const std::int64_t k : {1025, 1100, 1500, 1650, 1700, 1725, 1750, 2240,  2400,  2943, 2944,
                               2945, 4096, 5000, 5100, 6015, 6016, 6017, 14000, 30000, 65536}) {
    for (const std::size_t n : {3000u, 32768u, 40001u}) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", k = " << k);
      const auto x = cases::random_elements<T>(n, n + static_cast<std::size_t>(k));
      expect_same(stencil_of<TypeParam>(x, k), reference::stencil<T>(x, k));
    }
  }
}

TYPED_TEST(Stencil, OfManyTilesEqualsTheReference) {
  using T = typename TypeParam::T;
  constexpr std::size_t n = (std::size_t{1} << 20) + 12345;
  const auto x = cases::random_elements<T>(n, 7);
  for (const std::int64_t k : {1, 8, 9, 32, 255, 256, 257, 384, 385, 1000, 20000, 300000}) {
    SCOPED_TRACE(k);
    const auto found = stencil_of<TypeParam>(x, k);
    const reference::window_sums<T, T> expected(x, k);
    std::vector<T> some, same;
    for (std::size_t i = 0; i < n; i += 1 + i % 61) {
      some.push_back(found[i]);
      same.push_back(expected(static_cast<std::int64_t>(i)));
    }
    expect_same(some, same);
  }
}

TYPED_TEST(Stencil, DoesNotDependOnAlignment) {
  using T = typename TypeParam::T;
  for (const std::int64_t k : {0, 3, 8, 11, 40, 1500}) {
    for (const std::size_t n : {1, 3, 4, 5, 7, 1023, 1024, 4097}) {
      const auto x = cases::random_elements<T>(n, n);
      const auto expected = reference::stencil<T>(x, k);
      for (std::size_t offset = 0; offset < 8; ++offset) {
        SCOPED_TRACE(testing::Message() << "n = " << n << ", k = " << k << " at offset " << offset);
        expect_same(stencil_of<TypeParam>(x, k, offset, (3 * offset) % 8), expected);
      }
    }
  }
}

TYPED_TEST(Stencil, OfOnesCountsTheWindow) {
  using T = typename TypeParam::T;
  constexpr std::int64_t n = 200000;
  const std::vector<T> ones(n, T(1));
  for (const std::int64_t k :
       {0, 8, 9, 2943, 2944, 2945, 6015, 6016, 6017, 14000, 30000, 150000, 199998, 199999, 200000, 1000000}) {
    SCOPED_TRACE(k);
    std::vector<T> expected(n);
    for (std::int64_t i = 0; i < n; ++i)
      expected[static_cast<std::size_t>(i)] = static_cast<T>(std::min(i, k) + std::min(n - 1 - i, k) + 1);
    expect_same(stencil_of<TypeParam>(ones, k), expected);
  }
}

TYPED_TEST(Stencil, OfWindowsBeyondTheVectorIsTheSumOfAll) {
  using T = typename TypeParam::T;
  using V = std::vector<T>;
  expect_same(stencil_of<TypeParam>(V{1, 2, 3}, 5), V{6, 6, 6});
  expect_same(stencil_of<TypeParam>(V{7}, 10), V{7});
  for (const int k : {1, 2, 3}) expect_same(stencil_of<TypeParam>(V{4, 5}, k), V{9, 9});
  expect_same(stencil_of<TypeParam>(V{4, 5}, 0), V{4, 5});
  expect_same(stencil_of<TypeParam>(V{}, 3), V{});
  V x(1000);
  for (std::size_t i = 0; i < 1000; ++i) x[i] = static_cast<T>(i);
  for (const int k : {999, 1000, 100000}) expect_same(stencil_of<TypeParam>(x, k), V(1000, T(499500)));
  for (const std::size_t n : {1u, 2u, 50u, 1000u}) {
    V ones(n, T(1));
    expect_same(stencil_of<TypeParam>(ones, std::numeric_limits<std::size_t>::max() / 4),
                V(n, static_cast<T>(n)));
    expect_same(stencil_of<TypeParam>(ones, std::numeric_limits<std::size_t>::max()),
                V(n, static_cast<T>(n)));
    expect_same(stencil_of<TypeParam>(ones, std::numeric_limits<std::int64_t>::max()),
                V(n, static_cast<T>(n)));
  }
}

TYPED_TEST(Stencil, BeyondTheVectorDoesNotDependOnTheRadius) {
  using T = typename TypeParam::T;
  for (const std::size_t n : {1u, 33u, 1000u, 5000u}) {
    SCOPED_TRACE(n);
    const auto x = cases::random_elements<T>(n, n);
    const auto expected = reference::stencil<T>(x, static_cast<std::int64_t>(n) + 1000003);
    for (const std::size_t k : {n + 63, n + 64, n + 65, n + 10000, std::size_t{1} << 40}) {
      expect_same(stencil_of<TypeParam>(x, k), expected);
    }
  }
}

// ---- weights

TYPED_TEST(Stencil, WithWeightsEqualsTheReference) {
  using T = typename TypeParam::T;
  for (const std::size_t k : {0u, 1u, 2u, 3u, 5u, 16u, 100u, 255u, 256u, 257u, 700u}) {
    const auto w = cases::random_elements<T>(2 * k + 1, k + 99);
    for (const std::size_t n : {1u, 2u, 7u, 8u, 9u, 100u, 2048u, 2049u, 5003u}) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", k = " << k);
      const auto x = cases::random_elements<T>(n, n + k);
      expect_same(weighted_stencil_of<TypeParam>(x, w, n % 5, k % 7), reference::stencil<T>(x, w));
    }
  }
}

TYPED_TEST(Stencil, WithWeightsDoesNotReverse) {
  using T = typename TypeParam::T;
  using V = std::vector<T>;
  expect_same(weighted_stencil_of<TypeParam>(V{1, 10, 100}, V{2, 3, 4}), V{43, 432, 320});
  expect_same(weighted_stencil_of<TypeParam>(V{5, 6}, V{1, 1, 1, 1, 1, 1, 9}), V{11, 11});
  expect_same(weighted_stencil_of<TypeParam>(V{5, 6}, V{3}), V{15, 18});
  expect_same(weighted_stencil_of<TypeParam>(V{}, V{3}), V{});
}

TYPED_TEST(StencilOfReals, WithWeightsSkipsWhatIsOutside) {
  using T = typename TypeParam::T;
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  // A weight of infinity times an absent element would be a NaN.
  expect_same(weighted_stencil_of<TypeParam>({T(2)}, {inf, T(3), nan}), {T(6)});
  expect_same(weighted_stencil_of<TypeParam>({T(-0.0)}, {T(1), T(1), T(1)}), {T(-0.0)});
  expect_same(weighted_stencil_of<TypeParam>({T(2), T(4)}, {inf, T(3), T(0)}), {T(6), inf});
}

// ---- zeros, NaNs, accuracy, wider results

TYPED_TEST(StencilOfReals, KeepsTheSignOfZeroAndOneNaN) {
  using T = typename TypeParam::T;
  const T nan = std::numeric_limits<T>::quiet_NaN(), inf = std::numeric_limits<T>::infinity();
  for (const std::int64_t k : {0, 1, 9, 20, 40, 2000}) {
    SCOPED_TRACE(k);
    expect_same(stencil_of<TypeParam>(std::vector<T>(100, T(-0.0)), k), std::vector<T>(100, T(-0.0)));
    std::vector<T> x(5000, T(1));
    x[2500] = -nan;
    const auto found = stencil_of<TypeParam>(x, k);
    for (std::int64_t i = 0; i < 5000; ++i) {
      if (std::abs(i - 2500) <= k) {
        EXPECT_SAME_BITS(found[static_cast<std::size_t>(i)], nan);
      } else {
        EXPECT_EQ(found[static_cast<std::size_t>(i)], T(std::min(i, k) + std::min(4999 - i, k) + 1));
      }
    }
    x[2500] = inf;
    EXPECT_SAME_BITS(stencil_of<TypeParam>(x, k)[2500], inf);
  }
}

TYPED_TEST(StencilOfReals, DoesNotCancel) {
  using T = typename TypeParam::T;
  // A running sum that subtracts what leaves the window would keep the rounding of the large elements.
  std::vector<T> x(20000, T(1));
  for (std::size_t i = 0; i < 5000; ++i) x[i] = T(3e15) + static_cast<T>(i);
  for (const std::int64_t k : {5, 12, 100, 3000}) {
    const auto found = stencil_of<TypeParam>(x, k);
    for (std::size_t i = 5000 + static_cast<std::size_t>(k); i + static_cast<std::size_t>(k) < 20000; ++i) {
      ASSERT_EQ(found[i], static_cast<T>(2 * k + 1)) << "k = " << k << ", i = " << i;
    }
  }
}

TYPED_TEST(StencilOfReals, StaysAccurateInLongWindows) {
  using T = typename TypeParam::T;
  constexpr std::size_t n = 300000;
  const std::vector<T> tenths(n, T(0.1));
  const auto found = stencil_of<TypeParam>(tenths, 100000);
  const double expected = 200001 * static_cast<double>(T(0.1));
  EXPECT_NEAR(static_cast<double>(found[n / 2]), expected,
              100 * std::numeric_limits<T>::epsilon() / 2 * expected);
}

TYPED_TEST(StencilOfReals, InDouble) {
  using T = typename TypeParam::T;
  for (const std::int64_t k : {0, 3, 9, 33, 700, 5000}) {
    for (const std::size_t n : {1u, 500u, 20011u}) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", k = " << k);
      const auto x = cases::random_elements<T>(n, n);
      expect_same(stencil_of<TypeParam, double>(x, k, 1, 3), reference::stencil<double>(x, k));
    }
  }
  const auto x = cases::random_elements<T>(3000, 5), w = cases::random_elements<T>(11, 6);
  expect_same(weighted_stencil_of<TypeParam, double>(x, w), reference::stencil<double>(x, w));
}

template <class C>
class StencilOfInts : public cases::fixture<C> {};
TYPED_TEST_SUITE(StencilOfInts, cases::every<std::int32_t>::type, cases::names);

TYPED_TEST(StencilOfInts, WrapsOrComesOutInSixtyFourBits) {
  const std::vector<std::int32_t> x(5000, 1500000000);
  for (const std::int64_t k : {2, 10, 40, 2000}) {
    SCOPED_TRACE(k);
    expect_same(stencil_of<TypeParam>(x, k), reference::stencil<std::int32_t>(x, k));
    expect_same(stencil_of<TypeParam, std::int64_t>(x, k), reference::stencil<std::int64_t>(x, k));
  }
  EXPECT_EQ((stencil_of<TypeParam, std::int64_t>(x, 2)[100]), 7500000000);
  EXPECT_EQ((stencil_of<TypeParam, std::int64_t>(std::vector<std::int32_t>{-1, -2}, 20)[0]), -3);
}

// ---- Views

TYPED_TEST(Stencil, OfStridedViews) {
  using T = typename TypeParam::T;
  using Exec = typename TypeParam::Exec;
  for (const std::size_t n : {1u, 100u, 5001u}) {
    const auto all = cases::random_elements<T>(3 * n, n);
    Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::memory_space> matrix("matrix", n, 3),
        results("results", n, 3);
    auto host = Kokkos::create_mirror_view(matrix);
    std::vector<T> column(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < 3; ++j) host(i, j) = all[3 * i + j];
      column[i] = all[3 * i + 1];
    }
    Kokkos::deep_copy(matrix, host);
    const auto strided = Kokkos::subview(matrix, Kokkos::ALL, 1);
    const auto strided_out = Kokkos::subview(results, Kokkos::ALL, 2);
    static_assert(!twofold::contiguous_vector<decltype(strided)>);
    const auto w = cases::random_elements<T>(5, n);
    const cases::guarded<Exec, T> weights(w);
    for (const int k : {2, 10, 200, 2000}) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", k = " << k);
      Kokkos::deep_copy(results, T(77));
      twofold::stencil(Exec{}, strided, strided_out, k);
      expect_same(copied(strided_out), reference::stencil<T>(column, k));
      expect_same(copied(Kokkos::subview(results, Kokkos::ALL, 1)), std::vector<T>(n, T(77)));
      // Columns of one matrix interleave; they do not overlap.
      twofold::stencil(Exec{}, strided, Kokkos::subview(matrix, Kokkos::ALL, 2), k);
      expect_same(copied(Kokkos::subview(matrix, Kokkos::ALL, 2)), reference::stencil<T>(column, k));
    }
    twofold::stencil(Exec{}, strided, strided_out, weights.elements());
    expect_same(copied(strided_out), reference::stencil<T>(column, w));
  }
}

TEST(StencilOfViews, OfEveryKind) {
  Kokkos::View<double[8]> fixed("fixed");
  auto host = Kokkos::create_mirror_view(fixed);
  for (int i = 0; i < 8; ++i) host(i) = i + 1;
  Kokkos::deep_copy(fixed, host);
  const Kokkos::View<const double*> constant = fixed;
  const Kokkos::View<const double*, Kokkos::MemoryTraits<Kokkos::RandomAccess>> random = fixed;
  const Kokkos::View<double*, Kokkos::MemoryTraits<Kokkos::Unmanaged>> unmanaged(fixed.data(), 8);
  const Kokkos::View<double*> out("out", 8);
  const std::vector<double> expected = {3, 6, 9, 12, 15, 18, 21, 15};
  const auto check = [&](const auto& in) {
    Kokkos::deep_copy(out, 0);
    twofold::stencil(in, out, 1);
    expect_same(copied(out), expected);
    Kokkos::deep_copy(out, 0);
    twofold::stencil(Kokkos::DefaultExecutionSpace{}, in, out, 1u);
    expect_same(copied(out), expected);
  };
  check(fixed);
  check(constant);
  check(random);
  check(unmanaged);
}

template <class F>
std::string refusal(F call) {
  try {
    call();
  } catch (const twofold::precondition_error& e) {
    return e.what();
  }
  return "nothing";
}

TEST(StencilRefuses, WithoutTouchingTheOutput) {
  using V = Kokkos::View<double*>;
  const V in("in", 10), out("out", 10), shorter("shorter", 9), even("even", 4), none("none", 0);
  Kokkos::deep_copy(out, 5);
  EXPECT_EQ(refusal([&] { twofold::stencil(in, out, -1); }),
            "twofold::stencil: k = -1; a radius is not negative");
  EXPECT_EQ(refusal([&] { twofold::stencil(in, shorter, 1); }),
            "twofold::stencil: in has extent 10, out has extent 9; they must be equal");
  EXPECT_EQ(refusal([&] { twofold::stencil(in, out, even); }),
            "twofold::stencil: weights has extent 4; it must be odd: 2k + 1 weights for radius k");
  EXPECT_EQ(refusal([&] { twofold::stencil(in, out, none); }),
            "twofold::stencil: weights has extent 0; it must be odd: 2k + 1 weights for radius k");
  const std::string overlapping = "twofold::stencil: out overlaps in; a stencil cannot be computed in place";
  EXPECT_EQ(refusal([&] { twofold::stencil(in, in, 0); }), overlapping);
  EXPECT_EQ(refusal([&] { twofold::stencil(in, in, 1); }), overlapping);
  const V all("all", 30);
  const auto part = [&](std::size_t from) { return Kokkos::subview(all, std::make_pair(from, from + 10)); };
  EXPECT_EQ(refusal([&] { twofold::stencil(part(5), part(14), 1); }), overlapping);
  EXPECT_EQ(refusal([&] { twofold::stencil(part(14), part(5), 1); }), overlapping);
  EXPECT_EQ(refusal([&] { twofold::stencil(part(5), part(15), 1); }), "nothing");
  EXPECT_EQ(refusal([&] { twofold::stencil(in, out, Kokkos::subview(out, std::make_pair(3, 6))); }),
            "twofold::stencil: out overlaps weights");
  const Kokkos::View<double*, Kokkos::MemoryTraits<Kokkos::Unmanaged>> null(nullptr, 10);
  EXPECT_EQ(refusal([&] { twofold::stencil(null, out, 1); }), "twofold::stencil: in is null with extent 10");
  EXPECT_EQ(refusal([&] { twofold::stencil(in, null, 1); }), "twofold::stencil: out is null with extent 10");
  // One element for all ten results: the last to be written would stay, and which that is depends on the threads.
  const auto repeated = [](const V& v, std::size_t n) {
    return Kokkos::View<double*, Kokkos::LayoutStride>(v.data(), Kokkos::LayoutStride(n, 0));
  };
  const std::string shared = "twofold::stencil: out has extent 10 with stride 0: elements share memory";
  const V weights("weights", 3);
  EXPECT_EQ(refusal([&] { twofold::stencil(in, repeated(out, 10), 1); }), shared);
  EXPECT_EQ(refusal([&] { twofold::stencil(in, repeated(out, 10), 9); }), shared);
  EXPECT_EQ(refusal([&] { twofold::stencil(in, repeated(out, 10), weights); }), shared);
  expect_same(copied(out), std::vector<double>(10, 5));
  EXPECT_EQ(refusal([&] { twofold::stencil(none, none, 1); }), "nothing");
  // A single result shares memory with no other, and what is only read may repeat.
  Kokkos::deep_copy(all, 2);
  EXPECT_EQ(
      refusal([&] { twofold::stencil(Kokkos::subview(all, std::make_pair(0, 1)), repeated(out, 1), 1); }),
      "nothing");
  EXPECT_EQ(refusal([&] { twofold::stencil(repeated(all, 10), part(20), 1); }), "nothing");
  EXPECT_EQ(copied(out)[0], 2);
  expect_same(copied(part(20)), std::vector<double>{4, 6, 6, 6, 6, 6, 6, 6, 6, 4});
}

#if defined(KOKKOS_ENABLE_CUDA)

// ---- CUDA graphs: nothing that a call enqueues may depend on the call being executed at once

template <class Path>
void replay_captured(Path path) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  {
    const Kokkos::Cuda exec(stream);
    const std::size_t n = 40001;
    const Kokkos::View<float*, Kokkos::CudaSpace> x("x", n), y("y", n), w("w", 5);
    Kokkos::deep_copy(w, 2.0f);
    for (const int k : {2, 12, 100, 5000, -1}) {  // -1: the weights
      SCOPED_TRACE(k);
      const auto call = [&] {
        k < 0 ? twofold::stencil(path, exec, x, y, w) : twofold::stencil(path, exec, x, y, k);
      };
      call();  // what allocates at first may not be captured
      exec.fence();
      cudaGraph_t graph = nullptr;
      cudaGraphExec_t executable = nullptr;
      ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
      call();
      ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
      ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
      for (int replay = 1; replay <= 3; ++replay) {
        Kokkos::deep_copy(x, static_cast<float>(replay));
        Kokkos::deep_copy(y, 0.0f);
        ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
        exec.fence();
        const float window = k < 0 ? 10.0f : 2.0f * static_cast<float>(k) + 1;
        EXPECT_EQ(copied(y)[n / 2], window * static_cast<float>(replay));
      }
      cudaGraphExecDestroy(executable);
      cudaGraphDestroy(graph);
    }
  }
  cudaStreamDestroy(stream);
}

template <class Path>
void replay_where_built(Path path) {
  if constexpr (twofold::backends::cuda_native_built) {
    replay_captured(path);
  } else {
    GTEST_SKIP() << "this build has no native library";
  }
}

TEST(StencilInGraphs, NativeReplays) { replay_where_built(twofold::native); }
TEST(StencilInGraphs, PortableReplays) { replay_captured(twofold::portable); }

#endif

}  // namespace
