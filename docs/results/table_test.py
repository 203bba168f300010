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

    def hold_reference(self, table_id, columns, *rows):
        """Columns are given as "name" or "name [unit]"."""
        named = [dict(zip(("name", "unit"), (*column.rstrip("]").split(" ["), None))) for column in columns]
        tables = [{"id": table_id, "title": "", "columns": named, "rows": rows, "notes": []}]
        (self.folder / "reference.json").write_text(json.dumps({"environment": ENVIRONMENT, "tables": tables}))

    def reference_page(self, name, old=""):
        return self.write(f"<!-- measured: {name} reference.json -->\n{old}<!-- measured end -->\n")

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
            ("serial_vs_tree ladder.json", "no table of serial against tree"),
            ("memory_statistics ladder.json", "no table of memory statistics"),
            ("memory_measured ladder.json", "no table of measured memory"),
            ("stencil_access ladder.json", "no table of the accesses of stencils"),
            ("coalescing ladder.json", "no table of coalescing"),
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

    def test_every_radius_and_shape_of_the_file_is_shown(self):
        limits = [limit_case(path, 4000.0) for path in ("memcpy", "memset", "read")]
        n = 1 << 28
        stencils = (case("native", n, 1e-3, algorithm="stencil", variant=f"k={k}") for k in (10**7, 1, 16))
        shapes = ((16384, 16384), (262144, 1001), (4096, 4096), (1024, 1024))
        sums = (case("native", r * c, 1e-3, algorithm="sum_rows", variant=f"{r}x{c}") for r, c in shapes)
        left = case("native", n, 1e-3, algorithm="sum_rows", variant="16384x16384 left")
        self.hold([*limits, limit_case("empty", None), *stencils, *sums, left])
        for marker, first_cells in (
            ("stencil ladder.json", ["1", "16", "10000000"]),
            ("sums ladder.json sum_rows", ["1024 x 1024", "4096 x 4096", "16384 x 16384", "262144 x 1001"]),
        ):
            text = self.write(f"<!-- measured: {marker} -->\n<!-- measured end -->\n")
            rows = [line for line in text.splitlines() if line.startswith("| ")][1:]
            self.assertEqual([row.split(" | ")[0].strip("| ") for row in rows], first_cells)

    def test_the_trapezoids_beside_the_published_ones(self):
        columns = ["rung", "time [us]", "speed-up", "relative error", "GK20A, published [ms]", "GK20A speed-up"]
        columns += ["Titan X, published [ms]", "Titan X speed-up"]
        self.hold_reference(
            *("trapezoid", columns),
            ["slow_32", 1000.0, 1.0, 1e-4, 20.7, 1.0, 0.206, 1.0],
            ["slow_256", 500.0, 2.0, 1e-4, None, None, None, None],
            ["tuned", 4.0, 250.0, 1e-8, None, None, None, None],
            ["(empty launch)", 3.0, None, None, None, None, None, None],
        )
        text = self.reference_page("ladder_trapezoid")
        self.assertIn("| `slow_32`, `_256` |  | 1000 | 1.00 | 500.0 | 2.00 | 20.7 (1.00) | 0.206 (1.00) |\n", text)
        self.assertIn("| `tuned` |  |  |  | 4.00 | 250 |  |  |\n", text)
        self.assertIn("An empty launch took 3.00 us.", text)

    def test_steps_of_a_serial_sum_and_of_a_tree(self):
        columns = ["values t", "serial steps", "tree steps", "atomics [us]", "one thread [us]", "tree [us]", "atomics / tree"]
        self.hold_reference("serial_vs_tree", columns, [8, 8, 3, 4.4321, 3.2, None, None], [10, 10, 4, 1759.3, 13000.2, 4, 440])
        text = self.reference_page("serial_vs_tree")
        self.assertIn("| 8 | 8 | 3 | 4.43 | 3.20 | – | – |\n", text)
        self.assertIn("| 10 | 10 | 4 | 1759 | 13000 | 4.00 | 440 |\n", text)

    def test_a_column_per_gpu(self):
        columns = ["GPU", "compute capability", "registers/block [KiB]"]
        self.hold_reference("memory_statistics", columns, ["Old", "2.1", None], ["New", "9.0", 256])
        text = self.reference_page("memory_statistics")
        self.assertIn("|  | Old | New |\n|---|---|---|\n| compute capability | 2.1 | 9.0 |\n", text)
        self.assertIn("| registers/block, KiB | – | 256 |\n", text)

    def test_measured_memories(self):
        columns = ["level", "latency [cycles]", "latency [ns]", "bandwidth [GB/s]", "per SM [bytes/cycle]"]
        columns += ["probed with [KiB]", "the text says"]
        self.hold_reference("memory_measured", columns, ["L1", 32.04, 16.16, 32662.4, 125.0, 16, ""])
        self.assertIn("| L1 | 32.0 | – | 16.2 | 32662 | 125 | 16 |\n", self.reference_page("memory_measured"))

    def test_accesses_of_stencils(self):
        columns = ["k", "without shared [accesses]", "with shared, text [accesses]", "with shared, counted [accesses]"]
        columns += ["first [us]", "first [GB/s]", "second [us]", "second [GB/s]"]
        self.hold_reference(
            "stencil_access", columns, [3, 8, 4, 2.0234, 250.04, 2120.9, None, None], [5, 12, 4, 2.04, 1, 1, 1, 1]
        )
        text = self.reference_page("stencil_access")
        self.assertIn("| `first`, us (GB/s) | `second`, us (GB/s) |\n", text)
        self.assertIn("| 3 | 8 | 4 | 2.02 | 250.0 (2121) | – |\n", text)
        self.assertNotIn("| 5 |", text)  # not all radii are shown

    def test_coalescing_by_pattern(self):
        columns = ["pattern", "sectors/warp", "transactions/warp, text", "read [GB/s]", "write [GB/s]"]
        columns += ["read, of contiguous [%]", "write, of contiguous [%]"]
        patterns = ["stride 8", *(f"offset {offset}" for offset in range(32))]
        rows = [[pattern, 5, 32, 2455.6, 1675.5, 93.6, 46.4] for pattern in patterns]
        self.hold_reference("coalescing", columns, *rows, ["1001 columns, packed", 4.875, 30.125, None, 9.5, 98, 98])
        text = self.reference_page("coalescing")
        self.assertIn("| stride 8 | 5 | 32 | 2456 | 94 % | 1676 | 46 % |\n", text)
        self.assertIn("| 1001 columns, packed | 4.88 | 30.1 | – | 98 % | 10 | 98 % |\n", text)
        shown = [int(line.split()[2]) for line in text.splitlines() if line.startswith("| offset")]
        self.assertEqual(shown, [0, 1, 4, 8, 16, 31])
        self.assertEqual(self.problems(), [])


if __name__ == "__main__":
    unittest.main()
