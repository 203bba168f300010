// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/cuda_native/outer_product.hpp>
#include <twofold/matrix_views.hpp>
#include <twofold/portable/outer_product.hpp>

/// @file
/// `outer_product`: C(i, j) = x(i) y(j) for a matrix C of m x n and vectors x of m and y of n elements. What C held
/// is not read, so NaN or rubbish in it does not spread.
///
/// Preconditions: x, y and C have the same element type and fitting extents, are accessible from the execution
///   space, and not null where C has elements; no two elements of C share memory.
/// Allocates: nothing.
/// Synchronises: never: asynchronous on `exec`, and can be captured into a CUDA graph. The form without `exec`
///   runs on the default instance of C's execution space.
/// Overlap: x and y must share no element with C (refused; where x steps unlike C's rows and columns, already when
///   it lies in the span of C). Pads between rows or columns are neither read nor written.
/// Bits: one rounding per element, and one NaN for all; integers wrap. Equal on every path, space and alignment.
/// Passes over memory: C written once, in one kernel.
/// Throws: precondition_error, cuda_error.

namespace twofold {

/// Whether the hand-written CUDA path can write the outer product of X and Y to C on Exec: side by side vectors,
/// LayoutRight or LayoutLeft, packed or padded. LayoutStride goes the portable way.
template <class Exec, class X, class Y, class C>
concept native_outer_product =
    native_space<Exec, X, Y> && native_matrix_space<Exec, C> && cuda_native::outer_products<element_t<C>>;

/// Whether `outer_product` takes X, Y and C on Exec along Path: memory that Exec reaches, elements of one type
/// that is multiplied here, and for the native path a layout that it has. A call without a path asks what the
/// portable path asks.
template <class Path, class Exec, class X, class Y, class C>
concept outer_product_path =
    path<Path> && reachable_from<X, Exec> && reachable_from<Y, Exec> && reachable_from<C, Exec> &&
    std::same_as<element_t<X>, element_t<C>> && std::same_as<element_t<Y>, element_t<C>> &&
    cuda_native::multiplies_in<element_t<C>> &&
    (std::same_as<Path, portable_path> || native_outer_product<Exec, X, Y, C>);

/// Writes the outer product along the path that is named. Asynchronous.
template <path Path, execution_space Exec, vector_view X, vector_view Y, writable_matrix C>
  requires outer_product_path<Path, Exec, X, Y, C>
void outer_product(Path, const Exec& exec, const X& x, const Y& y, const C& c) {
  detail::expects_vector("outer_product", "x", x);
  detail::expects_vector("outer_product", "y", y);
  detail::expects_output("outer_product", "C", c);
  detail::expects_per_row("outer_product", "x", x, "C", c);
  detail::expects_per_column("outer_product", "y", y, "C", c);
  detail::expects_vector_apart("outer_product", "x", x, "C", c);
  detail::expects_vector_apart("outer_product", "y", y, "C", c);
  const detail::retyped around(x, y, c);
  if constexpr (std::same_as<Path, native_path>) {
    const backends::native_call call(exec, "twofold::outer_product");
    const auto stream = backends::stream_of(exec);
    if constexpr (packed_rows<C>) {
      cuda_native::outer_product(detail::data_of(x), x.extent(0), detail::data_of(y), y.extent(0),
                                 detail::data_of(c), detail::leading_dimension(c), stream);
    } else {
      cuda_native::outer_product(detail::data_of(y), y.extent(0), detail::data_of(x), x.extent(0),
                                 detail::data_of(c), detail::leading_dimension(c), stream);
    }
  } else {
    portable_engine::outer_product(exec, detail::operand(x), detail::operand(y), detail::matrix_of(c));
  }
}

/// Writes the outer product along the best path. Asynchronous.
template <execution_space Exec, vector_view X, vector_view Y, writable_matrix C>
  requires outer_product_path<portable_path, Exec, X, Y, C>
void outer_product(const Exec& exec, const X& x, const Y& y, const C& c) {
  outer_product(default_path_t<native_outer_product<Exec, X, Y, C>>{}, exec, x, y, c);
}

/// The same on the default instance of C's own execution space.
template <vector_view X, vector_view Y, writable_matrix C>
  requires outer_product_path<portable_path, typename C::execution_space, X, Y, C>
void outer_product(const X& x, const Y& y, const C& c) {
  outer_product(typename C::execution_space{}, x, y, c);
}

/// The same with spans or mdspans of host memory in place of Views; see spans.hpp.
template <class... A>
  requires detail::some_spans<A...> && requires(const A&... a) { outer_product(detail::view_of(a)...); }
auto outer_product(const A&... a) {
  return outer_product(detail::view_of(a)...);
}

}  // namespace twofold
