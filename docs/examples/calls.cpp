// SPDX-License-Identifier: Apache-2.0
// The calls that the pages of the algorithms show, on Views.
#include <twofold/twofold.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>

const std::size_t rows = 3, columns = 5;

void outer_product(const Kokkos::DefaultExecutionSpace& exec) {
  const Kokkos::View<double*> x("x", rows), y("y", columns);
  Kokkos::deep_copy(exec, x, 2.0);
  Kokkos::deep_copy(exec, y, 3.0);

  const Kokkos::View<double**> C("C", x.extent(0), y.extent(0));
  twofold::outer_product(exec, x, y, C);  // asynchronous, on exec's stream

  std::printf("outer_product: %g\n", twofold::sum(exec, Kokkos::subview(C, 1, Kokkos::ALL)));
}

void scale_columns(const Kokkos::DefaultExecutionSpace& exec) {
  const Kokkos::View<float**> M("M", rows, columns);
  const Kokkos::View<float*> v("v", columns);
  Kokkos::deep_copy(exec, M, 2.0f);
  Kokkos::deep_copy(exec, v, 4.0f);

  twofold::scale_columns(exec, M, v, M);  // in place, on exec's stream

  std::printf("scale_columns: %g\n", twofold::sum(exec, Kokkos::subview(M, 1, Kokkos::ALL)));
}

void stencil(const Kokkos::DefaultExecutionSpace& exec) {
  const Kokkos::View<float*> in("in", 4000), weights("weights", 3);
  Kokkos::deep_copy(exec, in, 1.0f);
  Kokkos::deep_copy(exec, weights, 0.5f);

  const Kokkos::View<float*> out("out", in.extent(0));
  twofold::stencil(exec, in, out, 1000);  // asynchronous, on exec's stream
  std::printf("stencil: %g", twofold::sum(exec, out));
  twofold::stencil(twofold::portable, exec, in, out, weights);  // along the path that is named

  std::printf(", with weights %g\n", twofold::sum(exec, out));
}

void sum_rows(const Kokkos::DefaultExecutionSpace& exec) {
  const Kokkos::View<float**> M("M", rows, columns);
  Kokkos::deep_copy(exec, M, 1.0f);

  const Kokkos::View<double*> r("r", rows);  // r's elements decide what is summed in
  twofold::sum_rows(exec, M, r);             // asynchronous, on exec's stream

  std::printf("sum_rows: %g\n", twofold::sum(exec, r));
}

void sum_columns(const Kokkos::DefaultExecutionSpace& exec) {
  const Kokkos::View<std::int32_t**, Kokkos::LayoutLeft> M("M", rows, columns);
  Kokkos::deep_copy(exec, M, 1);

  const Kokkos::View<std::int64_t*> r("r", columns);  // 32-bit integers into 64 bits
  twofold::sum_columns(exec, M, r);

  std::printf("sum_columns: %lld\n", static_cast<long long>(twofold::sum(exec, r)));
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Kokkos::DefaultExecutionSpace exec;
  outer_product(exec);
  scale_columns(exec);
  stencil(exec);
  sum_rows(exec);
  sum_columns(exec);
}
