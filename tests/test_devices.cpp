// SPDX-License-Identifier: Apache-2.0
// Instances of Kokkos::Cuda on several GPUs. Skipped where there is one, or where Kokkos has no CUDA.
#include <twofold/dot.hpp>
#include <twofold/stencil.hpp>
#include <twofold/sum.hpp>
#include <twofold/sum_rows.hpp>

#include <Kokkos_Core.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "support/cases.hpp"

namespace {

#if defined(KOKKOS_ENABLE_CUDA)

void check(cudaError_t status) { ASSERT_EQ(status, cudaSuccess) << cudaGetErrorString(status); }

template <class T>
using device_view =
    Kokkos::View<T*, Kokkos::LayoutRight, Kokkos::CudaSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// All results of the calls that return one, and the first windows, computed on `device` while device 0 is current.
template <class Path>
std::vector<double> results_of(Path path, int device, const std::vector<double>& x) {
  const std::size_t n = x.size();
  cudaStream_t stream = nullptr;
  double* memory = nullptr;
  check(cudaSetDevice(device));
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  check(cudaMalloc(&memory, 3 * n * sizeof(double)));
  check(cudaMemcpy(memory, x.data(), n * sizeof(double), cudaMemcpyDefault));
  check(cudaDeviceSynchronize());
  std::vector<double> all;
  {
    const Kokkos::Cuda exec(stream);  // makes its device the current one, as a fence does
    check(cudaSetDevice(0));
    const device_view<const double> in(memory, n);
    const device_view<double> windows(memory + n, n), rows(memory + 2 * n, 1000);
    const Kokkos::View<const double**, Kokkos::LayoutRight, Kokkos::CudaSpace,
                       Kokkos::MemoryTraits<Kokkos::Unmanaged>>
        matrix(memory, 1000, n / 1000);
    for (int round = 0; round < 3; ++round) {
      all.push_back(twofold::sum(path, exec, in));
      all.push_back(twofold::dot(path, exec, in, in));
      twofold::sum_rows(path, exec, matrix, rows);
      twofold::stencil(path, exec, in, windows, 20000);
    }
    int current = -1;
    check(cudaGetDevice(&current));
    EXPECT_EQ(current, 0) << "a call leaves the current device as it was";
    exec.fence();
    std::vector<double> arrays(2 * n);
    check(cudaMemcpy(arrays.data(), memory + n, (n + 1000) * sizeof(double), cudaMemcpyDefault));
    all.insert(all.end(), arrays.begin(), arrays.begin() + static_cast<std::ptrdiff_t>(n + 1000));
  }
  check(cudaFree(memory));
  check(cudaStreamDestroy(stream));
  return all;
}

TEST(Devices, InstancesOfAllGiveTheSameBits) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count < 2) GTEST_SKIP() << "one GPU here";
  const auto x = cases::random_elements<double>(1000000, 7);
  const auto expected = results_of(twofold::portable, 0, x);
  for (int device = 0; device < count; ++device) {
    SCOPED_TRACE(testing::Message() << "device " << device);
    EXPECT_EQ(results_of(twofold::portable, device, x), expected);
    if constexpr (twofold::backends::cuda_native_built) {
      EXPECT_EQ(results_of(twofold::native, device, x), expected);
    }
  }
}

#else

TEST(Devices, InstancesOfAllGiveTheSameBits) { GTEST_SKIP() << "Kokkos has no CUDA here"; }

#endif

}  // namespace
