#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs twofold_reference --quick: the tables are there, as text and as strict JSON, every row is complete, what is
counted is right and what is measured is there."""

import json
import os
import subprocess
import sys
import tempfile

HOST_TABLES = ["serial_vs_tree_host", "memory_host"]
GPU_TABLES = "trapezoid serial_vs_tree memory_statistics memory_measured stencil_access coalescing".split()
NEEDS_GPU = 3

# What is counted does not depend on the machine: table, row by its first cell, and what stands under some columns.
COUNTS = [
    ("serial_vs_tree_host", 8, {"serial steps": 8, "tree steps": 3}),
    ("serial_vs_tree_host", 10**6, {"serial steps": 10**6, "tree steps": 20}),
    ("serial_vs_tree", 8, {"serial steps": 8, "tree steps": 3}),
    ("serial_vs_tree", 10**6, {"serial steps": 10**6, "tree steps": 20}),
    ("stencil_access", 3, {"without shared": 8, "with shared, text": 4, "with shared, counted": 2 + 2 * 3 / 256}),
    ("stencil_access", 64, {"without shared": 130, "with shared, text": 4, "with shared, counted": 2.5}),
    ("coalescing", "stride 1", {"sectors/warp": 4, "transactions/warp, text": 2}),
    ("coalescing", "stride 2", {"sectors/warp": 8, "transactions/warp, text": 32}),
    ("coalescing", "stride 8", {"sectors/warp": 32, "transactions/warp, text": 32}),
    ("coalescing", "stride 32", {"sectors/warp": 32, "transactions/warp, text": 32}),
    ("coalescing", "offset 0", {"sectors/warp": 4, "transactions/warp, text": 2}),
    ("coalescing", "offset 1", {"sectors/warp": 5, "transactions/warp, text": 32}),
    ("coalescing", "offset 8", {"sectors/warp": 4, "transactions/warp, text": 32}),
    ("coalescing", "offset 16", {"sectors/warp": 4, "transactions/warp, text": 2}),
    # Neither the order of the lanes nor what they share matters today; a lane that is off saves no sector.
    ("coalescing", "lanes reversed", {"sectors/warp": 4, "transactions/warp, text": 32}),
    ("coalescing", "lanes permuted", {"sectors/warp": 4, "transactions/warp, text": 32}),
    ("coalescing", "two lanes an address", {"sectors/warp": 2, "transactions/warp, text": 32}),
    ("coalescing", "every second lane off", {"sectors/warp": 4, "transactions/warp, text": 2}),
    ("coalescing", "1001 columns, pitched", {"sectors/warp": 4, "transactions/warp, text": 2}),
    # One row in 8 starts at a sector, one in 16 at the 64 bytes of a half-warp.
    ("coalescing", "1001 columns, packed", {"sectors/warp": 4.875, "transactions/warp, text": 30.125}),
    ("trapezoid", "atomic_per_thread_32", {"GK20A, published": 20.7, "Titan X, published": 3.08, "speed-up": 1}),
    ("memory_statistics", "GK20A, Jetson TK1 (published)", {"compute capability": "3.2", "registers/thread": 504}),
]
MEASURED = ("us", "ns", "cycles", "GB/s", "bytes/cycle")
NOT_MEASURED = {("memory_host", "read, all cores")}  # of memory alone, not of caches


def refuse(constant):
    raise ValueError(f"{constant} is not JSON")


def run(binary, *options):
    return subprocess.run([binary, *options], capture_output=True, text=True)


def check_figures(tables):
    """Counts are those of the rules, and a cell that should hold a measured figure holds one."""
    for table_id, first, expected in COUNTS:
        if table_id not in tables:
            continue
        names = [column["name"] for column in tables[table_id]["columns"]]
        rows = [row for row in tables[table_id]["rows"] if row[0] == first]
        assert len(rows) == 1, (table_id, first, rows)
        for name, value in expected.items():
            found = rows[0][names.index(name)]
            assert found == value, (table_id, first, name, found, value)
    for table_id, table in tables.items():
        measured = 0
        for row in table["rows"]:
            for column, cell in zip(table["columns"], row):
                if column["unit"] in MEASURED and (table_id, column["name"]) not in NOT_MEASURED:
                    assert isinstance(cell, (int, float)) and cell > 0, (table_id, row[0], column, cell)
                    measured += 1
        assert measured > 0 or table_id == "memory_statistics", table_id
    if "memory_statistics" in tables:
        this_gpu = tables["memory_statistics"]["rows"][-1]
        assert "published" not in this_gpu[0] and None not in this_gpu, this_gpu


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
    check_figures({table["id"]: table for table in written["tables"]})
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
