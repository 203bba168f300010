// SPDX-License-Identifier: Apache-2.0
#include "fold_case.hpp"

namespace twofold::bench {
namespace {

template <class R>
struct DotCall {
  template <class PathTag, class Exec, class Operand, class Result>
    requires requires(PathTag path, Exec exec, Operand x, Result result) {
      twofold::dot(path, exec, x, x, result);
    }
  void operator()(PathTag path, const Exec& exec, const Operand& x, const Operand& y,
                  const Result& result) const {
    twofold::dot(path, exec, x, y, result);
  }

  template <class PathTag, class Exec, class Operand>
  R operator()(PathTag path, const Exec& exec, const Operand& x, const Operand& y) const {
    return twofold::dot<R>(path, exec, x, y);
  }
};

template <class Operand, class R>
struct KokkosDot {
  Operand x;
  Operand y;
  KOKKOS_FUNCTION void operator()(std::int64_t i, R& sum) const {
    sum += static_cast<R>(x(i)) * static_cast<R>(y(i));
  }
};

struct Dot {
  template <class Exec, class T, class R>
  void run(Session<Exec>& session, std::int64_t n) const {
    FoldCase<Exec, T, R> fold(session, "dot", Fold::dot, n);
    fold.add_twofold(DotCall<R>{});
    fold.add_peers();
    fold.template add_kokkos<KokkosDot>();
    fold.add_rungs(Ladder<Exec>::template dot<T, R>(session.exec));
    fold.template add_values<KokkosDot>(DotCall<R>{});
    fold.measure();
  }
};

const Registration<Dot> registration("dot", AllKinds{});

}  // namespace
}  // namespace twofold::bench
