// SPDX-License-Identifier: Apache-2.0
#pragma once

// The host, as the operating system describes it. No Kokkos, no CUDA.

#include <cstdint>

#include "options.hpp"
#include "record.hpp"

namespace twofold::bench {

std::int64_t host_memory_available();
std::int64_t host_last_level_cache();

/// Host, CPU, compiler, flags, date, revision, peers' versions.
Environment host_environment(const Options& options);

}  // namespace twofold::bench
