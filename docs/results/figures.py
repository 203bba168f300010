# SPDX-License-Identifier: Apache-2.0
"""What the tables of measured figures are made of: cases of a results file, cells, and the text around a table."""

import re
import statistics
import textwrap

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
