#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs twofold_bench on tiny counts: everything verifies, and the file is strict JSON with every field."""

import os
import subprocess
import sys
import tempfile

import results as r

FIELDS = (
    "algorithm path backend type n seconds spread bytes gb_per_s limit_fraction verified bits form regime samples reason"
).split()
LADDERS = {"integrate", "dot", "stencil", "outer_product", "scale_columns"}
FOLDS = {"sum", "dot", "norm2", "integrate"}
SKIPPED, NEEDS_GPU = 77, 3


def run(binary, folder, *options):
    out = os.path.join(folder, "out.json")
    done = subprocess.run([binary, "--no-limits", "--out", out, *options], capture_output=True, text=True)
    if done.returncode == NEEDS_GPU or "libcuda.so" in done.stderr:  # no GPU, or not even a driver
        print(done.stderr)
        sys.exit(SKIPPED)
    assert done.returncode == 0, done.stderr
    return r.load(out)


def check_tiny(binary, folder):
    """One repetition, so no spread; no elements, so no bandwidth: null in both places."""
    types = "float,double,int32,int64,uint32,uint64,float->double"
    results = run(binary, folder, "--sizes", "0,1,33,2^12+1", "--types", types, "--reps", "1")
    cases = results["cases"]
    for case in cases:
        missing = [field for field in FIELDS if field not in case]
        assert not missing, (missing, case)
        assert case["verified"], case
        assert case["spread"] is None, case
        assert case["n"] > 0 or case["gb_per_s"] is None, case
    for algorithm in sorted(FOLDS):
        paths = {c["path"] for c in cases if c["algorithm"] == algorithm}
        assert {"portable", "kokkos"} <= paths, (algorithm, paths)
    # The ladder is climbed on CUDA, and nowhere else.
    tuned = {(c["backend"], c["algorithm"]) for c in cases if c["path"] == "ladder:tuned"}
    assert tuned == {("cuda", ladder) for ladder in LADDERS if any(c["backend"] == "cuda" for c in cases)}, tuned
    # On CUDA each fold has every form, and the kernel that is free to choose its order beside it.
    forms = {(c["algorithm"], c["form"]) for c in cases if c["backend"] == "cuda" and c["path"] == "native"}
    free = {c["algorithm"] for c in cases if c["path"] == "free_order"}
    if forms:
        assert free == FOLDS, free
        assert {(fold, form) for fold in FOLDS for form in ("view", "host value", "graph node")} <= forms, forms
    for group in r.groups(cases).values():
        bits = {c["bits"] for c in group if c["path"] in ("portable", "native")}
        assert len(bits) == 1, group


def check_work_is_done(binary, folder):
    """A loop that a compiler removed, or a call that nobody waited for, would take less than 0.001 ns an element."""
    results = run(binary, folder, "--sizes", "2^19", "--types", "float", "--reps", "3", "--only", "sum|integrate")
    for case in results["cases"]:
        assert case["seconds"] > case["n"] * 1e-12, case


def check_refusals(binary):
    for options in (["--sizes", "many"], ["--types", "complex"], ["--only", "("], ["--only", "nothing-like-this"]):
        done = subprocess.run([binary, *options], capture_output=True, text=True)
        assert done.returncode not in (0, 1), (options, done)
        assert done.stderr.strip() or done.stdout.strip(), options


def main():
    binary = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        check_tiny(binary, folder)
        check_work_is_done(binary, folder)
    check_refusals(binary)


if __name__ == "__main__":
    main()
