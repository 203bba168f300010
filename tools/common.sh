# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by tools/*, tests/run, bench/compare and .ci/run: where the repository is, and what the machine has.

repo=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck disable=SC2034  # used by the scripts that source this file
deps=$repo/.deps

say() { printf '%s\n' "$*"; }
warn() { printf '%s\n' "$*" >&2; }
die() {
  warn "$*"
  exit 1
}

# nvcc is often installed without being in PATH, so the usual places are tried too.
find_nvcc() {
  local candidate
  for candidate in "${CUDACXX:-}" "$(command -v nvcc || true)" "${CUDA_HOME:-/nonexistent}/bin/nvcc" \
    "${CUDA_PATH:-/nonexistent}/bin/nvcc" /usr/local/cuda/bin/nvcc; do
    if [[ -n $candidate && -x $candidate ]]; then
      printf '%s\n' "$candidate"
      return 0
    fi
  done
  return 1
}

# A driver without a device answers too, so the list itself is looked at.
has_gpu() {
  command -v nvidia-smi >/dev/null && [[ $(nvidia-smi -L 2>/dev/null || true) == GPU* ]]
}

# Compiling Kokkos code takes about 1.5 GB a job; a machine with many cores and little memory would swap.
build_jobs() {
  local cores memory_kb
  if [[ -n ${CMAKE_BUILD_PARALLEL_LEVEL:-} ]]; then
    printf '%s\n' "$CMAKE_BUILD_PARALLEL_LEVEL"
    return
  fi
  cores=$(nproc)
  memory_kb=$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo)
  local fitting=$((memory_kb / 1500000))
  ((fitting >= 1)) || fitting=1
  printf '%s\n' $((cores < fitting ? cores : fitting))
}
