// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <twofold/backends/device_workspace.hpp>
#include <twofold/backends/error.hpp>  // what the functions throw is named with every header of theirs

namespace twofold::cuda_native {

/// cudaStream_t, without the CUDA headers.
using stream_handle = twofold::stream_handle;

/// Device memory for folds on one stream. Make one, `reserve(n)` for the largest count, and pass it to every
/// call: no call allocates then. Calls that share a workspace must be ordered on the device.
using workspace = backends::device_workspace;

using backends::release_workspaces;

}  // namespace twofold::cuda_native
