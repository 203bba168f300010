#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checker of early launches must find a kernel that does not wait, or not first."""

import pathlib
import tempfile
import unittest

import check_early_launches as check

KERNEL = """\
template <class T>
__global__ void __launch_bounds__((threads<T>(1)), 2)
    some_kernel(const __grid_constant__ T x, T* y) {{  // writes y
{body}
}}
void start() {{ {call}(some_kernel<float>); }}
"""
WAIT = "  detail::await_earlier_work();"
WRITE = "  *y = x;"


def faults(body, call="launch_early"):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "kernel.cu"
        path.write_text(KERNEL.format(body="\n".join(body), call=call))
        return check.faults(path)


class EarlyLaunches(unittest.TestCase):
    def test_a_kernel_that_waits_first(self):
        self.assertEqual(faults([WAIT, WRITE]), [])

    def test_comments_do_not_count(self):
        self.assertEqual(faults(["  // why", WAIT, WRITE]), [])
        self.assertEqual(faults(["  // await_earlier_work();", WRITE]), ["some_kernel"])

    def test_a_kernel_that_does_not_wait(self):
        self.assertEqual(faults([WRITE]), ["some_kernel"])

    def test_a_kernel_that_waits_late(self):
        self.assertEqual(faults([WRITE, WAIT]), ["some_kernel"])

    def test_ordinary_launches(self):
        self.assertEqual(faults([WRITE], call="launch"), [])


if __name__ == "__main__":
    unittest.main()
