# SPDX-License-Identifier: Apache-2.0
# cmake -D root=<repository> -P missing_files.cmake: what configuring says of an algorithm that has no files yet.
include(${root}/cmake/TwofoldAlgorithms.cmake)
twofold_require_files(${root} sum asum)
