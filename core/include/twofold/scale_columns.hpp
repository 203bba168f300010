// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/cuda_native/scale_columns.hpp>
#include <twofold/matrix_views.hpp>
#include <twofold/portable/scale_columns.hpp>

/// @file
/// `scale_columns`: R(i, j) = M(i, j) v(j) for matrices M and R of m x n and a vector v of n elements.
///
/// Preconditions: M, v and R have the same element type and fitting extents, are accessible from the execution
///   space, and not null where they have elements; no two elements of R share memory.
/// Allocates: nothing.
/// Synchronises: never: asynchronous on `exec`, and can be captured into a CUDA graph. The form without `exec`
///   runs on the default instance of R's execution space.
/// Overlap: R may be M, element for element. Any other overlap of R with M or v is refused; where their strides
///   differ, already when one lies in the span of the other. Pads are neither read nor written.
/// Bits: one rounding per element, and one NaN for all; integers wrap. Equal on every path, space and alignment.
/// Passes over memory: M read once, R written once, in one kernel.
/// Throws: precondition_error, cuda_error.

namespace twofold {

/// Whether the hand-written CUDA path can scale M into R on Exec: a vector side by side, M and R both LayoutRight or
/// both LayoutLeft, packed or padded. LayoutStride and mixed layouts go the portable way.
template <class Exec, class M, class V, class R>
concept native_scale_columns =
    native_space<Exec, V> && native_matrix_space<Exec, M, R> && cuda_native::scales_columns<element_t<R>>;

/// Whether `scale_columns` takes M, V and R on Exec along Path: memory that Exec reaches, elements of one type
/// that is multiplied here, and for the native path layouts that it has. A call without a path asks what the
/// portable path asks.
template <class Path, class Exec, class M, class V, class R>
concept scale_columns_path =
    path<Path> && reachable_from<M, Exec> && reachable_from<V, Exec> && reachable_from<R, Exec> &&
    std::same_as<element_t<M>, element_t<R>> && std::same_as<element_t<V>, element_t<R>> &&
    cuda_native::multiplies_in<element_t<R>> &&
    (std::same_as<Path, portable_path> || native_scale_columns<Exec, M, V, R>);

/// Scales along the path that is named. Asynchronous.
template <path Path, execution_space Exec, matrix_view M, vector_view V, writable_matrix R>
  requires scale_columns_path<Path, Exec, M, V, R>
void scale_columns(Path, const Exec& exec, const M& m, const V& v, const R& r) {
  detail::expects_matrix("scale_columns", "M", m);
  detail::expects_vector("scale_columns", "v", v);
  detail::expects_output("scale_columns", "R", r);
  detail::expects_same_shape("scale_columns", "M", m, "R", r);
  detail::expects_per_column("scale_columns", "v", v, "M", m);
  detail::expects_apart_or_same("scale_columns", "M", m, "R", r);
  detail::expects_vector_apart("scale_columns", "v", v, "R", r);
  const detail::retyped around(m, v, r);
  if constexpr (std::same_as<Path, native_path>) {
    const backends::native_call call(exec, "twofold::scale_columns");
    const auto stream = backends::stream_of(exec);
    const std::size_t ld_m = detail::leading_dimension(m), ld_r = detail::leading_dimension(r);
    if constexpr (packed_rows<R>) {
      cuda_native::scale_columns(detail::data_of(m), r.extent(0), r.extent(1), ld_m, detail::data_of(v),
                                 detail::data_of(r), ld_r, stream);
    } else {
      cuda_native::scale_rows(detail::data_of(m), r.extent(1), r.extent(0), ld_m, detail::data_of(v),
                              detail::data_of(r), ld_r, stream);
    }
  } else {
    portable_engine::scale_columns<element_t<R>>(exec, detail::matrix_of(m).constant(), detail::operand(v),
                                                 detail::matrix_of(r));
  }
}

/// Scales along the best path. Asynchronous.
template <execution_space Exec, matrix_view M, vector_view V, writable_matrix R>
  requires scale_columns_path<portable_path, Exec, M, V, R>
void scale_columns(const Exec& exec, const M& m, const V& v, const R& r) {
  scale_columns(default_path_t<native_scale_columns<Exec, M, V, R>>{}, exec, m, v, r);
}

/// The same on the default instance of R's own execution space.
template <matrix_view M, vector_view V, writable_matrix R>
  requires scale_columns_path<portable_path, typename R::execution_space, M, V, R>
void scale_columns(const M& m, const V& v, const R& r) {
  scale_columns(typename R::execution_space{}, m, v, r);
}

/// The same with spans or mdspans of host memory in place of Views; see spans.hpp.
template <class... A>
  requires detail::some_spans<A...> && requires(const A&... a) { scale_columns(detail::view_of(a)...); }
auto scale_columns(const A&... a) {
  return scale_columns(detail::view_of(a)...);
}

}  // namespace twofold
