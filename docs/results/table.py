#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes every measured figure that the pages show in tables, from the results files in docs/results/h200.

table.py            rewrites the tables in README.md and docs/, and docs/results/ratios.md
table.py --check    fails where a page does not hold what the files say, or has a measured table of its own

A page has a table between these lines; FILE is a file of docs/results/h200, the rest is for the table (see TABLES):

  <!-- measured: TABLE FILE [ARGUMENT...] -->
  <!-- measured end -->

A path without a verified figure is shown as –. Rows of the ladder stand in the page's order, and what the page says in
their second column is kept; rungs that it lacks are added.
"""

import json
import os
import pathlib
import re
import statistics
import sys
import textwrap

import ratios

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
RESULTS = HERE / "h200"
BLOCK = re.compile(
    r"^(?P<begin><!-- measured: (?P<name>\w+) (?P<file>\S+)(?P<arguments>[^>]*?) -->\n)(?P<old>.*?)"
    r"^(?P<end><!-- measured end -->)$",
    re.MULTILINE | re.DOTALL,
)
MARKER = re.compile(r"^<!-- measured.*$", re.MULTILINE)
UNIT = re.compile(r"^\|.*\b(µs|us|ms|GB/s)\b.*\|\n\|[-|: ]+\|$", re.MULTILINE)
EXPONENTS = (10, 15, 20, 22, 24, 26, 28, 30)
VENDORS = {"vendor:cub": "CUB", "vendor:cublas": "cuBLAS"}
BIG = 1 << 28  # elements of the cases that memory decides
LADDER_SHAPES = ((16384, 16384), (262144, 1001))
REFERENCE_RADII = (1, 2, 3, 4, 8, 16, 32, 64)
REFERENCE_OFFSETS = (0, 1, 4, 8, 16, 31)


class Unavailable(Exception):
    """What a table needs is not there; says what."""


# ---- figures ----------------------------------------------------------------------------------------


def measured(results, algorithm, type_name, n, variant=None):
    """The paths of a case in their asynchronous form, by name."""
    return {
        case["path"]: case
        for case in results["cases"]
        if (case["algorithm"], case["type"], case["n"], case["form"]) == (algorithm, type_name, n, "view")
        and (case.get("variant") or None) == variant
        and case["backend"] == "cuda"
        and case["verified"]
        and case["seconds"]
    }


def shapes(results, algorithm):
    """The row-major matrices of an algorithm's cases as (rows, columns, pads): squares by size, then the others."""
    variants = {case.get("variant") or "" for case in results["cases"] if case["algorithm"] == algorithm}
    matches = [re.fullmatch(r"(\d+)x(\d+)( padded)?", variant) for variant in variants]
    found = [(int(match[1]), int(match[2]), match[3] or "") for match in matches if match]
    return sorted(found, key=lambda shape: (shape[0] != shape[1], shape))


def measured_matrix(results, algorithm, type_name, shape):
    rows, columns, *pads = shape
    return measured(results, algorithm, type_name, rows * columns, f"{rows}x{columns}{''.join(pads)}")


def shape_text(shape):
    return f"{shape[0]} x {shape[1]}{''.join(shape[2:]).replace(' ', ', ')}"


def radii(results):
    """The radii of the stencil's cases."""
    variants = {case.get("variant") or "" for case in results["cases"] if case["algorithm"] == "stencil"}
    return sorted(int(variant[2:]) for variant in variants if re.fullmatch(r"k=\d+", variant))


def limit(results, path):
    """What the hardware does at best: read, memset, memcpy, empty."""
    found = [case for case in results["cases"] if case["path"] == path and case["form"] == "limit" and case["seconds"]]
    if not found:
        raise Unavailable(f"no figure of {path}")
    return found[0]


def ratio(a, b):
    """Time of a over time of b: the median of the ratios of samples that were taken next to each other."""
    pairs = list(zip(a.get("samples") or [], b.get("samples") or []))
    if not pairs or len(a["samples"]) != len(b["samples"]):
        return a["seconds"] / b["seconds"]
    return statistics.median(x / y for x, y in pairs)


def in_microseconds(seconds):
    value = seconds * 1e6
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 999.5 else f"{value:.0f}"


def microseconds(case):
    return in_microseconds(case["seconds"]) if case else "–"


def rate(case):
    return f"{case['gb_per_s']:.0f}" if case and case["gb_per_s"] is not None else "–"


def times_faster(case, first):
    """The speed-up over another path, three digits."""
    return significant(first["seconds"] / case["seconds"]) if case and first else "–"


def significant(value):
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:.0f}"


def per_cent(value):
    return f"{100 * value:.0f} %"


# ---- what stands around the tables ------------------------------------------------------------------


def paragraph(text):
    return [*textwrap.wrap(text, 120, break_on_hyphens=False, break_long_words=False), ""]


def conditions(results, link):
    environment = results["environment"]
    versions = {"CUDA": "cuda", "Kokkos": "kokkos", "revision": "git_revision"}
    named = ", ".join(f"{name} {environment[key]}" for name, key in versions.items() if environment.get(key))
    return f"Measured {environment['date'][:10]} on one {environment['gpu']} ({named}); medians, from {link}."


def limits(results):
    copy, write, read = (limit(results, path)["gb_per_s"] for path in ("memcpy", "memset", "read"))
    return (
        f"In that run a device-to-device `cudaMemcpy` moved {copy:.0f} GB/s (read + written), `cudaMemset` wrote "
        f"{write:.0f} GB/s, the best read kernel read {read:.0f} GB/s, and an empty launch took "
        f"{microseconds(limit(results, 'empty'))} µs."
    )


def time_at(results, path, n, passes):
    """Microseconds for so many passes over n floats at the rate of a limit."""
    return in_microseconds(passes * n * 4 / (limit(results, path)["gb_per_s"] * 1e9))


def rows_of(old):
    """What the first two columns of a page's table say: {name of the rung: (first cell, second cell)}."""
    rows = {}
    _, *body = [line for line in old.splitlines() if line.startswith("|")] or [""]  # the first is the header
    for line in body:
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        name = re.match(r"`(\w+)`", cells[0])
        if name and len(cells) > 2:
            rows[name[1]] = cells[0], cells[1]
    return rows


def lines_of_table(header, rows):
    yield f"| {' | '.join(header)} |"
    yield "|" + "---|" * len(header)
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def some(rows, what):
    if not rows:
        raise Unavailable(f"no figures of {what}")
    return rows


# ---- the tables: of the results, the page's present table, a link to the file, and the marker's arguments ----


def folds_conditions(environment):
    named = {
        "GPU": environment.get("gpu"),
        "driver": environment.get("driver") or environment.get("driver_version"),
        "CUDA": environment.get("cuda"),
        "Kokkos": environment.get("kokkos"),
        "compiler": environment.get("compiler"),
        "peers": environment.get("peers_cuda"),
        "revision": environment.get("git_revision"),
    }
    if not named["driver"] and environment.get("driver_supports_cuda"):
        named["driver"] = f"for CUDA {environment['driver_supports_cuda']}"
    peak = environment.get("gpu_theoretical_gb_per_s")
    text = f"Measured {environment['date'][:10]}: "
    text += ", ".join(value if name == "GPU" else f"{name} {value}" for name, value in named.items() if value)
    return text + (f"; theoretical bandwidth {float(peak):.0f} GB/s." if peak else ".")


def fold_row(paths, exponent):
    native, portable, kokkos = (paths.get(name) for name in ("native", "portable", "kokkos"))
    vendors = [case for name, case in paths.items() if name in VENDORS]
    vendor = min(vendors, key=lambda case: case["seconds"], default=None)
    return [
        f"2^{exponent}",
        microseconds(native),
        microseconds(portable),
        microseconds(vendor) + (f" {VENDORS[vendor['path']]}" if vendor else ""),
        microseconds(kokkos),
        rate(native),
        f"{ratio(vendor, native):.2f}" if vendor else "–",
        per_cent(1 / ratio(portable, native)) if portable else "–",
    ]


def folds(results, _, link, *algorithms):
    """Folds of growing counts, a table per algorithm and type; an integrand stands behind its algorithm, as in integrate(x*x+1)."""
    yield from paragraph(f"{folds_conditions(results['environment'])} Medians, from {link}.")
    header = ("n", "native, µs", "portable, µs", "vendor, µs", "plain Kokkos, µs", "native, GB/s", "vendor / native")
    for algorithm in algorithms:
        for type_name in ("float", "double"):
            name, _, variant = algorithm.rstrip(")").partition("(")
            cases = {e: measured(results, name, type_name, 1 << e, variant or None) for e in EXPONENTS}
            rows = [fold_row(paths, exponent) for exponent, paths in cases.items() if "native" in paths]
            yield from (f"**{algorithm}, {type_name}**", "")
            yield from lines_of_table((*header, "native / portable"), some(rows, f"{algorithm}, {type_name}"))


def matrix(results, _, link, algorithm, vendor, limit_path):
    """A product of matrix elements: shapes and types beside a call of cuBLAS and a limit."""
    yield from paragraph(f"{conditions(results, link)} {limits(results)}")
    passes = {"memcpy": 2, "memset": 1}[limit_path]
    limit_rate = limit(results, limit_path)["gb_per_s"]
    rows = []
    for shape in shapes(results, algorithm):
        for type_name, size in (("float", 4), ("double", 8)):
            paths = measured_matrix(results, algorithm, type_name, shape)
            if "native" not in paths:
                continue
            native = paths["native"]
            shown = (paths.get(path) for path in ("native", "portable", "vendor:cublas", "kokkos"))
            of_limit = passes * shape[0] * shape[1] * size / (native["seconds"] * limit_rate * 1e9)
            share = per_cent(of_limit) if native["regime"] == "memory" else "in cache"
            rows.append([shape_text(shape), type_name, *map(microseconds, shown), share])
    header = ("matrix", "type", "native, µs", "portable, µs", f"cuBLAS `{vendor}`, µs", "plain Kokkos, µs")
    yield from lines_of_table((*header, f"native, of `cuda{limit_path.capitalize()[:3]}{limit_path[3:]}`"), some(rows, algorithm))


def sums(results, _, link, algorithm):
    """The sums of rows or columns."""
    yield from paragraph(f"{conditions(results, link)} {limits(results)}")
    rows = []
    for shape in shapes(results, algorithm):
        for type_name in ("float", "double"):
            paths = measured_matrix(results, algorithm, type_name, shape)
            if "native" in paths:
                shown = (microseconds(paths.get(path)) for path in ("native", "portable", "kokkos"))
                rows.append([shape_text(shape), type_name, *shown])
    yield from lines_of_table(
        ("rows x columns", "type", "native, µs", "portable, µs", "plain Kokkos, µs"), some(rows, algorithm)
    )
    yield from paragraph(f"At the rate of the best read kernel 16384 x 16384 floats take {time_at(results, 'read', BIG, 1)} µs.")


def stencil(results, _, link):
    """Window sums of 2^28 floats by radius."""
    yield from paragraph(f"{conditions(results, link)} {limits(results)} 2^28 floats:")
    copy_rate = limit(results, "memcpy")["gb_per_s"]
    rows = []
    for k in radii(results):
        paths = measured(results, "stencil", "float", BIG, f"k={k}")
        if "native" in paths:
            native, portable, kokkos = (paths.get(path) for path in ("native", "portable", "kokkos"))
            of_copy = per_cent(2 * BIG * 4 / (native["seconds"] * copy_rate * 1e9))
            of_native = per_cent(1 / ratio(portable, native)) if portable else "–"
            rows.append(
                [str(k), microseconds(native), of_copy, microseconds(portable), of_native, microseconds(kokkos)]
            )
    header = ("radius", "native, µs", "of memcpy", "portable, µs", "of native", "plain Kokkos, µs")
    yield from lines_of_table(header, some(rows, "stencil"))
    others = {case.get("variant") or "" for case in results["cases"] if case["algorithm"] == "stencil"}
    found = [re.fullmatch(r"k=(\d+) (weighted|off boundary)", variant) for variant in others]
    rows = []
    for match in sorted(filter(None, found), key=lambda match: (match[2] != "weighted", int(match[1]))):
        for type_name, size in (("float", 4), ("double", 8)):
            paths = measured(results, "stencil", type_name, BIG, match[0])
            if "native" not in paths:
                continue
            native, portable = paths["native"], paths.get("portable")
            of_copy = per_cent(2 * BIG * size / (native["seconds"] * copy_rate * 1e9))
            cells = (microseconds(native), of_copy, microseconds(portable))
            rows.append([match[2], match[1], type_name, *cells, per_cent(1 / ratio(portable, native)) if portable else "–"])
    if rows:
        yield from paragraph(
            "Weighted windows; and windows of an input that begins one element off the boundaries of its results:"
        )
        header = ("windows", "radius", "type", "native, µs", "of memcpy", "portable, µs", "of native")
        yield from lines_of_table(header, rows)


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


TABLES = {
    table.__name__: table
    for table in (
        *(folds, matrix, sums, stencil, ladder_dot, ladder_stencil, ladder_matrix, ladder_trapezoid),
        *(serial_vs_tree, memory_statistics, memory_measured, stencil_access, coalescing),
    )
}


# ---- pages ------------------------------------------------------------------------------------------


def pages(root):
    """Pages that may show figures of today. Those of decisions/ show what was measured then; the rest is generated."""
    yield root / "README.md"
    yield from sorted((root / "docs").glob("*.md"))
    yield from sorted((root / "docs" / "algorithms").glob("*.md"))


def written(page, results_folder):
    """The text of a page with fresh tables."""
    text = page.read_text(encoding="utf-8")

    def fresh(block):
        try:
            table = TABLES.get(block["name"])
            if table is None:
                raise Unavailable(f"no table is called {block['name']}; there are {', '.join(TABLES)}")
            file = results_folder / block["file"]
            if not file.is_file():
                raise Unavailable(f"there is no {file.name} in {results_folder}")
            results = json.loads(file.read_text(encoding="utf-8"))
            if "cases" not in results and "tables" not in results:
                raise Unavailable(f"{file.name} holds no results")
            link = f"[`{file.name}`]({pathlib.PurePath(os.path.relpath(file, page.parent)).as_posix()})"
            lines = table(results, block["old"], link, *block["arguments"].split())
            return block["begin"] + "\n".join(lines).rstrip("\n") + "\n" + block["end"]
        except Unavailable as reason:
            raise Unavailable(f"{page.name}, {block['begin'].strip()}: {reason}") from None

    return BLOCK.sub(fresh, text)


def problems_of(page, results_folder):
    """What is wrong with a page's figures."""
    text = page.read_text(encoding="utf-8")
    if len(MARKER.findall(text)) != 2 * len(BLOCK.findall(text)):
        yield "a marker of a measured table is alone or misspelt"
    for table in UNIT.finditer(BLOCK.sub("", text)):
        yield f"this table of measured figures is written by hand: {table[0].splitlines()[0]}"
    if written(page, results_folder) != text:
        yield f"does not hold what {results_folder.name} says: run docs/results/table.py"


def ratios_page():
    return ratios.page(ratios.sources_of(ratios.results_files()))


def main():
    check = "--check" in sys.argv[1:]
    if set(sys.argv[1:]) - {"--check"}:
        print(__doc__)
        return 2
    problems = []
    for page in pages(REPOSITORY):
        try:
            if not check:
                page.write_text(written(page, RESULTS), encoding="utf-8")
            problems += [f"{page.relative_to(REPOSITORY)}: {problem}" for problem in problems_of(page, RESULTS)]
        except Unavailable as reason:
            problems.append(str(reason))
    fresh = ratios_page()
    if not check:
        ratios.PAGE.write_text(fresh, encoding="utf-8")
    elif not ratios.PAGE.exists() or ratios.PAGE.read_text(encoding="utf-8") != fresh:
        problems.append(f"{ratios.PAGE.name} does not hold what the results say: run docs/results/table.py")
    if problems:
        print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
