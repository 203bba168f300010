#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checker of the headers' comments must find what is missing or out of order."""

import pathlib
import tempfile
import unittest

import check_documentation as check

HEADER = """\
#pragma once

/// @file
/// `sum`: the sum of a vector.
///
/// Preconditions: x is readable.
/// Allocates: nothing.
/// Synchronises: never.
/// Overlap: none.
/// Bits: equal.
/// Passes over memory: one.
/// Throws: precondition_error.

namespace twofold {

/// Whether there is a sum.
template <class X>
concept sum_path = reachable<X> &&
                   foldable<X>;

namespace detail {
template <class X>
void hidden(X x);
}  // namespace detail

/// Writes the sum.
template <class X>
  requires sum_path<X> && requires(const X& x) { sum(x); }
void sum(const X& x) {
  detail::hidden(x);
}

}  // namespace twofold
"""


class Headers(unittest.TestCase):
    def problems(self, header):
        with tempfile.TemporaryDirectory() as folder:
            for layer in (check.CORE, check.NATIVE):
                path = pathlib.Path(folder) / layer / "sum.hpp"
                path.parent.mkdir(parents=True)
                path.write_text(header if layer == check.CORE else HEADER, encoding="utf-8")
            return list(check.problems(pathlib.Path(folder)))

    def refuses(self, old, new, reason):
        self.assertIn(old, HEADER)
        found = self.problems(HEADER.replace(old, new))
        self.assertEqual(len(found), 1, found)
        self.assertIn(reason, found[0])

    def test_a_good_header(self):
        self.assertEqual(self.problems(HEADER), [])
        self.assertEqual(self.problems(HEADER.replace("/// Throws", "/// Accuracy: u.\n/// Throws")), [])

    def test_fields(self):
        bits, passes = "/// Bits: equal.\n", "/// Passes over memory: one.\n"
        self.refuses(bits + passes, passes + bits, "'Bits' comes after 'Passes over memory'")
        self.refuses(bits, "", "nothing is said about: Bits")
        self.refuses(bits, bits + bits, "'Bits' comes after 'Bits'")
        self.refuses("none.\n" + bits, "none. Bits: equal.\n", "'Bits' does not begin its line")
        self.refuses("/// Throws:", "/// Source: a book.\n/// Throws:", "'Throws' comes after 'Source'")

    def test_comments(self):
        self.refuses("/// Whether there is a sum.\n", "", "no comment above: template <class X>")
        self.refuses("/// Writes the sum.\n", "", "no comment above: template <class X>")
        self.refuses("}  // namespace twofold\n", "inline int n = 1;\n}  // namespace twofold\n", "inline int n = 1;")

    def test_a_header_without_a_contract(self):
        contract = HEADER[HEADER.index("/// @file") : HEADER.index("namespace")]
        self.refuses(contract, "", "no contract")


if __name__ == "__main__":
    unittest.main()
