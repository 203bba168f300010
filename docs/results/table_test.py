#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The writer of measured tables must say what the files say, and find pages that do not."""

import json
import pathlib
import tempfile
import unittest

import table

ENVIRONMENT = {"date": "2026-01-02T03:04:05Z", "gpu": "A GPU", "cuda": "13.0", "git_revision": "abc"}
PAGE = """\
Text.

<!-- measured: ladder_dot ladder.json -->
| rung | what it does | us, n = 2^20 | x | GB/s, n = 2^28 | x |
|---|---|---|---|---|---|
| `slow` | adds `a` and b | 0 | 0 | 0 | 0 |
| `lost` | is not measured | 0 | 0 | 0 | 0 |
<!-- measured end -->

More text.
"""


def case(path, n, seconds, **others):
    return {
        **{"algorithm": "dot", "type": "float", "form": "view", "variant": None, "backend": "cuda", "verified": True},
        **{"path": path, "n": n, "seconds": seconds, "gb_per_s": 8 * n / seconds / 1e9, "regime": "memory"},
        **others,
    }


def limit_case(path, gb_per_s):
    return case(path, 1 << 31, 1e-3, algorithm=path, type="byte", form="limit", gb_per_s=gb_per_s)


CASES = [
    *(case("ladder:slow", n, 2e-3) for n in (1 << 20, 1 << 28)),
    *(case("ladder:fast", n, 1e-3) for n in (1 << 20, 1 << 28)),
    case("ladder:wrong", 1 << 20, 1e-3, verified=False),
]


class Tables(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.page = self.folder / "page.md"
        self.hold(CASES)

    def hold(self, cases):
        (self.folder / "ladder.json").write_text(json.dumps({"environment": ENVIRONMENT, "cases": cases}))

    def write(self, text):
        self.page.write_text(text, encoding="utf-8")
        self.page.write_text(table.written(self.page, self.folder), encoding="utf-8")
        return self.page.read_text(encoding="utf-8")

    def problems(self):
        return list(table.problems_of(self.page, self.folder))

    def test_figures_are_those_of_the_file_and_words_those_of_the_page(self):
        text = self.write(PAGE)
        self.assertIn("| `slow` | adds `a` and b | 2000 | 1.00 | 1074 | 1.00 |\n", text)
        self.assertIn("| `lost` | is not measured | – | – | – | – |\n", text)
        self.assertIn("| `fast` |  | 1000 | 2.00 | 2147 | 2.00 |\n", text)
        self.assertNotIn("wrong", text)
        self.assertIn("Measured 2026-01-02 on one A GPU (CUDA 13.0, revision abc)", text)
        self.assertTrue(text.startswith("Text.\n\n<!--") and text.endswith("-->\n\nMore text.\n"), text)

    def test_writing_again_changes_nothing(self):
        text = self.write(PAGE)
        self.assertEqual(self.problems(), [])
        self.assertEqual(self.write(text), text)

    def test_a_changed_figure_is_found(self):
        text = self.write(PAGE)
        for old, new in (("2147", "2148"), ("2026-01-02", "2026-01-03"), ("| 2.00 |\n", "| 2.01 |\n")):
            self.assertIn(old, text)
            self.page.write_text(text.replace(old, new), encoding="utf-8")
            self.assertEqual(len(self.problems()), 1, new)

    def test_a_new_measurement_makes_the_page_stale(self):
        self.write(PAGE)
        self.hold([*CASES[:3], case("ladder:fast", 1 << 28, 5e-4)])
        self.assertEqual(len(self.problems()), 1)
        self.assertIn("| `fast` |  | 1000 | 2.00 | 4295 | 4.00 |\n", self.write(self.page.read_text(encoding="utf-8")))
        self.assertEqual(self.problems(), [])

    def test_tables_by_hand_are_refused(self):
        self.write(PAGE + "\n| n | native, µs |\n|---|---|\n| 1 | 2 |\n")
        self.assertEqual(len(self.problems()), 1)
        self.write(PAGE + "\n| n | what |\n|---|---|\n| 1 | 5 µs |\n")
        self.assertEqual(self.problems(), [])

    def test_what_is_not_there_has_a_name(self):
        for marker, reason in (
            ("ladder_dot other.json", "there is no other.json"),
            ("ladder_cat ladder.json", "no table is called ladder_cat"),
            ("ladder_matrix ladder.json outer_product", "no figures of the ladder"),
            ("ladder_trapezoid ladder.json", "no table of the trapezoidal rule"),
            ("stencil ladder.json", "no figure of memcpy"),
        ):
            self.page.write_text(PAGE.replace("ladder_dot ladder.json", marker), encoding="utf-8")
            with self.assertRaisesRegex(table.Unavailable, reason):
                table.written(self.page, self.folder)

    def test_a_marker_alone_is_found(self):
        self.write(PAGE.replace("<!-- measured end -->", "<!-- measured stop -->"))
        self.assertIn("alone or misspelt", self.problems()[0])

    def test_the_tables_with_limits(self):
        limits = [limit_case("memcpy", 4000.0), limit_case("memset", 4500.0), limit_case("read", 4400.0)]
        n = 1 << 28
        self.hold(
            [
                *(*limits, limit_case("empty", None)),
                case("native", n, 2 * 4 * n / 4e12, algorithm="stencil", variant="k=1"),
                case("native", n, 2 * 4 * n / 2e12, algorithm="scale_columns", variant="16384x16384"),
                case("native", n, 4 * n / 4e12, algorithm="sum_rows", variant="16384x16384"),
            ]
        )
        for marker, row in (
            ("stencil", "| 1 | 536.9 | 100 % | – | – | – |"),
            ("matrix", "| 16384 x 16384 | float | 1074 | – | – | – | 50 % |"),
            ("sums", "| 16384 x 16384 | float | 268.4 | – | – |"),
        ):
            arguments = {"matrix": " scale_columns dgmm memcpy", "sums": " sum_rows"}.get(marker, "")
            page = f"<!-- measured: {marker} ladder.json{arguments} -->\n<!-- measured end -->\n"
            self.assertIn(f"{row}\n", self.write(page))


if __name__ == "__main__":
    unittest.main()
