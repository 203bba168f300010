// SPDX-License-Identifier: Apache-2.0
#pragma once

// The probes, one per table of the texts. `quick` takes fewer samples and smaller footprints: to see that
// everything runs, not to quote.

#include <cstdint>

#include "tables.hpp"

namespace twofold::reference {

// ---- host

/// Latency and bandwidth of each cache of the CPU and of its memory.
Table host_memory_table(bool quick);

/// Dependent additions of a sum of t values, one after another or along a balanced tree.
std::int64_t serial_steps(std::int64_t t);
std::int64_t tree_steps(std::int64_t t);
/// Serial against tree on one core of the host.
Table host_sum_table(bool quick);

/// Global-memory accesses per element of a stencil of radius k, loads and the store, as the text counts.
std::int64_t accesses_without_shared(std::int64_t k);
std::int64_t accesses_with_shared_as_published();
/// As they are: the halo is shared by the block.
double accesses_with_shared(std::int64_t k, std::int64_t block);

// ---- GPU; only where TWOFOLD_REFERENCE_HAS_CUDA

/// Why there is nothing to measure on, or "".
std::string missing_gpu();
Environment gpu_environment();

Table trapezoid_table(bool quick);       // table 1
Table serial_vs_tree_table(bool quick);  // table 2
Table gpu_properties_table();            // table 3, what the driver says
Table gpu_memory_table(bool quick);      // table 3, what is measured
Table stencil_access_table(bool quick);  // table 4
Table coalescing_table(bool quick);      // table 5

}  // namespace twofold::reference
