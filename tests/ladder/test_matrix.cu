// SPDX-License-Identifier: Apache-2.0
// outer_product and scale_columns: every rung, packed and pitched, also beyond the limit of gridDim.y.
#include "device.hpp"

#include <twofold/cuda_native/ladder/rungs.hpp>

#include <cstdint>
#include <string>

namespace ladder = twofold::cuda_native::ladder;
using ladder_test::array;

namespace {

struct shape {
  std::size_t rows;
  std::size_t columns;
  std::size_t pad;  // elements between rows
};

template <class T>
class LadderMatrix : public ladder_test::on_gpu {
 protected:
  static std::vector<shape> shapes(bool takes_pitch) {
    std::vector<shape> all;
    for (const std::size_t columns : {1, 2, 3, 31, 32, 33, 1000, 1025}) {
      for (const std::size_t rows : {1, 2, 7, 8, 9, 63, 64, 65, 200}) {
        all.push_back({rows, columns, 0});
        if (takes_pitch) all.push_back({rows, columns, 1}), all.push_back({rows, columns, 64 - columns % 64});
      }
    }
    // Beyond 65535 blocks of 8 along y.
    all.push_back({2100000, 3, 0});
    all.push_back({3, 2100000, 0});
    if (takes_pitch) all.push_back({2100000, 3, 5});
    return all;
  }

  /// A matrix as the device should hold it: `f` of row and column, pads as they were.
  template <class F>
  static std::vector<T> expected(shape s, const std::vector<T>& before, F f) {
    std::vector<T> c = before;
    for (std::size_t i = 0; i < s.rows; ++i) {
      for (std::size_t j = 0; j < s.columns; ++j) c[i * (s.columns + s.pad) + j] = f(i, j);
    }
    return c;
  }

  void expect_outer_product(const ladder::outer_product_rung<T>& rung, shape s) {
    SCOPED_TRACE(std::to_string(s.rows) + " x " + std::to_string(s.columns) + " + " + std::to_string(s.pad));
    const auto x = ladder_test::whole_numbers<T>(s.rows, 6), y = ladder_test::whole_numbers<T>(s.columns, 7);
    const auto before = ladder_test::whole_numbers<T>(s.rows * (s.columns + s.pad), 8);
    const array<T> a(x), b(y), c(before);
    rung.run(a.data(), b.data(), c.data(), s.rows, s.columns, (s.columns + s.pad) * sizeof(T),
             this->stream());
    ASSERT_EQ(cudaStreamSynchronize(this->stream()), cudaSuccess);
    const auto wanted =
        expected(s, before, [&](std::size_t i, std::size_t j) { return static_cast<T>(x[i] * y[j]); });
    ASSERT_TRUE(c.elements() == wanted);
    ASSERT_TRUE(c.guards_are_intact());
  }

  void expect_scale_columns(const ladder::scale_columns_rung<T>& rung, shape s, bool in_place) {
    SCOPED_TRACE(std::to_string(s.rows) + " x " + std::to_string(s.columns) + " + " + std::to_string(s.pad));
    const std::size_t pitch = s.columns + s.pad;
    const auto x = ladder_test::whole_numbers<T>(s.rows * pitch, 9),
               v = ladder_test::whole_numbers<T>(s.columns, 10);
    const auto before = in_place ? x : ladder_test::whole_numbers<T>(s.rows * pitch, 11);
    const array<T> m(x), factors(v), other(before);
    const array<T>& r = in_place ? m : other;
    rung.run(m.data(), factors.data(), r.data(), s.rows, s.columns, pitch * sizeof(T), this->stream());
    ASSERT_EQ(cudaStreamSynchronize(this->stream()), cudaSuccess);
    const auto wanted = expected(
        s, before, [&](std::size_t i, std::size_t j) { return static_cast<T>(x[i * pitch + j] * v[j]); });
    ASSERT_TRUE(r.elements() == wanted);
    ASSERT_TRUE(r.guards_are_intact());
  }
};

using elements = ::testing::Types<float, std::int32_t>;
TYPED_TEST_SUITE(LadderMatrix, elements);

TYPED_TEST(LadderMatrix, OuterProduct) {
  for (const auto& rung : ladder::outer_product_rungs<TypeParam>) {
    SCOPED_TRACE(rung.name);
    for (const shape s : this->shapes(rung.takes_pitch)) this->expect_outer_product(rung, s);
  }
}

TYPED_TEST(LadderMatrix, ScaleColumns) {
  for (const auto& rung : ladder::scale_columns_rungs<TypeParam>) {
    SCOPED_TRACE(rung.name);
    for (const shape s : this->shapes(rung.takes_pitch)) this->expect_scale_columns(rung, s, false);
  }
}

TYPED_TEST(LadderMatrix, ScaleColumnsInPlace) {
  for (const auto& rung : ladder::scale_columns_rungs<TypeParam>) {
    SCOPED_TRACE(rung.name);
    for (const shape s : {shape{7, 33, 0}, shape{200, 1025, 0}, shape{1, 1, 0}}) {
      this->expect_scale_columns(rung, s, true);
    }
  }
}

TYPED_TEST(LadderMatrix, ThePitchOfCudaMallocPitch) {
  using T = TypeParam;
  const std::size_t rows = 50, columns = 77;
  const auto x = ladder_test::whole_numbers<T>(rows, 12), y = ladder_test::whole_numbers<T>(columns, 13);
  const array<T> a(x), b(y);
  for (const auto& rung : ladder::outer_product_rungs<T>) {
    if (!rung.takes_pitch) continue;
    SCOPED_TRACE(rung.name);
    void* c = nullptr;
    std::size_t pitch = 0;
    ASSERT_EQ(cudaMallocPitch(&c, &pitch, columns * sizeof(T), rows), cudaSuccess);
    rung.run(a.data(), b.data(), static_cast<T*>(c), rows, columns, pitch, this->stream());
    std::vector<T> packed(rows * columns);
    EXPECT_EQ(cudaStreamSynchronize(this->stream()), cudaSuccess);
    EXPECT_EQ(cudaMemcpy2D(packed.data(), columns * sizeof(T), c, pitch, columns * sizeof(T), rows,
                           cudaMemcpyDeviceToHost),
              cudaSuccess);
    (void)cudaFree(c);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j)
        ASSERT_EQ(packed[i * columns + j], x[i] * y[j]) << i << ", " << j;
    }
  }
}

TYPED_TEST(LadderMatrix, NothingToDo) {
  using T = TypeParam;
  for (const auto& rung : ladder::outer_product_rungs<T>) {
    EXPECT_NO_THROW(rung.run(nullptr, nullptr, nullptr, 0, 0, 0, this->stream()));
  }
  for (const auto& rung : ladder::scale_columns_rungs<T>) {
    EXPECT_NO_THROW(rung.run(nullptr, nullptr, nullptr, 0, 0, 0, this->stream()));
  }
}

TYPED_TEST(LadderMatrix, RefusesAPitchThatIsTooShortOrUnexpected) {
  using T = TypeParam;
  const array<T> a(10), b(10), c(200);
  for (const auto& rung : ladder::outer_product_rungs<T>) {
    SCOPED_TRACE(rung.name);
    // 10 is what a pitch in elements would be.
    EXPECT_THROW(rung.run(a.data(), b.data(), c.data(), 10, 10, 10, this->stream()),
                 twofold::precondition_error);
    EXPECT_THROW(rung.run(a.data(), b.data(), c.data(), 10, 10, 10 * sizeof(T) + 1, this->stream()),
                 twofold::precondition_error);
    if (!rung.takes_pitch) {
      EXPECT_THROW(rung.run(a.data(), b.data(), c.data(), 10, 10, 12 * sizeof(T), this->stream()),
                   twofold::precondition_error);
    }
  }
  for (const auto& rung : ladder::scale_columns_rungs<T>) {
    SCOPED_TRACE(rung.name);
    EXPECT_THROW(rung.run(c.data(), b.data(), c.data(), 10, 10, 10, this->stream()),
                 twofold::precondition_error);
  }
}

}  // namespace
