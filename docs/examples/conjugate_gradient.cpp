// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients on a Poisson problem. The history of its residual norms is the same, bit for bit, on one
// thread, on many, and on a GPU: the folds are Twofold's, and all other arithmetic is rounded the same way
// everywhere. (Sums alone and explicit fma are. A product with a plain + after it is not: some compilers fuse the
// two.)
//
// The problem: -u'' = f on a square of `width` x `width` inner points, u = 0 around it, the five-point stencil.
#include <twofold/dot.hpp>
#include <twofold/norm2.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdio>
#include <vector>

constexpr int width = 200;
constexpr int points = width * width;

/// The residual norms down to a millionth of the first, the first included.
template <class Exec>
std::vector<double> residual_history(const Exec& exec) {
  using vector = Kokkos::View<double*, typename Exec::memory_space>;
  using range = Kokkos::RangePolicy<Exec>;
  const vector x(Kokkos::view_alloc(exec, "x"), points), r(Kokkos::view_alloc(exec, "r"), points),
      p(Kokkos::view_alloc(exec, "p"), points), q(Kokkos::view_alloc(exec, "q"), points);

  Kokkos::parallel_for(
      "start", range(exec, 0, points), KOKKOS_LAMBDA(int k) {
        r(k) = 1.0 + k % 7;  // f, since u is 0 at first
        p(k) = r(k);
      });

  double rr = twofold::dot(exec, r, r);
  std::vector<double> history{twofold::norm2(exec, r)};
  while (history.back() > 1e-6 * history.front() && history.size() < 2000) {
    Kokkos::parallel_for(
        "q = A p", range(exec, 0, points), KOKKOS_LAMBDA(int k) {
          const int column = k % width;
          const double west = column > 0 ? p(k - 1) : 0.0;
          const double east = column < width - 1 ? p(k + 1) : 0.0;
          const double north = k >= width ? p(k - width) : 0.0;
          const double south = k < points - width ? p(k + width) : 0.0;
          q(k) = Kokkos::fma(4.0, p(k), -((west + east) + (north + south)));
        });
    const double alpha = rr / twofold::dot(exec, p, q);
    Kokkos::parallel_for(
        "step", range(exec, 0, points), KOKKOS_LAMBDA(int k) {
          x(k) = Kokkos::fma(alpha, p(k), x(k));
          r(k) = Kokkos::fma(-alpha, q(k), r(k));
        });
    const double next = twofold::dot(exec, r, r);
    const double beta = next / rr;
    rr = next;
    Kokkos::parallel_for(
        "turn", range(exec, 0, points), KOKKOS_LAMBDA(int k) { p(k) = Kokkos::fma(beta, p(k), r(k)); });
    history.push_back(twofold::norm2(exec, r));
  }
  return history;
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);

  const auto history = residual_history(Kokkos::DefaultExecutionSpace{});
  for (std::size_t i = 0; i < history.size(); ++i) {
    if (i % 50 == 0 || i + 1 == history.size()) std::printf("residual %4zu  %a\n", i, history[i]);
  }

  // Once more, on one thread of the host. Vectors of doubles are compared: every bit of every step.
#if defined(KOKKOS_ENABLE_OPENMP)
  const auto on_one_thread = residual_history(Kokkos::OpenMP(1));
#elif defined(KOKKOS_ENABLE_SERIAL)
  const auto on_one_thread = residual_history(Kokkos::Serial());
#else
  const auto on_one_thread = history;
#endif
  const bool same = history == on_one_thread;
  std::printf("%s on %s and on one thread of the host\n", same ? "the same" : "DIFFERENT",
              Kokkos::DefaultExecutionSpace::name());
  return same ? 0 : 1;
}
