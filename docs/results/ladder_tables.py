# SPDX-License-Identifier: Apache-2.0
"""The tables of the ladder: its rungs, and those of the course texts from the file of bench/compare --reference. Each takes
the results, the page's present table, a link to the file, and the marker's arguments."""

import re

from figures import (
    BIG,
    Unavailable,
    conditions,
    in_microseconds,
    lines_of_table,
    measured,
    measured_matrix,
    microseconds,
    paragraph,
    per_cent,
    rate,
    rows_of,
    shape_text,
    significant,
    some,
    time_at,
    times_faster,
)

LADDER_SHAPES = ((16384, 16384), (262144, 1001))
REFERENCE_RADII = (1, 2, 3, 4, 8, 16, 32, 64)
REFERENCE_OFFSETS = (0, 1, 4, 8, 16, 31)


def rungs(old, cases):
    """(first cell, second cell, name) of the rungs, the page's first; `cases` are of one algorithm."""
    described = rows_of(old)
    found = [path.removeprefix("ladder:") for paths in cases for path in paths if path.startswith("ladder:")]
    some(found, "the ladder")
    for name in [*described, *(name for name in dict.fromkeys(found) if name not in described)]:
        yield *described.get(name, (f"`{name}`", "")), f"ladder:{name}"


def ladder_dot(results, old, link):
    """The rungs of dot, small and large."""
    yield from paragraph(f"{conditions(results, link)} *x* is the speed-up over the first rung.")
    small, large = (measured(results, "dot", "float", n) for n in (1 << 20, BIG))
    rows = []
    named = list(rungs(old, (small, large)))
    first = named[0][2]
    for cell, what, path in named:
        rows.append(
            [
                *(cell, what),
                *(microseconds(small.get(path)), times_faster(small.get(path), small.get(first))),
                *(rate(large.get(path)), times_faster(large.get(path), large.get(first))),
            ]
        )
    yield from lines_of_table(("rung", "what it does", "us, n = 2^20", "x", "GB/s, n = 2^28", "x"), rows)


def ladder_stencil(results, old, link):
    """The rungs of the stencil by radius."""
    copy = time_at(results, "memcpy", BIG, 2)
    yield from paragraph(
        f"{conditions(results, link)} 2^28 floats; at the rate of `cudaMemcpy` in that run a copy of as many takes {copy} us."
    )
    shown = (1, 8, 32, 1000)
    cases = [measured(results, "stencil", "float", BIG, f"k={k}") for k in shown]
    rows = [[cell, what, *(microseconds(paths.get(path)) for paths in cases)] for cell, what, path in rungs(old, cases)]
    yield from lines_of_table(("rung", "what it does", *(f"us, k = {k}" for k in shown)), rows)


def ladder_matrix(results, old, link, algorithm):
    """The rungs of a product of matrix elements, aligned rows and others."""
    yield from paragraph(f"{conditions(results, link)} *x* is the speed-up over the first rung.")
    cases = [measured_matrix(results, algorithm, "float", shape) for shape in LADDER_SHAPES]
    named = list(rungs(old, cases))
    first = named[0][2]
    rows = []
    for cell, what, path in named:
        figures = [(rate(paths.get(path)), times_faster(paths.get(path), paths.get(first))) for paths in cases]
        rows.append([cell, what, *(cell for pair in figures for cell in pair)])
    header = [f"`{algorithm}`", "what it does"]
    for shape in LADDER_SHAPES:
        header += [f"GB/s, {shape_text(shape)}", "x"]
    yield from lines_of_table(header, rows)


# ---- the tables of the course texts, from the file of bench/compare --reference ----------------------


def reference_rows(results, table_id, what):
    """The rows of a table of the course texts: {"name of the column [unit]": cell}, a column without a unit by name."""
    table = next((table for table in results.get("tables", []) if table["id"] == table_id), None)
    if table is None:
        raise Unavailable(f"no table of {what}")
    names = [column["name"] + (f" [{column['unit']}]" if column.get("unit") else "") for column in table["columns"]]
    return [dict(zip(names, row)) for row in some(table["rows"], what)]


def cell_of(value, text=str):
    """A cell without a figure is null in the file."""
    return "–" if value is None or value == "" else text(value)


def of_microseconds(value):
    return in_microseconds(value * 1e-6)


def count(value):
    """Some counts are averages."""
    return str(int(value)) if value == int(value) else significant(value)


def whole(value):
    return f"{value:.0f}"


def whole_per_cent(value):
    return per_cent(value / 100)


def ladder_trapezoid(results, old, link):
    """Table 1: the rungs of integrate in blocks of 32 and of 256 threads, and what the text has."""
    table = {row["rung"]: row for row in reference_rows(results, "trapezoid", "the trapezoidal rule")}
    seconds = {name: row["time [us]"] * 1e-6 for name, row in table.items() if row["time [us]"]}
    launch = seconds.pop("(empty launch)", None)
    floor = f" An empty launch took {in_microseconds(launch)} us." if launch else ""
    yield from paragraph(f"{conditions(results, link)} *x* is the speed-up over the first figure.{floor}")
    described = rows_of(old)
    for name in seconds:
        base = re.sub(r"_(32|256)$", "", name)
        if base not in described and f"{base}_32" not in described:
            described[name] = f"`{name}`" + (", `_256`" if name.endswith("_32") else ""), ""
    first = next(iter(seconds.values()))
    published = ("GK20A", "Titan X")
    rows = []
    for name, (cell, what) in described.items():
        base = re.sub(r"_32$", "", name)
        pair = [seconds.get(f"{base}_32"), seconds.get(f"{base}_256", seconds.get(base))]
        figures = [(in_microseconds(s), significant(first / s)) if s else ("", "") for s in pair]
        by_text = []
        for gpu in published:
            row = table.get(f"{base}_32") or {}
            time, speed_up = row.get(f"{gpu}, published [ms]"), row.get(f"{gpu} speed-up")
            by_text.append(f"{time:g} ({significant(speed_up)})" if time else "")
        rows.append([cell, what, *figures[0], *figures[1], *by_text])
    header = ("rung", "what it does", "us, blocks of 32", "x", "us, blocks of 256", "x")
    yield from lines_of_table((*header, *(f"text: {gpu}, ms (x)" for gpu in published)), rows)


def serial_vs_tree(results, _, link):
    """Table 2: dependent additions and times of a sum."""
    shown = {
        "values": ("values t", str),
        "serial steps": ("serial steps", str),
        "tree steps": ("tree steps", str),
        "atomics, us": ("atomics [us]", of_microseconds),
        "one thread, us": ("one thread [us]", of_microseconds),
        "tree, us": ("tree [us]", of_microseconds),
        "atomics / tree": ("atomics / tree", significant),
    }
    rows = reference_rows(results, "serial_vs_tree", "serial against tree")
    yield from paragraph(conditions(results, link))
    yield from lines_of_table(shown, ([cell_of(row[key], text) for key, text in shown.values()] for row in rows))


def memory_statistics(results, _, link):
    """Table 3, what drivers say: a column per GPU."""
    gpus = reference_rows(results, "memory_statistics", "memory statistics")
    yield from paragraph(f"From {link}; – is what the text does not have.")
    names = [name for name in gpus[0] if name != "GPU"]
    rows = ([name.replace(" [", ", ").rstrip("]"), *(cell_of(gpu[name]) for gpu in gpus)] for name in names)
    yield from lines_of_table(("", *(gpu["GPU"] for gpu in gpus)), rows)


def memory_measured(results, _, link):
    """Table 3, what was measured: latency and bandwidth of each memory."""
    shown = {
        "memory": ("level", str),
        "latency, cycles": ("latency [cycles]", significant),
        "the text says": ("the text says", str),
        "latency, ns": ("latency [ns]", significant),
        "GB/s": ("bandwidth [GB/s]", whole),
        "bytes a cycle and SM": ("per SM [bytes/cycle]", significant),
        "probed with, KiB": ("probed with [KiB]", str),
    }
    rows = reference_rows(results, "memory_measured", "measured memory")
    yield from paragraph(conditions(results, link))
    yield from lines_of_table(shown, ([cell_of(row[key], text) for key, text in shown.values()] for row in rows))


def stencil_access(results, _, link):
    """Table 4: accesses to global memory per element of a stencil, counted and measured."""
    table = reference_rows(results, "stencil_access", "the accesses of stencils")
    rungs_shown = [name.removesuffix(" [us]") for name in table[0] if name.endswith(" [us]")]
    counted = {
        "without shared": ("without shared [accesses]", str),
        "with, by the text": ("with shared, text [accesses]", str),
        "with, counted": ("with shared, counted [accesses]", significant),
    }
    rows = []
    for row in table:
        if row["k"] not in REFERENCE_RADII:
            continue
        counts = [cell_of(row[key], text) for key, text in counted.values()]
        pairs = [(row[f"{rung} [us]"], row[f"{rung} [GB/s]"]) for rung in rungs_shown]
        times = [f"{in_microseconds(us * 1e-6)} ({rate:.0f})" if us and rate else "–" for us, rate in pairs]
        rows.append([str(row["k"]), *counts, *times])
    yield from paragraph(f"{conditions(results, link)} Accesses are per element; GB/s count 8 bytes per element.")
    yield from lines_of_table(("k", *counted, *(f"`{rung}`, us (GB/s)" for rung in rungs_shown)), some(rows, "stencils"))


def coalescing(results, _, link):
    """Table 5: what a warp's accesses cost by stride and misalignment."""
    shown = {
        "pattern": ("pattern", str),
        "sectors a warp": ("sectors/warp", count),
        "transactions, by the text": ("transactions/warp, text", count),
        "read, GB/s": ("read [GB/s]", whole),
        "of contiguous": ("read, of contiguous [%]", whole_per_cent),
        "write, GB/s": ("write [GB/s]", whole),
        "of contiguous ": ("write, of contiguous [%]", whole_per_cent),
    }
    rows = []
    for row in reference_rows(results, "coalescing", "coalescing"):
        offset = re.fullmatch(r"offset (\d+)", row["pattern"])
        if not offset or int(offset[1]) in REFERENCE_OFFSETS:
            rows.append([cell_of(row[key], text) for key, text in shown.values()])
    yield from paragraph(conditions(results, link))
    yield from lines_of_table([name.strip() for name in shown], rows)
