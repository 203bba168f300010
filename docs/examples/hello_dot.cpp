// SPDX-License-Identifier: Apache-2.0
// The dot product of two Views. It prints the same digits on every backend.
#include <twofold/dot.hpp>

#include <Kokkos_Core.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);

  const int n = 1 << 20;
  const Kokkos::View<double*> x("x", n), y("y", n);
  Kokkos::parallel_for(
      "fill", n, KOKKOS_LAMBDA(int i) {
        x(i) = 1.0 / (i + 1);
        y(i) = i % 2 == 0 ? 1.0 : -1.0;
      });

  const double value = twofold::dot(x, y);  // ln 2, nearly; waits for the value
  std::printf("%.17g = %a\n", value, value);

  // Into a View: asynchronous. And along a path that is named instead of the best one.
  const Kokkos::DefaultExecutionSpace exec;
  const Kokkos::View<double> result("result");
  twofold::dot(twofold::portable, exec, x, y, result);
  double same = 0;
  Kokkos::deep_copy(same, result);
  return same == value ? 0 : 1;
}
