// SPDX-License-Identifier: Apache-2.0
#pragma once

#if !defined(__CUDACC__)
#error "twofold/cuda_native/integrate.cuh holds a kernel around the caller's functor: compile it with nvcc."
#endif

#include <twofold/backends/trapezoids.hpp>
#include <twofold/cuda_native/detail/fold.cuh>
#include <twofold/cuda_native/detail/operands.hpp>
#include <twofold/cuda_native/integrate.hpp>

#include <cmath>
#include <string>

namespace twofold::cuda_native {

template <class T, class F>
  requires integrates<F, T>
void integrate(const F& f, T a, T b, std::size_t n, T* result, workspace& scratch, stream_handle stream) {
  backends::expects_interval("cuda_native::integrate", a, b, n);
  detail::expects_result("cuda_native::integrate", result);
  detail::fold("twofold::cuda_native::integrate", backends::trapezoids<T>(f, a, b, n), n + 1, result, scratch,
               stream);
}

template <class T, class F>
  requires integrates<F, T>
void integrate(const F& f, T a, T b, std::size_t n, T* result, stream_handle stream) {
  integrate(f, a, b, n, result, backends::workspace_of(stream), stream);
}

template <class T, class F>
  requires integrates<F, T>
T integrate(const F& f, T a, T b, std::size_t n, stream_handle stream) {
  backends::expects_interval("cuda_native::integrate", a, b, n);
  return detail::fold_to_host("twofold::cuda_native::integrate", backends::trapezoids<T>(f, a, b, n), n + 1,
                              stream);
}

}  // namespace twofold::cuda_native
