// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/cuda_native/stencil.hpp>
#include <twofold/portable/stencil.hpp>
#include <twofold/views.hpp>

#include <cstdint>

/// @file
/// `stencil`: each element becomes the sum of its neighbourhood of radius k, out(i) = sum of in(j) with
/// |j - i| <= k; what lies outside the vector is not there (zero boundary). Any k >= 0, any extent.
/// With 2k + 1 weights, out(i) = sum over j of w(j) in(i + j - k): not reversed, each product enters through
/// one fused rounding (fma), j ascending; terms outside are skipped, whatever their weight.
///
/// Preconditions: in and out have the same extent, are accessible from the execution space, and not null where
///   they have elements; no two elements of out share memory (refused); k is not negative; the number of weights is odd,
///   their type that of `in`.
/// Result type: the element type of out, in which everything is summed: that of in (integers wrap), or a wider
///   one: double for float, 64 bits of the same signedness for 32-bit integers.
/// Allocates: nothing after the first call of that size on that instance.
/// Synchronises: never; asynchronous where the execution space is. Can be captured into a CUDA graph.
/// Overlap: out may not overlap in or the weights, not even in place: a window reads what other windows
///   overwrite. Refused.
/// Bits: equal for the same elements on every path, space, thread count, alignment, stride and stream.
/// Passes over memory: reads in once and writes out once; where the window exceeds what fits on chip, in is
///   read twice, and once more for windows beyond the cache. Additions an element: for k > 8 independent of k; with
///   weights proportional to k.
/// Accuracy: |error| <= m u sum|in(j)|, m = 2k for k <= 8, 33 for k < 16, and 64 + 2 log2(k) beyond: windows
///   of any length are summed in blocks, nothing is subtracted. With weights m = 2k + 1.
/// Throws: precondition_error, cuda_error.

namespace twofold {

/// Whether the hand-written CUDA path has stencils of In into Out on Exec.
template <class Exec, class In, class Out>
concept native_stencil = native_space<Exec, In, Out> && cuda_native::stencils<element_t<In>, element_t<Out>>;

/// Whether `stencil` takes In and Out on Exec along Path: memory that Exec reaches, results that sums of these elements
/// may have, and for the native path kernels of these types. A call without a path asks what the portable path asks.
template <class Path, class Exec, class In, class Out>
concept stencil_path =
    path<Path> && stencils_in<element_t<In>, element_t<Out>> && reachable_from<In, Exec> &&
    reachable_from<Out, Exec> && (std::same_as<Path, portable_path> || native_stencil<Exec, In, Out>);

namespace detail {

/// A vector as the stencils see it.
template <vector_view X>
auto elements(const X& x) {
  using T = std::remove_pointer_t<decltype(data_of(x))>;
  if constexpr (contiguous_vector<X>) {
    return backends::adjacent_elements<T>{data_of(x)};
  } else {
    return backends::spread_elements<T>{data_of(x), static_cast<std::ptrdiff_t>(x.stride(0))};
  }
}

/// Whether two vectors have memory in common. Equal strides may interleave.
template <class X, class Y>
bool overlap(const X& x, const Y& y) {
  if (x.extent(0) == 0 || y.extent(0) == 0) return false;
  const auto bytes = [](const auto& v) {
    using V = std::remove_cvref_t<decltype(v)>;
    const auto first = reinterpret_cast<std::uintptr_t>(v.data());
    return std::pair{first, first + ((v.extent(0) - 1) * static_cast<std::size_t>(v.stride(0)) + 1) *
                                        sizeof(typename V::value_type)};
  };
  const auto [x_begin, x_end] = bytes(x);
  const auto [y_begin, y_end] = bytes(y);
  if (x_end <= y_begin || y_end <= x_begin) return false;
  const std::size_t step = static_cast<std::size_t>(x.stride(0)) * sizeof(typename X::value_type);
  if (step != static_cast<std::size_t>(y.stride(0)) * sizeof(typename Y::value_type) || step == 0)
    return true;
  const std::size_t apart =
      (y_begin > x_begin ? y_begin - x_begin : step - (x_begin - y_begin) % step) % step;
  return apart < sizeof(typename X::value_type) || step - apart < sizeof(typename Y::value_type);
}

template <class In, class Out>
void expects_stencil(const In& in, const Out& out) {
  expects_vector("stencil", "in", in);
  expects_output_vector("stencil", "out", out);
  backends::expects(in.extent(0) == out.extent(0), "stencil", [&] {
    return "in has extent " + std::to_string(in.extent(0)) + ", out has extent " +
           std::to_string(out.extent(0)) + "; they must be equal";
  });
  backends::expects(!overlap(in, out), "stencil",
                    [] { return std::string("out overlaps in; a stencil cannot be computed in place"); });
}

/// The radius as it was passed.
template <std::integral K>
std::uint64_t expects_radius(K k) {
  if constexpr (std::signed_integral<K>) {
    backends::expects(k >= 0, "stencil",
                      [&] { return "k = " + std::to_string(k) + "; a radius is not negative"; });
  }
  return static_cast<std::uint64_t>(k);
}

template <class Weights, class Out>
std::size_t expects_weights(const Weights& weights, const Out& out) {
  expects_vector("stencil", "weights", weights);
  backends::expects(weights.extent(0) % 2 == 1, "stencil", [&] {
    return "weights has extent " + std::to_string(weights.extent(0)) +
           "; it must be odd: 2k + 1 weights for radius k";
  });
  backends::expects(!overlap(weights, out), "stencil", [] { return std::string("out overlaps weights"); });
  return weights.extent(0) / 2;
}

}  // namespace detail

/// The same for weights: memory that Exec reaches, elements of In's type, and for the native path side by side.
template <class Path, class Exec, class In, class Out, class Weights>
concept weighted_stencil_path = stencil_path<Path, Exec, In, Out> && reachable_from<Weights, Exec> &&
                                std::same_as<element_t<Weights>, element_t<In>> &&
                                (std::same_as<Path, portable_path> || contiguous_vector<Weights>);

/// Window sums of radius k, along the path that is named. Asynchronous.
template <path Path, execution_space Exec, vector_view In, writable_vector Out, std::integral K>
  requires stencil_path<Path, Exec, In, Out>
void stencil(Path, const Exec& exec, const In& in, const Out& out, K k) {
  using R = element_t<Out>;
  detail::expects_stencil(in, out);
  const std::uint64_t radius = detail::expects_radius(k);
  const detail::retyped around(in, out);
  if constexpr (std::same_as<Path, native_path>) {
    const backends::native_call call(exec, "twofold::stencil");
    cuda_native::stencil<R>(detail::data_of(in), in.extent(0), radius, detail::data_of(out),
                            backends::stream_of(exec));
  } else {
    portable_engine::stencil<R>(exec, detail::elements(in), detail::elements(out), in.extent(0), radius);
  }
}

/// Weighted window sums, along the path that is named. Asynchronous.
template <path Path, execution_space Exec, vector_view In, writable_vector Out, vector_view Weights>
  requires weighted_stencil_path<Path, Exec, In, Out, Weights>
void stencil(Path, const Exec& exec, const In& in, const Out& out, const Weights& weights) {
  using R = element_t<Out>;
  detail::expects_stencil(in, out);
  const std::size_t radius = detail::expects_weights(weights, out);
  const detail::retyped around(in, out, weights);
  if constexpr (std::same_as<Path, native_path>) {
    const backends::native_call call(exec, "twofold::stencil");
    cuda_native::stencil<R>(detail::data_of(in), in.extent(0), detail::data_of(weights), radius,
                            detail::data_of(out), backends::stream_of(exec));
  } else {
    portable_engine::stencil<R>(exec, detail::elements(in), detail::elements(out), in.extent(0),
                                detail::elements(weights), radius);
  }
}

/// Window sums of radius k, along the best path. Asynchronous.
template <execution_space Exec, vector_view In, writable_vector Out, std::integral K>
  requires stencil_path<portable_path, Exec, In, Out>
void stencil(const Exec& exec, const In& in, const Out& out, K k) {
  stencil(default_path_t<native_stencil<Exec, In, Out>>{}, exec, in, out, k);
}

/// Weighted window sums, along the best path. Asynchronous.
template <execution_space Exec, vector_view In, writable_vector Out, vector_view Weights>
  requires weighted_stencil_path<portable_path, Exec, In, Out, Weights>
void stencil(const Exec& exec, const In& in, const Out& out, const Weights& weights) {
  stencil(default_path_t < native_stencil<Exec, In, Out> && contiguous_vector < Weights >> {}, exec, in, out,
          weights);
}

/// Window sums of radius k, on the default instance of out's own execution space.
template <vector_view In, writable_vector Out, std::integral K>
  requires stencil_path<portable_path, typename Out::execution_space, In, Out>
void stencil(const In& in, const Out& out, K k) {
  stencil(typename Out::execution_space{}, in, out, k);
}

/// Weighted window sums, on the default instance of out's own execution space.
template <vector_view In, writable_vector Out, vector_view Weights>
  requires weighted_stencil_path<portable_path, typename Out::execution_space, In, Out, Weights>
void stencil(const In& in, const Out& out, const Weights& weights) {
  stencil(typename Out::execution_space{}, in, out, weights);
}

/// The same with spans or mdspans of host memory in place of Views; see spans.hpp.
template <class... A>
  requires detail::some_spans<A...> && requires(const A&... a) { stencil(detail::view_of(a)...); }
auto stencil(const A&... a) {
  return stencil(detail::view_of(a)...);
}

}  // namespace twofold
