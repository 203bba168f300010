#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes every ratio of one or several results.json of bench/compare into one Markdown page, the worst first.

ratios.py [RESULTS.JSON...] [--out FILE]   default: every results file below docs/results, into docs/results/ratios.md
ratios.py --check                          fails where that page does not hold what the files say

A ratio is above 1 where this library is faster than what it is compared with; of its own two paths, where the portable one is
the faster. Rungs of the ladder are left out: they are there to be slow.
"""

import argparse
import json
import pathlib
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE / "ratios.md"
OURS = ("native", "portable")
VENDORS = ("vendor:", "std:")
# A question each: its title, and what is divided by what.
SECTIONS = {
    "portable": ("Native over portable", "What writing it once in Kokkos costs: time of `native` / time of `portable`"),
    "vendor": ("Vendor libraries over ours", "Time of the peer / time of the library's best path"),
    "plain": ("Plain code over ours", "Time of plain Kokkos or of the plain loop / time of the library's best path"),
    "order": (
        "The fold order's price",
        "Time of the kernel free to choose its order, the faster of its two grids / time of `native`; 0.99 is the target",
    ),
    "instructions": (
        "Of an integral's loop over elements alone",
        "Time of the loop over the elements alone, the best of its blocks a multiprocessor / time of `native`",
    ),
    "limit": ("Of the hardware's limit", "Rate of the library's best path / best rate measured in the same run, out of cache"),
}


def key_of(case):
    return (case["backend"], case["algorithm"], case.get("variant") or "", case["type"], case["n"], case["form"])


def usable(case):
    return bool(case.get("verified")) and bool(case.get("seconds"))


def ratio(a, b):
    """Time of a over time of b: the median of the ratios of samples that were taken next to each other."""
    pairs = [(x, y) for x, y in zip(a.get("samples") or [], b.get("samples") or []) if x and y]
    if not pairs or len(a["samples"]) != len(b["samples"]):
        return a["seconds"] / b["seconds"]
    return statistics.median(x / y for x, y in pairs)


def section_of(path):
    if path.startswith(VENDORS):
        return "vendor"
    if path.startswith("free_order"):
        return "order"
    if path.startswith("elements_alone"):
        return "instructions"
    if path.startswith(("kokkos", "plain")):
        return "plain"
    return None  # the ladder


def ratios_of_group(group):
    """(section, path, against, ratio) for the paths of one case."""
    paths = {case["path"]: case for case in group if usable(case)}
    ours = next((paths[name] for name in OURS if name in paths), None)
    if ours is None:
        return
    if "native" in paths and "portable" in paths:
        yield "portable", "native", "portable", ratio(paths["native"], paths["portable"])
    best = {"order": [], "instructions": []}
    for path, case in paths.items():
        section = section_of(path)
        if section in best and ours["path"] == "native":
            best[section].append((ratio(case, ours), path))
        elif section in ("vendor", "plain"):
            yield section, path, ours["path"], ratio(case, ours)
    for section, found in best.items():
        if found:
            yield section, min(found)[1], "native", min(found)[0]
    if ours.get("limit_fraction") and ours["form"] == "view":
        yield "limit", ours["path"], ours.get("access") or "limit", ours["limit_fraction"]


def rows_of(results):
    """Every ratio of one file, and how many cases it could not take."""
    groups = {}
    for case in results["cases"]:
        groups.setdefault(key_of(case), []).append(case)
    rows = []
    for key, group in groups.items():
        rows += [(section, value, path, against, key) for section, path, against, value in ratios_of_group(group)]
    return rows, sum(not usable(case) for case in results["cases"])


def count(n):
    return f"2^{n.bit_length() - 1}" if n >= 1024 and n & (n - 1) == 0 else str(n)


def anchor(title):
    return title.lower().replace(" ", "-").replace("'", "")


def where_of(environment):
    machine = environment.get("gpu") or environment.get("cpu") or "unknown machine"
    threads = f", {environment['threads']} threads" if environment.get("threads") and not environment.get("gpu") else ""
    return f"{machine}{threads}"


def graph_table(results):
    """Microseconds per node of a CUDA graph, side by side."""
    nodes = [case for case in results["cases"] if case["form"] == "graph node" and usable(case)]
    empty = next((case["seconds"] for case in nodes if case["path"] == "empty"), None)
    cells = {}
    for case in nodes:
        if case["path"] != "empty" and case["n"] <= 1 << 20:
            key = (case["algorithm"], case["type"], case["n"])
            cells.setdefault(key, {})[case["path"]] = case["seconds"]
    shown = [
        p
        for p in ("native", "portable", "vendor:cub", "vendor:cub:gpu_to_gpu", "vendor:cublas", "free_order", "ladder:tuned")
        if any(p in row for row in cells.values())
    ]
    if not shown:
        return []
    floor = f" A node that does nothing takes {empty * 1e6:.2f} µs." if empty else ""
    lines = ["### Inside a CUDA graph", "", f"Microseconds per node, one of twenty in a row.{floor}", ""]
    lines += [f"| algorithm | type | n | {' | '.join(shown)} |", "|---" * (3 + len(shown)) + "|"]
    for (algorithm, type_name, n), row in sorted(cells.items()):
        figures = " | ".join(f"{row[p] * 1e6:.2f}" if p in row else "–" for p in shown)
        lines.append(f"| {algorithm} | {type_name} | {count(n)} | {figures} |")
    return [*lines, ""]


def summary_lines(rows):
    lines = ["| what | ratios | worst | median | below 1 |", "|---|---|---|---|---|"]
    for section, (title, _) in SECTIONS.items():
        values = sorted(row[1] for row in rows if row[0] == section)
        if values:
            below = sum(value < 1 for value in values)
            lines.append(
                f"| [{title}](#{anchor(title)}) | {len(values)} | {values[0]:.2f} | {statistics.median(values):.2f} "
                f"| {below} |"
            )
    return lines


def page(sources):
    sources = list(sources)
    lines = ["# Every ratio, the worst first", ""]
    lines += [f"Written by `docs/results/ratios.py` from {', '.join(f'`{name}`' for name, _ in sources)}; do not edit.", ""]
    lines += [
        "Above 1 this library is faster than what it is compared with. Where its own two paths are compared, above 1 the "
        "portable one is the faster; of the hardware's limit, 1 is all there is. Ratios of times are medians over samples that "
        "were taken next to each other.",
        "",
    ]
    merged = []
    for name, results in sources:
        rows, unusable = rows_of(results)
        merged += [(*row, name) for row in rows]
        environment = results["environment"]
        left_out = f"; {unusable} of {len(results['cases'])} cases not usable" if unusable else ""
        lines += [f"- `{name}`: {where_of(environment)}, {str(environment.get('date', ''))[:10]}{left_out}"]
    lines += ["", *summary_lines(merged), ""]
    for section, (title, meaning) in SECTIONS.items():
        chosen = sorted((row for row in merged if row[0] == section), key=lambda row: (row[1], row[4], row[2]))
        if not chosen:
            continue
        lines += [f"## {title}", "", f"{meaning}.", ""]
        lines += ["| ratio | algorithm | type | n | form | path | backend | file |", "|---" * 8 + "|"]
        for _, value, path, against, key, name in chosen:
            backend, algorithm, variant, type_name, n, form = key
            pair = path if section in ("limit", "order", "instructions") else f"{path} / {against}"
            what = f"{algorithm} ({variant})" if variant else algorithm
            lines.append(f"| {value:.3f} | {what} | {type_name} | {count(n)} | {form} | {pair} | {backend} | {name} |")
        lines.append("")
    for name, results in sources:
        table = graph_table(results)
        if table:
            table[0] = table[0].replace("###", "##") + (f", {name}" if len(sources) > 1 else "")
            lines += table
    return "\n".join(lines).rstrip() + "\n"


def results_files():
    """Those below this folder that bench/compare wrote; others have no cases."""
    for path in sorted(HERE.glob("*/*.json")):
        if "cases" in json.loads(path.read_text(encoding="utf-8")):
            yield path


def sources_of(files):
    """(name in the page, content) of each file."""
    for path in map(pathlib.Path.resolve, files):
        name = str(path.relative_to(HERE)) if path.is_relative_to(HERE) else path.name
        yield name, json.loads(path.read_text(encoding="utf-8"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=pathlib.Path, metavar="RESULTS.JSON")
    parser.add_argument("--out", type=pathlib.Path, default=PAGE)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    fresh = page(sources_of(arguments.files or results_files()))
    if arguments.check:
        if not arguments.out.exists() or arguments.out.read_text(encoding="utf-8") != fresh:
            print(f"{arguments.out.name} does not hold what the results say: run docs/results/ratios.py")
            return 1
        return 0
    arguments.out.write_text(fresh, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
