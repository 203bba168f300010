// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// @file
/// Products of a line of a matrix on a host thread: compiled once, in the library, for several instruction sets, and
/// picked at run time, like the kernels of fold_host.hpp. `in` may be `out`.

namespace twofold::backends::host {

/// out[k] = in[k] * along[k].
template <class T>
void multiply_by_line(const T* in, const T* along, T* out, std::size_t n);

/// out[k] = factor * in[k].
template <class T>
void multiply_by_number(const T* in, T factor, T* out, std::size_t n);

}  // namespace twofold::backends::host
