#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs twofold_reference --quick: the tables are there, as text and as strict JSON, and every row is complete."""

import json
import os
import subprocess
import sys
import tempfile

HOST_TABLES = ["serial_vs_tree_host", "memory_host"]
GPU_TABLES = "trapezoid serial_vs_tree memory_statistics memory_measured stencil_access coalescing".split()
NEEDS_GPU = 3


def refuse(constant):
    raise ValueError(f"{constant} is not JSON")


def run(binary, *options):
    return subprocess.run([binary, *options], capture_output=True, text=True)


def check_tables(binary, folder, backend):
    """Returns why there are no tables of a GPU, or an empty text."""
    out = os.path.join(folder, f"{backend}.json")
    done = run(binary, "--quick", "--backend", backend, "--revision", "tested", "--out", out)
    assert done.returncode == 0, done.stderr
    with open(out, encoding="utf-8") as file:
        written = json.load(file, parse_constant=refuse)
    assert written["environment"]["git_revision"] == "tested", written["environment"]
    missing = written["environment"]["gpu_missing"]
    assert [t["id"] for t in written["tables"]] == ([] if missing else GPU_TABLES) + HOST_TABLES, written
    for table in written["tables"]:
        assert table["title"] in done.stdout, table["title"]
        assert table["rows"], table
        for row in table["rows"]:
            assert len(row) == len(table["columns"]), (table["columns"], row)
    assert not missing or missing in done.stdout, done.stdout
    return missing


def main():
    binary = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        assert check_tables(binary, folder, "openmp"), "--backend openmp measured a GPU"
        if check_tables(binary, folder, "auto"):
            unfinished = os.path.join(folder, "none.json")
            done = run(binary, "--quick", "--backend", "cuda", "--out", unfinished)
            assert done.returncode == NEEDS_GPU and done.stderr.strip(), done
            assert not os.path.exists(unfinished)
    for options in (["--backend", "gpu"], ["--out"], ["--unknown"]):
        done = run(binary, *options)
        assert done.returncode == 2 and done.stderr.strip(), (options, done)
    assert "--backend" in run(binary, "--help").stdout


if __name__ == "__main__":
    main()
