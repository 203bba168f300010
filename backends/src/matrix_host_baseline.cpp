// SPDX-License-Identifier: Apache-2.0
#include "matrix_host_kernels.hpp"

namespace twofold::backends::host {
const matrix_kernels baseline_matrix_kernels = matrix_kernels_of_this_file;
}
