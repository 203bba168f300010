// SPDX-License-Identifier: Apache-2.0
#include "matrix_case.hpp"

namespace twofold::bench {
namespace {

/// Plain Kokkos: a team per row.
template <class Exec, class Input, class Sums>
struct KokkosRows {
  using R = typename Sums::non_const_value_type;
  Input m;
  Sums r;
  KOKKOS_FUNCTION void operator()(const typename Kokkos::TeamPolicy<Exec>::member_type& team) const {
    const std::int64_t i = team.league_rank();
    R sum{};
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, static_cast<std::int64_t>(m.extent(1))),
        [&](std::int64_t j, R& part) { part += static_cast<R>(m(i, j)); }, sum);
    if (team.team_rank() == 0) r(i) = sum;
  }
};

template <class PathTag, class Exec, class M, class S>
concept SumsRows = requires(PathTag path, Exec exec, M m, S s) { twofold::sum_rows(path, exec, m, s); };

struct SumRows {
  template <class Exec, class T, class R>
  void run(Session<Exec>& session, std::int64_t n) const {
    if (n < 1) return;
    MatrixCase<Exec, T> c(session, "sum_rows", n, kind_name<T, R>());
    c.accumulate_in(type_name<R>());
    using Input = typename MatrixCase<Exec, T>::Input;
    using Sums = Kokkos::View<R*, typename Exec::memory_space>;
    const Sums r("twofold_bench sums", static_cast<std::size_t>(c.rows()));
    const auto poison_all = [&session, r] { Kokkos::deep_copy(session.exec, r, poison<R>()); };
    const auto check_with = [&](Order order) {
      return [&session, c, r, order] {
        return judge_sums<T>(session.exec, r, c.some_of(c.rows()), order, [&](std::int64_t k) {
          return on_host(session.exec, Kokkos::subview(c.input(0), k, Kokkos::ALL));
        });
      };
    };
    const auto add_twofold = [&](auto path) {
      if constexpr (SumsRows<decltype(path), Exec, Input, Sums>) {
        c.add(
            path.name, true,
            [path, r](const Exec& exec, const Input& m) { twofold::sum_rows(path, exec, m, r); }, poison_all,
            check_with(Order::tree));
      }
    };
    add_twofold(twofold::portable);
    add_twofold(twofold::native);
    c.add(
        "kokkos", false,
        [r](const Exec& exec, const Input& m) {
          Kokkos::parallel_for("twofold_bench kokkos",
                               Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(m.extent(0)), Kokkos::AUTO),
                               KokkosRows<Exec, Input, Sums>{m, r});
        },
        poison_all, check_with(Order::any));
    c.measure();
  }
};

const Registration<SumRows> registration("sum_rows", AllKinds{});

}  // namespace
}  // namespace twofold::bench
