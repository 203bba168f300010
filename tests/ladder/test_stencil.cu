// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

#include <twofold/cuda_native/ladder/rungs.hpp>

#include <cstdint>
#include <string>

namespace ladder = twofold::cuda_native::ladder;
using ladder_test::array;

namespace {

/// The text's stencilCPU, with out[i] set before it is added to.
template <class T>
std::vector<T> serial_stencil(const std::vector<T>& in, std::size_t k) {
  std::vector<std::int64_t> prefix(in.size() + 1);  // whole numbers: exact
  for (std::size_t i = 0; i < in.size(); ++i) prefix[i + 1] = prefix[i] + static_cast<std::int64_t>(in[i]);
  std::vector<T> out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    const std::size_t first = i < k ? 0 : i - k, last = in.size() - 1 - i < k ? in.size() - 1 : i + k;
    out[i] = static_cast<T>(prefix[last + 1] - prefix[first]);
  }
  return out;
}

template <class T>
class LadderStencil : public ladder_test::on_gpu {
 protected:
  void expect_stencil(const ladder::stencil_rung<T>& rung, std::size_t n, std::size_t k,
                      std::size_t offset = 0) {
    SCOPED_TRACE("n = " + std::to_string(n) + ", k = " + std::to_string(k));
    const auto x = ladder_test::whole_numbers<T>(n, 5);
    const array<T> in(x, offset), out(n, offset);
    rung.run(in.data(), out.data(), n, k, scratch_, this->stream());
    ASSERT_EQ(cudaStreamSynchronize(this->stream()), cudaSuccess);
    EXPECT_EQ(out.elements(), serial_stencil(x, k));
    EXPECT_TRUE(out.guards_are_intact());
  }
  twofold::cuda_native::workspace scratch_;
};

using elements = ::testing::Types<float, std::int32_t>;
TYPED_TEST_SUITE(LadderStencil, elements);

TYPED_TEST(LadderStencil, EveryRungAtEverySizeAndRadius) {
  for (const auto& rung : ladder::stencil_rungs<TypeParam>) {
    SCOPED_TRACE(rung.name);
    for (const std::size_t n : {0, 1, 2, 3, 31, 33, 255, 256, 257, 1000, 4097}) {
      for (const std::size_t k : {0, 1, 2, 3, 31, 64, 127, 128, 129, 255, 256, 257, 1000, 5000}) {
        if (rung.accepts(k)) this->expect_stencil(rung, n, k);
      }
    }
  }
}

TYPED_TEST(LadderStencil, AtEveryAlignment) {
  for (const auto& rung : ladder::stencil_rungs<TypeParam>) {
    SCOPED_TRACE(rung.name);
    for (std::size_t offset = 0; offset < 8; ++offset) this->expect_stencil(rung, 1027, 5, offset);
  }
}

TYPED_TEST(LadderStencil, AroundTheLimitsOfSharedMemory) {
  // 48 KiB is a tile of 12288 elements: k = 6016. The limit beyond differs between devices.
  std::size_t largest = 0;
  while (ladder::stencil::fits_dynamic(largest + 1)) ++largest;
  for (const auto& rung : ladder::stencil_rungs<TypeParam>) {
    SCOPED_TRACE(rung.name);
    for (const std::size_t k :
         {std::size_t{6015}, std::size_t{6016}, std::size_t{6017}, largest - 1, largest}) {
      if (rung.accepts(k)) this->expect_stencil(rung, 20000, k);
    }
  }
}

TYPED_TEST(LadderStencil, RefusesARadiusBeyondItsSharedMemory) {
  using T = TypeParam;
  const array<T> in(std::vector<T>(100, T(1))), out(100);
  for (const auto& rung : ladder::stencil_rungs<T>) {
    SCOPED_TRACE(rung.name);
    const std::size_t k = 1000000000;
    if (rung.accepts(k)) continue;
    try {
      rung.run(in.data(), out.data(), 100, k, this->scratch_, this->stream());
      ADD_FAILURE() << "not refused";
    } catch (const twofold::precondition_error& error) {
      EXPECT_NE(std::string(error.what()).find("1000000000"), std::string::npos) << error.what();
    }
    std::vector<unsigned char> poison(100 * sizeof(T), 0xa5);
    EXPECT_EQ(std::memcmp(out.elements().data(), poison.data(), poison.size()), 0)
        << "written before it refused";
  }
}

}  // namespace
