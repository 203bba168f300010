#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Copies the layers, breaks each rule of tools/layers.py once, and wants 'tools/lint layers' to name exactly these lines.

Usage: layers.py REPOSITORY
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# A file of the tree, and a line that it may not have.
BROKEN = [
    # Includes: upwards by name, by relative path and by folder; CUDA and Kokkos where they do not belong.
    ("backends/include/twofold/backends/path.hpp", "#include <twofold/cuda_native/sum.hpp>"),
    ("backends/src/fold_host.cpp", '#include "../../core/include/twofold/sum.hpp"'),
    ("backends/src/matrix_host.cpp", '#  include "core/include/twofold/sum.hpp"'),
    ("backends/src/stencil_host.cpp", "#include <twofold/backends/kokkos/execution.hpp>"),
    ("backends/include/twofold/backends/sources.hpp", "#include <Kokkos_Core.hpp>"),
    ("cuda_native/include/twofold/cuda_native/dot.hpp", "#include <twofold/dot.hpp>"),
    ("cuda_native/src/sum.cu", '#include "../../core/include/twofold/portable/sum.hpp"'),
    ("cuda_native/src/dot.cu", "#include <Kokkos_Core.hpp>"),
    ("core/include/twofold/portable/sum.hpp", "#include <twofold/cuda_native/sum.hpp>"),
    ("core/include/twofold/sum.hpp", "#include <cub/cub.cuh>"),
    ("core/include/twofold/dot.hpp", "#include <thrust/reduce.h>"),
    ("core/include/twofold/norm2.hpp", "#include <cuda_runtime.h>"),
    ("core/include/twofold/views.hpp", "#include <cuda/std/span>"),
    ("core/include/twofold/spans.hpp", '#include "portable/../sum.hpp"'),
    ("core/include/twofold/sum_rows.hpp", "#include <twofold/cuda_native/detail/launch.hpp>"),
    ("core/include/twofold/sum_columns.hpp", "#include_next <cuda_runtime.h>"),
    ("backends/src/matrix_host_table.hpp", "#include <KokkosBlas1_dot.hpp>"),
    ("cuda_native/src/norm2.cu", "#include <kokkos/Kokkos_Core.hpp>"),
    # Whatever the file is called.
    *(("backends/src/added" + suffix, "#include <Kokkos_Core.hpp>") for suffix in (".h", ".hxx", ".inl", ".inc", ".cc", ".cxx")),
    # Words.
    ("core/include/twofold/matrix_views.hpp", "using gpu = Kokkos::Cuda;"),
    ("core/include/twofold/scale_columns.hpp", "using memory = Kokkos::CudaUVMSpace;"),
    ("core/include/twofold/outer_product.hpp", "#if defined(KOKKOS_ENABLE_OPENMP)"),
    ("core/include/twofold/portable/dot.hpp", "__global__ void dot_kernel();"),
    ("core/include/twofold/portable/fold.hpp", "inline void launch() { kernel<<<1, 1>>>(); }"),
    ("core/include/twofold/integrate.hpp", "inline void wait() { cudaDeviceSynchronize(); }"),
    ("cuda_native/include/twofold/cuda_native/sum.hpp", "void sum(Kokkos::View<double*>);"),
    ("backends/include/twofold/backends/matrix.hpp", "KOKKOS_INLINE_FUNCTION int rows();"),
    # What targets are linked to.
    ("backends/CMakeLists.txt", "target_link_libraries(twofold_backends PUBLIC twofold_cuda_native)"),
    ("backends/CMakeLists.txt", "target_link_libraries(${target} PUBLIC $<BUILD_INTERFACE:twofold::twofold>)"),
    ("backends/CMakeLists.txt", "set_property(TARGET twofold_backends APPEND PROPERTY INTERFACE_LINK_LIBRARIES Kokkos::kokkos)"),
    ("backends/CMakeLists.txt", "target_include_directories(twofold_backends PRIVATE ${PROJECT_SOURCE_DIR}/core/include)"),
    ("cuda_native/CMakeLists.txt", "target_link_libraries(twofold_cuda_native PRIVATE twofold)"),
    ("cuda_native/CMakeLists.txt", "target_link_libraries(twofold_cuda_native PUBLIC Kokkos::kokkos)"),
    ("core/CMakeLists.txt", "target_link_libraries(twofold INTERFACE CUDA::cudart)"),
    ("cmake/TwofoldTargets.cmake", "target_link_libraries(twofold_backends PUBLIC twofold::cuda_native)"),
]
# Lines that only look like it.
SOUND = [
    ("core/include/twofold/portable/norm2.hpp", "// no __global__, no kernel<<<1, 1>>>(), and no cudaMalloc"),
    ("core/include/twofold/portable/norm2.hpp", "/* Nor\n   __shared__ memory. */"),
    ("backends/include/twofold/backends/matrix.hpp", "// Kokkos::View is for core"),
    ("core/include/twofold/sum.hpp", "using host = Kokkos::DefaultHostExecutionSpace;"),
    ("core/CMakeLists.txt", "target_link_libraries(twofold INTERFACE twofold_backends twofold::cuda_native Kokkos::kokkos)"),
    ("cuda_native/CMakeLists.txt", "target_link_libraries(twofold_cuda_native PUBLIC twofold::backends) # not twofold::twofold"),
]


def lint(root):
    return subprocess.run([root / "tools/lint", "layers"], cwd=root, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)


def append(file, line):
    """Appends `line` to `file` and returns its number."""
    text = (file.read_text() if file.exists() else "") + line + "\n"
    file.write_text(text)
    return text.count("\n")


def main():
    repository = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / "tree"
        root.mkdir()
        shutil.copy(repository / "CMakeLists.txt", root)
        for part in ["backends", "cuda_native", "core", "cmake", "tools"]:
            shutil.copytree(repository / part, root / part)

        for file, line in SOUND:
            append(root / file, line)
        clean = lint(root)
        if clean.returncode != 0:
            sys.exit(f"the sound tree is refused:\n{clean.stdout}")

        wanted = {(file, append(root / file, line)): line for file, line in BROKEN}
        broken = lint(root)
        found = {(file, int(number)) for file, number in re.findall(r"^([^\s:]+):(\d+): ", broken.stdout, re.MULTILINE)}
        missed = [f"{file}:{number}: {line}" for (file, number), line in wanted.items() if (file, number) not in found]
        extra = [f"{file}:{number}" for file, number in found - wanted.keys()]
        if missed or extra or broken.returncode == 0:
            sys.exit("\n".join([broken.stdout, "not named:", *missed, "named, and sound:", *extra,
                                f"exit status {broken.returncode}"]))
        print(f"all {len(wanted)} are named")


if __name__ == "__main__":
    main()
