// SPDX-License-Identifier: Apache-2.0
#include "matrix_case.hpp"

namespace twofold::bench {
namespace {

template <class Vector, class Matrix>
struct KokkosOuter {
  Vector x;
  Vector y;
  Matrix c;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j) const { c(i, j) = x(i) * y(j); }
};

template <class PathTag, class Exec, class V, class C>
concept MultipliesOut =
    requires(PathTag path, Exec exec, V v, C c) { twofold::outer_product(path, exec, v, v, c); };

struct OuterProduct {
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

  template <class Exec, class T>
  static void run_padded(Session<Exec>& session, Shape shape) {
    using Case2 = MatrixCase<Exec, T>;
    Case2 c(session, "outer_product", shape, type_name<T>());
    c.call_variant(c.parameters().variant + " padded");
    add_paths<Exec, T>(session, c, c.vector(c.rows(), 5), c.vector(c.columns(), 6), c.padded(narrow_pitch));
    c.measure();
  }

  template <class Exec, class T, class Layout>
  static void run_layout(Session<Exec>& session, Shape shape) {
    using Case2 = MatrixCase<Exec, T, Layout>;
    Case2 c(session, "outer_product", shape, type_name<T>());
    const typename Case2::Vector x = c.vector(c.rows(), 5), y = c.vector(c.columns(), 6);
    const typename Case2::Matrix r = c.matrix();
    const auto line_of = add_paths<Exec, T>(session, c, x, y, r);
    if constexpr (Case2::row_major) add_ladder<Exec, T>(session, c, x, y, r, line_of);
    c.measure();
  }

  /// All paths but the ladder's. Returns what gives the expected rows.
  template <class Exec, class T, class Case2, class Vector, class Matrix>
  static auto add_paths(Session<Exec>& session, Case2& c, const Vector& x, const Vector& y, const Matrix& r) {
    using Input = typename Case2::Input;
    const auto poison_all = [&session, r] { Kokkos::deep_copy(session.exec, r, poison<T>()); };
    const auto line_of = [&session, x, y](std::int64_t i) {
      const auto left = on_host(session.exec, x);
      auto line = on_host(session.exec, y);
      for (T& e : line) e = static_cast<T>(left[static_cast<std::size_t>(i)] * e);
      return line;
    };
    const auto check = [&session, lines = c.some_of(c.rows()), r, line_of] {
      return judge_products(session.exec, r, lines, line_of);
    };
    const auto add_twofold = [&](auto path) {
      if constexpr (MultipliesOut<decltype(path), Exec, Vector, Matrix>) {
        c.add(
            path.name, true,
            [path, x, y, r](const Exec& exec, const Input&) { twofold::outer_product(path, exec, x, y, r); },
            poison_all, check);
      }
    };
    add_twofold(twofold::portable);
    add_twofold(twofold::native);
    c.add_peers(
        Backend<Exec>::template outer_product_peers<T>(), [x](const Input&) -> const T* { return x.data(); },
        y, r, poison_all, line_of);
    c.add(
        "kokkos", false,
        [x, y, r](const Exec& exec, const Input&) {
          using Policy = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>, Kokkos::IndexType<std::int64_t>>;
          Kokkos::parallel_for(
              "twofold_bench kokkos",
              Policy(exec, {0, 0},
                     {static_cast<std::int64_t>(r.extent(0)), static_cast<std::int64_t>(r.extent(1))}),
              KokkosOuter<Vector, Matrix>{x, y, r});
        },
        poison_all, check);
    return line_of;
  }

  template <class Exec, class T, class Case2, class Line>
  static void add_ladder(Session<Exec>& session, Case2& c, const typename Case2::Vector& x,
                         const typename Case2::Vector& y, const typename Case2::Matrix& r,
                         const Line& line_of) {
    using Input = typename Case2::Input;
    const auto rungs = Ladder<Exec>::template outer_product<T>(session.exec);
    const bool pads = !rungs.empty() && c.padded_columns() != c.columns();
    using Padded = typename Case2::Padded;
    const Padded packed = r, padded = pads ? Padded(c.padded(c.padded_columns())) : packed;
    for (const ProductRung<T>& rung : rungs) {
      c.add_rung(
          rung, rung.takes_pitch ? padded : packed,
          [run = rung.run, x, y](const Input& m, T* result, std::int64_t pitch) {
            run(x.data(), y.data(), result, static_cast<std::int64_t>(m.extent(0)),
                static_cast<std::int64_t>(m.extent(1)), pitch * static_cast<std::int64_t>(sizeof(T)));
          },
          line_of);
    }
  }
};

const Registration<OuterProduct> registration("outer_product", ProductKinds{});

}  // namespace
}  // namespace twofold::bench
