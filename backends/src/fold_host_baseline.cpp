// SPDX-License-Identifier: Apache-2.0
#define TWOFOLD_VECTOR_BYTES 16
#include "fold_host_entries.hpp"

namespace twofold::backends::host {
const kernel_table baseline_kernels = table_of_this_file;
}
