// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/kokkos/execution.hpp>
#include <twofold/portable/stencil_on_host.hpp>
#include <twofold/portable/stencil_on_teams.hpp>

#include <cstddef>
#include <cstdint>

/// @file
/// The portable stencil: which of its halves runs.

namespace twofold::portable_engine {

/// Window sums of radius k. In and Out are elements of n each, as in stencil_tile_device.hpp.
template <class R, class Exec, class In, class Out>
void stencil(const Exec& exec, const In& in, const Out& out, std::size_t n, std::uint64_t k) {
  if (n == 0) return;
  const stencil_order::index radius = stencil_order::clamped_radius(k, n);
  if constexpr (backends::host_execution<Exec>) {
    stencil_on_host::sums<R>("twofold::stencil", exec, in, out, static_cast<stencil_order::index>(n), radius);
  } else {
    stencil_on_teams::sums<R>("twofold::stencil", exec, in, out, static_cast<stencil_order::index>(n),
                              radius);
  }
}

/// The same with 2k + 1 weights.
template <class R, class Exec, class In, class Out, class Weights>
void stencil(const Exec& exec, const In& in, const Out& out, std::size_t n, const Weights& weights,
             std::size_t k) {
  if (n == 0) return;
  if constexpr (backends::host_execution<Exec>) {
    stencil_on_host::weighted<R>("twofold::stencil", exec, in, out, static_cast<stencil_order::index>(n),
                                 static_cast<stencil_order::index>(k), weights);
  } else {
    stencil_on_teams::weighted<R>("twofold::stencil", exec, in, out, static_cast<stencil_order::index>(n),
                                  static_cast<stencil_order::index>(k), weights);
  }
}

}  // namespace twofold::portable_engine
