#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares two runs, case by case: is B faster or slower than A?

Exit status: 0 nothing got slower beyond the threshold; 1 something did, or a case of B fails its verification;
2 a file cannot be read or the runs share no case; 3 the runs were made in unlike environments."""

import argparse
import sys

import results as r

# What must agree before two timings say something about the code.
ALIKE = ("cpu", "threads", "gpu", "cuda", "driver_supports_cuda", "kokkos", "kokkos_host_space", "compiler", "flags")


def unlike(a, b):
    first, second = a.get("environment") or {}, b.get("environment") or {}
    return [(k, first.get(k), second.get(k)) for k in ALIKE if first.get(k) != second.get(k)]


def compare(before, after, threshold):
    """Unpaired, so the interval of the ratio is the worst of both intervals."""
    was, was_low, was_high = r.median_interval(r.samples(before))
    now, now_low, now_high = r.median_interval(r.samples(after))
    if was_low is None or now_low is None:
        return now / was, None, None, "AMBIGUOUS"
    low, high = now_low / was_high, now_high / was_low
    return now / was, low, high, r.verdict(low, high, threshold)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("a", help="results.json of the run before")
    parser.add_argument("b", help="results.json of the run after")
    parser.add_argument("--threshold", type=float, default=0.05, help="relative change that counts (default 0.05)")
    parser.add_argument("--allow-unlike", action="store_true", help="compare unlike environments all the same")
    parser.add_argument("--all", action="store_true", help="print the SAME cases too")
    arguments = parser.parse_args()
    try:
        a, b = r.load(arguments.a), r.load(arguments.b)
    except r.ResultsError as error:
        print(f"compare_runs.py: {error}", file=sys.stderr)
        return 2

    differences = unlike(a, b)
    for key, first, second in differences:
        print(f"environments differ in {key}: {first!r} and {second!r}", file=sys.stderr)
    if differences and not arguments.allow_unlike:
        print("compare_runs.py: not compared; --allow-unlike does it all the same", file=sys.stderr)
        return 3

    before = {(r.case_key(c), c["path"]): c for c in a["cases"]}
    after = {(r.case_key(c), c["path"]): c for c in b["cases"]}
    shared = [k for k in before if k in after and r.usable(before[k]) and r.usable(after[k])]
    if not shared:
        print("compare_runs.py: the runs share no usable case", file=sys.stderr)
        return 2
    tally = {"FASTER": 0, "SAME": 0, "AMBIGUOUS": 0, "SLOWER": 0}
    rows = []
    for key in shared:
        ratio, low, high, verdict = compare(before[key], after[key], arguments.threshold)
        tally[verdict] += 1
        if verdict != "SAME" or arguments.all:
            rows.append((ratio, low, high, verdict, key))
    for ratio, low, high, verdict, key in sorted(rows, key=lambda row: -row[0]):
        (backend, algorithm, variant, type_name, n, form), path = key
        name = f"{backend} {algorithm}{f'({variant})' if variant else ''} {type_name} n={r.show_count(n)} {form} {path}"
        print(f"{verdict:9} {r.show_ratio(ratio, low, high):24} {name}")
    failed = [k for k, c in after.items() if not c.get("verified")]
    for key in failed:
        print(f"FAILED verification in B: {key}")
    counts = ", ".join(f"{count} {word}" for word, count in tally.items())
    gone = sum(k not in after for k in before)
    new = sum(k not in before for k in after)
    print(f"{len(shared)} cases (B / A, threshold {arguments.threshold:g}): {counts}; only in A: {gone}, only in B: {new}")
    return 1 if tally["SLOWER"] or failed else 0


if __name__ == "__main__":
    sys.exit(main())
