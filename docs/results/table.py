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
MATRICES = {1 << 20: "1024 x 1024", 1 << 28: "16384 x 16384", 262144 * 1001: "262144 x 1001"}
BIG = 1 << 28  # elements of the cases that memory decides


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
    return f"{case['gb_per_s']:.0f}" if case else "–"


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
    """Folds of growing counts, a table per algorithm and type."""
    yield from paragraph(f"{folds_conditions(results['environment'])} Medians, from {link}.")
    header = ("n", "native, µs", "portable, µs", "vendor, µs", "plain Kokkos, µs", "native, GB/s", "vendor / native")
    for algorithm in algorithms:
        for type_name in ("float", "double"):
            cases = {e: measured(results, algorithm, type_name, 1 << e) for e in EXPONENTS}
            rows = [fold_row(paths, exponent) for exponent, paths in cases.items() if "native" in paths]
            yield from (f"**{algorithm}, {type_name}**", "")
            yield from lines_of_table((*header, "native / portable"), some(rows, f"{algorithm}, {type_name}"))


def matrix(results, _, link, algorithm, vendor, limit_path):
    """A product of matrix elements: shapes and types beside a call of cuBLAS and a limit."""
    yield from paragraph(f"{conditions(results, link)} {limits(results)}")
    passes = {"memcpy": 2, "memset": 1}[limit_path]
    limit_rate = limit(results, limit_path)["gb_per_s"]
    rows = []
    for n, shape in MATRICES.items():
        for type_name, size in (("float", 4), ("double", 8)):
            paths = measured(results, algorithm, type_name, n, shape.replace(" ", ""))
            if "native" not in paths:
                continue
            native = paths["native"]
            shown = (paths.get(path) for path in ("native", "portable", "vendor:cublas", "kokkos"))
            of_limit = passes * n * size / (native["seconds"] * limit_rate * 1e9)
            share = per_cent(of_limit) if native["regime"] == "memory" else "in cache"
            rows.append([shape, type_name, *map(microseconds, shown), share])
    header = ("matrix", "type", "native, µs", "portable, µs", f"cuBLAS `{vendor}`, µs", "plain Kokkos, µs")
    yield from lines_of_table((*header, f"native, of `cuda{limit_path.capitalize()[:3]}{limit_path[3:]}`"), some(rows, algorithm))


def sums(results, _, link, algorithm):
    """The sums of rows or columns."""
    yield from paragraph(f"{conditions(results, link)} {limits(results)}")
    rows = []
    for n, shape in MATRICES.items():
        for type_name in ("float", "double"):
            paths = measured(results, algorithm, type_name, n, shape.replace(" ", ""))
            if "native" in paths:
                rows.append([shape, type_name, *(microseconds(paths.get(p)) for p in ("native", "portable", "kokkos"))])
    yield from lines_of_table(
        ("rows x columns", "type", "native, µs", "portable, µs", "plain Kokkos, µs"), some(rows, algorithm)
    )
    yield from paragraph(f"At the rate of the best read kernel 16384 x 16384 floats take {time_at(results, 'read', BIG, 1)} µs.")


def stencil(results, _, link):
    """Window sums of 2^28 floats by radius."""
    yield from paragraph(f"{conditions(results, link)} {limits(results)} 2^28 floats:")
    copy_rate = limit(results, "memcpy")["gb_per_s"]
    rows = []
    for k in (1, 8, 32, 1000, 100000):
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
    radii = (1, 8, 32, 1000)
    cases = [measured(results, "stencil", "float", BIG, f"k={k}") for k in radii]
    rows = [[cell, what, *(microseconds(paths.get(path)) for paths in cases)] for cell, what, path in rungs(old, cases)]
    yield from lines_of_table(("rung", "what it does", *(f"us, k = {k}" for k in radii)), rows)


def ladder_matrix(results, old, link, algorithm):
    """The rungs of a product of matrix elements, aligned rows and others."""
    yield from paragraph(f"{conditions(results, link)} *x* is the speed-up over the first rung.")
    shapes = ("16384 x 16384", "262144 x 1001")
    counts = {shape: n for n, shape in MATRICES.items()}
    cases = [measured(results, algorithm, "float", counts[shape], shape.replace(" ", "")) for shape in shapes]
    named = list(rungs(old, cases))
    first = named[0][2]
    rows = []
    for cell, what, path in named:
        figures = [(rate(paths.get(path)), times_faster(paths.get(path), paths.get(first))) for paths in cases]
        rows.append([cell, what, *(cell for pair in figures for cell in pair)])
    header = [f"`{algorithm}`", "what it does"]
    for shape in shapes:
        header += [f"GB/s, {shape}", "x"]
    yield from lines_of_table(header, rows)


def ladder_trapezoid(results, old, link):
    """The rungs of integrate in blocks of 32 and of 256 threads, from the tables of the course texts."""
    table = next((table for table in results.get("tables", []) if table["id"] == "trapezoid"), None)
    if table is None:
        raise Unavailable("no table of the trapezoidal rule")
    seconds = {row[0]: row[1] * 1e-6 for row in table["rows"] if row[1]}
    launch = seconds.pop("(empty launch)", None)
    floor = f" An empty launch took {in_microseconds(launch)} us." if launch else ""
    yield from paragraph(f"{conditions(results, link)} *x* is the speed-up over the first figure.{floor}")
    described = rows_of(old)
    for name in seconds:
        base = re.sub(r"_(32|256)$", "", name)
        if base not in described and f"{base}_32" not in described:
            described[name] = f"`{name}`" + (", `_256`" if name.endswith("_32") else ""), ""
    first = next(iter(seconds.values()))
    rows = []
    for name, (cell, what) in described.items():
        base = re.sub(r"_32$", "", name)
        pair = [seconds.get(f"{base}_32"), seconds.get(f"{base}_256", seconds.get(base))]
        figures = [(in_microseconds(s), significant(first / s)) if s else ("", "") for s in pair]
        rows.append([cell, what, *figures[0], *figures[1]])
    yield from lines_of_table(("rung", "what it does", "us, blocks of 32", "x", "us, blocks of 256", "x"), rows)


TABLES = {
    table.__name__: table
    for table in (folds, matrix, sums, stencil, ladder_dot, ladder_stencil, ladder_matrix, ladder_trapezoid)
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
