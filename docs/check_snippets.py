#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the code in the documentation is code that is compiled or run.

check_snippets.py [ROOT]    looks at ROOT/*.md and ROOT/docs/**/*.md (default: this repository)

A fenced block names its language. `sh` and `text` are free, but have no line that ends in a semicolon; above a block of
any other language stands one of

  <!-- from PATH -->               its lines stand together in the file PATH; the indentation as a whole may differ
  <!-- lines from PATH -->         each of its lines is a line of PATH, in that order; others may stand between
  <!-- lines from PATH, A is B --> the same, where what the block calls A is called B in PATH
  <!-- declared in PATH -->        its declarations, each ended by a semicolon, are those of the header PATH, whatever
                                   the blanks and line breaks; comments are the page's own
  <!-- not compiled: REASON -->    nothing is compared
"""

import pathlib
import re
import sys
import textwrap

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
FREE = ("sh", "text")
FENCE = re.compile(r"^\s*(?P<fence>`{3,}|~{3,})\s*(?P<language>[^\s`]*)")
MARKER = re.compile(
    r"^\s*<!-- (?:(?P<how>from|lines from|declared in) (?P<source>[^\s,]+)(?:, (?P<here>\w+) is (?P<there>\w+))?"
    r"|(?P<free>not compiled):\s*(?P<reason>\S.*)) -->\s*$"
)


def pages(root):
    yield from sorted(root.glob("*.md"))
    yield from sorted((root / "docs").rglob("*.md"))


def blocks(text):
    """(number of the line that opens it, the line above it, language, code) of every fenced block."""
    lines = text.splitlines()
    opened, above = None, ""
    for number, line in enumerate(lines, 1):
        fence = FENCE.match(line)
        if opened is None:
            if fence:
                opened = number, above, fence["language"], fence["fence"]
            elif line.strip():
                above = line
        elif fence and fence["fence"].startswith(opened[3]) and not fence["language"]:
            yield *opened[:3], "\n".join(lines[opened[0] : number - 1])
            opened, above = None, ""
    if opened is not None:
        yield *opened[:3], "\n".join(lines[opened[0] :])


def stands_in(code, text):
    """Whether the lines of `code` stand together in `text`, all shifted by the same number of blanks."""
    wanted = textwrap.dedent(code).splitlines()
    lines = text.splitlines()
    for start in range(len(lines) - len(wanted) + 1):
        if textwrap.dedent("\n".join(lines[start : start + len(wanted)])).splitlines() == wanted:
            return True
    return False


def missing_line(code, text):
    """The first line of `code` that `text` does not have after the ones before it, or None."""
    rest = (line.strip() for line in text.splitlines())
    return next((line for line in code.splitlines() if line.strip() and line.strip() not in rest), None)


def in_one_line(code):
    """Without comments, and without blanks but where two words would meet."""
    code = re.sub(r"//[^\n]*|/\*.*?\*/", " ", code, flags=re.DOTALL)
    return re.sub(r" ?(\W) ?", r"\1", " ".join(code.split()))


def missing_declaration(code, header, source):
    """The first declaration of `code` that `header` lacks, or None."""
    for line in code.splitlines():
        include = re.match(r"\s*#\s*include\s*<([^>]+)>", line)
        if include and not f"/{source}".endswith(f"/include/{include[1]}"):
            return line.strip()
    wanted = re.sub(r"^\s*#[^\n]*", "", code, flags=re.MULTILINE)
    *declarations, rest = in_one_line(wanted).split(";")
    declared = in_one_line(header)
    for declaration in [*declarations, rest]:
        # Neither part of a longer name in front, nor a declaration that goes on behind.
        if declaration and not re.search(rf"(?<!\w){re.escape(declaration)}\s*[;{{]", declared):
            return declaration
    return None


def problem_of(block, root):
    """What is wrong with a block, or None."""
    _, above, language, code = block
    if language in FREE:
        statement = re.search(r"^.*;$", code, re.MULTILINE)
        return f"this looks like code: {statement[0].strip()}" if statement else None
    marker = MARKER.match(above)
    if not language:
        return "this block names no language: `sh`, `text`, or that of its code"
    if not marker:
        return f"nothing says where this {language} code is compiled; see docs/check_snippets.py"
    if marker["free"]:
        return None
    source = marker["source"]
    if not (root / source).is_file():
        return f"there is no file {source}"
    if not code.strip():
        return "this block is empty"
    text = (root / source).read_text(encoding="utf-8")
    if marker["here"]:
        code = re.sub(rf"\b{marker['here']}\b", marker["there"], code)
    if marker["how"] == "from":
        return None if stands_in(code, text) else f"this code is not in {source}"
    if marker["how"] == "lines from":
        missing = missing_line(code, text)
        return f"{source} does not have this line, or not in this place: {missing}" if missing else None
    missing = missing_declaration(code, text, source)
    return f"{source} does not declare: {missing}" if missing else None


def problems_of(page, root):
    for block in blocks(page.read_text(encoding="utf-8")):
        problem = problem_of(block, root)
        if problem:
            yield f"{page.relative_to(root)}:{block[0]}: {problem}"


def main():
    root = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else REPOSITORY
    problems = [problem for page in pages(root) for problem in problems_of(page, root)]
    print("\n".join(problems) if problems else "all code in the pages is in the files that they name")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
