// SPDX-License-Identifier: Apache-2.0
#include "support/line_sums.hpp"

namespace {

using sums = line_sums::of_columns;

template <class C>
class SumColumns : public cases::fixture<C> {};
TYPED_TEST_SUITE(SumColumns, cases::numbers, cases::names);

TYPED_TEST(SumColumns, EqualTheReferenceForEveryShape) {
  line_sums::equal_the_reference_for_every_shape<sums, TypeParam>();
}
TYPED_TEST(SumColumns, DoNotDependOnAlignment) { line_sums::do_not_depend_on_alignment<sums, TypeParam>(); }
TYPED_TEST(SumColumns, OfTwoMillionLines) { line_sums::of_two_million_lines<sums, TypeParam>(); }

template <class C>
class SumColumnsOfReals : public cases::fixture<C> {};
TYPED_TEST_SUITE(SumColumnsOfReals, cases::reals, cases::names);

TYPED_TEST(SumColumnsOfReals, InDoubleWithSignsOfZeroAndOneNaN) { line_sums::of_reals<sums, TypeParam>(); }
TYPED_TEST(SumColumnsOfReals, DoNotStall) { line_sums::do_not_stall<sums, TypeParam>(); }
TYPED_TEST(SumColumnsOfReals, OfLongFolds) { line_sums::of_long_folds<sums, TypeParam>(); }

template <class C>
class SumColumnsOfInts : public cases::fixture<C> {};
TYPED_TEST_SUITE(SumColumnsOfInts, cases::every<std::int32_t>::type, cases::names);

TYPED_TEST(SumColumnsOfInts, ComeOutInSixtyFourBits) {
  line_sums::of_ints_come_out_in_sixty_four_bits<sums, TypeParam>();
}

template <class C>
class SumColumnsPortably : public cases::fixture<C> {};
using strided_types = cases::every<float, std::int32_t, std::int16_t>::type;
TYPED_TEST_SUITE(SumColumnsPortably, strided_types, cases::names);

TYPED_TEST(SumColumnsPortably, OfStridedViews) { line_sums::of_strided_views<sums, TypeParam>(); }

TEST(SumColumnsRefuse, WhatDoesNotFit) { line_sums::refuse_what_does_not_fit<sums>(); }

}  // namespace
