// SPDX-License-Identifier: Apache-2.0
// Does not compile. tests/refused/run.cmake checks that the compiler names the concept that each call fails.
#include <twofold/twofold.hpp>

#include <complex>
#include <vector>

namespace {

using complex_vector = Kokkos::View<std::complex<double>*, Kokkos::HostSpace>;
using complex_matrix = Kokkos::View<std::complex<double>**, Kokkos::HostSpace>;

struct of_complex {
  std::complex<double> operator()(double x) const { return x; }
};

[[maybe_unused]] void refused(const complex_vector& x, const complex_matrix& m,
                              const std::vector<double>& no_view) {
  twofold::sum(no_view);
  twofold::sum(x);
  twofold::dot(x, x);
  twofold::norm2(x);
  twofold::integrate(of_complex{}, 0.0, 1.0, 10);
  twofold::outer_product(x, x, m);
  twofold::scale_columns(m, x, m);
  twofold::stencil(x, x, 3);
  twofold::stencil(x, x, x);
  twofold::sum_rows(m, x);
  twofold::sum_columns(m, x);
}

}  // namespace
