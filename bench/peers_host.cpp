// SPDX-License-Identifier: Apache-2.0
// Host peers: the one-line OpenMP loop (`plain`), the loop of someone who tunes it (`plain:blocked`), and OpenBLAS. This file alone is compiled with
// -O3 -march=native -ffast-math: the loop that an expert would write for this one machine.

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "integrands.hpp"
#include "peers.hpp"

namespace twofold::bench {
namespace {

// A parallel region costs a microsecond or more; below this count one thread is faster.
constexpr std::int64_t parallel_from = std::int64_t{1} << 15;
// Blocks bound how long a float accumulator grows; their totals are added in Total.
constexpr std::int64_t block = std::int64_t{1} << 15;

/// Adds term(0) ... term(n - 1) with `lanes` independent accumulators, enough to hide the adder's latency.
template <class R, class Term>
R add_lanes(std::int64_t first, std::int64_t last, Term term) {
  constexpr int lanes = 512 / sizeof(R);
  R sums[lanes] = {};
  std::int64_t i = first;
  for (; i + lanes <= last; i += lanes) {
#pragma omp simd
    for (int lane = 0; lane < lanes; ++lane) sums[lane] += term(i + lane);
  }
  R sum{};
  for (; i < last; ++i) sum += term(i);
#pragma omp simd reduction(+ : sum)
  for (int lane = 0; lane < lanes; ++lane) sum += sums[lane];
  return sum;
}

template <class R, class Term>
R add_all(std::int64_t n, Term term) {
  using Total = std::conditional_t<std::is_floating_point_v<R>, double, R>;
  Total total{};
  if (n <= block) return add_lanes<R>(0, n, term);
#pragma omp parallel for schedule(static) reduction(+ : total) if (n >= parallel_from)
  for (std::int64_t first = 0; first < n; first += block) {
    total += static_cast<Total>(add_lanes<R>(first, std::min(n, first + block), term));
  }
  return static_cast<R>(total);
}

/// What most people write: one loop, one pragma.
template <class R, class Term>
R add_in_one_loop(std::int64_t n, Term term) {
  R sum{};
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
  for (std::int64_t i = 0; i < n; ++i) sum += term(i);
  return sum;
}

template <class T, class R>
void plain_sum(const T* x, const T*, std::int64_t n, R* result, Stream) {
  *result = add_in_one_loop<R>(n, [x](std::int64_t i) { return static_cast<R>(x[i]); });
}

template <class T, class R>
void plain_dot(const T* x, const T* y, std::int64_t n, R* result, Stream) {
  *result =
      add_in_one_loop<R>(n, [x, y](std::int64_t i) { return static_cast<R>(x[i]) * static_cast<R>(y[i]); });
}

template <class T, class R>
void plain_norm2(const T* x, const T*, std::int64_t n, R* result, Stream) {
  *result = std::sqrt(
      add_in_one_loop<R>(n, [x](std::int64_t i) { return static_cast<R>(x[i]) * static_cast<R>(x[i]); }));
}

template <class T, class R>
void blocked_sum(const T* x, const T*, std::int64_t n, R* result, Stream) {
  *result = add_all<R>(n, [x](std::int64_t i) { return static_cast<R>(x[i]); });
}

template <class T, class R>
void blocked_dot(const T* x, const T* y, std::int64_t n, R* result, Stream) {
  *result = add_all<R>(n, [x, y](std::int64_t i) { return static_cast<R>(x[i]) * static_cast<R>(y[i]); });
}

template <class T, class R>
void blocked_norm2(const T* x, const T*, std::int64_t n, R* result, Stream) {
  *result =
      std::sqrt(add_all<R>(n, [x](std::int64_t i) { return static_cast<R>(x[i]) * static_cast<R>(x[i]); }));
}

template <class R, class F>
void plain_integrate(R a, R b, std::int64_t n, R* result, Stream) {
  const R h = (b - a) / static_cast<R>(n);
  const F f;
  // 32-bit indices within a block convert to floating point in vector code; 64-bit ones may not.
  using Total = double;
  Total total = 0.5 * (static_cast<Total>(f(a)) + static_cast<Total>(f(b)));
#pragma omp parallel for schedule(static) reduction(+ : total) if (n >= parallel_from)
  for (std::int64_t first = 1; first < n; first += block) {
    const int count = static_cast<int>(std::min(n - first, block));
    const R from = a + static_cast<R>(first) * h;
    R sum{};
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < count; ++i) sum += f(from + static_cast<R>(i) * h);
    total += static_cast<Total>(sum);
  }
  *result = static_cast<R>(total * static_cast<Total>(h));
}

/// OpenBLAS as found at run time: no build depends on it, and a machine without it just has no such rows.
class OpenBlas {
 public:
  static const OpenBlas& instance() {
    static const OpenBlas library;
    return library;
  }

  float (*sdot)(int, const float*, int, const float*, int) = nullptr;
  double (*ddot)(int, const double*, int, const double*, int) = nullptr;
  float (*snrm2)(int, const float*, int) = nullptr;
  double (*dnrm2)(int, const double*, int) = nullptr;
  void (*set_threads)(int) = nullptr;
  char* (*config)() = nullptr;
  int (*parallel)() = nullptr;
  bool found = false;

 private:
  OpenBlas() {
    void* library = nullptr;
    // The build on OpenMP first: it shares our threads, where another pool would fight them for cores.
    for (const char* name : {TWOFOLD_BENCH_OPENBLAS, "libopenblas.so.0", "libopenblas.so"}) {
      if (library == nullptr && *name != '\0') library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    if (library == nullptr) return;
    found = load(library, "cblas_sdot", sdot) && load(library, "cblas_ddot", ddot) &&
            load(library, "cblas_snrm2", snrm2) && load(library, "cblas_dnrm2", dnrm2);
    load(library, "openblas_set_num_threads", set_threads);
    load(library, "openblas_get_config", config);
    load(library, "openblas_get_parallel", parallel);
  }

  template <class Function>
  static bool load(void* library, const char* symbol, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, symbol));
    return function != nullptr;
  }
};

constexpr std::int64_t blas_count = std::int64_t{1} << 30;  // BLAS counts in 32 bits

template <class T>
void openblas_dot(const T* x, const T* y, std::int64_t n, T* result, Stream) {
  const OpenBlas& blas = OpenBlas::instance();
  T sum{};
  for (std::int64_t first = 0; first < n; first += blas_count) {
    const int count = static_cast<int>(std::min(n - first, blas_count));
    if constexpr (std::is_same_v<T, float>) sum += blas.sdot(count, x + first, 1, y + first, 1);
    if constexpr (std::is_same_v<T, double>) sum += blas.ddot(count, x + first, 1, y + first, 1);
  }
  *result = sum;
}

template <class T>
void openblas_norm2(const T* x, const T*, std::int64_t n, T* result, Stream) {
  const OpenBlas& blas = OpenBlas::instance();
  T norm{};
  for (std::int64_t first = 0; first < n; first += blas_count) {
    const int count = static_cast<int>(std::min(n - first, blas_count));
    T part{};
    if constexpr (std::is_same_v<T, float>) part = blas.snrm2(count, x + first, 1);
    if constexpr (std::is_same_v<T, double>) part = blas.dnrm2(count, x + first, 1);
    norm = first == 0 ? part : std::hypot(norm, part);
  }
  *result = norm;
}

void empty_region(Stream) {
#pragma omp parallel
  { asm volatile("" ::: "memory"); }
}

/// The part of `bytes` that this thread takes.
struct Share {
  std::size_t first;
  std::size_t count;
};

Share share_of(std::size_t bytes) {
#ifdef _OPENMP
  const auto threads = static_cast<std::size_t>(omp_get_num_threads());
  const auto thread = static_cast<std::size_t>(omp_get_thread_num());
#else
  const std::size_t threads = 1;
  const std::size_t thread = 0;
#endif
  const std::size_t part = bytes / threads / 4096 * 4096;
  return {thread * part, thread + 1 == threads ? bytes - thread * part : part};
}

void read_all(const void* from, std::size_t bytes, void* sink, Stream) {
  const auto* words = static_cast<const std::uint64_t*>(from);
  std::uint64_t all = 0;
#pragma omp parallel reduction(| : all)
  {
    const Share share = share_of(bytes);
    const std::uint64_t* mine = words + share.first / 8;
    all |= add_lanes<std::uint64_t>(0, static_cast<std::int64_t>(share.count / 8),
                                    [mine](std::int64_t i) { return mine[i]; });
  }
  *static_cast<volatile std::uint64_t*>(sink) = all;
}

void fill_all(void* to, int byte, std::size_t bytes, Stream) {
#pragma omp parallel
  {
    const Share share = share_of(bytes);
    std::memset(static_cast<char*>(to) + share.first, byte, share.count);
  }
}

void copy_all(void* to, const void* from, std::size_t bytes, Stream) {
#pragma omp parallel
  {
    const Share share = share_of(bytes);
    std::memcpy(static_cast<char*>(to) + share.first, static_cast<const char*>(from) + share.first,
                share.count);
  }
}

}  // namespace

template <class T, class R>
std::vector<Peer<T, R>> host_peers(Fold fold) {
  std::vector<Peer<T, R>> peers;
  switch (fold) {
    case Fold::sum:
      peers.push_back({"plain", plain_sum<T, R>});
      peers.push_back({"plain:blocked", blocked_sum<T, R>});
      break;
    case Fold::dot:
      peers.push_back({"plain", plain_dot<T, R>});
      peers.push_back({"plain:blocked", blocked_dot<T, R>});
      break;
    case Fold::norm2:
      if constexpr (std::is_floating_point_v<R>) {
        peers.push_back({"plain", plain_norm2<T, R>});
        peers.push_back({"plain:blocked", blocked_norm2<T, R>});
      }
      break;
  }
  if constexpr (std::is_floating_point_v<T> && std::is_same_v<T, R>) {
    if (OpenBlas::instance().found) {
      if (fold == Fold::dot) peers.push_back({"vendor:openblas", openblas_dot<T>});
      if (fold == Fold::norm2) peers.push_back({"vendor:openblas", openblas_norm2<T>});
    }
  }
#ifdef TWOFOLD_BENCH_TBB
  for (const Peer<T, R>& peer : std_peers<T, R>(fold)) peers.push_back(peer);
#endif
  return peers;
}

template <class R, class F>
std::vector<IntegratePeer<R>> host_integrate_peers() {
  return {{"plain", plain_integrate<R, F>}};
}

MemoryOps host_memory_ops() { return {empty_region, read_all, fill_all, copy_all}; }

std::string host_peer_versions() {
  const OpenBlas& blas = OpenBlas::instance();
#ifdef TWOFOLD_BENCH_TBB
  const std::string standard = ", std:: on oneTBB " TWOFOLD_BENCH_TBB;
#else
  const std::string standard = ", no oneTBB for std:: found";
#endif
  if (!blas.found) return "no OpenBLAS found" + standard;
  const std::string text = blas.config != nullptr ? blas.config() : "OpenBLAS";
  const int kind = blas.parallel != nullptr ? blas.parallel() : -1;
  return text + (kind == 2 ? " (OpenMP)" : kind == 1 ? " (its own threads)" : " (one thread)") + standard;
}

void set_host_peer_threads(int threads) {
  const OpenBlas& blas = OpenBlas::instance();
  if (blas.set_threads != nullptr) blas.set_threads(threads);
#ifdef TWOFOLD_BENCH_TBB
  set_std_peer_threads(threads);
#endif
}

template std::vector<Peer<float, float>> host_peers(Fold);
template std::vector<Peer<double, double>> host_peers(Fold);
template std::vector<Peer<float, double>> host_peers(Fold);
template std::vector<Peer<std::int32_t, std::int64_t>> host_peers(Fold);
template std::vector<Peer<std::int64_t, std::int64_t>> host_peers(Fold);
template std::vector<Peer<std::uint32_t, std::uint64_t>> host_peers(Fold);
template std::vector<Peer<std::uint64_t, std::uint64_t>> host_peers(Fold);
template std::vector<IntegratePeer<float>> host_integrate_peers<float, SquarePlusOne>();
template std::vector<IntegratePeer<double>> host_integrate_peers<double, SquarePlusOne>();
template std::vector<IntegratePeer<float>> host_integrate_peers<float, FourOverOnePlusSquare>();
template std::vector<IntegratePeer<double>> host_integrate_peers<double, FourOverOnePlusSquare>();

}  // namespace twofold::bench
