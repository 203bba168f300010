# SPDX-License-Identifier: Apache-2.0
"""Reads the results of twofold_bench and compares timings. Standard library only."""

import json
import math
import statistics

BAND = 0.02  # two paths within 2 % of each other are the same for a user


class ResultsError(Exception):
    """The file is no results file, and the message says why."""


def _refuse(constant):
    raise ValueError(f"{constant} is not JSON")


def parse(text):
    """Strict JSON: NaN and Infinity, which Python would accept, are errors."""
    return json.loads(text, parse_constant=_refuse)


def load(path):
    try:
        with open(path, encoding="utf-8") as file:
            results = parse(file.read())
    except (OSError, ValueError) as error:
        raise ResultsError(f"{path}: {error}") from error
    if not isinstance(results, dict) or not isinstance(results.get("cases"), list):
        raise ResultsError(f"{path}: no object with 'environment' and 'cases'")
    return results


def save(results, path):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1, allow_nan=False)
        file.write("\n")


def case_key(case):
    """What two cases have in common that compute the same thing."""
    return (case["backend"], case["algorithm"], case.get("variant") or "", case["type"], case["n"], case["form"])


def usable(case):
    return bool(case.get("verified")) and bool(case.get("seconds")) and bool(samples(case))


def samples(case):
    return [s for s in case.get("samples") or [] if s is not None and s > 0]


def median_interval(values, confidence=0.95):
    """The median and an interval that holds the true median with the given confidence, whatever the distribution:
    between two order statistics, since each sample is above the median with probability 1/2. Below six samples no
    interval reaches 95 %; then it is the whole range, and with fewer than three there is none."""
    ordered = sorted(values)
    count = len(ordered)
    middle = statistics.median(ordered)
    if count < 3:
        return middle, None, None
    outside, rank = 0.0, 0  # the widest rank cut off whose probability still fits
    for k in range((count - 1) // 2):
        outside += 2 * math.comb(count, k) * 0.5**count
        if outside > 1 - confidence:
            break
        rank = k
    return middle, ordered[rank], ordered[count - 1 - rank]


def paired_ratio(case, reference):
    """Time of `case` over time of `reference`, from samples that were taken next to each other."""
    pairs = [
        a / b
        for a, b in zip(case.get("samples") or [], reference.get("samples") or [])
        if a is not None and b is not None and b > 0
    ]
    return median_interval(pairs) if pairs else (None, None, None)


def verdict(low, high, band=BAND):
    """Of a ratio of times: SLOWER and FASTER only where the whole interval is beyond the band."""
    if low is None or high is None:
        return "AMBIGUOUS"
    if low > 1 + band:
        return "SLOWER"
    if high < 1 - band:
        return "FASTER"
    if low >= 1 - band and high <= 1 + band:
        return "SAME"
    return "AMBIGUOUS"


def groups(cases):
    """Cases that competed with each other, in the order in which they ran."""
    grouped = {}
    for case in cases:
        grouped.setdefault(case_key(case), []).append(case)
    return grouped


def reference_of(group):
    """The path that the others are measured against: the library's best."""
    for wanted in ("native", "portable"):
        for case in group:
            if case["path"] == wanted and usable(case):
                return case
    return None


def comparisons(cases):
    found = []
    for key, group in groups(cases).items():
        reference = reference_of(group)
        if reference is None:
            continue
        for case in group:
            if case is reference or not usable(case):
                continue
            ratio, low, high = paired_ratio(case, reference)
            found.append(
                dict(
                    zip(("backend", "algorithm", "variant", "type", "n", "form"), key),
                    path=case["path"],
                    against=reference["path"],
                    ratio=ratio,
                    low=low,
                    high=high,
                    verdict=verdict(low, high),
                )
            )
    return found


# How figures are written.


def show_time(seconds):
    if seconds is None:
        return "n/a"
    for unit, scale in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.4g} {unit}"
    return f"{seconds / 1e-9:.4g} ns"


def show_number(value, form="{:.1f}"):
    return "n/a" if value is None else form.format(value)


def show_percent(fraction):
    return "" if fraction is None else f"{100 * fraction:.1f} %"


def show_count(n):
    if n >= 1024 and n & (n - 1) == 0:
        return f"2^{n.bit_length() - 1}"
    return str(n)


def show_ratio(ratio, low, high):
    if ratio is None:
        return "n/a"
    if low is None:
        return f"{ratio:.3g}"
    form = "{:.3f} [{:.3f}, {:.3f}]" if low >= 0.1 else "{:.2g} [{:.2g}, {:.2g}]"
    return form.format(ratio, low, high)
