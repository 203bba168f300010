#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks in PTX that the native kernels move 16 bytes at a time.

check_packs.py NVCC INCLUDE_FOLDER...    compiles sources of cuda_native to PTX and looks at each kernel that must

The compiler may store a pack element by element where another branch of the kernel stores single elements, and says nothing: the
results are the same, and a sixth of the rate is gone.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
SOURCES = ("stencil", "sum_rows", "outer_product", "scale_columns")
WIDE = r"\.global(\.\w+)*?\.(v4\.[bfu]32|v2\.[bfsu]64)\b"
# Kernels by their mangled name, and the access that each must have. Lb1E: the shapes that take packs.
EXPECTED = (
    (r"stencil_(short|direct|one_pass|two_pass)_kernel", "st"),
    (r"line_products_kernel", "st"),
    (r"fold_(kernel|along_kernel|along_block_kernel)ILj\d+ELb1E|fold_short_lines_kernelILb1E", "ld"),
)


def entries(ptx):
    """Name and body of each kernel."""
    parts = re.split(r"^\s*(?:\.visible\s+|\.weak\s+)?\.entry\s+(\w+)", ptx, flags=re.MULTILINE)
    return zip(parts[1::2], parts[2::2])


def faults(ptx):
    """The kernels that should have an access of 16 bytes and have none, and how many there are that should."""
    bad, checked = [], 0
    for name, body in entries(ptx):
        for pattern, access in EXPECTED:
            if re.search(pattern, name):
                checked += 1
                if not re.search(access + WIDE, body):
                    bad.append(f"{name}: no {access}.global of 16 bytes")
    return bad, checked


def main():
    nvcc, *folders = sys.argv[1:]
    bad, checked = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for source in SOURCES:
            ptx = pathlib.Path(folder) / f"{source}.ptx"
            subprocess.run(
                [nvcc, "-std=c++20", "-O3", "-arch=sm_90", "-ptx", "-o", ptx]
                + [f"-I{include}" for include in folders]
                + [REPOSITORY / "cuda_native" / "src" / f"{source}.cu"],
                check=True,
            )
            more, count = faults(ptx.read_text())
            bad += more
            checked += count
            if count == 0:
                bad.append(f"{source}.cu: no kernel was found")
    print("\n".join(bad) if bad else f"{checked} kernels move 16 bytes at a time")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
