// SPDX-License-Identifier: Apache-2.0
// The heat equation u_t = u_xx on a rod whose ends are kept at 0, in explicit steps. A step adds
// alpha (u(i-1) - 2 u(i) + u(i+1)) to u(i): a stencil with the weights alpha, 1 - 2 alpha, alpha. What lies
// outside the vector counts as 0, which is the boundary that this problem has.
//
// The temperatures are the same, bit for bit, on every backend, after tens of thousands of steps too: they start
// with exact arithmetic, and stencil and sum do the rest in a fixed order.
#include <twofold/stencil.hpp>
#include <twofold/sum.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

constexpr int pieces = 256;  // of the rod, which has length 1; the points between them are computed
constexpr int points = pieces - 1;
constexpr double alpha = 0.25;  // stable up to 1/2
constexpr double step = alpha / (1.0 * pieces * pieces);
constexpr int steps_shown = 1 << 14;  // 1/16 of a unit of time

struct state {
  double middle, heat;
  bool operator==(const state&) const = default;
};

/// The temperature in the middle and the heat of the rod, at the times 0, 1/16, ... 1/4.
template <class Exec>
std::vector<state> history_on(const Exec& exec) {
  using vector = Kokkos::View<double*, typename Exec::memory_space>;
  vector u(Kokkos::view_alloc(exec, "u"), points), next(Kokkos::view_alloc(exec, "next"), points);
  const vector weights(Kokkos::view_alloc(exec, "weights"), 3);
  Kokkos::parallel_for(
      "start", Kokkos::RangePolicy<Exec>(exec, 0, points), KOKKOS_LAMBDA(int i) {
        const double x = (i + 1.0) / pieces;
        u(i) = x * (1 - x);  // exact: pieces is a power of 2
        if (i < 3) weights(i) = i == 1 ? 1 - 2 * alpha : alpha;
      });

  std::vector<state> history;
  for (int round = 0;; ++round) {
    double middle = 0;
    Kokkos::deep_copy(exec, middle, Kokkos::subview(u, points / 2));
    exec.fence();
    history.push_back({middle, twofold::sum(exec, u) / pieces});
    if (round == 4) return history;
    for (int k = 0; k < steps_shown; ++k) {
      twofold::stencil(exec, u, next, weights);
      std::swap(u, next);
    }
  }
}

/// The temperature in the middle after time t, by Fourier's series for x (1 - x).
double middle_after(double t) {
  const double pi = 3.14159265358979323846;
  double sum = 0;
  for (int k = 1; k < 200; k += 2) {
    const double term = 8 / std::pow(k * pi, 3) * std::exp(-k * k * pi * pi * t);
    sum += k % 4 == 1 ? term : -term;
  }
  return sum;
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);

  const auto history = history_on(Kokkos::DefaultExecutionSpace{});
  bool right = true;
  for (std::size_t i = 0; i < history.size(); ++i) {
    const double t = static_cast<double>(i) * steps_shown * step;
    std::printf("t = %.4f  middle %a  heat %a\n", t, history[i].middle, history[i].heat);
    // The error of the method is below 2e-5 of the value here; the series ends at 3e-8 for t = 0.
    const double exact = middle_after(t);
    right = right && std::abs(history[i].middle - exact) < 2e-5 * exact;
  }
  std::printf("%s the analytic solution\n", right ? "close to" : "FAR FROM");

  // Once more, on one thread of the host.
#if defined(KOKKOS_ENABLE_OPENMP)
  const bool same = history == history_on(Kokkos::OpenMP(1));
#elif defined(KOKKOS_ENABLE_SERIAL)
  const bool same = history == history_on(Kokkos::Serial());
#else
  const bool same = true;
#endif
  std::printf("%s on %s and on one thread of the host\n", same ? "the same" : "DIFFERENT",
              Kokkos::DefaultExecutionSpace::name());
  return right && same ? 0 : 1;
}
