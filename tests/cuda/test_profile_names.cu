// SPDX-License-Identifier: Apache-2.0
// What a profiler shows: every launch stands in a range with the name of its algorithm. The launches themselves may
// fail, so this runs without a GPU too. CTest makes NVTX load nvtx_tool.cpp.
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

#include <cuda_runtime.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace {

namespace native = twofold::cuda_native;

struct one {
  __host__ __device__ double operator()(double) const { return 1; }
};

/// The names of the ranges that the call began; it may throw where there is no GPU.
template <class Call>
std::vector<std::string> ranges_of(const Call& call) {
  const char* path = std::getenv("NVTX_INJECTION64_PATH");
  void* tool = path ? dlopen(path, RTLD_NOW) : nullptr;
  using take = void(std::vector<std::string>*, int*);
  auto* const take_ranges = tool ? reinterpret_cast<take*>(dlsym(tool, "take_ranges")) : nullptr;
  if (!take_ranges) return {"no tool: run this by ctest"};
  try {
    call();
  } catch (const twofold::cuda_error&) {
  }
  (void)cudaDeviceSynchronize();
  std::vector<std::string> names;
  int open = -1;
  take_ranges(&names, &open);
  if (open != 0) names.push_back(std::to_string(open) + " ranges have no end");
  return names;
}

TEST(ProfileNames, EveryLaunchHasOne) {
  using names = std::vector<std::string>;
  constexpr std::size_t n = 16;
  // Memory that a kernel could use; without a GPU any address does, since no kernel runs.
  static double on_host[3 * n * n];
  double* x = on_host;
  double* managed = nullptr;
  if (cudaMallocManaged(&managed, sizeof on_host) == cudaSuccess) x = managed;
  double* const y = x + n * n;
  double* const z = y + n * n;
  native::workspace scratch;

  EXPECT_EQ(ranges_of([&] { native::sum(x, n, z, scratch, nullptr); }), names{"twofold::cuda_native::sum"});
  EXPECT_EQ(ranges_of([&] { native::dot(x, y, n, z, scratch, nullptr); }),
            names{"twofold::cuda_native::dot"});
  EXPECT_EQ(ranges_of([&] { native::norm2(x, n, z, scratch, nullptr); }),
            names{"twofold::cuda_native::norm2"});
  EXPECT_EQ(ranges_of([&] { native::integrate(one{}, 0.0, 1.0, n, z, scratch, nullptr); }),
            names{"twofold::cuda_native::integrate"});
  EXPECT_EQ(ranges_of([&] { native::stencil(x, n, 2, z, scratch, nullptr); }),
            names{"twofold::cuda_native::stencil"});
  EXPECT_EQ(ranges_of([&] { native::stencil(x, n, y, std::size_t{1}, z, nullptr); }),
            names{"twofold::cuda_native::stencil"});
  EXPECT_EQ(ranges_of([&] { native::outer_product(x, n, y, n, z, n, nullptr); }),
            names{"twofold::cuda_native::outer_product"});
  EXPECT_EQ(ranges_of([&] { native::scale_columns(x, n, n, n, y, z, n, nullptr); }),
            names{"twofold::cuda_native::scale_columns"});
  EXPECT_EQ(ranges_of([&] { native::sum_rows(x, n, n, n, z, nullptr); }),
            names{"twofold::cuda_native::sum_rows"});
  EXPECT_EQ(ranges_of([&] { native::sum_columns(x, n, n, n, z, nullptr); }),
            names{"twofold::cuda_native::sum_columns"});
  (void)cudaFree(managed);
}

}  // namespace
