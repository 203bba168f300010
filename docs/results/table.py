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
import sys

import algorithm_tables
import ladder_tables
import ratios
from figures import Unavailable

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

TABLES = {
    table.__name__: table
    for table in (
        *(algorithm_tables.folds, algorithm_tables.matrix, algorithm_tables.sums, algorithm_tables.stencil),
        *(ladder_tables.ladder_dot, ladder_tables.ladder_stencil, ladder_tables.ladder_matrix),
        *(ladder_tables.ladder_trapezoid, ladder_tables.serial_vs_tree, ladder_tables.memory_statistics),
        *(ladder_tables.memory_measured, ladder_tables.stencil_access, ladder_tables.coalescing),
    )
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
