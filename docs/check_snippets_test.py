#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checker of the pages' code must find what is stale, and nothing else."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

import check_snippets

SOURCE = """\
int main() {
  const double value = twofold::dot(x, y);
  print(value);
  return 0;
}
"""
HEADER = """\
/// Writes the sum.
template <class X>
  requires something<X>
void sum(const Exec& exec,
         const X& x, const Result& result) {
  body();
}
template <class R>
R long_sum(const R* x, std::size_t n, stream_handle stream);
"""
CMAKE = """\
find_package(twofold CONFIG REQUIRED)
add_executable(consumer main.cpp)
target_link_libraries(consumer PRIVATE twofold::twofold)
"""


def complaints(page):
    """What the checker says about a page in a repository with the files above."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "docs").mkdir()
        (root / "include" / "x").mkdir(parents=True)
        (root / "docs" / "page.md").write_text(page, encoding="utf-8")
        (root / "main.cpp").write_text(SOURCE, encoding="utf-8")
        (root / "include" / "x" / "sum.hpp").write_text(HEADER, encoding="utf-8")
        (root / "CMakeLists.txt").write_text(CMAKE, encoding="utf-8")
        return [problem for page in check_snippets.pages(root) for problem in check_snippets.problems_of(page, root)]


def block(marker, code, language="cpp"):
    return f"Text.\n\n{marker}\n```{language}\n{code}\n```\n\nMore text.\n"


class Snippets(unittest.TestCase):
    def accepts(self, *arguments):
        self.assertEqual(complaints(block(*arguments)), [])

    def refuses(self, reason, *arguments):
        found = complaints(block(*arguments))
        self.assertEqual(len(found), 1, found)
        self.assertIn(reason, found[0])
        self.assertTrue(found[0].startswith("docs/page.md:4: "), found[0])

    def test_code_without_a_source_is_refused(self):
        for language in ("cpp", "cuda", "cmake", "python", "c++"):
            self.refuses("nothing says where", "", "f();", language)
        self.refuses("names no language", "", "f();", "")
        self.refuses("nothing says where", "<!-- not compiled: -->", "f();")
        self.refuses("nothing says where", "<!-- form main.cpp -->", "f();")
        self.accepts("", "ls", "sh")
        self.accepts("", "a picture", "text")
        self.refuses("looks like code", "", "f();", "text")
        self.accepts("<!-- not compiled: pseudo-code -->", "f();")

    def test_a_marker_is_for_the_block_right_below_it(self):
        page = "<!-- not compiled: a reason -->\n\nText.\n\n```cpp\nf();\n```\n"
        self.assertEqual(len(complaints(page)), 1)
        page = "<!-- not compiled: a reason -->\n```cpp\nf();\n```\n```cpp\ng();\n```\n"
        self.assertEqual(len(complaints(page)), 1)

    def test_all_fences_are_seen(self):
        self.assertEqual(len(complaints("~~~cpp\nf();\n~~~\n")), 1)
        self.assertEqual(len(complaints("1. Text\n\n   ```cpp\n   f();\n   ```\n")), 1)
        self.assertEqual(len(complaints("````cpp\n```\n````\n")), 1)
        self.assertEqual(len(complaints("```cpp\nnever closed\n")), 1)

    def test_from(self):
        self.accepts("<!-- from main.cpp -->", "const double value = twofold::dot(x, y);\nprint(value);")
        stale = "const double value = twofold::dot(x, x);\nprint(value);"
        self.refuses("not in main.cpp", "<!-- from main.cpp -->", stale)
        self.refuses("not in main.cpp", "<!-- from main.cpp -->", "int main() {\n  print(value);")
        self.refuses("no file other.cpp", "<!-- from other.cpp -->", "int main() {")
        self.refuses("empty", "<!-- from main.cpp -->", "")

    def test_lines_from(self):
        use = "find_package(twofold CONFIG REQUIRED)\ntarget_link_libraries(program PRIVATE twofold::twofold)"
        self.accepts("<!-- lines from CMakeLists.txt, program is consumer -->", use, "cmake")
        self.refuses("does not have this line", "<!-- lines from CMakeLists.txt -->", use, "cmake")
        backwards = "\n".join(reversed(use.splitlines()))
        self.refuses("place", "<!-- lines from CMakeLists.txt, program is consumer -->", backwards, "cmake")

    def test_declared_in(self):
        marker = "<!-- declared in include/x/sum.hpp -->"
        self.accepts(marker, "void sum(const Exec& exec, const X& x, const Result& result);  // asynchronous")
        self.accepts(marker, "#include <x/sum.hpp>\n\nR long_sum(const R* x, std::size_t n, stream_handle stream);")
        self.refuses("does not declare", marker, "void sum(const Exec& exec, const X& x);")
        self.refuses("does not declare", marker, "void sum(const Exec& exec, const X& x, const Result& result, int);")
        self.refuses("does not declare", marker, "R sum(const R* x, std::size_t n, stream_handle stream);")
        self.refuses("does not declare", marker, "sum(const R* x, std::size_t n, stream_handle stream);")
        self.refuses("does not declare", marker, "#include <x/dot.hpp>")

    def test_the_exit_status_tells(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
            (pathlib.Path(folder) / "README.md").write_text("```cpp\nf();\n```\n", encoding="utf-8")
            arguments, sys.argv = sys.argv, ["check_snippets.py", folder]
            try:
                self.assertEqual(check_snippets.main(), 1)
            finally:
                sys.argv = arguments
        self.assertIn("README.md:1: ", printed.getvalue())


if __name__ == "__main__":
    unittest.main()
