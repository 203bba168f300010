// SPDX-License-Identifier: Apache-2.0
#include "support/line_sums.hpp"

namespace {

using sums = line_sums::of_rows;

template <class C>
class SumRows : public cases::fixture<C> {};
TYPED_TEST_SUITE(SumRows, cases::numbers, cases::names);

TYPED_TEST(SumRows, EqualTheReferenceForEveryShape) {
  line_sums::equal_the_reference_for_every_shape<sums, TypeParam>();
}
TYPED_TEST(SumRows, DoNotDependOnAlignment) { line_sums::do_not_depend_on_alignment<sums, TypeParam>(); }
TYPED_TEST(SumRows, OfTwoMillionLines) { line_sums::of_two_million_lines<sums, TypeParam>(); }

template <class C>
class SumRowsOfReals : public cases::fixture<C> {};
TYPED_TEST_SUITE(SumRowsOfReals, cases::reals, cases::names);

TYPED_TEST(SumRowsOfReals, InDoubleWithSignsOfZeroAndOneNaN) { line_sums::of_reals<sums, TypeParam>(); }
TYPED_TEST(SumRowsOfReals, DoNotStall) { line_sums::do_not_stall<sums, TypeParam>(); }
TYPED_TEST(SumRowsOfReals, OfLongFolds) { line_sums::of_long_folds<sums, TypeParam>(); }

template <class C>
class SumRowsOfInts : public cases::fixture<C> {};
TYPED_TEST_SUITE(SumRowsOfInts, cases::every<std::int32_t>::type, cases::names);

TYPED_TEST(SumRowsOfInts, ComeOutInSixtyFourBits) {
  line_sums::of_ints_come_out_in_sixty_four_bits<sums, TypeParam>();
}

template <class C>
class SumRowsPortably : public cases::fixture<C> {};
using strided_types = cases::every<float, std::int32_t, std::int16_t>::type;
TYPED_TEST_SUITE(SumRowsPortably, strided_types, cases::names);

TYPED_TEST(SumRowsPortably, OfStridedViews) { line_sums::of_strided_views<sums, TypeParam>(); }

TEST(SumRowsRefuse, WhatDoesNotFit) { line_sums::refuse_what_does_not_fit<sums>(); }

}  // namespace
