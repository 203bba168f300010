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
    if (has_narrow<Exec, T>(n)) {
      run_layout<Exec, T, Kokkos::LayoutRight>(session, narrow(n));
      run_padded<Exec, T>(session, narrow(n));
    }
    // cuBLAS' own layout. The host has no peer, and plain Kokkos would take most of the run's time.
    if constexpr (Backend<Exec>::gpu) run_layout<Exec, T, Kokkos::LayoutLeft>(session, square(n));
  }

  /// A matrix with pads is the case's own, as its result is: too large for the cache without windows.
  template <class Exec, class T>
  static void run_padded(Session<Exec>& session, Shape shape) {
    using Case2 = MatrixCase<Exec, T>;
    Case2 c(session, "scale_columns", shape, type_name<T>());
    c.call_variant(c.parameters().variant + " padded");
    const typename Case2::PaddedRows m = c.padded(narrow_pitch), r = c.padded(narrow_pitch);
    if (!session.dry_run) Kokkos::deep_copy(session.exec, m, c.input(0));
    add_paths<Exec, T>(session, c, c.vector(c.columns(), 5), r, [m](const auto&) { return m; });
    c.measure();
  }

  template <class Exec, class T, class Layout>
  static void run_layout(Session<Exec>& session, Shape shape) {
    using Case2 = MatrixCase<Exec, T, Layout>;
    Case2 c(session, "scale_columns", shape, type_name<T>());
    const typename Case2::Vector v = c.vector(c.columns(), 5);
    const typename Case2::Matrix r = c.matrix();
    const auto line_of = add_paths<Exec, T>(session, c, v, r, [](const auto& m) { return m; });
    if constexpr (Case2::row_major) add_ladder<Exec, T>(session, c, v, r, line_of);
    c.measure();
  }

  /// All paths but the ladder's. matrix(input) is the operand. Returns what gives the expected rows.
  template <class Exec, class T, class Case2, class Matrix, class Operand>
  static auto add_paths(Session<Exec>& session, Case2& c, const typename Case2::Vector& v, const Matrix& r,
                        const Operand& matrix) {
    using Input = typename Case2::Input;
    using M = decltype(matrix(Input()));
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
      if constexpr (Scales<decltype(path), Exec, M, typename Case2::Vector, Matrix>) {
        c.add(
            path.name, true,
            [path, v, r, matrix](const Exec& exec, const Input& m) {
              twofold::scale_columns(path, exec, matrix(m), v, r);
            },
            poison_all, check);
      }
    };
    add_twofold(twofold::portable);
    add_twofold(twofold::native);
    c.add_peers(
        Backend<Exec>::template scale_columns_peers<T>(),
        [matrix](const Input& m) -> const T* { return matrix(m).data(); }, v, r, poison_all, line_of);
    c.add(
        "kokkos", false,
        [v, r, matrix](const Exec& exec, const Input& m) {
          using Policy = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>, Kokkos::IndexType<std::int64_t>>;
          Kokkos::parallel_for(
              "twofold_bench kokkos",
              Policy(exec, {0, 0},
                     {static_cast<std::int64_t>(m.extent(0)), static_cast<std::int64_t>(m.extent(1))}),
              KokkosScale<M, typename Case2::Vector, Matrix>{matrix(m), v, r});
        },
        poison_all, check);
    return line_of;
  }

  template <class Exec, class T, class Case2, class Line>
  static void add_ladder(Session<Exec>& session, Case2& c, const typename Case2::Vector& v,
                         const typename Case2::Matrix& r, const Line& line_of) {
    using Input = typename Case2::Input;
    const auto rungs = Ladder<Exec>::template scale_columns<T>(session.exec);
    const bool pads = !rungs.empty() && c.padded_columns() != c.columns();
    using Padded = typename Case2::Padded;
    const Padded packed = r, padded = pads ? Padded(c.padded(c.padded_columns())) : packed;
    typename Case2::Padded padded_m;  // the operand with the rows of `padded`
    if (pads) {
      padded_m = c.padded(c.padded_columns());
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
};

const Registration<ScaleColumns> registration("scale_columns", ProductKinds{});

}  // namespace
}  // namespace twofold::bench
