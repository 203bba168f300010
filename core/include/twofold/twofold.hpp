// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Everything. One header per algorithm is there as well.

#include <twofold/dot.hpp>
#include <twofold/integrate.hpp>
#include <twofold/norm2.hpp>
#include <twofold/outer_product.hpp>
#include <twofold/scale_columns.hpp>
#include <twofold/stencil.hpp>
#include <twofold/sum.hpp>
#include <twofold/sum_columns.hpp>
#include <twofold/sum_rows.hpp>
#include <twofold/version.hpp>
