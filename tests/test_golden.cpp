// SPDX-License-Identifier: Apache-2.0
// Order 1, frozen. These bits may not change: not with the machine, the compiler, its flags, or the version.
// The file is compiled several times, with flags that tempt a compiler; the inputs are made of exact arithmetic.
#include "support/cases.hpp"
#include "support/made.hpp"

#include <functional>

namespace {

using cases::made;

template <class T>
struct golden {
  const char* name;
  std::vector<T> x;
  const char* sum;
  const char* dot;
  const char* norm2;
};

template <class T>
std::vector<golden<T>> table();

#include "golden_values.inc"

template <class C>
class Golden : public cases::fixture<C> {};
TYPED_TEST_SUITE(Golden, cases::reals, cases::names);

TYPED_TEST(Golden, BitsAreFrozen) {
  using T = typename TypeParam::T;
  using Exec = typename TypeParam::Exec;
  const typename TypeParam::Path path;
  const Exec exec;
  for (const auto& g : table<T>()) {
    SCOPED_TRACE(g.name);
    const cases::guarded<Exec, T> v(g.x);
    std::vector<T> reversed(g.x.rbegin(), g.x.rend());
    const cases::guarded<Exec, T> w(reversed);
    EXPECT_EQ(cases::bits_of(twofold::sum(path, exec, v.elements())), g.sum);
    EXPECT_EQ(cases::bits_of(twofold::dot(path, exec, v.elements(), w.elements())), g.dot);
    EXPECT_EQ(cases::bits_of(twofold::norm2(path, exec, v.elements())), g.norm2);
  }
}

}  // namespace
