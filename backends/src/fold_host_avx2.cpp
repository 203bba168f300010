// SPDX-License-Identifier: Apache-2.0
#define TWOFOLD_VECTOR_BYTES 32
#include "fold_host_entries.hpp"

namespace twofold::backends::host {
const kernel_table avx2_kernels = table_of_this_file;
}
