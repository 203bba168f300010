// SPDX-License-Identifier: Apache-2.0
#define TWOFOLD_VECTOR_BYTES 64
#include "stencil_host_kernels.hpp"

namespace twofold::backends::host {
const stencil_table avx512_stencil_kernels = stencil_table_of_this_file;
}
