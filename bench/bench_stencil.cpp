// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "matrix_case.hpp"

namespace twofold::bench {
namespace {

/// Radii on both sides of every switch of method, and far beyond the last.
constexpr std::int64_t radii[] = {1, 8, 16, 32, 1000, 100000, 1000000, 10000000};
/// What rungs of the ladder and plain code do beyond it takes too long.
constexpr std::int64_t longest_term_by_term = 100000;
/// Of weighted windows: in registers, and through memory on chip. And of windows whose input begins one element off a boundary.
constexpr std::int64_t weighted_radii[] = {1, 8, 32}, off_boundary_radii[] = {1, 8, 1000};

template <class In, class Out>
struct KokkosStencil {
  In in;
  Out out;
  std::int64_t n;
  std::int64_t k;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t from = i < k ? 0 : i - k, to = i + k < n ? i + k : n - 1;
    typename Out::non_const_value_type sum = 0;
    for (std::int64_t j = from; j <= to; ++j) sum += in(j);
    out(i) = sum;
  }
};

template <class PathTag, class Exec, class In, class Out>
concept Stencils =
    requires(PathTag path, Exec exec, In in, Out out) { twofold::stencil(path, exec, in, out, 1); };

/// Calls with a radius, or with weights.
template <class Exec, class In, class Out, class Windows>
struct StencilOf {
  Windows windows;
  template <class PathTag>
  static constexpr bool is_there() {
    return Stencils<PathTag, Exec, In, Out>;
  }
  template <class PathTag>
  void operator()(PathTag path, const Exec& exec, const In& in, const Out& out) const {
    twofold::stencil(path, exec, in, out, windows);
  }
};

/// Windows at the ends, in the middle, and some between, against their sums in long double. Only they are copied to
/// the host: all of 2^28 elements would take longer than the calls that are timed.
template <class Exec, class In, class Out>
Verdict judge_windows(const Exec& exec, const In& in, const Out& out, std::int64_t k,
                      const std::vector<typename Out::non_const_value_type>& weights = {}) {
  using T = typename Out::non_const_value_type;
  const auto elements = [&](const auto& view, std::int64_t first, std::int64_t last) {
    return on_host(exec, Kokkos::subview(view, std::pair(first, last + 1)));
  };
  const auto n = static_cast<std::int64_t>(in.extent(0));
  Verdict verdict;
  verdict.ok = true;
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a over the results that are looked at
  // Long windows take the host long, and meet all of the tiles between them.
  const std::int64_t windows = k > longest_term_by_term ? 4 : 64;
  for (std::int64_t s = 0; s <= windows; ++s) {
    const std::int64_t i = (n - 1) * s / windows;
    long double sum = 0, magnitude = 0;
    const std::int64_t first = std::max<std::int64_t>(0, i - k);
    auto weight = weights.begin() + (weights.empty() ? 0 : first - (i - k));
    for (const T x : elements(in, first, std::min(n - 1, i + k))) {
      auto wide = static_cast<long double>(x);
      if (!weights.empty()) wide *= static_cast<long double>(*weight++);
      sum += wide;
      magnitude += std::abs(wide);
    }
    const T value = elements(out, i, i).front();
    // The longest way to a result: a block forward, one backward, the tree of blocks between.
    const long double allowed =
        std::is_floating_point_v<T> ? 100 * magnitude * std::numeric_limits<T>::epsilon() : 0;
    if (!(std::abs(value - sum) <= allowed) && verdict.ok) {
      verdict.ok = false;
      verdict.reason = "window " + std::to_string(i) + " is " + std::to_string(value) + ", expected " +
                       std::to_string(static_cast<double>(sum));
    }
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof value);
    for (const unsigned char b : bytes) hash = (hash ^ b) * 1099511628211u;
  }
  verdict.bits = std::to_string(hash);
  return verdict;
}

struct Stencil {
  template <class Exec, class T, class R>
  void run(Session<Exec>& session, std::int64_t n) const {
    if (n < 1) return;
    for (const std::int64_t k : radii) {
      if (k < n) run_radius<Exec, T>(session, n, k);
    }
    // Of integers weighted sums wrap, which long double does not.
    if constexpr (std::is_floating_point_v<T>) {
      for (const std::int64_t k : weighted_radii) {
        if (k < n) run_weighted<Exec, T>(session, n, k);
      }
    }
    for (const std::int64_t k : off_boundary_radii) {
      if (k < n) run_off_boundary<Exec, T>(session, n, k);
    }
  }

  template <class Exec, class T>
  static void run_weighted(Session<Exec>& session, std::int64_t n, std::int64_t k) {
    using Case1 = MatrixCase<Exec, T>;
    using In = Kokkos::View<const T*, typename Case1::Memory, typename Case1::Unmanaged>;
    using Out = typename Case1::Vector;
    Case1 c(session, "stencil", n, type_name<T>());
    c.call_variant("k=" + std::to_string(k) + " weighted");
    const Out weights = c.vector(2 * k + 1, 7);
    add_on_flat<In, Out>(
        session, c, 0,
        [weights, k, &session](const In& in, const Out& out) {
          return judge_windows(session.exec, in, out, k, on_host(session.exec, weights));
        },
        StencilOf<Exec, In, Out, Out>{weights});
    c.measure();
  }

  /// Input and result lie on different boundaries of 16 bytes. One element less is read, and one less written.
  template <class Exec, class T>
  static void run_off_boundary(Session<Exec>& session, std::int64_t n, std::int64_t k) {
    using Case1 = MatrixCase<Exec, T>;
    using In = Kokkos::View<const T*, typename Case1::Memory, typename Case1::Unmanaged>;
    using Out = typename Case1::Vector;
    Case1 c(session, "stencil", n, type_name<T>());
    c.call_variant("k=" + std::to_string(k) + " off boundary");
    add_on_flat<In, Out>(
        session, c, 1,
        [k, &session](const In& in, const Out& out) { return judge_windows(session.exec, in, out, k); },
        StencilOf<Exec, In, Out, std::int64_t>{k});
    c.measure();
  }

  /// Both paths on the input as a vector without its first `skipped` elements.
  template <class In, class Out, class Exec, class Case1, class Judge, class Call>
  static void add_on_flat(Session<Exec>& session, Case1& c, std::size_t skipped, const Judge& judge,
                          const Call& call) {
    using T = typename Out::non_const_value_type;
    const Out out(Kokkos::view_alloc(session.exec, Kokkos::WithoutInitializing, "twofold_bench windows"),
                  static_cast<std::size_t>(session.dry_run ? 0 : c.rows() * c.columns()) -
                      (session.dry_run ? 0 : skipped));
    const auto flat = [skipped](const typename Case1::Input& m) {
      return In(m.data() + skipped, m.extent(0) * m.extent(1) - skipped);
    };
    const auto add = [&](auto path) {
      if constexpr (Call::template is_there<decltype(path)>()) {
        c.add(
            path.name, true,
            [path, call, out, flat](const Exec& exec, const typename Case1::Input& m) {
              call(path, exec, flat(m), out);
            },
            [&session, out] { Kokkos::deep_copy(session.exec, out, poison<T>()); },
            [c, judge, out, flat] { return judge(flat(c.input(0)), out); });
      }
    };
    add(twofold::portable);
    add(twofold::native);
  }

  template <class Exec, class T>
  static void run_radius(Session<Exec>& session, std::int64_t n, std::int64_t k) {
    using Case1 = MatrixCase<Exec, T>;
    using In = Kokkos::View<const T*, typename Case1::Memory, typename Case1::Unmanaged>;
    using Out = typename Case1::Vector;
    Case1 c(session, "stencil", n, type_name<T>());
    c.call_variant("k=" + std::to_string(k));
    const Out out(Kokkos::view_alloc(session.exec, Kokkos::WithoutInitializing, "twofold_bench windows"),
                  static_cast<std::size_t>(session.dry_run ? 0 : c.rows() * c.columns()));
    const auto flat = [](const typename Case1::Input& m) { return In(m.data(), m.extent(0) * m.extent(1)); };
    const auto poison_all = [&session, out] { Kokkos::deep_copy(session.exec, out, poison<T>()); };
    const auto check = [&session, c, out, k, flat] {
      return judge_windows(session.exec, flat(c.input(0)), out, k);
    };
    const auto add_twofold = [&](auto path) {
      if constexpr (Stencils<decltype(path), Exec, In, Out>) {
        c.add(
            path.name, true,
            [path, out, k, flat](const Exec& exec, const typename Case1::Input& m) {
              twofold::stencil(path, exec, flat(m), out, k);
            },
            poison_all, check);
      }
    };
    add_twofold(twofold::portable);
    add_twofold(twofold::native);
    if (k <= 32) {  // term by term: its time grows with the radius
      c.add(
          "kokkos", false,
          [out, k, flat](const Exec& exec, const typename Case1::Input& m) {
            const In in = flat(m);
            const auto count = static_cast<std::int64_t>(in.extent(0));
            Kokkos::parallel_for("twofold_bench kokkos",
                                 Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, count),
                                 KokkosStencil<In, Out>{in, out, count, k});
          },
          poison_all, check);
    }
    for (const StencilRung<T>& rung : Ladder<Exec>::template stencil<T>(session.exec, k)) {
      if (k > longest_term_by_term || !session.takes_part(c.parameters(), rung.path, rung.n_max)) continue;
      c.add(
          rung.path, rung.promised_bits,
          [run = rung.run, out, flat](const Exec&, const typename Case1::Input& m) {
            const In in = flat(m);
            run(in.data(), out.data(), static_cast<std::int64_t>(in.extent(0)));
          },
          poison_all, check);
    }
    c.measure();
  }
};

const Registration<Stencil> registration("stencil", ProductKinds{});

}  // namespace
}  // namespace twofold::bench
