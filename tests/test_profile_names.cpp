// SPDX-License-Identifier: Apache-2.0
// What Kokkos Tools are told: every algorithm, on every path, shows its name, as a kernel of Kokkos or as a region
// around the native one.
#include "support/cases.hpp"

#include <twofold/twofold.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {

std::vector<std::string> names;

void note_kernel(const char* name, std::uint32_t, std::uint64_t*) { names.emplace_back(name); }
void note_region(const char* name) { names.emplace_back(name); }
void note_end() {}

struct one {
  KOKKOS_FUNCTION double operator()(double) const { return 1; }
};

/// The names that a tool sees of what `call` starts.
template <class Call>
std::vector<std::string> names_of(const Call& call) {
  namespace tools = Kokkos::Tools::Experimental;
  const auto before = tools::get_callbacks();
  names.clear();
  tools::set_begin_parallel_for_callback(note_kernel);
  tools::set_push_region_callback(note_region);
  tools::set_pop_region_callback(note_end);
  call();
  Kokkos::fence();
  tools::set_callbacks(before);
  return names;
}

template <class Names>
void expect_only(const Names& found, const std::string& name) {
  EXPECT_FALSE(found.empty()) << name << " shows nothing";
  for (const auto& one_name : found) EXPECT_EQ(one_name, name);
}

template <class C>
class ProfileNames : public testing::Test {};
TYPED_TEST_SUITE(ProfileNames, cases::every<double>::type, cases::names);

TYPED_TEST(ProfileNames, EveryAlgorithmHasOne) {
  const typename TypeParam::Path path{};
  const typename TypeParam::Exec exec{};
  using Exec = typename TypeParam::Exec;
  const std::size_t n = 1000000, side = 1000;  // enough for a parallel region on the host
  const Kokkos::View<double*, Exec> x("x", n), y("y", n), row("row", side), weights("weights", 3);
  const Kokkos::View<double**, Kokkos::LayoutRight, Exec> m("m", side, side), q("q", side, side);
  const Kokkos::View<double, Exec> r("r");

  expect_only(names_of([&] { twofold::sum(path, exec, x, r); }), "twofold::sum");
  expect_only(names_of([&] { twofold::sum(path, exec, x); }), "twofold::sum");
  expect_only(names_of([&] { twofold::dot(path, exec, x, y, r); }), "twofold::dot");
  expect_only(names_of([&] { twofold::dot(path, exec, x, y); }), "twofold::dot");
  expect_only(names_of([&] { twofold::norm2(path, exec, x, r); }), "twofold::norm2");
  expect_only(names_of([&] { twofold::norm2(path, exec, x); }), "twofold::norm2");
  expect_only(names_of([&] { twofold::integrate(path, exec, one{}, 0.0, 1.0, n, r); }), "twofold::integrate");
  expect_only(names_of([&] { twofold::integrate(path, exec, one{}, 0.0, 1.0, n); }), "twofold::integrate");
  expect_only(names_of([&] { twofold::stencil(path, exec, x, y, 2); }), "twofold::stencil");
  expect_only(names_of([&] { twofold::stencil(path, exec, x, y, 100); }), "twofold::stencil");
  expect_only(names_of([&] { twofold::stencil(path, exec, x, y, weights); }), "twofold::stencil");
  expect_only(names_of([&] { twofold::outer_product(path, exec, row, row, m); }), "twofold::outer_product");
  expect_only(names_of([&] { twofold::scale_columns(path, exec, m, row, q); }), "twofold::scale_columns");
  expect_only(names_of([&] { twofold::sum_rows(path, exec, m, row); }), "twofold::sum_rows");
  expect_only(names_of([&] { twofold::sum_columns(path, exec, m, row); }), "twofold::sum_columns");
}

}  // namespace
