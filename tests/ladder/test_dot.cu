// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include <twofold/cuda_native/ladder/rungs.hpp>

#include <cstdint>

namespace ladder = twofold::cuda_native::ladder;
using ladder_test::array;

namespace {

template <class T>
class LadderDot : public ladder_test::on_gpu {
 protected:
  using Sum = twofold::default_sum_t<T>;

  void expect_dot(const ladder::dot_rung<T>& rung, const std::vector<T>& x, const std::vector<T>& y,
                  std::size_t offset = 0) {
    std::int64_t expected = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      expected += static_cast<std::int64_t>(x[i]) * static_cast<std::int64_t>(y[i]);
    }
    const array<T> a(x, offset), b(y, offset / 2);
    const array<Sum> result(1);
    rung.run(a.data(), b.data(), x.size(), result.data(), scratch_, this->stream());
    ASSERT_EQ(cudaStreamSynchronize(this->stream()), cudaSuccess);
    EXPECT_EQ(result.value(), static_cast<Sum>(expected));
    EXPECT_TRUE(result.guards_are_intact());
    EXPECT_TRUE(a.guards_are_intact() && b.guards_are_intact());
  }
  twofold::cuda_native::workspace scratch_;
};

using elements = ::testing::Types<float, std::int32_t>;
TYPED_TEST_SUITE(LadderDot, elements);

constexpr std::size_t all_threads = std::size_t{ladder::dot::blocks} * ladder::dot::threads;

TYPED_TEST(LadderDot, EveryRungAtEverySize) {
  using T = TypeParam;
  for (const auto& rung : ladder::dot_rungs<T>) {
    SCOPED_TRACE(rung.name);
    for (const std::size_t n :
         {std::size_t{0}, std::size_t{1}, std::size_t{31}, std::size_t{32}, std::size_t{33}, std::size_t{255},
          std::size_t{256}, std::size_t{257}, all_threads - 1, all_threads, all_threads + 1,
          3 * all_threads - 1, 3 * all_threads + 777}) {
      SCOPED_TRACE(n);
      this->expect_dot(rung, ladder_test::whole_numbers<T>(n, 1), ladder_test::whole_numbers<T>(n, 2));
    }
  }
}

TYPED_TEST(LadderDot, NoRemainderIsDropped) {
  // Only the elements beyond k * threads * blocks count, which the text's k = N / (threads * blocks) leaves out.
  using T = TypeParam;
  const std::size_t n = 2 * all_threads + 100;
  std::vector<T> x(n, T(0)), y(n, T(1));
  for (std::size_t i = 2 * all_threads; i < n; ++i) x[i] = T(1);
  for (const auto& rung : ladder::dot_rungs<T>) {
    SCOPED_TRACE(rung.name);
    this->expect_dot(rung, x, y);
  }
}

TYPED_TEST(LadderDot, AtEveryAlignment) {
  using T = TypeParam;
  for (const auto& rung : ladder::dot_rungs<T>) {
    SCOPED_TRACE(rung.name);
    for (std::size_t offset = 0; offset < 8; ++offset) {
      this->expect_dot(rung, ladder_test::whole_numbers<T>(1027, 3), ladder_test::whole_numbers<T>(1027, 4),
                       offset);
    }
  }
}

TYPED_TEST(LadderDot, SmallCallAfterALargeOne) {
  // Partial sums of the large call are still in the workspace.
  using T = TypeParam;
  for (const auto& rung : ladder::dot_rungs<T>) {
    SCOPED_TRACE(rung.name);
    this->expect_dot(rung, std::vector<T>(200000, T(3)), std::vector<T>(200000, T(2)));
    this->expect_dot(rung, {T(2)}, {T(5)});
    this->expect_dot(rung, {}, {});
  }
}

TYPED_TEST(LadderDot, RefusesNullPointers) {
  using T = TypeParam;
  const array<T> x(5);
  const array<twofold::default_sum_t<T>> result(1);
  for (const auto& rung : ladder::dot_rungs<T>) {
    SCOPED_TRACE(rung.name);
    EXPECT_THROW(rung.run(nullptr, x.data(), 5, result.data(), this->scratch_, this->stream()),
                 twofold::precondition_error);
    EXPECT_THROW(rung.run(x.data(), x.data(), 5, nullptr, this->scratch_, this->stream()),
                 twofold::precondition_error);
  }
}

class LadderDotInt32 : public ladder_test::on_gpu {};

TEST_F(LadderDotInt32, DoesNotOverflow) {
  twofold::cuda_native::workspace scratch;
  const array<std::int32_t> x(std::vector<std::int32_t>{70000, -2000000000}),
      y(std::vector<std::int32_t>{70000, 2});
  const array<std::int64_t> result(1);
  for (const auto& rung : ladder::dot_rungs<std::int32_t>) {
    SCOPED_TRACE(rung.name);
    rung.run(x.data(), y.data(), 2, result.data(), scratch, stream());
    ASSERT_EQ(cudaStreamSynchronize(stream()), cudaSuccess);
    EXPECT_EQ(result.value(), 4900000000 - 4000000000);
  }
}

}  // namespace
