# SPDX-License-Identifier: Apache-2.0
"""The tables of the algorithms' pages: each takes the results, the page's present table, a link to the file, and the marker's
arguments."""

import re

from figures import (
    BIG,
    conditions,
    limit,
    limits,
    lines_of_table,
    measured,
    measured_matrix,
    microseconds,
    paragraph,
    per_cent,
    radii,
    rate,
    ratio,
    shape_text,
    shapes,
    some,
    time_at,
)

EXPONENTS = (10, 15, 20, 22, 24, 26, 28, 30, 32, 36)
VENDORS = {"vendor:cub": "CUB", "vendor:cublas": "cuBLAS"}


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
            name, _, variant = algorithm.removesuffix(")").partition("(")
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
