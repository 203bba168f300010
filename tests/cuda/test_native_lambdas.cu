// SPDX-License-Identifier: Apache-2.0
// Integrands as lambdas of nvcc's (--extended-lambda). Host code cannot call one that is for the device alone.
#include "device.hpp"

#include <twofold/cuda_native/integrate.cuh>

namespace native = twofold::cuda_native;

namespace {

// Lambdas for the device may not be in a member function that is private, as those of tests are.
template <class T>
T on_the_device(T slope, cudaStream_t s) {
  return native::integrate([=] __device__(T x) { return slope * x + 1; }, T(2), T(10), 7, s);
}
template <class T>
T on_both(T slope, cudaStream_t s) {
  return native::integrate([=] __host__ __device__(T x) { return slope * x + 1; }, T(2), T(10), 7, s);
}
template <class T>
T into_memory(T slope, cudaStream_t s) {
  const native_test::device_array<T> result(1);
  native::integrate([=] __device__(T x) -> T { return slope * x + 1; }, T(2), T(10), 7, result.data(), s);
  native_test::check(cudaStreamSynchronize(s));
  return result.read();
}

using NativeLambdas = native_test::on_gpu;

TEST_F(NativeLambdas, AreIntegrated) {
  const native_test::stream s;
  EXPECT_EQ(on_the_device(3.0f, s), on_both(3.0f, s));
  EXPECT_EQ(on_the_device(3.0, s), on_both(3.0, s));
  EXPECT_EQ(into_memory(3.0, s), on_both(3.0, s));
  EXPECT_NEAR(on_the_device(3.0, s), 152.0, 1e-12);
}

}  // namespace
