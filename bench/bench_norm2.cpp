// SPDX-License-Identifier: Apache-2.0
#include "fold_case.hpp"

namespace twofold::bench {
namespace {

template <class R>
struct Norm2Call {
  template <class PathTag, class Exec, class Operand, class Result>
    requires requires(PathTag path, Exec exec, Operand x, Result result) {
      twofold::norm2(path, exec, x, result);
    }
  void operator()(PathTag path, const Exec& exec, const Operand& x, const Operand&,
                  const Result& result) const {
    twofold::norm2(path, exec, x, result);
  }

  template <class PathTag, class Exec, class Operand>
  R operator()(PathTag path, const Exec& exec, const Operand& x, const Operand&) const {
    return twofold::norm2<R>(path, exec, x);
  }
};

template <class Operand, class R>
struct KokkosNorm2 {
  using value_type = R;
  Operand x;
  Operand y;
  KOKKOS_FUNCTION void operator()(std::int64_t i, R& squares) const {
    squares += static_cast<R>(x(i)) * static_cast<R>(x(i));
  }
  KOKKOS_FUNCTION void final(R& squares) const { squares = Kokkos::sqrt(squares); }
};

struct Norm2 {
  template <class Exec, class T, class R>
  void run(Session<Exec>& session, std::int64_t n) const {
    FoldCase<Exec, T, R> fold(session, "norm2", Fold::norm2, n);
    fold.add_twofold(Norm2Call<R>{});
    fold.add_peers();
    // In double: a float that grows by one square at a time stops growing at 2^24.
    fold.template add_kokkos<KokkosNorm2, double>();
    fold.template add_values<KokkosNorm2, double>(Norm2Call<R>{});
    fold.measure();
  }
};

const Registration<Norm2> registration("norm2", RealKinds{});

}  // namespace
}  // namespace twofold::bench
