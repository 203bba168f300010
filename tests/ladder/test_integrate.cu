// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include <twofold/cuda_native/ladder/integrate.cuh>
#include <twofold/cuda_native/ladder/rungs.hpp>

#include <cmath>
#include <cstdint>
#include <limits>

namespace ladder = twofold::cuda_native::ladder;
using ladder_test::array;

namespace {

class LadderIntegrate : public ladder_test::on_gpu {
 protected:
  float value_of(const ladder::integrate_rung& rung, float a, float b, std::size_t n) {
    const array<float> result(1);  // poisoned: a rung that adds to what it finds there fails
    rung.run(a, b, n, result.data(), scratch_, stream());
    EXPECT_EQ(cudaStreamSynchronize(stream()), cudaSuccess);
    EXPECT_TRUE(result.guards_are_intact());
    return result.value();
  }
  twofold::cuda_native::workspace scratch_;
};

/// The rule's value for x^2 + 1, which is the integral plus (b - a)^3 / (6 n^2).
double exact(double a, double b, double n) {
  return (b * b * b - a * a * a) / 3 + (b - a) + (b - a) * (b - a) * (b - a) / (6 * n * n);
}

TEST_F(LadderIntegrate, EveryRungAtEverySize) {
  for (const auto& rung : ladder::integrate_rungs) {
    SCOPED_TRACE(rung.name);
    for (const std::size_t n :
         {1, 2, 7, 30, 31, 32, 33, 254, 255, 256, 257, 1000, 2047, 2048, 8191, 8192, 65537}) {
      SCOPED_TRACE(n);
      // Positive terms: the relative error of adding n of them in any order is below n roundings.
      const double tolerance = 1e-6 + 0x1p-24 * static_cast<double>(n);
      const double expected = exact(-1, 2, static_cast<double>(n));
      EXPECT_NEAR(value_of(rung, -1.0f, 2.0f, n), expected, expected * tolerance);
    }
  }
}

TEST_F(LadderIntegrate, ASmallMistakeWouldShow) {
  // Eight equal weights are exact in float, so here the tolerance is nothing: n = 8 over [0, 8], h = 1.
  for (const auto& rung : ladder::integrate_rungs) {
    SCOPED_TRACE(rung.name);
    EXPECT_EQ(value_of(rung, 0.0f, 8.0f, 8),
              180.0f);  // 0.5 * 1 + (2 + 5 + 10 + 17 + 26 + 37 + 50) + 0.5 * 65
    EXPECT_EQ(value_of(rung, 0.0f, 64.0f, 64),
              87456.0f);  // 85344 + 64 * 64 / 2 for the squares, 64 for the ones
  }
}

TEST_F(LadderIntegrate, SecondCallGivesTheSameAgain) {
  // The text's kernels add to their target and rely on the host to zero it; a rung zeroes it itself.
  for (const auto& rung : ladder::integrate_rungs) {
    SCOPED_TRACE(rung.name);
    const array<float> result(1);
    for (int call = 0; call < 3; ++call) {
      rung.run(0.0f, 8.0f, 8, result.data(), scratch_, stream());
      EXPECT_EQ(cudaStreamSynchronize(stream()), cudaSuccess);
      EXPECT_EQ(result.value(), 180.0f);
    }
  }
}

TEST_F(LadderIntegrate, AMillionTrapezoids) {
  for (const auto& rung : ladder::integrate_rungs) {
    SCOPED_TRACE(rung.name);
    // The serial rungs lose digits on the way; how many, docs/ladder.md says.
    EXPECT_NEAR(value_of(rung, 0.0f, 1.0f, 1 << 20), 4.0 / 3, 0.04);
  }
}

TEST_F(LadderIntegrate, FoldOrderHasTheBitsOfTheTunedKernel) {
  for (const std::size_t n : {1, 5, 2047, 2048, 8191, 8192, 65537, 1 << 20, (1 << 21) + 12345}) {
    SCOPED_TRACE(n);
    const array<float> mine(1), tuned(1);
    ladder::integrate::fold_order(-0.3f, 1.7f, n, mine.data(), scratch_, stream());
    ladder::integrate::tuned(-0.3f, 1.7f, n, tuned.data(), scratch_, stream());
    ASSERT_EQ(cudaStreamSynchronize(stream()), cudaSuccess);
    EXPECT_EQ(mine.value(), tuned.value());
  }
}

TEST_F(LadderIntegrate, ReversedBoundsChangeTheSign) {
  for (const auto& rung : ladder::integrate_rungs) {
    SCOPED_TRACE(rung.name);
    EXPECT_EQ(value_of(rung, 8.0f, 0.0f, 8), -180.0f);
  }
}

TEST_F(LadderIntegrate, RefusesNoTrapezoidsAndInfiniteBounds) {
  const array<float> result(1);
  for (const auto& rung : ladder::integrate_rungs) {
    SCOPED_TRACE(rung.name);
    EXPECT_THROW(rung.run(0, 1, 0, result.data(), scratch_, stream()), twofold::precondition_error);
    const float inf = std::numeric_limits<float>::infinity();
    EXPECT_THROW(rung.run(0, inf, 5, result.data(), scratch_, stream()), twofold::precondition_error);
    EXPECT_THROW(rung.run(0, 1, 5, nullptr, scratch_, stream()), twofold::precondition_error);
  }
}

struct line {
  float slope;
  __host__ __device__ float operator()(float x) const { return slope * x; }
};

TEST_F(LadderIntegrate, TakesAFunctorOfTheCallers) {
  const array<float> result(1);
  ladder::integrate::warp_shuffle<32>(line{3.0f}, 0.0f, 4.0f, 4, result.data(), scratch_, stream());
  EXPECT_EQ(result.value(), 24.0f);
}

}  // namespace
