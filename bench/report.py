#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns what twofold_bench measured into a table, results.json and report.html."""

import argparse
import os
import statistics
import sys

import report_html
import results as r

LIMITS = ("launch", "read", "memset", "memcpy")


def environment_lines(environment):
    def of(*keys):
        return ", ".join(str(environment[k]) for k in keys if environment.get(k))

    yield f"{of('date')}  revision {of('git_revision')}  on {of('host')}"
    yield f"CPU: {of('cpu')}, {of('threads')} threads of {of('cpus_online')}; load {of('load_average')}"
    if environment.get("gpu"):
        yield f"GPU: {of('gpu')}, CUDA {of('cuda')}, driver for CUDA {of('driver_supports_cuda')}"
    yield f"Kokkos {of('kokkos')} ({of('kokkos_host_space')}); {of('compiler')} {of('flags')}"
    yield f"peers: {of('peers_host', 'peers_cuda')}"


def limit_lines(cases):
    for case in cases:
        if case["algorithm"] not in LIMITS:
            continue
        rate = "" if case["gb_per_s"] is None else f"  {case['gb_per_s']:8.1f} GB/s"
        name = case["path"] + ("" if case["form"] == "limit" else f", {case['form']}")
        yield f"{case['backend']:8} {name:8} {r.show_time(case['seconds']):>10}{rate}"


def table_lines(cases, compared):
    """One block per back end, algorithm, type and form; the library's best path is the reference of each count."""
    ratios = {(r.case_key(c), c["path"]): c for c in compared}
    title = None
    width = max([16] + [len(c["path"]) for c in cases])
    for key, group in r.groups(cases).items():
        backend, algorithm, variant, type_name, n, form = key
        if algorithm in LIMITS:
            continue
        heading = f"{backend}  {algorithm}{f'({variant})' if variant else ''}  {type_name}  {form}"
        if heading != title:
            title = heading
            yield ""
            yield heading
            yield f"{'n':>11}  {'path':{width}} {'time':>10} {'GB/s':>8} {'of limit':>9}  time / reference"
        reference = r.reference_of(group)
        for position, case in enumerate(group):
            row = f"{r.show_count(n) if position == 0 else '':>11}  {case['path']:{width}} "
            if not r.usable(case):
                yield row + f"FAILED: {case.get('reason') or 'no samples'}"
                continue
            row += f"{r.show_time(case['seconds']):>10} {r.show_number(case['gb_per_s']):>8} "
            row += f"{r.show_percent(case['limit_fraction']):>9}  "
            found = ratios.get((key, case["path"]))
            if case is reference:
                row += "reference"
            elif found:
                row += f"{r.show_ratio(found['ratio'], found['low'], found['high']):24} {found['verdict']}"
            yield row.rstrip()


def summary_lines(cases, compared):
    failed = [c for c in cases if not c.get("verified")]
    tally = {}
    for c in compared:
        tally.setdefault((c["backend"], c["path"], c["against"]), []).append(c)
    width = max([16] + [len(path) for _, path, _ in tally])
    for (backend, path, against), found in tally.items():
        words = ", ".join(
            f"{sum(c['verdict'] == v for c in found)} {v}"
            for v in ("FASTER", "SAME", "AMBIGUOUS", "SLOWER")
            if any(c["verdict"] == v for c in found)
        )
        yield f"{backend:8} {path:{width}} against {against}: {words}"
    behind = sorted((c for c in compared if c["verdict"] == "FASTER"), key=lambda c: c["ratio"])
    if behind:
        yield "where another path beats the reference, the worst first:"
    for c in behind[:10]:
        what = f"{c['backend']} {c['algorithm']} {c['type']} n = {r.show_count(c['n'])} {c['form']}"
        yield f"  {what}: {c['path']} takes {r.show_ratio(c['ratio'], c['low'], c['high'])} of {c['against']}"
    spreads = [c["spread"] for c in cases if c.get("spread") is not None]
    if spreads and statistics.median(spreads) > 0.03:
        yield f"The typical spread is {100 * statistics.median(spreads):.0f} %: this machine was busy; run it again."
    if failed:
        yield f"{len(failed)} of {len(cases)} cases FAILED verification:"
        for case in failed:
            where = f"{case['backend']} {case['algorithm']} {case['type']} n = {case['n']} {case['path']}"
            yield f"  {where}: {case.get('reason') or 'no reason given'}"
    else:
        yield f"all {len(cases)} cases verified"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("measured", help="the JSON that twofold_bench --out wrote")
    parser.add_argument("folder", help="where results.json and report.html go")
    arguments = parser.parse_args()
    try:
        measured = r.load(arguments.measured)
    except r.ResultsError as error:
        sys.exit(f"report.py: {error}")
    cases = measured["cases"]
    measured["comparisons"] = compared = r.comparisons(cases)
    summary = list(summary_lines(cases, compared))
    lines = [*environment_lines(measured["environment"]), "", *limit_lines(cases)]
    lines += [*table_lines(cases, compared), "", *summary]
    print("\n".join(lines))
    os.makedirs(arguments.folder, exist_ok=True)
    r.save(measured, os.path.join(arguments.folder, "results.json"))
    page = report_html.page(measured, summary, LIMITS)
    with open(os.path.join(arguments.folder, "report.html"), "w", encoding="utf-8") as file:
        file.write(page)
    sys.exit(0 if all(case.get("verified") for case in cases) else 1)


if __name__ == "__main__":
    main()
