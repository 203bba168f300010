// SPDX-License-Identifier: Apache-2.0
// The native algorithms whose results are arrays, as users of pointers and streams see them: graphs, workspaces,
// refusals, host threads. Elements are small whole numbers: sums and products are exact, in any order.
#include "device.hpp"

#include <twofold/backends/error.hpp>
#include <twofold/cuda_native/dot.hpp>
#include <twofold/cuda_native/integrate.cuh>
#include <twofold/cuda_native/norm2.hpp>
#include <twofold/cuda_native/outer_product.hpp>
#include <twofold/cuda_native/scale_columns.hpp>
#include <twofold/cuda_native/stencil.hpp>
#include <twofold/cuda_native/sum.hpp>
#include <twofold/cuda_native/sum_columns.hpp>
#include <twofold/cuda_native/sum_rows.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace native = twofold::cuda_native;
using native_test::check;
using native_test::device_array;
using native_test::graph;
using native_test::stream;

namespace {

using NativeArrays = native_test::on_gpu;

/// Element i of an input: -7 ... 8.
__host__ __device__ float whole_number(std::size_t i, unsigned seed) {
  const std::uint64_t mixed = (i + 1) * 6364136223846793005u + seed * std::uint64_t{1442695040888963407};
  return static_cast<float>(static_cast<int>(mixed >> 60) - 7);
}
__global__ void fill_kernel(float* x, std::size_t n, unsigned seed) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x)
    x[i] = whole_number(i, seed);
}
void fill(const device_array<float>& x, std::size_t n, unsigned seed, cudaStream_t s) {
  fill_kernel<<<256, 256, 0, s>>>(x.data(), n, seed);
  check(cudaGetLastError());
}
void poison(const device_array<float>& x, std::size_t n, cudaStream_t s) {
  check(cudaMemsetAsync(x.data(), 0xff, n * sizeof(float), s));
}
std::vector<float> whole_numbers(std::size_t n, unsigned seed) {
  std::vector<float> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = whole_number(i, seed);
  return x;
}

std::vector<float> window_sums(const std::vector<float>& x, std::uint64_t k) {
  const std::size_t n = x.size();
  std::vector<double> before(n + 1);
  for (std::size_t i = 0; i < n; ++i) before[i + 1] = before[i] + x[i];
  std::vector<float> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t first = i < k ? 0 : i - k, last = n - 1 - i < k ? n - 1 : i + k;
    out[i] = static_cast<float>(before[last + 1] - before[first]);
  }
  return out;
}
std::vector<float> weighted_window_sums(const std::vector<float>& x, const std::vector<float>& w) {
  const auto n = static_cast<std::ptrdiff_t>(x.size()), k = static_cast<std::ptrdiff_t>(w.size() / 2);
  std::vector<float> out(x.size());
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    for (std::ptrdiff_t j = std::max<std::ptrdiff_t>(0, i - k); j <= std::min(n - 1, i + k); ++j) {
      out[static_cast<std::size_t>(i)] +=
          w[static_cast<std::size_t>(j - i + k)] * x[static_cast<std::size_t>(j)];
    }
  }
  return out;
}

/// Compares without printing a million elements.
void expect_same(const std::vector<float>& found, const std::vector<float>& expected, const char* what) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], expected[i]) << what << ", " << i;
}

/// A row-major matrix with pads, its elements numbered through, pads included.
struct padded {
  std::size_t rows, columns, leading_dimension;
  std::size_t size() const { return rows * leading_dimension; }
  template <class F>
  void for_each(F f) const {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) f(i, j, i * leading_dimension + j);
    }
  }
};

// ---- graphs: what is captured once works on the inputs of each replay

TEST_F(NativeArrays, StencilsAreCapturedIntoGraphs) {
  const stream s;
  constexpr std::size_t n = 100000, most_weights = 201;
  // From registers; from shared memory, below 48 KiB and beyond; by nodes in the workspace; everything.
  const std::vector<std::uint64_t> radii{0, 5, 12, 100, 3000, 5400, 20000, 2 * n};
  const std::vector<std::size_t> weighted{3, 100};
  const device_array<float> x(n), w(most_weights), out((radii.size() + weighted.size()) * n);
  native::workspace workspace;
  workspace.reserve(n);
  const graph g(s, cudaStreamCaptureModeThreadLocal, [&] {
    float* to = out.data();
    for (const std::uint64_t k : radii) {
      native::stencil<float>(x.data(), n, k, to, workspace, s);
      to += n;
    }
    for (const std::size_t k : weighted) {
      native::stencil<float>(x.data(), n, w.data(), k, to, s);
      to += n;
    }
  });
  for (unsigned replay = 1; replay <= 3; ++replay) {
    fill(x, n, replay, s);
    fill(w, most_weights, replay + 10, s);
    poison(out, (radii.size() + weighted.size()) * n, s);
    g.replay(s);
    s.wait();
    const auto in = whole_numbers(n, replay);
    const auto found = out.elements((radii.size() + weighted.size()) * n);
    auto from = found.begin();
    for (const std::uint64_t k : radii) {
      SCOPED_TRACE(testing::Message() << "replay " << replay << ", k = " << k);
      expect_same({from, from + n}, window_sums(in, k), "window");
      from += n;
    }
    for (const std::size_t k : weighted) {
      SCOPED_TRACE(testing::Message() << "replay " << replay << ", weights for k = " << k);
      expect_same({from, from + n}, weighted_window_sums(in, whole_numbers(2 * k + 1, replay + 10)),
                  "window");
      from += n;
    }
  }
}

TEST_F(NativeArrays, MatrixProductsAreCapturedIntoGraphs) {
  const stream s;
  const padded shape{131, 257, 264};
  const device_array<float> x(shape.rows), v(shape.columns), m(shape.size()), outer(shape.size()),
      columns(shape.size()), rows(shape.size());
  const graph g(s, cudaStreamCaptureModeThreadLocal, [&] {
    const std::size_t ld = shape.leading_dimension;
    native::outer_product(x.data(), shape.rows, v.data(), shape.columns, outer.data(), ld, s);
    native::scale_columns(m.data(), shape.rows, shape.columns, ld, v.data(), columns.data(), ld, s);
    native::scale_rows(m.data(), shape.rows, shape.columns, ld, x.data(), rows.data(), ld, s);
    native::scale_columns(m.data(), shape.rows, shape.columns, ld, v.data(), m.data(), ld, s);
  });
  for (unsigned replay = 1; replay <= 3; ++replay) {
    SCOPED_TRACE(replay);
    fill(x, shape.rows, replay, s);
    fill(v, shape.columns, replay + 10, s);
    fill(m, shape.size(), replay + 20, s);
    for (const auto* out : {&outer, &columns, &rows}) fill(*out, shape.size(), 99, s);
    g.replay(s);
    s.wait();
    auto outer_expected = whole_numbers(shape.size(), 99), columns_expected = outer_expected,
         rows_expected = outer_expected, in_place = whole_numbers(shape.size(), replay + 20);
    const auto before = in_place;
    shape.for_each([&](std::size_t i, std::size_t j, std::size_t at) {
      const float of_row = whole_number(i, replay), of_column = whole_number(j, replay + 10);
      outer_expected[at] = of_row * of_column;
      columns_expected[at] = in_place[at] = before[at] * of_column;
      rows_expected[at] = before[at] * of_row;
    });
    expect_same(outer.elements(shape.size()), outer_expected, "outer_product");
    expect_same(columns.elements(shape.size()), columns_expected, "scale_columns");
    expect_same(rows.elements(shape.size()), rows_expected, "scale_rows");
    expect_same(m.elements(shape.size()), in_place, "scale_columns in place");
  }
}

TEST_F(NativeArrays, LineSumsAreCapturedIntoGraphs) {
  const stream s;
  // Lines of one chunk and of several, whose results go through the workspace that the graph gets.
  const std::vector<padded> shapes{{300, 70, 72}, {70, 9001, 9008}, {9001, 70, 75}, {1, 20000, 20000}};
  std::size_t elements = 0, lines = 0;
  for (const padded& shape : shapes) {
    elements = std::max(elements, shape.size());
    lines += shape.rows + shape.columns;
  }
  const device_array<float> m(elements), r(lines);
  const graph g(s, cudaStreamCaptureModeThreadLocal, [&] {
    float* to = r.data();
    for (const padded& shape : shapes) {
      native::sum_rows(m.data(), shape.rows, shape.columns, shape.leading_dimension, to, s);
      to += shape.rows;
      native::sum_columns(m.data(), shape.rows, shape.columns, shape.leading_dimension, to, s);
      to += shape.columns;
    }
  });
  for (unsigned replay = 1; replay <= 3; ++replay) {
    SCOPED_TRACE(replay);
    fill(m, elements, replay, s);
    poison(r, lines, s);
    g.replay(s);
    s.wait();
    const auto in = whole_numbers(elements, replay);
    std::vector<float> expected;
    for (const padded& shape : shapes) {
      std::vector<float> rows(shape.rows), columns(shape.columns);
      shape.for_each([&](std::size_t i, std::size_t j, std::size_t at) {
        rows[i] += in[at];
        columns[j] += in[at];
      });
      expected.insert(expected.end(), rows.begin(), rows.end());
      expected.insert(expected.end(), columns.begin(), columns.end());
    }
    expect_same(r.elements(lines), expected, "sum");
  }
}

// ---- workspaces

struct constant {
  __host__ __device__ double operator()(double) const { return 1; }
};

/// Every call that takes a workspace, for n elements.
void call_all(const float* x, const double* wide, std::size_t n, float* out, double* wide_out,
              native::workspace& workspace, cudaStream_t s) {
  for (const std::uint64_t k :
       {std::uint64_t{0}, std::uint64_t{8}, std::uint64_t{12}, std::uint64_t{100}, std::uint64_t{3000},
        std::uint64_t{5400}, std::uint64_t{20000}, std::uint64_t{n / 2}, ~std::uint64_t{0}}) {
    native::stencil<float>(x, n, k, out, workspace, s);
    native::stencil<double>(x, n, k, wide_out, workspace, s);
    native::stencil<double>(wide, n, k, wide_out, workspace, s);
  }
  native::sum(x, n, out, workspace, s);
  native::sum(wide, n, wide_out, workspace, s);
  native::dot(wide, wide, n, wide_out, workspace, s);
  native::norm2(x, n, out, workspace, s);
  native::norm2(wide, n, wide_out, workspace, s);
  native::integrate(constant{}, 0.0, 1.0, n > 1 ? n - 1 : 1, wide_out, workspace, s);
}

TEST_F(NativeArrays, AReservedWorkspaceIsLargeEnoughForEveryCall) {
  const stream s;
  constexpr std::size_t most = (std::size_t{1} << 24) + 3;
  const device_array<float> x(most), out(most);
  const device_array<double> wide(most), wide_out(most);
  check(cudaMemsetAsync(x.data(), 0, most * sizeof(float), s));
  check(cudaMemsetAsync(wide.data(), 0, most * sizeof(double), s));
  native::workspace other;
  call_all(x.data(), wide.data(), most, out.data(), wide_out.data(), other, s);  // loads the kernels
  for (const std::size_t n :
       {std::size_t{2}, std::size_t{8193}, std::size_t{100003}, (std::size_t{1} << 21) + 1, most}) {
    SCOPED_TRACE(n);
    native::workspace workspace;
    workspace.reserve(n);
    s.wait();
    // Small allocations do not show in cudaMemGetInfo: a workspace that grew has moved.
    const auto held = workspace.at_least(0, 0);
    std::size_t before = 0, after = 0, total = 0;
    // Other processes allocate on the same GPU as they like; what we did would show every time.
    for (int attempt = 0; attempt < 20 && (attempt == 0 || before != after); ++attempt) {
      check(cudaMemGetInfo(&before, &total));
      call_all(x.data(), wide.data(), n, out.data(), wide_out.data(), workspace, s);
      call_all(x.data(), wide.data(), n / 2, out.data(), wide_out.data(), workspace, s);
      s.wait();
      check(cudaMemGetInfo(&after, &total));
    }
    EXPECT_EQ(before, after);
    const auto now = workspace.at_least(0, 0);
    EXPECT_EQ(now.partials, held.partials);
    EXPECT_EQ(now.counters, held.counters);
  }
}

TEST_F(NativeArrays, LineSumsAllocateOnceForTheLargest) {
  const stream s;
  const padded shape{400, 20000, 20000};
  const device_array<float> m(shape.size()), r(20000);
  check(cudaMemsetAsync(m.data(), 0, shape.size() * sizeof(float), s));
  const auto call = [&](std::size_t rows, std::size_t columns) {
    native::sum_rows(m.data(), rows, columns, columns, r.data(), s);
    native::sum_columns(m.data(), columns, rows, rows, r.data(), s);
  };
  call(shape.rows, shape.columns);
  s.wait();
  const auto held = twofold::backends::workspace_of(s).at_least(0, 0);
  for (std::size_t rows = 2; rows < shape.rows; rows += 57) call(rows, shape.columns - 100 * rows % 10000);
  call(shape.rows, shape.columns);
  s.wait();
  EXPECT_EQ(twofold::backends::workspace_of(s).at_least(0, 0).partials, held.partials);
}

// ---- radii, host threads

TEST_F(NativeArrays, ANegativeRadiusIsALargeOne) {
  // The radius has no sign. What a caller's -1 turns into is beyond any n, and every window holds everything.
  const stream s;
  native::workspace workspace;
  for (const std::size_t n : {1, 33, 5000, 100000}) {
    const device_array<float> x(n), out(n);
    fill(x, n, 1, s);
    for (const std::int64_t k : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::min()}) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", k = " << k);
      poison(out, n, s);
      native::stencil<float>(x.data(), n, static_cast<std::uint64_t>(k), out.data(), workspace, s);
      s.wait();
      expect_same(out.elements(n), window_sums(whole_numbers(n, 1), n), "window");
    }
  }
}

TEST_F(NativeArrays, HostThreadsWithDifferentWindowsDoNotDisturbEachOther) {
  // Both tiles exceed 48 KiB, and they differ: what a block may have is an attribute of the kernel that the threads share.
  constexpr std::size_t n = 100000;
  constexpr int calls = 50, unchecked = 20;
  std::atomic<int> wrong{0}, refused{0}, ready{0};
  const auto work = [&](unsigned seed, std::uint64_t k) {
    const stream s;
    native::workspace workspace;
    const device_array<float> x(n), out(n);
    fill(x, n, seed, s);
    const auto expected = window_sums(whole_numbers(n, seed), k);
    s.wait();
    ++ready;
    while (ready < 2) std::this_thread::yield();
    for (int call = 0; call < calls; ++call) {
      try {
        for (int i = 0; i < unchecked; ++i) native::stencil<float>(x.data(), n, k, out.data(), workspace, s);
        poison(out, n, s);
        native::stencil<float>(x.data(), n, k, out.data(), workspace, s);
        s.wait();
        wrong += out.elements(n) != expected;
      } catch (const twofold::cuda_error& e) {
        if (++refused == 1) ADD_FAILURE() << e.what();
      }
    }
  };
  std::thread a(work, 1u, 3000u), b(work, 2u, 5400u);
  a.join();
  b.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(refused, 0);
}

// ---- refusals need no GPU

template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const twofold::precondition_error& e) {
    return e.what();
  }
  return "nothing was refused";
}

TEST(NativeArraysRefuse, StencilsThatOverlap) {
  std::vector<float> memory(100), weights(5);
  native::workspace workspace;
  const auto overlapping = [&](std::size_t in, std::size_t out) {
    return refusal([&] { native::stencil<float>(&memory[in], 20, 2u, &memory[out], workspace, nullptr); });
  };
  const auto weighted = [&](std::size_t in, std::size_t w, std::size_t out) {
    return refusal([&] { native::stencil<float>(&memory[in], 20, &memory[w], 2, &memory[out], nullptr); });
  };
  const std::string in_place =
      "twofold::cuda_native::stencil: out overlaps in; a stencil cannot be computed in place";
  EXPECT_EQ(overlapping(0, 0), in_place);
  EXPECT_EQ(overlapping(0, 19), in_place);
  EXPECT_EQ(overlapping(19, 0), in_place);
  EXPECT_EQ(overlapping(30, 20), in_place);
  EXPECT_EQ(weighted(0, 80, 19), in_place);
  EXPECT_EQ(weighted(0, 40, 40), "twofold::cuda_native::stencil: out overlaps weights");
  EXPECT_EQ(weighted(0, 36, 40), "twofold::cuda_native::stencil: out overlaps weights");
  EXPECT_EQ(weighted(0, 59, 40), "twofold::cuda_native::stencil: out overlaps weights");
  // A wider result reaches further.
  EXPECT_EQ(refusal([&] {
              native::stencil<double>(&memory[30], 10, 2u, reinterpret_cast<double*>(&memory[12]), workspace,
                                      nullptr);
            }),
            in_place);
}

TEST_F(NativeArrays, NeighboursInMemoryDoNotOverlap) {
  const stream s;
  native::workspace workspace;
  constexpr std::size_t n = 20, k = 2;
  const device_array<float> memory(3 * n);
  for (const std::size_t in : {std::size_t{0}, 2 * n}) {
    fill(memory, 3 * n, 1, s);
    native::stencil<float>(memory.data() + in, n, k, memory.data() + n, workspace, s);
    s.wait();
    const auto before = whole_numbers(3 * n, 1), found = memory.elements(3 * n);
    const auto from = before.begin() + static_cast<std::ptrdiff_t>(in);
    expect_same({found.begin() + n, found.begin() + 2 * n}, window_sums({from, from + n}, k), "window");
    expect_same({found.begin(), found.begin() + n}, {before.begin(), before.begin() + n}, "before");
    expect_same({found.begin() + 2 * n, found.end()}, {before.begin() + 2 * n, before.end()}, "behind");
  }
}

TEST(NativeArraysRefuse, NullAndShortRows) {
  std::vector<float> x(100);
  const float* null = nullptr;
  float* const nowhere = nullptr;
  native::workspace workspace;
  const auto refuses = [](auto call) { EXPECT_THROW(call(), twofold::precondition_error); };
  refuses([&] { native::stencil<float>(null, 5, 1u, x.data(), workspace, nullptr); });
  refuses([&] { native::stencil<float>(x.data(), 5, 1u, nowhere, workspace, nullptr); });
  refuses([&] { native::stencil<float>(x.data(), 5, null, 1, x.data() + 10, nullptr); });
  refuses([&] { native::outer_product(x.data(), 5, x.data(), 6, nowhere, 6, nullptr); });
  refuses([&] { native::outer_product(x.data(), 5, x.data(), 6, x.data() + 10, 5, nullptr); });
  refuses([&] { native::scale_columns(x.data(), 5, 6, 5, x.data(), x.data() + 50, 6, nullptr); });
  refuses([&] { native::scale_columns(x.data(), 5, 6, 6, null, x.data() + 50, 6, nullptr); });
  refuses([&] { native::sum_rows(x.data(), 5, 6, 5, x.data() + 50, nullptr); });
  refuses([&] { native::sum_rows(null, 5, 6, 6, x.data(), nullptr); });
  refuses([&] { native::sum_columns(x.data(), 5, 6, 6, nowhere, nullptr); });
}

}  // namespace
