// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/fold_host.hpp>

#include <cstddef>
#include <cstdint>

/// @file
/// Products and folds of lines of a matrix on a host thread: compiled once, in the library, for several instruction sets, and
/// picked at run time, like the kernels of fold_host.hpp. `in` may be `out`.

namespace twofold::backends::host {

/// out[k] = in[k] * along[k].
template <class T>
void multiply_by_line(const T* in, const T* along, T* out, std::size_t n);

/// out[k] = factor * in[k].
template <class T>
void multiply_by_number(const T* in, T factor, T* out, std::size_t n);

/// Places that fold_lines takes at most.
inline constexpr std::size_t most_places = 256;

/// results[k] = the fold of one chunk: of the elements at place k < `places` of `count` <= 16 * 2048 lines, `pitch`
/// elements from line to line. Sweeps the lines in order, many places at once.
template <class A, class T>
  requires has_kernel<T, A>
void fold_lines(const T* first, std::ptrdiff_t pitch, std::size_t places, std::size_t count, A* results);

template <class A, class T>
void fold_lines(const T* first, std::ptrdiff_t pitch, std::size_t places, std::size_t count, A* results) {
  for (std::size_t k = 0; k < places; ++k)
    results[k] = fold_chunk(sum_source<T, A>{{first + k, pitch}}, 0, count);
}

}  // namespace twofold::backends::host
