// SPDX-License-Identifier: Apache-2.0
#pragma once

// A case whose paths fold one or two operands into one value: what sum, dot and norm2 share.

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include <twofold/twofold.hpp>

#include "graph_path.hpp"
#include "registry.hpp"

namespace twofold::bench {

/// What a result holds before a call: not a number, or all ones. A call that writes nothing is seen.
template <class R>
constexpr R poison() {
  if constexpr (std::is_floating_point_v<R>) return std::numeric_limits<R>::quiet_NaN();
  return static_cast<R>(-1);
}

/// The largest count whose value on the host is measured too; beyond, the call itself is nearly all of the time.
inline constexpr std::int64_t values_until = std::int64_t{1} << 22;

/// A result that lives where the execution space writes, and its copy on the host.
template <class Exec, class R>
class ResultView {
 public:
  using View = Kokkos::View<R, typename Exec::memory_space>;

  explicit ResultView(const Exec& exec) : exec_(exec), view_("twofold_bench result") {}
  const View& view() const { return view_; }
  void set(R value) const {
    Kokkos::deep_copy(exec_, view_, value);
    exec_.fence("twofold_bench: result is poisoned");
  }
  R get() const {
    R value{};
    Kokkos::deep_copy(
        exec_, Kokkos::View<R, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(&value), view_);
    exec_.fence("twofold_bench: result is copied");
    return value;
  }

 private:
  Exec exec_;
  View view_;
};

template <class Exec, class T, class R>
class FoldCase {
 public:
  using Operand =
      Kokkos::View<const T*, typename Exec::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  FoldCase(Session<Exec>& session, const std::string& algorithm, Fold fold, std::int64_t n)
      : session_(session), fold_(fold), n_(n) {
    const Row& row = row_of(algorithm);
    case_.algorithm = algorithm;
    case_.type = kind_name<T, R>();
    case_.accumulator = type_name<R>();
    case_.n = n;
    case_.bytes = row.reads * n * static_cast<std::int64_t>(sizeof(T));
    windows_ = session.inputs.windows(n, case_.bytes, session.options.cold);
    case_.in_cache = windows_.in_cache;
    case_.windows = windows_.count;
  }

  /// The library's paths: call(path, exec, x, y, result).
  template <class Call>
  void add_twofold(Call call) {
    each_path(call, [&](const auto& path) {
      add_view_path<R>(path.name, Order::tree,
                       [call, path](const Exec& exec, const Operand& x, const Operand& y,
                                    const auto& result) { call(path, exec, x, y, result); });
    });
  }

  /// The same as values: call(path, exec, x, y).
  template <class Call>
  void add_twofold_values(Call call) {
    each_path(call, [&](const auto& path) {
      add_value_path(path.name, Order::tree,
                     [call, path](const Exec& exec, const Operand& x, const Operand& y) {
                       return call(path, exec, x, y);
                     });
    });
  }

  /// Plain Kokkos: the functor {x, y} through parallel_reduce into a View, with the policy that comes first to mind,
  /// and with a 64-bit index, which the CUDA backend turns into a much faster loop.
  template <template <class, class> class Functor, class Sum = R>
  void add_kokkos() {
    if (case_.n < (std::int64_t{1} << 31)) {
      add_view_path<Sum>("kokkos", Order::any,
                         [](const Exec& exec, const Operand& x, const Operand& y, const auto& result) {
                           reduce<Functor, Sum, Kokkos::RangePolicy<Exec>>(exec, x, y, result);
                         });
    }
    add_view_path<Sum>("kokkos:int64", Order::any,
                       [](const Exec& exec, const Operand& x, const Operand& y, const auto& result) {
                         reduce<Functor, Sum, LongPolicy>(exec, x, y, result);
                       });
  }

  /// The forms that return a value to the host: the library's (see add_twofold_values), Kokkos' with a host scalar, the
  /// vendors'. Where a call takes long whatever becomes of its value, and on a host, where it is in reach already, only
  /// if `always`.
  template <template <class, class> class Functor, class Sum = R, class Call>
  void add_values(Call call, bool always = false) {
    if (!always && (!Backend<Exec>::gpu || case_.n > values_until)) return;
    add_twofold_values(call);
    add_value_path("kokkos", Order::any, [](const Exec& exec, const Operand& x, const Operand& y) {
      Sum value{};
      reduce<Functor, Sum, LongPolicy>(exec, x, y, value);
      return static_cast<R>(value);
    });
    for (const ValuePeer<T, R>& peer : Backend<Exec>::template value_peers<T, R>(fold_)) {
      add_value_path(peer.path, Order::any,
                     [run = peer.run](const Exec& exec, const Operand& x, const Operand& y) {
                       return run(x.data(), y.data(), static_cast<std::int64_t>(x.extent(0)),
                                  Backend<Exec>::stream(exec));
                     });
    }
  }

  /// Vendor libraries and the hand-written loop of this back end.
  void add_peers() {
    for (const Peer<T, R>& peer : Backend<Exec>::template peers<T, R>(fold_)) {
      add_view_path<R>(
          peer.path, Order::any,
          [run = peer.run](const Exec& exec, const Operand& x, const Operand& y, const auto& result) {
            run(x.data(), y.data(), static_cast<std::int64_t>(x.extent(0)), result.data(),
                Backend<Exec>::stream(exec));
          });
    }
  }

  /// The rungs of the ladder on this back end.
  void add_rungs(const std::vector<Rung<const T*, const T*, std::int64_t, R*>>& rungs) {
    for (const auto& rung : rungs) {
      if (!session_.takes_part(case_, rung.path, rung.n_max)) continue;
      add_view_path<R>(
          rung.path, rung.promised_bits ? Order::tree : Order::any,
          [run = rung.run](const Exec&, const Operand& x, const Operand& y, const auto& result) {
            run(x.data(), y.data(), static_cast<std::int64_t>(x.extent(0)), result.data());
          },
          rung.waits);
    }
  }

  void measure() { session_.measure(std::move(case_)); }

 private:
  /// f(path) for every path of the library that exists here for these types.
  template <class Call, class F>
  static void each_path(const Call&, F f) {
    using View = typename ResultView<Exec, R>::View;
    f(twofold::portable);
    if constexpr (std::is_invocable_v<Call, decltype(twofold::native), const Exec&, const Operand&,
                                      const Operand&, const View&>) {
      f(twofold::native);
    }
  }

  using LongPolicy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;

  template <template <class, class> class Functor, class Sum, class Policy, class Result>
  static void reduce(const Exec& exec, const Operand& x, const Operand& y, Result&& result) {
    using Index = typename Policy::index_type;
    Kokkos::parallel_reduce("twofold_bench kokkos", Policy(exec, Index(0), static_cast<Index>(x.extent(0))),
                            Functor<Operand, Sum>{x, y}, result);
  }

  /// op(exec, x, y, result) enqueues one call, or `waits` for its end: then the wall clock counts, and no graph can
  /// hold it.
  template <class Out, class Op>
  void add_view_path(const std::string& name, Order order, Op op, bool waits = false) {
    ResultView<Exec, Out> result(session_.exec);
    Path path = new_path(name, "view", order, waits ? session_.wall : *session_.clock);
    path.poison = [result] { result.set(poison<Out>()); };
    path.check = [this_case = judge_with(order), result] { return this_case(static_cast<R>(result.get())); };
    path.run = [op, result, next = call_with_windows()](std::int64_t first, std::int64_t count) {
      next(first, count,
           [&](const Exec& exec, const Operand& x, const Operand& y) { op(exec, x, y, result.view()); });
    };
    if (n_ > 0 && wants_graph(session_, n_) && !waits && !name.starts_with("kokkos")) {
      case_.paths.push_back(graph_of(path, session_.exec, windows_.count));
    }
    case_.paths.push_back(std::move(path));
  }

  /// op(exec, x, y) returns the value to the host: each call blocks, so the wall clock is what counts.
  template <class Op>
  void add_value_path(const std::string& name, Order order, Op op) {
    auto value = std::make_shared<R>();
    Path path = new_path(name, "host value", order, session_.wall);
    path.poison = [value] { *value = poison<R>(); };
    path.check = [this_case = judge_with(order), value] { return this_case(*value); };
    path.run = [op, value, next = call_with_windows()](std::int64_t first, std::int64_t count) {
      next(first, count, [&](const Exec& exec, const Operand& x, const Operand& y) {
        *const_cast<volatile R*>(value.get()) = op(exec, x, y);
      });
    };
    case_.paths.push_back(std::move(path));
  }

  static Path new_path(const std::string& name, const std::string& form, Order order, Clock& clock) {
    Path path;
    path.name = name;
    path.form = form;
    path.promised_bits = order == Order::tree;
    path.clock = &clock;
    return path;
  }

  auto judge_with(Order order) const {
    return [&inputs = session_.inputs, fold = fold_, n = n_, order](R result) {
      return judge(fold, inputs.template reference<T>(fold, n), n, order, result);
    };
  }

  /// Calls f(exec, x, y) on successive windows.
  auto call_with_windows() const {
    return
        [&session = session_, windows = windows_, n = n_](std::int64_t first, std::int64_t count, auto&& f) {
          const T* x = session.inputs.template data<T>(0);
          const T* y = session.inputs.template data<T>(1);
          std::int64_t window = first;
          for (std::int64_t call = 0; call < count; ++call) {
            const std::int64_t offset = window * windows.stride;
            f(session.exec, Operand(x + offset, static_cast<std::size_t>(n)),
              Operand(y + offset, static_cast<std::size_t>(n)));
            window = window + 1 < windows.count ? window + 1 : 0;
          }
        };
  }

  Session<Exec>& session_;
  Fold fold_;
  std::int64_t n_;
  Windows windows_;
  Case case_;
};

}  // namespace twofold::bench
