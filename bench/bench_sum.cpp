// SPDX-License-Identifier: Apache-2.0
#include "fold_case.hpp"

namespace twofold::bench {
namespace {

template <class R>
struct SumCall {
  template <class PathTag, class Exec, class Operand, class Result>
    requires requires(PathTag path, Exec exec, Operand x, Result result) {
      twofold::sum(path, exec, x, result);
    }
  void operator()(PathTag path, const Exec& exec, const Operand& x, const Operand&,
                  const Result& result) const {
    twofold::sum(path, exec, x, result);
  }

  template <class PathTag, class Exec, class Operand>
  R operator()(PathTag path, const Exec& exec, const Operand& x, const Operand&) const {
    return twofold::sum<R>(path, exec, x);
  }
};

template <class Operand, class R>
struct KokkosSum {
  Operand x;
  Operand y;
  KOKKOS_FUNCTION void operator()(std::int64_t i, R& sum) const { sum += static_cast<R>(x(i)); }
};

struct Sum {
  template <class Exec, class T, class R>
  void run(Session<Exec>& session, std::int64_t n) const {
    FoldCase<Exec, T, R> fold(session, "sum", Fold::sum, n);
    fold.add_twofold(SumCall<R>{});
    fold.add_peers();
    fold.template add_kokkos<KokkosSum>();
    fold.template add_values<KokkosSum>(SumCall<R>{}, true);
    fold.measure();
  }
};

const Registration<Sum> registration("sum", AllKinds{});

}  // namespace
}  // namespace twofold::bench
