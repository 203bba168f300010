// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/stencil_order.hpp>

#include <cstddef>

/// @file
/// The inner loops of a stencil on a host thread. Compiled once, in the library, for several instruction sets,
/// like those of the folds (see fold_host.hpp); R is float, double, or an integer, which wraps.

namespace twofold::backends::host {

/// For each of `chunks` chunks of x, the running sums from the start of each block on, and the sum of the
/// chunk in ascending order. `runs` or `sums` may be null.
template <class R>
void run_forward(const R* x, std::size_t chunks, unsigned block, R* runs, R* sums);

/// For each element the sum from it to the end of its block, added from that end.
template <class R>
void run_backward(const R* x, std::size_t chunks, unsigned block, R* runs);

/// The results whose windows begin in `blocks` blocks: out[e] = (to_end[e] + between) + from_begin[e], with one
/// NaN. The last `rest` elements of a block have the sum of the next in between.
template <class R>
void join(const R* to_end, const stencil_order::between_ends<R>* between, const R* from_begin, R* out,
          std::size_t blocks, unsigned block, unsigned rest);

/// sums[e] = w[0] x[e] + w[1] x[e + 1] + ..., `terms` fused products in ascending order on top of sums[e];
/// plain terms where w is null.
template <class R>
void add_terms(const R* x, const R* w, std::size_t terms, R* sums, std::size_t count);

/// Gives NaNs their one form.
template <class R>
void make_canonical(R* values, std::size_t count);

}  // namespace twofold::backends::host
