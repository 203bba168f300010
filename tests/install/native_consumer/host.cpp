// SPDX-License-Identifier: Apache-2.0
// The native headers are plain C++: no CUDA compiler and no CUDA header is needed to include them.
#include <twofold/cuda_native/dot.hpp>
#include <twofold/cuda_native/sum.hpp>

#include <cstddef>

double sum_from_cpp(const double* x, std::size_t n) { return twofold::cuda_native::sum(x, n, nullptr); }
