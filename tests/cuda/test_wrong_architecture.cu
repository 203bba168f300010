// SPDX-License-Identifier: Apache-2.0
// Linked with device code that no machine of ours can run: the call must say so, not return 0.
#include <twofold/backends/error.hpp>
#include <twofold/cuda_native/integrate.cuh>

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <string>

namespace {

struct one {
  __host__ __device__ double operator()(double) const { return 1; }
};

TEST(WrongArchitecture, IsReportedByTheCall) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) GTEST_SKIP() << "no GPU here";
  int major = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), cudaSuccess);
  if (major == 12) GTEST_SKIP() << "this GPU can run it";
  try {
    const double value = twofold::cuda_native::integrate(one{}, 0.0, 1.0, 10, nullptr);
    FAIL() << "returned " << value;
  } catch (const twofold::cuda_error& e) {
    EXPECT_NE(std::string(e.what()).find("cuda_native::integrate"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("this device is " + std::to_string(major)), std::string::npos)
        << e.what();
  }
}

}  // namespace
