// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/cuda_native/ladder/dot.hpp>
#include <twofold/cuda_native/ladder/integrate.hpp>
#include <twofold/cuda_native/ladder/outer_product.hpp>
#include <twofold/cuda_native/ladder/scale_columns.hpp>
#include <twofold/cuda_native/ladder/stencil.hpp>

#include <array>
#include <cstddef>
#include <string_view>

/// @file
/// The ladder: a table of rungs per algorithm, in climbing order. Benchmarks and tests loop over them; results
/// carry the name as "ladder:<name>".

namespace twofold::cuda_native::ladder {

/// A rung of `integrate`.
struct integrate_rung {
  std::string_view name;             ///< as in results
  integrate_function* run;           ///< the call
  std::size_t abscissae_per_atomic;  ///< 0: no atomics, fold order 1
};
/// The rungs of `integrate`, in climbing order.
inline constexpr std::array integrate_rungs{
    integrate_rung{"atomic_per_thread_32", integrate::atomic_per_thread<32>, 1},
    integrate_rung{"warp_shuffle_32", integrate::warp_shuffle<32>, 32},
    integrate_rung{"shared_dissemination_32", integrate::shared_dissemination<32>, 32},
    integrate_rung{"block_tree_32", integrate::block_tree<32>, 32},
    integrate_rung{"atomic_per_thread_256", integrate::atomic_per_thread<256>, 1},
    integrate_rung{"warp_shuffle_256", integrate::warp_shuffle<256>, 32},
    integrate_rung{"shared_dissemination_256", integrate::shared_dissemination<256>, 32},
    integrate_rung{"block_tree_256", integrate::block_tree<256>, 256},
    integrate_rung{"fold_order", integrate::fold_order, 0},
    integrate_rung{"tuned", integrate::tuned, 0},
};

/// A rung of `dot`.
template <element T>
struct dot_rung {
  std::string_view name;  ///< as in results
  dot_function<T>* run;   ///< the call
  bool finishes_on_host;  ///< waits for the stream: time it with a clock of the host, not inside a graph
};
/// The rungs of `dot`, in climbing order.
template <element T>
inline constexpr std::array dot_rungs{
    dot_rung<T>{"host_slices", dot::host_slices<T>, true},
    dot_rung<T>{"host_strided", dot::host_strided<T>, true},
    dot_rung<T>{"shared_serial", dot::shared_serial<T>, true},
    dot_rung<T>{"shared_tree", dot::shared_tree<T>, true},
    dot_rung<T>{"shuffle_tree", dot::shuffle_tree<T>, false},
    dot_rung<T>{"tuned", dot::tuned<T>, false},
};

/// A rung of `stencil`.
template <element T>
struct stencil_rung {
  std::string_view name;           ///< as in results
  stencil_function<T>* run;        ///< the call
  bool (*accepts)(std::size_t k);  ///< on the current device
};
/// The rungs of `stencil`, in climbing order.
template <element T>
inline constexpr std::array stencil_rungs{
    stencil_rung<T>{"global_memory", stencil::global_memory<T>, stencil::any_radius},
    stencil_rung<T>{"static_shared", stencil::static_shared<T>, stencil::fits_static},
    stencil_rung<T>{"dynamic_shared", stencil::dynamic_shared<T>, stencil::fits_dynamic},
    stencil_rung<T>{"tuned", stencil::tuned<T>, stencil::any_radius},
};

/// A rung of `outer_product`.
template <element T>
struct outer_product_rung {
  std::string_view name;           ///< as in results
  outer_product_function<T>* run;  ///< the call
  bool takes_pitch;                ///< rows may be padded, else the pitch is columns * sizeof(T)
};
/// The rungs of `outer_product`, in climbing order.
template <element T>
inline constexpr std::array outer_product_rungs{
    outer_product_rung<T>{"swapped", outer_product::swapped<T>, false},
    outer_product_rung<T>{"coalesced", outer_product::coalesced<T>, false},
    outer_product_rung<T>{"pitched", outer_product::pitched<T>, true},
    outer_product_rung<T>{"shared_vector", outer_product::shared_vector<T>, true},
    outer_product_rung<T>{"tuned", outer_product::tuned<T>, true},
};

/// A rung of `scale_columns`.
template <element T>
struct scale_columns_rung {
  std::string_view name;           ///< as in results
  scale_columns_function<T>* run;  ///< the call
  bool takes_pitch;                ///< rows may be padded, else the pitch is columns * sizeof(T)
};
/// The rungs of `scale_columns`, in climbing order.
template <element T>
inline constexpr std::array scale_columns_rungs{
    scale_columns_rung<T>{"swapped", scale_columns::swapped<T>, false},
    scale_columns_rung<T>{"coalesced", scale_columns::coalesced<T>, false},
    scale_columns_rung<T>{"pitched", scale_columns::pitched<T>, true},
    scale_columns_rung<T>{"shared_vector", scale_columns::shared_vector<T>, true},
    scale_columns_rung<T>{"tuned", scale_columns::tuned<T>, true},
};

}  // namespace twofold::cuda_native::ladder
