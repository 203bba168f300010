#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Order 1 for doubles, from docs/fold_order.md alone, in plain Python (whose floats are doubles).

fold_order.py                   folds a few elements and shows the steps
fold_order.py GOLDEN_VALUES     compares with the frozen sums in tests/golden_values.inc
"""

import math
import re
import struct
import sys

LANES = 2048


def rows_per_chunk(n):
    return 4 if n <= 2**21 else 16


def tree(values):
    """Neighbours are added, then neighbours of these sums. One that is left over moves up as it is."""
    while len(values) > 1:
        pairs = [values[k] + values[k + 1] for k in range(0, len(values) - 1, 2)]
        values = pairs if len(values) % 2 == 0 else pairs + [values[-1]]
    return values[0]


def fold_chunk(x):
    lanes = x[:LANES]  # the first row; lanes that it has no element for do not exist
    for row in range(LANES, len(x), LANES):
        for j, value in enumerate(x[row : row + LANES]):
            lanes[j] = lanes[j] + value
    return tree(lanes)


def fold(x):
    if not x:
        return 0.0
    chunk = LANES * rows_per_chunk(len(x))
    results = [fold_chunk(x[start : start + chunk]) for start in range(0, len(x), chunk)]
    return results[0] if len(results) == 1 else fold(results)


def sum_in_order_1(x):
    if not x:
        return 0.0
    total = fold(x)
    return total if total == total else math.nan


def bits(value):
    return struct.pack(">d", value).hex()


# ---- the frozen values -----------------------------------------------------------------------------------------


def made(n, binades):
    """The inputs of tests/support/made.hpp: a linear congruential generator, integers only."""
    x, s = [], 88172645463325252
    for _ in range(n):
        s = (s * 6364136223846793005 + 1442695040888963407) % 2**64
        mantissa = (s >> 40) - 2**23
        x.append(math.ldexp(mantissa, (s >> 33) % binades - binades // 2 - 23))
    return x


def golden_sums(text):
    """(name, n, binades, hex of the sum) of the generated inputs for double."""
    number = r"([0-9u()<>*+ ]+)"
    line = re.compile(r'\{"([^"]*)", made<T>\(' + number + r', (\d+)\), "([0-9a-f]{16})"')
    for name, n, binades, value in line.findall(text):
        yield name, eval(n.replace("u", "")), int(binades), value  # arithmetic of digits, by the pattern above


def compare(path):
    with open(path, encoding="utf-8") as file:
        cases = list(golden_sums(file.read()))
    wrong = 0
    for name, n, binades, expected in cases:
        found = bits(sum_in_order_1(made(n, binades)))
        wrong += found != expected
        print(f"{'ok   ' if found == expected else 'WRONG'} {found} {name}, {n} elements")
    return 0 if cases and not wrong else 1


def example():
    ulp = 2.0**-53  # half the spacing of doubles above 1
    x = [1.0, ulp, ulp, ulp, ulp]
    print("five elements: 1 and four times 2^-53")
    print("left to right ", sum_left_to_right(x).hex())
    print("order 1       ", sum_in_order_1(x).hex())
    return 0


def sum_left_to_right(x):
    total = x[0]
    for value in x[1:]:
        total += value
    return total


if __name__ == "__main__":
    sys.exit(compare(sys.argv[1]) if len(sys.argv) > 1 else example())
