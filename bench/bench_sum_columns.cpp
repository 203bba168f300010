// SPDX-License-Identifier: Apache-2.0
#include "matrix_case.hpp"

namespace twofold::bench {
namespace {

/// Plain Kokkos: a thread per column.
template <class Input, class Sums>
struct KokkosColumns {
  using R = typename Sums::non_const_value_type;
  Input m;
  Sums r;
  KOKKOS_FUNCTION void operator()(std::int64_t j) const {
    R sum{};
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(m.extent(0)); ++i) sum += static_cast<R>(m(i, j));
    r(j) = sum;
  }
};

template <class PathTag, class Exec, class M, class S>
concept SumsColumns = requires(PathTag path, Exec exec, M m, S s) { twofold::sum_columns(path, exec, m, s); };

struct SumColumns {
  template <class Exec, class T, class R>
  void run(Session<Exec>& session, std::int64_t n) const {
    if (n < 1) return;
    MatrixCase<Exec, T> c(session, "sum_columns", n, kind_name<T, R>());
    c.accumulate_in(type_name<R>());
    using Input = typename MatrixCase<Exec, T>::Input;
    using Sums = Kokkos::View<R*, typename Exec::memory_space>;
    const Sums r("twofold_bench sums", static_cast<std::size_t>(c.columns()));
    const auto poison_all = [&session, r] { Kokkos::deep_copy(session.exec, r, poison<R>()); };
    const auto check_with = [&](Order order) {
      return [&session, c, r, order] {
        return judge_sums<T>(session.exec, r, c.some_of(c.columns()), order, [&](std::int64_t k) {
          return on_host(session.exec, Kokkos::subview(c.input(0), Kokkos::ALL, k));
        });
      };
    };
    const auto add_twofold = [&](auto path) {
      if constexpr (SumsColumns<decltype(path), Exec, Input, Sums>) {
        c.add(
            path.name, true,
            [path, r](const Exec& exec, const Input& m) { twofold::sum_columns(path, exec, m, r); },
            poison_all, check_with(Order::tree));
      }
    };
    add_twofold(twofold::portable);
    add_twofold(twofold::native);
    c.add(
        "kokkos", false,
        [r](const Exec& exec, const Input& m) {
          using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
          Kokkos::parallel_for("twofold_bench kokkos",
                               Policy(exec, 0, static_cast<std::int64_t>(m.extent(1))),
                               KokkosColumns<Input, Sums>{m, r});
        },
        poison_all, check_with(Order::any));
    c.measure();
  }
};

const Registration<SumColumns> registration("sum_columns", AllKinds{});

}  // namespace
}  // namespace twofold::bench
