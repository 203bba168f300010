#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the comments of the public headers.

check_documentation.py [ROOT]    looks at the headers of core and cuda_native below ROOT (default: this repository)

The contract of an algorithm names its fields in one order, each at the beginning of a line. A header that is in both
layers is an algorithm's, and names all fields that are required. Whatever a public header declares has a comment.
"""

import pathlib
import re
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
CORE = "core/include/twofold"
NATIVE = "cuda_native/include/twofold/cuda_native"
# The effect comes first and has no name. False: where there is something to say.
FIELDS = {
    "Preconditions": True,
    "Result type": False,
    "Allocates": True,
    "Synchronises": True,
    "Overlap": True,
    "Bits": True,
    "Passes over memory": True,
    "Accuracy": False,
    "Throws": True,
    "Source": False,
}
ORDER = list(FIELDS)
FIELD = re.compile(rf"(?P<start>^/// )?\b(?P<name>{'|'.join(FIELDS)}):", re.MULTILINE)
COMMENT = re.compile(r"(?:^///.*\n)+", re.MULTILINE)


def contracts(text):
    """The comments that name at least two fields: (line, comment)."""
    for comment in COMMENT.finditer(text):
        if len(FIELD.findall(comment[0])) > 1:
            yield text.count("\n", 0, comment.start()) + 1, comment[0]


def problems_of_contract(comment, all_required):
    fields = list(FIELD.finditer(comment))
    names = [field["name"] for field in fields]
    for field in fields:
        if field["start"] is None:
            yield f"'{field['name']}' does not begin its line"
    for first, second in zip(names, names[1:]):
        if ORDER.index(first) >= ORDER.index(second):
            yield f"'{second}' comes after '{first}'; the order is {', '.join(ORDER)}"
    if comment.lstrip("/ ").startswith(names[0]):
        yield "the effect comes first"
    if all_required:
        missing = [name for name, required in FIELDS.items() if required and name not in names]
        if missing:
            yield f"nothing is said about: {', '.join(missing)}"


def undocumented(text):
    """The declarations at the outermost level, but for detail's, that no comment precedes: (line, declaration)."""
    inside_detail, before, head = False, "", ""
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"namespace (\w+::)*detail\b", line):
            inside_detail = True
        elif re.match(r"\}  // namespace (\w+::)*detail\b", line):
            inside_detail = False
        declares = re.match(r"[A-Za-z_\[]", line) and not re.match(r"namespace\b|using [\w:]+;|static_assert\b", line)
        # What a `template` began goes on at the beginning of a line.
        begins = declares and not head.startswith("template")
        if begins and not inside_detail and not before.startswith("///") and "///<" not in line:
            yield number, line.strip()
        if re.match(r"\S", line):
            head = line
        if line.strip():
            before = line


def problems(root):
    core, native = (
        {path.name: path for path in sorted((root / folder).glob("*.hpp"))} for folder in (CORE, NATIVE)
    )
    algorithms = core.keys() & native.keys()
    if not algorithms:
        yield f"{root}: there are no headers of algorithms"
    ladder = sorted((root / NATIVE / "ladder").glob("*.hpp"))
    for path in [*core.values(), *native.values(), *ladder]:
        place = path.relative_to(root)
        text = path.read_text(encoding="utf-8")
        of_algorithm = path.name in algorithms and path not in ladder
        found = list(contracts(text))
        if of_algorithm and not found:
            yield f"{place}: no contract"
        for index, (line, comment) in enumerate(found):
            for problem in problems_of_contract(comment, of_algorithm and index == 0):
                yield f"{place}:{line}: {problem}"
        for line, declaration in undocumented(text):
            yield f"{place}:{line}: no comment above: {declaration}"


def main():
    root = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else REPOSITORY
    found = list(problems(root))
    print("\n".join(found) if found else "the public headers are documented, in the order of CONTRIBUTING.md")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
