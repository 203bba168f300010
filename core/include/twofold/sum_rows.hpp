// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/cuda_native/sum_columns.hpp>
#include <twofold/cuda_native/sum_rows.hpp>
#include <twofold/matrix_views.hpp>
#include <twofold/portable/sum_rows.hpp>

/// @file
/// `sum_rows`: r(i) = sum over j of M(i, j), each in fold order 1: to the bit what `sum` gives
///   for that row alone.
///
/// Preconditions: r has one element per row of M; both are accessible from the execution space, and not null where
///   they have elements; no two elements of r share memory.
/// Result type: the elements of r decide what is summed in: float rows may go into doubles, 32-bit integers into 64
///   bits. In a 32-bit integer a sum wraps modulo 2^32. A matrix without columns gives zeros.
/// Allocates: nothing after the first call of that shape on that instance; up to 8192 columns nothing at all.
/// Synchronises: never: asynchronous on `exec`, and can be captured into a CUDA graph. The form without `exec` runs on
///   the default instance of r's execution space.
/// Overlap: r must share no element with M (refused; where r steps unlike M's rows and columns, already when it lies
///   in the span of M). Pads are not read.
/// Bits: equal for the same elements on every path, space, thread count, layout, alignment, stride and stream.
/// Passes over memory: M read once. One kernel, and one for each further level of the order: above 8192 columns two.
/// Accuracy: as `sum`.
/// Throws: precondition_error, cuda_error.

namespace twofold {

/// Whether the hand-written CUDA path can sum the rows of M into r on Exec: LayoutRight or LayoutLeft, packed or
/// padded, r side by side. LayoutStride goes the portable way.
template <class Exec, class M, class R>
concept native_sum_rows = native_space<Exec, R> && native_matrix_space<Exec, M> &&
                          cuda_native::sums_rows<element_t<M>, element_t<R>>;

/// Whether `sum_rows` takes M and R on Exec along Path: memory that Exec reaches, elements of R that hold sums
/// of M's, and for the native path a layout and types that it has. A call without a path asks what the portable
/// path asks.
template <class Path, class Exec, class M, class R>
concept sum_rows_path = path<Path> && reachable_from<M, Exec> && reachable_from<R, Exec> &&
                        accumulator_for<element_t<R>, element_t<M>> &&
                        (std::same_as<Path, portable_path> || native_sum_rows<Exec, M, R>);

/// Writes the sums along the path that is named. Asynchronous.
template <path Path, execution_space Exec, matrix_view M, writable_vector R>
  requires sum_rows_path<Path, Exec, M, R>
void sum_rows(Path, const Exec& exec, const M& m, const R& r) {
  detail::expects_matrix("sum_rows", "M", m);
  detail::expects_output_vector("sum_rows", "r", r);
  detail::expects_per_row("sum_rows", "r", r, "M", m);
  detail::expects_vector_apart("sum_rows", "r", r, "M", m);
  const detail::retyped around(m, r);
  if constexpr (std::same_as<Path, native_path>) {
    const backends::native_call call(exec, "twofold::sum_rows");
    const auto stream = backends::stream_of(exec);
    const std::size_t ld = detail::leading_dimension(m);
    if constexpr (packed_rows<M>) {
      cuda_native::sum_rows<element_t<R>>(detail::data_of(m), m.extent(0), m.extent(1), ld,
                                          detail::data_of(r), stream);
    } else {
      cuda_native::sum_columns<element_t<R>>(detail::data_of(m), m.extent(1), m.extent(0), ld,
                                             detail::data_of(r), stream);
    }
  } else {
    portable_engine::sum_rows<element_t<R>, element_t<M>>(
        exec, detail::matrix_of(m).constant(), detail::data_of(r), static_cast<std::ptrdiff_t>(r.stride(0)));
  }
}

/// Writes the sums along the best path. Asynchronous.
template <execution_space Exec, matrix_view M, writable_vector R>
  requires sum_rows_path<portable_path, Exec, M, R>
void sum_rows(const Exec& exec, const M& m, const R& r) {
  sum_rows(default_path_t<native_sum_rows<Exec, M, R>>{}, exec, m, r);
}

/// The same on the default instance of r's own execution space.
template <matrix_view M, writable_vector R>
  requires sum_rows_path<portable_path, typename R::execution_space, M, R>
void sum_rows(const M& m, const R& r) {
  sum_rows(typename R::execution_space{}, m, r);
}

/// The same with spans or mdspans of host memory in place of Views; see spans.hpp.
template <class... A>
  requires detail::some_spans<A...> && requires(const A&... a) { sum_rows(detail::view_of(a)...); }
auto sum_rows(const A&... a) {
  return sum_rows(detail::view_of(a)...);
}

}  // namespace twofold
