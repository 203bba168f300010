#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that kernels which may start early wait first.

check_early_launches.py [ROOT]    looks at the CUDA sources and headers of cuda_native below ROOT (default: this repository)

A file that calls launch_early() may hold no kernel whose first statement is another than await_earlier_work(). Only a GPU shows
what a missing wait does, and not every time.
"""

import pathlib
import re
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
WAIT = re.compile(r"\s*(\w+::)*await_earlier_work\(\);")


def closing(text, opening):
    """The index behind the bracket that closes the one at `opening`."""
    depth = 0
    for i in range(opening, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return i + 1
    raise ValueError("brackets do not match")


def kernels(text):
    """Name and body, from the brace on, of each kernel."""
    text = re.sub(r"//[^\n]*", "", text)
    for found in re.finditer(r"\b__global__\b", text):
        at = found.end()
        bounds = re.compile(r"\s*void\s+__launch_bounds__\s*\(").match(text, at)
        if bounds:
            at = closing(text, bounds.end() - 1)
        parameters = text.index("(", at)
        name = re.search(r"(\w+)\s*$", text[at:parameters]).group(1)
        brace = text.index("{", closing(text, parameters))
        yield name, text[brace + 1 :]


def faults(path):
    text = path.read_text()
    if "launch_early(" not in text:
        return []
    return [name for name, body in kernels(text) if not WAIT.match(body)]


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else REPOSITORY
    checked = 0
    bad = []
    for path in sorted([*root.glob("cuda_native/**/*.cu*"), *root.glob("bench/*.cu")]):
        checked += sum(1 for _ in kernels(path.read_text())) if "launch_early(" in path.read_text() else 0
        bad += [f"{path.relative_to(root)}: {name} may start early and does not wait first" for name in faults(path)]
    print("\n".join(bad) if bad else f"{checked} kernels wait first")
    sys.exit(1 if bad or checked == 0 else 0)


if __name__ == "__main__":
    main()
