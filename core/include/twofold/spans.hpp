// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

/// @file
/// Spans and mdspans of host memory, which every algorithm on vectors and matrices takes where it takes Views: a std::span
/// as a vector, an mdspan of rank 0, 1 or 2 as a result, a vector or a matrix. They become unmanaged Views, with no copy;
/// the call is then the one on Views, and runs on the default host space unless it names one. A raw pointer to host memory
/// is std::span(pointer, n).

namespace twofold {

namespace detail {

template <class A, class T>
inline constexpr bool plain_accessor = false;
template <template <class> class A, class T>
inline constexpr bool plain_accessor<A<T>, T> = std::same_as<typename A<T>::reference, T&>;

}  // namespace detail

/// A std::span, of const or not, of any extent.
template <class S>
concept host_span = requires(const S& s) {
  { std::span(s) } -> std::same_as<S>;
};

/// An mdspan as the standard and Kokkos have it (known by its members, since not every standard library has one yet), of
/// rank 0, 1 or 2, whose layout has strides and whose elements are plain objects in host memory.
template <class S>
concept host_mdspan = !Kokkos::is_view_v<S> && requires(const S& s) {
  typename S::layout_type;
  typename S::extents_type;
  { s.data_handle() } -> std::convertible_to<typename S::element_type*>;
  requires bool(S::rank() <= 2);
  requires bool(S::is_always_strided());
} && detail::plain_accessor<typename S::accessor_type, typename S::element_type>;

namespace detail {

template <class Data, class Layout = Kokkos::LayoutRight>
using view_of_host = Kokkos::View<Data, Layout, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Whether a call has spans in it, and so is one for the overload that makes Views of them.
template <class... A>
concept some_spans = ((host_span<A> || host_mdspan<A>) || ...);

/// Spans as Views; everything else as it is.
template <class A>
const A& view_of(const A& argument) {
  return argument;
}

template <host_span S>
auto view_of(const S& s) {
  return view_of_host<typename S::element_type*>(s.data(), s.size());
}

template <class S, std::size_t... R>
Kokkos::LayoutStride strides_of(const S& s, std::index_sequence<R...>) {
  Kokkos::LayoutStride layout;
  ((layout.dimension[R] = static_cast<std::size_t>(s.extent(R)),
    layout.stride[R] = static_cast<std::size_t>(s.stride(R))),
   ...);
  return layout;
}

template <host_mdspan S>
auto view_of(const S& s) {
  using T = typename S::element_type;
  if constexpr (S::rank() == 0) {
    return view_of_host<T>(s.data_handle());
  } else {
    const auto layout = strides_of(s, std::make_index_sequence<S::rank()>{});
    if constexpr (S::rank() == 2) {
      return view_of_host<T**, Kokkos::LayoutStride>(s.data_handle(), layout);
    } else if constexpr (S::is_always_unique() && S::is_always_exhaustive()) {
      return view_of_host<T*>(s.data_handle(), layout.dimension[0]);
    } else {
      return view_of_host<T*, Kokkos::LayoutStride>(s.data_handle(), layout);
    }
  }
}

}  // namespace detail
}  // namespace twofold
