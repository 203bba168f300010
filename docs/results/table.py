#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the results table of README.md from a results.json of bench/compare.

table.py [RESULTS.JSON]    rewrites the block (default: docs/results/h200/results.json)
table.py --check           fails where README.md does not hold what the file says
"""

import json
import pathlib
import statistics
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
README = HERE.parent.parent / "README.md"
DEFAULT = HERE / "h200" / "results.json"
BEGIN, END = "<!-- results begin -->", "<!-- results end -->"
EXPONENTS = (10, 15, 20, 22, 24, 26, 28, 30)
VENDORS = {"vendor:cub": "CUB", "vendor:cublas": "cuBLAS"}


def measured(cases, algorithm, type_name, n):
    """The paths of a case in their asynchronous form, by name."""
    return {
        case["path"]: case
        for case in cases
        if (case["algorithm"], case["type"], case["n"], case["form"]) == (algorithm, type_name, n, "view")
        and case["backend"] == "cuda"
        and case["verified"]
        and case["seconds"]
    }


def ratio(a, b):
    """Time of a over time of b: the median of the ratios of samples that were taken next to each other."""
    pairs = list(zip(a.get("samples") or [], b.get("samples") or []))
    if not pairs or len(a["samples"]) != len(b["samples"]):
        return a["seconds"] / b["seconds"]
    return statistics.median(x / y for x, y in pairs)


def microseconds(case):
    if case is None:
        return "–"
    value = case["seconds"] * 1e6
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 999.5 else f"{value:.0f}"


def row(paths, exponent):
    native, portable, kokkos = (paths.get(name) for name in ("native", "portable", "kokkos"))
    vendors = [case for name, case in paths.items() if name in VENDORS]
    vendor = min(vendors, key=lambda case: case["seconds"], default=None)
    vendor_name = f" {VENDORS[vendor['path']]}" if vendor else ""
    return (
        f"| 2^{exponent} | {microseconds(native)} | {microseconds(portable)} | {microseconds(vendor)}{vendor_name} "
        f"| {microseconds(kokkos)} | {native['gb_per_s']:.0f} "
        f"| {f'{ratio(vendor, native):.2f}' if vendor else '–'} "
        f"| {f'{100 / ratio(portable, native):.0f} %' if portable else '–'} |"
    )


def table(cases, algorithm, type_name):
    rows = []
    for exponent in EXPONENTS:
        paths = measured(cases, algorithm, type_name, 1 << exponent)
        if "native" in paths:
            rows.append(row(paths, exponent))
    if not rows:
        return []
    return [
        f"**{algorithm}, {type_name}**",
        "",
        "| n | native, µs | portable, µs | vendor, µs | plain Kokkos, µs | native, GB/s | vendor / native | native / portable |",
        "|---|---|---|---|---|---|---|---|",
        *rows,
        "",
    ]


def conditions(environment):
    named = {
        "GPU": environment.get("gpu"),
        "driver": environment.get("driver") or environment.get("driver_version"),
        "CUDA": environment.get("cuda"),
        "Kokkos": environment.get("kokkos"),
        "compiler": environment.get("compiler"),
        "peers": environment.get("peers_cuda"),
    }
    if not named["driver"] and environment.get("driver_supports_cuda"):
        named["driver"] = f"for CUDA {environment['driver_supports_cuda']}"
    peak = environment.get("gpu_theoretical_gb_per_s")
    text = f"Measured {environment['date'][:10]}: "
    text += ", ".join(value if name == "GPU" else f"{name} {value}" for name, value in named.items() if value)
    text += f"; theoretical bandwidth {float(peak):.0f} GB/s." if peak else "."
    return textwrap.fill(text, 120, break_on_hyphens=False)


def block(results):
    lines = [BEGIN, conditions(results["environment"]), ""]
    for algorithm in ("sum", "dot"):
        for type_name in ("float", "double"):
            lines += table(results["cases"], algorithm, type_name)
    return "\n".join(lines + [END])


def main():
    arguments = sys.argv[1:]
    check = "--check" in arguments
    files = [argument for argument in arguments if argument != "--check"]
    source = pathlib.Path(files[0]) if files else DEFAULT
    results = json.loads(source.read_text(encoding="utf-8"))
    text = README.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    fresh = before + block(results) + after
    if check:
        if fresh != text:
            print(f"README.md does not hold the table of {source.name}: run docs/results/table.py")
            return 1
        return 0
    README.write_text(fresh, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
