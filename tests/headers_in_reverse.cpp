// SPDX-License-Identifier: Apache-2.0
// All algorithms' headers in an order that no other file has, stencils first. What one header makes visible must not
// change another: this file is compiled with warnings for shadowed names, and has no code.
// clang-format off
#include <twofold/stencil.hpp>
#include <twofold/spans.hpp>
#include <twofold/scale_columns.hpp>
#include <twofold/outer_product.hpp>
#include <twofold/norm2.hpp>
#include <twofold/integrate.hpp>
#include <twofold/dot.hpp>
#include <twofold/sum.hpp>
#include <twofold/sum_rows.hpp>
#include <twofold/sum_columns.hpp>
