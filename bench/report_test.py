#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The report and the comparison of runs, on small inputs with the awkward values that occur."""

import copy
import os
import subprocess
import sys
import tempfile
import unittest

import results as r

HERE = os.path.dirname(os.path.abspath(__file__))


def case(path, samples, **changes):
    usable = bool(samples)
    made = {
        "algorithm": "sum", "path": path, "backend": "openmp", "type": "float", "accumulator": "float",
        "form": "view", "variant": None, "n": 1024, "seconds": sorted(samples)[len(samples) // 2] if usable else None,
        "spread": None, "bytes": 4096, "gb_per_s": 4.0 if usable else None, "access": "read",
        "limit_gb_per_s": None, "limit_fraction": None, "regime": "cache", "verified": usable,
        "bits": "0x3f800000", "samples": samples, "reason": None if usable else "threw: <no> & nothing",
    }  # fmt: skip
    made.update(changes)
    return made


def run_of(*cases):
    return {"environment": {"cpu": "a CPU", "threads": "2", "gpu": None, "date": "today"}, "cases": list(cases)}


class Statistics(unittest.TestCase):
    def test_interval_of_the_median(self):
        self.assertEqual(r.median_interval([3.0]), (3.0, None, None))
        self.assertEqual(r.median_interval([1, 2, 3, 4, 5, 6, 7]), (4, 1, 7))  # 98.4 %; 2 .. 6 would be 87.5 %
        self.assertEqual(r.median_interval(range(11)), (5, 1, 9))  # 98.8 %

    def test_verdict(self):
        self.assertEqual(r.verdict(1.1, 1.2), "SLOWER")
        self.assertEqual(r.verdict(0.8, 0.9), "FASTER")
        self.assertEqual(r.verdict(0.99, 1.01), "SAME")
        self.assertEqual(r.verdict(0.9, 1.1), "AMBIGUOUS")
        self.assertEqual(r.verdict(None, None), "AMBIGUOUS")

    def test_ratio_is_of_neighbours(self):
        # Both drift by a factor of two; their ratio does not.
        drift = [1, 1.2, 1.4, 1.6, 1.8, 1.9, 2.0]
        slow, fast = case("kokkos", [1.5 * d for d in drift]), case("portable", drift)
        ratio, low, high = r.paired_ratio(slow, fast)
        self.assertAlmostEqual(ratio, 1.5)
        self.assertAlmostEqual(low, high)

    def test_strict_json(self):
        for text in ('{"a": NaN}', '{"a": Infinity}', '{"a": -Infinity}'):
            self.assertRaises(ValueError, r.parse, text)


class Programs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="with spaces ")
        self.addCleanup(self.folder.cleanup)

    def file(self, name, results):
        path = os.path.join(self.folder.name, name)
        r.save(results, path)
        return path

    def program(self, name, *arguments):
        command = [sys.executable, os.path.join(HERE, name), *arguments]
        return subprocess.run(command, capture_output=True, text=True)

    def report(self, *cases):
        out = os.path.join(self.folder.name, "out")
        return self.program("report.py", self.file("measured.json", run_of(*cases)), out), out

    def test_report(self):
        ours = case("portable", [1e-6, 1.01e-6, 0.99e-6, 1e-6, 1e-6, 1e-6, 1e-6])
        done, out = self.report(ours, case("plain", [2e-6] * 7), case("kokkos", [3e-6], gb_per_s=None))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("SLOWER", done.stdout)
        self.assertIn("n/a", done.stdout)
        written = r.load(os.path.join(out, "results.json"))
        self.assertEqual([c["verdict"] for c in written["comparisons"]], ["SLOWER", "AMBIGUOUS"])
        with open(os.path.join(out, "report.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn("<svg", page)
        for word in ("http://", "https://", "<script", "NaN", "None"):
            self.assertNotIn(word, page)

    def test_rungs_have_a_chart_of_their_own(self):
        rungs = [case("ladder:atomic_per_thread_256", [5e-6] * 7), case("ladder:tuned", [1e-6] * 7)]
        done, out = self.report(case("native", [1e-6] * 7), *rungs)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line for line in done.stdout.splitlines() if "ladder:" in line and " us" in line]
        self.assertEqual(len({line.index(" us") for line in lines}), 1, lines)
        with open(os.path.join(out, "report.html"), encoding="utf-8") as file:
            self.assertEqual(file.read().count("<svg"), 2)

    def test_failure_is_reported(self):
        done, out = self.report(case("portable", [1e-6] * 7), case("kokkos", []))
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED", done.stdout)
        with open(os.path.join(out, "report.html"), encoding="utf-8") as file:
            self.assertIn("threw: &lt;no&gt; &amp; nothing", file.read())

    def test_nothing_usable(self):
        done, _ = self.report(case("portable", []), case("native", []))
        self.assertEqual(done.returncode, 1, done.stderr)

    def test_no_results_file(self):
        path = os.path.join(self.folder.name, "bad.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write('{"environment": {}, "cases": [NaN]}')
        done = self.program("report.py", path, self.folder.name)
        self.assertEqual(done.returncode, 1)
        self.assertIn("NaN is not JSON", done.stderr)

    def test_compare_runs(self):
        before = run_of(case("portable", [1e-6] * 7), case("plain", [1e-6] * 7))
        slower, other = copy.deepcopy(before), copy.deepcopy(before)
        slower["cases"][0]["samples"] = [1.2e-6] * 7
        other["environment"]["cpu"] = "another CPU"
        a, b, c = self.file("a", before), self.file("b", slower), self.file("c", other)
        self.assertEqual(self.program("compare_runs.py", a, a).returncode, 0)
        self.assertEqual(self.program("compare_runs.py", a, b).returncode, 1)
        self.assertEqual(self.program("compare_runs.py", b, a).returncode, 0)
        self.assertEqual(self.program("compare_runs.py", "--threshold", "0.3", a, b).returncode, 0)
        self.assertEqual(self.program("compare_runs.py", a, "missing.json").returncode, 2)
        self.assertEqual(self.program("compare_runs.py", a, c).returncode, 3)
        self.assertEqual(self.program("compare_runs.py", "--allow-unlike", a, c).returncode, 0)


if __name__ == "__main__":
    unittest.main()
