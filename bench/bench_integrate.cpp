// SPDX-License-Identifier: Apache-2.0
#include "fold_case.hpp"
#include "integrands.hpp"

namespace twofold::bench {
namespace {

template <class R, class PathTag, class Exec, class... Result>
concept Integrates = requires(PathTag path, Exec exec, R bound, std::int64_t n, Result... result) {
  twofold::integrate(path, exec, SquarePlusOne{}, bound, bound, static_cast<std::size_t>(n), result...);
};

/// What a case is called, and what it must give.
const char* name_of(SquarePlusOne) { return "x*x+1"; }
const char* name_of(FourOverOnePlusSquare) { return "4/(1+x*x)"; }
long double trapezoids_of(SquarePlusOne, long double a, long double b, std::int64_t n) {
  return trapezoids_of_parabola(a, b, n);
}
long double trapezoids_of(FourOverOnePlusSquare, long double a, long double b, std::int64_t n) {
  return trapezoids_of_arctangent(a, b, n);
}

/// The same rule as a plain loop: abscissae from the index, half weights at the ends. Added in double: a float
/// that grows by one small term at a time stops growing.
template <class R, class F>
struct KokkosTrapezoids {
  R a;
  R h;
  std::int64_t n;
  KOKKOS_FUNCTION void operator()(std::int64_t i, double& sum) const {
    const R weight = i == 0 || i == n ? h / 2 : h;
    sum += static_cast<double>(weight * F{}(a + static_cast<R>(i) * h));
  }
};

// The bounds are read through volatile, so that no compiler knows them and folds the sum itself.
template <class R>
struct Bounds {
  volatile R a = R(-0.5);
  volatile R b = R(1.75);
};

template <class Exec, class R, class F>
class IntegrateCase {
 public:
  IntegrateCase(Session<Exec>& session, std::int64_t n) : session_(session), n_(n) {
    case_.algorithm = "integrate";
    case_.variant = name_of(F{});
    case_.counts_flops = std::is_same_v<F, SquarePlusOne>;  // a division is no one operation
    case_.type = type_name<R>();
    case_.accumulator = type_name<R>();
    case_.n = n;
    case_.in_cache = true;
  }

  template <class PathTag>
  void add_twofold(PathTag path) {
    using View = typename ResultView<Exec, R>::View;
    if constexpr (Integrates<R, PathTag, Exec, View>) {
      add(PathTag::name, true, 64, [path](const Exec& exec, R a, R b, std::int64_t n, const View& result) {
        twofold::integrate(path, exec, F{}, a, b, static_cast<std::size_t>(n), result);
      });
      if (!wants_values()) return;
      add_value(PathTag::name, true, 64, [path](const Exec& exec, R a, R b, std::int64_t n) {
        return twofold::integrate<R>(path, exec, F{}, a, b, static_cast<std::size_t>(n));
      });
    }
  }

  void add_kokkos() {
    add<double>("kokkos", false, peer_units(),
                [](const Exec& exec, R a, R b, std::int64_t n, const auto& result) {
                  reduce(exec, a, b, n, result);
                });
    if (!wants_values()) return;
    add_value("kokkos", false, peer_units(), [](const Exec& exec, R a, R b, std::int64_t n) {
      double value = 0;
      reduce(exec, a, b, n, value);
      return static_cast<R>(value);
    });
  }

  void add_peers() {
    for (const IntegratePeer<R>& peer : Backend<Exec>::template integrate_peers<R, F>()) {
      if (n_ < peer.n_min) continue;
      add(
          peer.path, false, peer_units(),
          [run = peer.run](const Exec& exec, R a, R b, std::int64_t n, const auto& result) {
            run(a, b, n, result.data(), Backend<Exec>::stream(exec));
          },
          peer.exact);
    }
    if (!wants_values()) return;
    for (const IntegrateValuePeer<R>& peer : Backend<Exec>::template integrate_value_peers<R, F>()) {
      add_value(peer.path, false, peer_units(), [run = peer.run](const Exec& exec, R a, R b, std::int64_t n) {
        return run(a, b, n, Backend<Exec>::stream(exec));
      });
    }
  }

  /// The rungs of the ladder on this back end.
  void add_rungs() {
    for (const IntegrateRung<R>& rung : Ladder<Exec>::template integrate<R>(session_.exec)) {
      if (!session_.takes_part(case_, rung.path, rung.n_max)) continue;
      const double units =
          rung.promised_bits ? 64 : peer_units() + rung.units_an_element * static_cast<double>(n_);
      add(rung.path, rung.promised_bits, units,
          [run = rung.run](const Exec&, R a, R b, std::int64_t n, const auto& result) {
            run(a, b, n, result.data());
          });
    }
  }

  void measure() { session_.measure(std::move(case_)); }

 private:
  /// Peers add in any order. Neighbouring terms are alike, so their rounding errors do not cancel: blocks of a few
  /// thousand terms in R, and n terms in double, may each lose that many units.
  double peer_units() const { return 4096 + static_cast<double>(n_) * (sizeof(R) == 8 ? 1 : 0x1p-29); }

  bool wants_values() const { return Backend<Exec>::gpu && n_ <= values_until; }

  template <class Result>
  static void reduce(const Exec& exec, R a, R b, std::int64_t n, Result&& result) {
    using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_reduce("twofold_bench kokkos", Policy(exec, 0, n + 1),
                            KokkosTrapezoids<R, F>{a, (b - a) / static_cast<R>(n), n}, result);
  }

  /// op(exec, a, b, n) returns the value to the host, so the wall clock counts.
  template <class Op>
  void add_value(const std::string& name, bool promised, double units, Op op) {
    auto value = std::make_shared<R>();
    auto bounds = std::make_shared<Bounds<R>>();
    Path path;
    path.name = name;
    path.form = "host value";
    path.promised_bits = promised;
    path.clock = &session_.wall;
    path.poison = [value] { *value = poison<R>(); };
    path.check = [value, bounds, n = n_, units] {
      return judge_value<R>(trapezoids_of(F{}, bounds->a, bounds->b, n), units, *value);
    };
    path.run = [op, value, bounds, n = n_, &exec = session_.exec](std::int64_t, std::int64_t count) {
      for (std::int64_t call = 0; call < count; ++call) {
        *const_cast<volatile R*>(value.get()) = op(exec, bounds->a, bounds->b, n);
      }
    };
    case_.paths.push_back(std::move(path));
  }

  /// op(exec, a, b, n, result) enqueues one call that writes an Out, right to so many units of rounding: the integral, or
  /// what `exact` says.
  template <class Out = R, class Op>
  void add(const std::string& name, bool promised, double units, Op op,
           long double (*exact)(R, R, std::int64_t) = nullptr) {
    ResultView<Exec, Out> result(session_.exec);
    auto bounds = std::make_shared<Bounds<R>>();
    Path path;
    path.name = name;
    path.promised_bits = promised;
    path.clock = session_.clock.get();
    path.poison = [result] { result.set(poison<Out>()); };
    path.check = [result, bounds, n = n_, units, exact] {
      const long double wanted =
          exact ? exact(bounds->a, bounds->b, n) : trapezoids_of(F{}, bounds->a, bounds->b, n);
      return judge_value<R>(wanted, units, static_cast<R>(result.get()));
    };
    path.run = [op, result, bounds, n = n_, &exec = session_.exec](std::int64_t, std::int64_t count) {
      for (std::int64_t call = 0; call < count; ++call) op(exec, bounds->a, bounds->b, n, result.view());
    };
    if (wants_graph(session_, n_) && !name.starts_with("kokkos")) {
      case_.paths.push_back(graph_of(path, session_.exec));
    }
    case_.paths.push_back(std::move(path));
  }

  Session<Exec>& session_;
  std::int64_t n_;
  Case case_;
};

struct Integrate {
  template <class Exec, class T, class R>
  void run(Session<Exec>& session, std::int64_t n) const {
    if (n < 1) return;  // n = 0 throws, by contract
    measure<SquarePlusOne, R>(session, n);
    measure<FourOverOnePlusSquare, R>(session, n);
  }

 private:
  template <class F, class R, class Exec>
  static void measure(Session<Exec>& session, std::int64_t n) {
    IntegrateCase<Exec, R, F> integrate(session, n);
    integrate.add_twofold(twofold::portable);
    integrate.add_twofold(twofold::native);
    integrate.add_peers();
    integrate.add_kokkos();
    if constexpr (std::is_same_v<F, SquarePlusOne>) integrate.add_rungs();
    integrate.measure();
  }
};

const Registration<Integrate> registration("integrate", RealKinds{});

}  // namespace
}  // namespace twofold::bench
