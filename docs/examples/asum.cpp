// SPDX-License-Identifier: Apache-2.0
// The new fold of docs/add_an_algorithm.md, given to the portable engine: the sum of absolute values.
#include <twofold/backends/sources.hpp>
#include <twofold/portable/fold.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <type_traits>

namespace twofold::backends {

/// |x|, summed in A.
template <class T, class A>
struct asum_source : sum_source<T, A> {
  TWOFOLD_FUNCTION static A with(A sum, T value) {
    const A wide = static_cast<A>(value);
    if constexpr (std::is_floating_point_v<A>) {
      return add(sum, std::fabs(wide));  // of -0.0 too
    } else {
      using U = std::make_unsigned_t<A>;  // -wide overflows for the most negative number
      return add(sum, value <= 0 ? static_cast<A>(U(0) - static_cast<U>(wide)) : wide);
    }
  }
};

}  // namespace twofold::backends

/// Folds n elements, of which the middle one is `special` and the others are -1.
template <class T, class R>
R asum(std::size_t n, T special) {
  const Kokkos::View<T*> x("x", n);
  Kokkos::deep_copy(x, T(-1));
  Kokkos::deep_copy(Kokkos::subview(x, n / 2), special);
  const Kokkos::DefaultExecutionSpace exec;
  return twofold::portable_engine::fold_to_host("twofold::asum", exec,
                                                twofold::backends::asum_source<T, R>{{{x.data()}}}, n);
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const std::size_t n = 100001;
  const std::int32_t lowest = std::numeric_limits<std::int32_t>::min();
  std::printf("double: %.17g\n", asum<double, double>(n, 0.5));
  std::printf("int32 in int64: %lld\n", static_cast<long long>(asum<std::int32_t, std::int64_t>(n, lowest)));
}
