// SPDX-License-Identifier: Apache-2.0
#include "matrix_case.hpp"

namespace twofold::bench {
namespace {

template <class Input, class Vector, class Matrix>
struct KokkosScale {
  Input m;
  Vector v;
  Matrix r;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j) const { r(i, j) = m(i, j) * v(j); }
};

template <class PathTag, class Exec, class M, class V, class R>
concept Scales =
    requires(PathTag path, Exec exec, M m, V v, R r) { twofold::scale_columns(path, exec, m, v, r); };

struct ScaleColumns {
  template <class Exec, class T, class R>
  void run(Session<Exec>& session, std::int64_t n) const {
    if (n < 1) return;
    run_layout<Exec, T, Kokkos::LayoutRight>(session, square(n));
    if (has_narrow<Exec, T>(n)) run_layout<Exec, T, Kokkos::LayoutRight>(session, narrow(n));
    // cuBLAS' own layout. The host has no peer, and plain Kokkos would take most of the run's time.
    if constexpr (Backend<Exec>::gpu) run_layout<Exec, T, Kokkos::LayoutLeft>(session, square(n));
  }

  template <class Exec, class T, class Layout>
  static void run_layout(Session<Exec>& session, Shape shape) {
    using Case2 = MatrixCase<Exec, T, Layout>;
    using Input = typename Case2::Input;
    using Vector = typename Case2::Vector;
    using Matrix = typename Case2::Matrix;
    Case2 c(session, "scale_columns", shape, type_name<T>());
    const Vector v = c.vector(c.columns(), 5);
    const Matrix r = c.matrix();
    const auto poison_all = [&session, r] { Kokkos::deep_copy(session.exec, r, poison<T>()); };
    const auto line_of = [c, v, &session](std::int64_t i) {
      const auto factors = on_host(session.exec, v);
      auto line = on_host(session.exec, Kokkos::subview(c.input(0), i, Kokkos::ALL));
      for (std::size_t j = 0; j < line.size(); ++j) line[j] = static_cast<T>(line[j] * factors[j]);
      return line;
    };
    const auto check = [&session, lines = c.some_of(c.rows()), r, line_of] {
      return judge_products(session.exec, r, lines, line_of);
    };
    const auto add_twofold = [&](auto path) {
      if constexpr (Scales<decltype(path), Exec, Input, Vector, Matrix>) {
        c.add(
            path.name, true,
            [path, v, r](const Exec& exec, const Input& m) { twofold::scale_columns(path, exec, m, v, r); },
            poison_all, check);
      }
    };
    add_twofold(twofold::portable);
    add_twofold(twofold::native);
    c.add_peers(Backend<Exec>::template scale_columns_peers<T>(), Vector(), v, r, poison_all, line_of);
    c.add(
        "kokkos", false,
        [v, r](const Exec& exec, const Input& m) {
          using Policy = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>, Kokkos::IndexType<std::int64_t>>;
          Kokkos::parallel_for(
              "twofold_bench kokkos",
              Policy(exec, {0, 0},
                     {static_cast<std::int64_t>(m.extent(0)), static_cast<std::int64_t>(m.extent(1))}),
              KokkosScale<Input, Vector, Matrix>{m, v, r});
        },
        poison_all, check);
    if constexpr (Case2::row_major) {
      const auto rungs = Ladder<Exec>::template scale_columns<T>(session.exec);
      const bool pads = !rungs.empty() && c.padded_columns() != c.columns();
      const typename Case2::Padded packed = r, padded = pads ? c.padded() : packed;
      typename Case2::Padded padded_m;  // the operand with the rows of `padded`
      if (pads) {
        padded_m = c.padded();
        if (!session.dry_run) Kokkos::deep_copy(session.exec, padded_m, c.input(0));
      }
      for (const ProductRung<T>& rung : rungs) {
        const bool from_padded = pads && rung.takes_pitch;
        c.add_rung(
            rung, rung.takes_pitch ? padded : packed,
            [run = rung.run, v, padded_m, from_padded](const Input& m, T* result, std::int64_t pitch) {
              run(from_padded ? padded_m.data() : m.data(), v.data(), result,
                  static_cast<std::int64_t>(m.extent(0)), static_cast<std::int64_t>(m.extent(1)),
                  pitch * static_cast<std::int64_t>(sizeof(T)));
            },
            line_of);
      }
    }
    c.measure();
  }
};

const Registration<ScaleColumns> registration("scale_columns", ProductKinds{});

}  // namespace
}  // namespace twofold::bench
