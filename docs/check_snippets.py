#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the code in the documentation is code that is compiled or run.

In README.md and docs/, a block that follows a line `<!-- from PATH -->` must occur, line for line, in the file PATH of
the repository. The block's indentation as a whole may differ.
"""

import pathlib
import re
import sys
import textwrap

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^<!-- from (?P<source>\S+) -->\n+^```\w*\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)


def pages():
    yield REPOSITORY / "README.md"
    yield from sorted((REPOSITORY / "docs").rglob("*.md"))


def occurs(code, text):
    """Whether the lines of `code` stand together in `text`, all shifted by the same number of blanks."""
    wanted = textwrap.dedent(code).splitlines()
    lines = text.splitlines()
    for start in range(len(lines) - len(wanted) + 1):
        if textwrap.dedent("\n".join(lines[start : start + len(wanted)])).splitlines() == wanted:
            return True
    return False


def problems_of(page):
    text = page.read_text(encoding="utf-8")
    for block in BLOCK.finditer(text):
        place = f"{page.relative_to(REPOSITORY)}:{text.count(chr(10), 0, block.start('code'))}"
        source = REPOSITORY / block["source"]
        if not source.is_file():
            yield f"{place}: there is no file {block['source']}"
        elif not occurs(block["code"], source.read_text(encoding="utf-8")):
            yield f"{place}: this code is not in {block['source']}"


def main():
    problems = [problem for page in pages() for problem in problems_of(page)]
    print("\n".join(problems) if problems else "all snippets are in the files that they name")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
