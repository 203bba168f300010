// SPDX-License-Identifier: Apache-2.0
#include <twofold/twofold.hpp>

#include <Kokkos_Core.hpp>

#include <cstdlib>
#include <iostream>
#include <span>
#include <vector>

namespace {

constexpr int n = 5000;

// A free function, as nvcc wants for device lambdas.
int wrong_values() {
  Kokkos::View<double*> x("x", n);
  Kokkos::View<double*> y("y", n);
  Kokkos::parallel_for(
      "fill", n, KOKKOS_LAMBDA(int i) {
        x(i) = i + 1;
        y(i) = 2;
      });

  int wrong = 0;
  const auto check = [&](const char* name, double got, double wanted) {
    const bool right = got == wanted;
    std::cout << name << " = " << got << (right ? "" : ", which is wrong") << '\n';
    if (!right) ++wrong;
  };
  const Kokkos::DefaultExecutionSpace exec;
  check("sum", twofold::sum(x), n * (n + 1.0) / 2);
  check("sum on an instance", twofold::sum(exec, x), n * (n + 1.0) / 2);
  check("dot", twofold::dot(exec, x, y), n * (n + 1.0));
  Kokkos::deep_copy(y, 3.0);
  check("norm2",
        twofold::norm2(exec, Kokkos::View<const double*>(Kokkos::subview(y, Kokkos::make_pair(0, 16)))),
        12.0);
  Kokkos::View<double*> z("z", n);
  twofold::stencil(exec, y, z, 1);
  check("sum of a stencil", twofold::sum(exec, z), 9.0 * n - 6);

  const std::vector<double> on_host(n, 0.5);
  check("sum of a span", twofold::sum(std::span(on_host)), n / 2.0);
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard guard(argc, argv);
  return wrong_values() == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
