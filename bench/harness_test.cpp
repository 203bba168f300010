// SPDX-License-Identifier: Apache-2.0
// What the harness reports for an operation whose time is known: a spin of 50 ms. Asynchronous ones count until they
// have been executed; a harness that timed their launch would report microseconds.

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <vector>

#include "backend.hpp"
#include "harness.hpp"

namespace twofold::bench {
namespace {

constexpr double known_seconds = 50e-3;
// Above: starting and waiting, on a machine with other things to do.
constexpr double most_seconds = 1.5 * known_seconds;

void spin_on_host() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(known_seconds);
  while (std::chrono::steady_clock::now() < end) {
  }
}

#if defined(KOKKOS_ENABLE_CUDA)
__device__ inline unsigned long long nanoseconds_on_device() {
  unsigned long long now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}
#endif

/// The same for one work item of any execution space.
struct Spin {
  KOKKOS_FUNCTION void operator()(int) const {
    KOKKOS_IF_ON_HOST((spin_on_host();))
    KOKKOS_IF_ON_DEVICE(
        (const auto end = nanoseconds_on_device() + static_cast<unsigned long long>(known_seconds * 1e9);
         while (nanoseconds_on_device() < end){}))
  }
};

Record measured(Clock& clock, const std::function<void()>& one_run, int calls_per_run = 1) {
  Path path;
  path.name = "spin";
  path.poison = [] {};
  path.check = [] { return Verdict{true, "", 0, 0, ""}; };
  path.calls_per_run = calls_per_run;
  path.run = [&](std::int64_t, std::int64_t count) {
    for (std::int64_t c = 0; c < count; ++c) one_run();
  };
  path.clock = &clock;
  Case c;
  c.algorithm = "launch";
  c.n = 1;
  c.paths = {path};
  Sampling sampling;
  sampling.rounds = 3;
  return measure(c, sampling).at(0);
}

void expect_known_time(const Record& record) {
  EXPECT_TRUE(record.verified) << record.reason;
  EXPECT_EQ(record.reason, "");
  ASSERT_EQ(record.samples.size(), 3u);
  for (const double sample : record.samples) EXPECT_GE(sample, 0.999 * known_seconds);  // a clock's own step
  EXPECT_LE(median(record.samples), most_seconds);
  EXPECT_NEAR(record.wall_ratio, 1, 0.1);
}

TEST(Harness, TimesACallThatBlocks) {
  SteadyClock clock([] {});
  expect_known_time(measured(clock, spin_on_host));
}

TEST(Harness, TimesACallThatReturnsAtOnceUntilItIsExecuted) {
  std::future<void> running;
  const auto wait = [&] {
    if (running.valid()) running.get();
  };
  SteadyClock clock(wait);
  const Record record = measured(clock, [&] {
    wait();  // as a stream does
    running = std::async(std::launch::async, spin_on_host);
  });
  wait();
  expect_known_time(record);
}

TEST(Harness, DividesByTheCallsOfARun) {
  SteadyClock clock([] {});
  expect_known_time(measured(
      clock,
      [] {
        spin_on_host();
        spin_on_host();
      },
      2));
}

template <class Exec>
class HarnessOn : public testing::Test {};
template <class List>
struct types_of;
template <class... Exec>
struct types_of<ExecList<Exec...>> {
  using type = testing::Types<Exec...>;
};
TYPED_TEST_SUITE(HarnessOn, types_of<Execs>::type);

TYPED_TEST(HarnessOn, TimesAKernelWithTheClockOfTheBackend) {
  const TypeParam exec = Backend<TypeParam>::instance();
  const std::unique_ptr<Clock> clock = Backend<TypeParam>::clock(exec);
  expect_known_time(measured(
      *clock, [&] { Kokkos::parallel_for("spin", Kokkos::RangePolicy<TypeParam>(exec, 0, 1), Spin{}); }));
}

}  // namespace
}  // namespace twofold::bench
