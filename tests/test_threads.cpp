// SPDX-License-Identifier: Apache-2.0
// Host threads that share an instance, nested regions, and the instruction sets of the host kernels.
#include "support/cases.hpp"
#include "support/reference.hpp"

#include <twofold/backends/fold_host.hpp>

#include <atomic>
#include <thread>

namespace {

using Exec = Kokkos::DefaultExecutionSpace;

/// Thread t folds its own constants, in sizes that shrink call by call; counts wrong results.
int wrong_results(const Exec& exec, int t, int calls) {
  int wrong = 0;
  Kokkos::View<double*, Exec::memory_space> all(Kokkos::view_alloc("all", exec), 100000);
  Kokkos::deep_copy(exec, all, t + 1.0);
  exec.fence();
  for (int call = 0; call < calls; ++call) {
    const std::size_t n = 100000 - 317u * static_cast<unsigned>(call);
    const auto x = Kokkos::subview(all, std::make_pair(std::size_t{0}, n));
    wrong += twofold::sum(exec, x) != static_cast<double>(n) * (t + 1);
    wrong += twofold::dot(exec, x, x) != static_cast<double>(n) * (t + 1) * (t + 1);
  }
  return wrong;
}

TEST(Threads, MayShareAnInstance) {
  const Exec shared;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) threads.emplace_back([&, t] { wrong += wrong_results(shared, t, 300); });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, MayHaveAnInstanceEach) {
  const auto instances = Kokkos::Experimental::partition_space(Exec{}, std::vector<int>(2, 1));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) threads.emplace_back([&, t] { wrong += wrong_results(instances[t], t, 300); });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

#if defined(KOKKOS_ENABLE_OPENMP)
TEST(Threads, InsideAParallelRegion) {
  const auto x = cases::random_elements<double>(1000003, 5);
  const cases::guarded<Kokkos::OpenMP, double> v(x);
  const double expected = reference::sum<double>(x);
  const Kokkos::OpenMP exec;
  int wrong = 0;
#pragma omp parallel reduction(+ : wrong)
  {
    for (int call = 0; call < 5; ++call) wrong += twofold::sum(exec, v.elements()) != expected;
  }
  EXPECT_EQ(wrong, 0);
}
#endif

// The build's instruction sets are tested by running this executable with TWOFOLD_HOST_ISA set.
TEST(HostKernels, EqualTheDefinitionAtEveryCount) {
  namespace host = twofold::backends::host;
  std::cout << "host kernels: " << host::instruction_set() << '\n';
  const auto check = [](auto element, auto accumulator) {
    using T = decltype(element);
    using A = decltype(accumulator);
    const auto x = cases::random_elements<T>(3 * 32768 + 16, 1),
               y = cases::random_elements<T>(3 * 32768 + 16, 2);
    for (const std::size_t count :
         {1,   2,    3,    7,    8,    9,    15,   16,   17,   31,   63,    64,    65,    255,   256,
          257, 1000, 2047, 2048, 2049, 4096, 5000, 8191, 8192, 8193, 12345, 16384, 24576, 32767, 32768}) {
      for (const std::ptrdiff_t stride : {1, 3}) {
        const twofold::backends::strided<T> a{x.data() + 1, stride}, b{y.data() + 2, stride};
        const twofold::backends::sum_source<T, A> sums{a};
        const twofold::backends::dot_source<T, A> dots{a, b};
        EXPECT_SAME_BITS(host::fold_chunk(sums, 0, count), host::fold_chunk_as_defined(sums, 0, count));
        EXPECT_SAME_BITS(host::fold_chunk(dots, 0, count), host::fold_chunk_as_defined(dots, 0, count));
      }
    }
  };
  check(float{}, float{});
  check(float{}, double{});
  check(double{}, double{});
  check(std::int32_t{}, std::int64_t{});
  check(std::uint32_t{}, std::uint64_t{});
  check(std::int64_t{}, std::int64_t{});
  check(std::uint64_t{}, std::uint64_t{});
}

// Chunks with both ends of the interval, one of them, and none; of full rows and of every kind of last row: some end where
// a strip of lanes does.
TEST(HostKernels, EqualTheDefinitionOfIntegrals) {
  namespace host = twofold::backends::host;
  const auto check = [](auto one) {
    using T = decltype(one);
    std::size_t calls = 0, outside = 0;
    const auto f = [&calls, &outside](T x) {
      ++calls;
      outside += x < T(-0.3) || x > T(1.7);
      return T(1) / (T(2) + x);
    };
    for (const std::size_t count :
         {1,    2,     3,     15,    16,    17,    255,   256,   257,   1000,  2047,  2048,
          2049, 2303,  2304,  3000,  3072,  4096,  4097,  5000,  5120,  6145,  8191,  8192,
          8193, 12345, 16384, 16385, 20001, 24576, 28673, 30848, 30849, 30976, 32767, 32768}) {
      for (const std::size_t start : {std::size_t{0}, std::size_t{32768}, std::size_t{3} << 22}) {
        for (const std::size_t after : {0, 1, 100000}) {
          const std::size_t n = start + count - 1 + after;
          if (n == 0) continue;
          SCOPED_TRACE(testing::Message() << count << " from " << start << " of " << n);
          const auto source = twofold::backends::trapezoids(f, T(-0.3), T(1.7), n);
          calls = 0;
          const T folded = host::fold_chunk(source, start, count);
          EXPECT_EQ(calls, count);
          EXPECT_EQ(outside, 0U);
          EXPECT_SAME_BITS(folded, host::fold_chunk_as_defined(source, start, count));
        }
      }
    }
  };
  check(1.0F);
  check(1.0);
}

}  // namespace
