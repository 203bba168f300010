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

namespace detail {
template <class T>
void expects_interval(T a, T b, std::size_t n) {
  backends::expects(n > 0, "cuda_native::integrate",
                    [] { return std::string("n is 0; at least one trapezoid"); });
  backends::expects(std::isfinite(a) && std::isfinite(b), "cuda_native::integrate", [&] {
    return "bounds must be finite, got [" + std::to_string(a) + ", " + std::to_string(b) + "]";
  });
}
}  // namespace detail

template <class T, class F>
  requires integrates<F, T>
void integrate(const F& f, T a, T b, std::size_t n, T* result, workspace& scratch, stream_handle stream) {
  detail::expects_interval(a, b, n);
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
  detail::expects_interval(a, b, n);
  return detail::fold_to_host("twofold::cuda_native::integrate", backends::trapezoids<T>(f, a, b, n), n + 1,
                              stream);
}

}  // namespace twofold::cuda_native
