#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the arrows between layers: core -> cuda_native -> backends, core -> backends; never back.

Usage: tools/layers.py [ROOT]

Reads the sources of the layers below ROOT (default: the repository) and every CMake file, prints each line that goes
against the arrows with the reason, and fails when there is one. Looked at: what is included, words that belong to
another layer, and what the layers' targets are linked to.
"""
import pathlib
import re
import sys

SOURCES = {".h", ".hh", ".hpp", ".hxx", ".inl", ".inc", ".ipp", ".c", ".cc", ".cpp", ".cxx", ".cu", ".cuh", ".in"}
# Headers and words of CUDA: outside core they are everybody's.
CUDA_HEADER = r"(cuda|cub/|thrust/|cublas|curand|cusparse|cusolver|cufft|cooperative_groups|nvtx3/|nv/|nvrtc|device_launch_parameters|vector_types|mma\.h)"
CUDA_WORD = (r"__global__|__device__|__host__|__shared__|__constant__|__launch_bounds__|__syncthreads|__syncwarp|__shfl_\w+|"
             r"<<<|\b(threadIdx|blockIdx|blockDim|gridDim)\b|\bcuda[A-Z]\w*")
KOKKOS_HEADER = r"(.*/)?(Kokkos\w*\.|kokkos/|desul/)"
# Backends of Kokkos, and what tells them apart.
KOKKOS_BACKEND = (r"\bKokkos::(Experimental::)?(Cuda|HIP|SYCL|OpenMPTarget|OpenACC|OpenMP|Threads|HPX|Serial)(\w*Space)?\b|"
                  r"\bKOKKOS_ENABLE_\w+")

# Where, what an #include may not begin with, unless it begins with this, why.
INCLUDES = [
    ("backends", r"twofold/", r"twofold/(backends/|version\.hpp)", "backends is the lowest layer"),
    ("cuda_native", r"twofold/", r"twofold/(cuda_native|backends)/", "cuda_native may use backends only"),
    ("cuda_native", KOKKOS_HEADER, None, "cuda_native is usable without Kokkos"),
    ("core", CUDA_HEADER, None, "core reaches CUDA through backends or cuda_native"),
    ("core", r"twofold/cuda_native/detail/", None, "core uses what cuda_native offers to everybody"),
    ("core/include/twofold/portable", r"twofold/cuda_native/", None, "portable algorithms know no native ones"),
    ("backends", KOKKOS_HEADER, None, "in backends, Kokkos belongs below twofold/backends/kokkos"),
]
FOR_ALL = [
    (r"(.*/)?\.\./", "headers are included by their full name: '..' may lead into another layer"),
    (r"(.*/)?(backends|cuda_native|core)/(include|src)/", "headers are included as users include them, not by folder"),
]
WORDS = [
    ("core", KOKKOS_BACKEND, "only twofold/backends/kokkos names a backend of Kokkos"),
    ("core", CUDA_WORD, "core has no CUDA in it: kernels belong to cuda_native, and what both share to backends"),
    ("cuda_native", r"\bKokkos::|\bKOKKOS_\w+", "cuda_native is usable without Kokkos"),
    ("backends", r"\bKokkos::|\bKOKKOS_\w+", "in backends, Kokkos belongs below twofold/backends/kokkos"),
]
KOKKOS_OF_BACKENDS = "backends/include/twofold/backends/kokkos/"

# Which targets a layer may not be linked to, and why.
CORE_TARGET = r"twofold(::twofold)?"
NATIVE_TARGET = r"twofold(_|::)cuda_native"
KOKKOS_TARGET = r"Kokkos::\w+|kokkos\w*"
LINKS = {
    "backends": [(CORE_TARGET, "backends is the lowest layer"), (NATIVE_TARGET, "backends is the lowest layer"),
                 (KOKKOS_TARGET, "backends' libraries need no Kokkos")],
    "cuda_native": [(CORE_TARGET, "cuda_native may use backends only"),
                    (KOKKOS_TARGET, "cuda_native is usable without Kokkos")],
    "core": [(r"CUDA::\w+", "core reaches CUDA through backends or cuda_native")],
}
LAYER_OF_TARGET = {"twofold": "core", "twofold_cuda_native": "cuda_native", "twofold_backends": "backends",
                   "twofold_backends_cuda": "backends"}


def without_comments(text):
    """The text, its comments blanked so that lines and columns stay. Strings keep what they hold."""
    pattern = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
    return pattern.sub(lambda m: m[0] if m[0][0] == '"' else re.sub(r"[^\n]", " ", m[0]), text)


def check_source(name, text):
    """Yields (line, reason) of the source file `name`."""
    for number, line in enumerate(without_comments(text).splitlines(), 1):
        include = re.match(r'\s*#\s*(?:include(?:_next)?|import)\s*[<"]([^>"]+)', line)
        if include:
            header = include[1]
            for folder, forbidden, allowed, reason in INCLUDES:
                if not name.startswith(folder + "/") or (forbidden == KOKKOS_HEADER and name.startswith(KOKKOS_OF_BACKENDS)):
                    continue
                if re.match(forbidden, header) and not (allowed and re.match(allowed, header)):
                    yield number, reason
            for forbidden, reason in FOR_ALL:
                if re.match(forbidden, header):
                    yield number, reason
        elif not name.startswith(KOKKOS_OF_BACKENDS):
            for folder, forbidden, reason in WORDS:
                if name.startswith(folder + "/") and re.search(forbidden, line):
                    yield number, reason


def check_cmake(name, text):
    """Yields (line, reason) of the CMake file `name`: by its layer's folder, else by the target that it links."""
    text = re.sub(r"#[^\n]*", "", text)
    of_folder = name.split("/")[0] if name.split("/")[0] in LINKS else None
    calls = re.finditer(r"\b(target_link_libraries|link_libraries|set_property|set_target_properties)\s*\(([^)]*)\)", text)
    for call in calls:
        words = call[2].split()
        if call[1].startswith("set_"):
            at = [i for i, word in enumerate(words) if word.endswith("LINK_LIBRARIES")]
            if not at:
                continue
            targets, linked = words[:at[0]], words[at[0] + 1:]
        elif call[1] == "link_libraries":
            targets, linked = [], words
        else:
            targets, linked = words[:1], words[1:]
        layers = {LAYER_OF_TARGET[target] for target in targets if target in LAYER_OF_TARGET}
        if not layers and of_folder:
            layers = {of_folder}
        for layer in layers:
            for forbidden, reason in LINKS[layer]:
                # Also inside of generator expressions and lists.
                if any(re.fullmatch(forbidden, part) for word in linked for part in re.split(r'[;,<>$"]|(?<!:):(?!:)', word)):
                    yield text.count("\n", 0, call.start()) + 1, reason
    # A folder of a layer above, among include directories or sources.
    above = {"backends": "core|cuda_native", "cuda_native": "core"}.get(of_folder)
    if above:
        for number, line in enumerate(text.splitlines(), 1):
            if re.search(rf"(SOURCE_DIR\}}|\.\.)/({above})\b", line):
                yield number, f"{of_folder} may not use the folder of a layer above"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    files = [root / "CMakeLists.txt", *(root / "cmake").rglob("*")]
    for layer in LINKS:
        if not (root / layer).is_dir():
            sys.exit(f"{root / layer} is not there: these are not the sources of Twofold")
        files += sorted((root / layer).rglob("*"))
    wrong = 0
    for file in files:
        name = file.relative_to(root).as_posix()
        if file.name == "CMakeLists.txt" or file.suffix == ".cmake":
            check = check_cmake
        elif file.suffix in SOURCES and not name.endswith(".cmake.in"):
            check = check_source
        else:
            continue
        text = file.read_text(encoding="utf-8")
        for number, reason in check(name, text):
            print(f"{name}:{number}: {text.splitlines()[number - 1].strip()}\n  -> {reason}")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
