// SPDX-License-Identifier: Apache-2.0
// Host peers of the standard library: std::reduce and std::transform_reduce with std::execution::par_unseq, which GCC's
// library runs on oneTBB. Compiled like peers_host.cpp, for this one machine.

#include <sched.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>

#include <cmath>
#include <execution>
#include <functional>
#include <memory>
#include <numeric>
#include <type_traits>

#include "peers.hpp"

namespace twofold::bench {
namespace {

/// The processors that the threads of this run may use. OpenMP has pinned the main thread to one of them.
cpu_set_t processors_of_run() {
  cpu_set_t all;
  CPU_ZERO(&all);
#pragma omp parallel
  {
    cpu_set_t mine;
    CPU_ZERO(&mine);
    sched_getaffinity(0, sizeof(mine), &mine);
#pragma omp critical
    CPU_OR(&all, &all, &mine);
  }
  return all;
}

/// oneTBB's threads: as many as the rest of the run has, and on the same processors. Left alone they would inherit the
/// one processor that OpenMP gave the main thread, and count no other.
class Workers {
 public:
  explicit Workers(int threads)
      : limit_(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)),
        arena_(threads),
        placing_(arena_) {}

  template <class Work>
  auto run(Work work) {
    return arena_.execute(work);
  }

 private:
  class Placing : public tbb::task_scheduler_observer {
   public:
    explicit Placing(tbb::task_arena& arena)
        : tbb::task_scheduler_observer(arena), processors_(processors_of_run()) {
      observe(true);
    }
    ~Placing() override { observe(false); }
    void on_scheduler_entry(bool is_worker) override {
      if (is_worker) sched_setaffinity(0, sizeof(processors_), &processors_);
    }

   private:
    cpu_set_t processors_;
  };

  tbb::global_control limit_;
  tbb::task_arena arena_;
  Placing placing_;
};

std::unique_ptr<Workers>& workers() {
  static std::unique_ptr<Workers> all = std::make_unique<Workers>(1);
  return all;
}

// std::plus<R>, not std::plus<>: for that one the library has vector code.

template <class T, class R>
void std_sum(const T* x, const T*, std::int64_t n, R* result, Stream) {
  *result = workers()->run([=] {
    if constexpr (std::is_same_v<T, R>) {
      return std::reduce(std::execution::par_unseq, x, x + n, R{}, std::plus<R>{});
    } else {
      return std::transform_reduce(std::execution::par_unseq, x, x + n, R{}, std::plus<R>{},
                                   [](T t) { return static_cast<R>(t); });
    }
  });
}

template <class T, class R>
void std_dot(const T* x, const T* y, std::int64_t n, R* result, Stream) {
  *result = workers()->run([=] {
    return std::transform_reduce(std::execution::par_unseq, x, x + n, y, R{}, std::plus<R>{},
                                 [](T a, T b) { return static_cast<R>(a) * static_cast<R>(b); });
  });
}

template <class T, class R>
void std_norm2(const T* x, const T*, std::int64_t n, R* result, Stream) {
  *result = std::sqrt(workers()->run([=] {
    return std::transform_reduce(std::execution::par_unseq, x, x + n, R{}, std::plus<R>{},
                                 [](T t) { return static_cast<R>(t) * static_cast<R>(t); });
  }));
}

}  // namespace

void set_std_peer_threads(int threads) {
  workers().reset();
  workers() = std::make_unique<Workers>(threads);
}

template <class T, class R>
std::vector<Peer<T, R>> std_peers(Fold fold) {
  switch (fold) {
    case Fold::sum:
      return {{"std:par_unseq", std_sum<T, R>}};
    case Fold::dot:
      return {{"std:par_unseq", std_dot<T, R>}};
    case Fold::norm2:
      if constexpr (std::is_floating_point_v<R>) return {{"std:par_unseq", std_norm2<T, R>}};
  }
  return {};
}

template std::vector<Peer<float, float>> std_peers(Fold);
template std::vector<Peer<double, double>> std_peers(Fold);
template std::vector<Peer<float, double>> std_peers(Fold);
template std::vector<Peer<std::int32_t, std::int64_t>> std_peers(Fold);
template std::vector<Peer<std::int64_t, std::int64_t>> std_peers(Fold);
template std::vector<Peer<std::uint32_t, std::uint64_t>> std_peers(Fold);
template std::vector<Peer<std::uint64_t, std::uint64_t>> std_peers(Fold);

}  // namespace twofold::bench
