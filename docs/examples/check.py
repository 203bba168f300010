#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs an example and checks what it prints.

check.py EXPECTED PROGRAM [ARGUMENT...]

Fails unless the program exits with 0 and its output holds the lines of EXPECTED, in that order (others may stand
between). Exits with 77, which CTest counts as skipped, where the program does.
"""

import pathlib
import subprocess
import sys

SKIPPED = 77


def first_missing(expected, output):
    """The first line of `expected` that `output` does not have after the ones before it, or None."""
    printed = iter(output)
    for line in expected:
        if line not in printed:
            return line
    return None


def main():
    expected = pathlib.Path(sys.argv[1])
    run = subprocess.run(sys.argv[2:], stdout=subprocess.PIPE, text=True, check=False)
    print(run.stdout, end="")
    if run.returncode == SKIPPED:
        return SKIPPED
    if run.returncode != 0:
        print(f"exit status {run.returncode}")
        return 1
    missing = first_missing(expected.read_text(encoding="utf-8").splitlines(), run.stdout.splitlines())
    if missing is not None:
        print(f"not printed, or not in this place, although {expected.name} has it: {missing}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
