#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checker of packs must tell whole packs from elements."""

import unittest

import check_packs as check

PTX = """\
.visible .entry _ZN20stencil_short_kernelILi8E(
	.param .u64 p
)
{{
	{store} [%rd1], %f1;
	st.global.f32 [%rd2], %f2;
}}
.weak .entry _ZN11fold_kernelILj4ELb0E(
)
{{
	ld.global.f32 %f1, [%rd1];
}}
.entry _ZN11fold_kernelILj4ELb1E(
)
{{
	{load} %f1, [%rd1];
}}
"""


def faults(store, load):
    return check.faults(PTX.format(store=store, load=load))


class Packs(unittest.TestCase):
    def test_packs(self):
        for store in ("st.global.v4.f32", "st.global.cs.v4.u32", "st.global.v2.f64", "st.global.wb.v2.u64"):
            self.assertEqual(faults(store, "ld.global.nc.v4.f32"), ([], 2))

    def test_elements(self):
        bad, checked = faults("st.global.f32", "ld.global.v2.f32")
        self.assertEqual((len(bad), checked), (2, 2))
        self.assertIn("stencil_short_kernel", bad[0])
        self.assertIn("fold_kernelILj4ELb1E", bad[1])


if __name__ == "__main__":
    unittest.main()
