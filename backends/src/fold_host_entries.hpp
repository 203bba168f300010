// SPDX-License-Identifier: Apache-2.0
// All kernels of one instruction set: see fold_host_kernels.hpp.
#pragma once

#include "fold_host_kernels.hpp"
#include "fold_host_squares.hpp"
#include "fold_host_trapezoids.hpp"

namespace twofold::backends::host {
namespace {

constexpr kernel_table table_of_this_file{
    {chunk_sum<float, float>, chunk_dot<float, float>},
    {chunk_sum<double, float>, chunk_dot<double, float>},
    {chunk_sum<double, double>, chunk_dot<double, double>},
    {chunk_sum<std::int64_t, std::int32_t>, chunk_dot<std::int64_t, std::int32_t>},
    {chunk_sum<std::uint64_t, std::uint32_t>, chunk_dot<std::uint64_t, std::uint32_t>},
    {chunk_sum<std::int64_t, std::int64_t>, chunk_dot<std::int64_t, std::int64_t>},
    {chunk_sum<std::uint64_t, std::uint64_t>, chunk_dot<std::uint64_t, std::uint64_t>},
    chunk_squares_of_floats,
    chunk_squares_ordinary,
    chunk_squares_any,
    walk_strip<float>,
    walk_strip<double>,
};

}  // namespace
}  // namespace twofold::backends::host
