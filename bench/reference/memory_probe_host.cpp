// SPDX-License-Identifier: Apache-2.0
// The CPU's caches and memory. Latency: a chase through pointers in random order, one per 64-byte line, so that
// neither the prefetcher nor out-of-order execution can run ahead. Bandwidth: reading everything, again and again.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "host_timer.hpp"
#include "probes.hpp"

// The widest loads that the machine has, whatever the build was tuned for.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define TWOFOLD_REFERENCE_WIDEST __attribute__((target_clones("avx512f", "avx2", "default"), optimize("O3")))
#else
#define TWOFOLD_REFERENCE_WIDEST
#endif

namespace twofold::reference {
namespace {

constexpr std::size_t line = 64;

struct Level {
  std::string name;
  std::size_t bytes;      // of the cache
  std::size_t footprint;  // of the probe
};

std::string first_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string text;
  std::getline(in, text);
  return text;
}

/// The data caches of the first core as the system lists them, then memory.
std::vector<Level> levels(bool quick) {
  std::vector<Level> found;
  std::error_code ignored;
  for (const auto& entry :
       std::filesystem::directory_iterator("/sys/devices/system/cpu/cpu0/cache", ignored)) {
    const std::string level = first_line(entry.path() / "level"), type = first_line(entry.path() / "type");
    const std::string size = first_line(entry.path() / "size");  // such as 32768K
    if (level.empty() || size.empty() || type == "Instruction") continue;
    const std::size_t unit = size.back() == 'K' ? 1024 : size.back() == 'M' ? 1024 * 1024 : 1;
    const std::size_t bytes = static_cast<std::size_t>(std::atoll(size.c_str())) * unit;
    // Half of it; of a last-level cache, which other cores and (in a virtual machine) other guests use too, less.
    found.push_back({"L" + level, bytes, std::min(bytes / 2, std::size_t{32} << 20)});
  }
  std::sort(found.begin(), found.end(), [](const Level& a, const Level& b) { return a.bytes < b.bytes; });
  // Beyond the last cache, within what is there.
  const auto pages = static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES));
  const std::size_t available = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t last = found.empty() ? std::size_t{32} << 20 : found.back().bytes;
  std::size_t wanted = std::max<std::size_t>(4 * last, std::size_t{256} << 20);
  wanted = std::min({wanted, std::size_t{1} << 30, available / 4});
  if (quick) wanted = std::min(wanted, std::size_t{64} << 20);
  found.push_back({"memory", 0, wanted});
  return found;
}

struct free_it {
  void operator()(void* p) const { std::free(p); }
};
using Buffer = std::unique_ptr<char, free_it>;

Buffer buffer_of(std::size_t bytes) {
  auto* const p = static_cast<char*>(std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096));
  if (p == nullptr) throw std::bad_alloc();
  std::fill(p, p + bytes, char{1});
  return Buffer(p);
}

/// Nanoseconds per step of a chase around all lines of the buffer in one random cycle.
double latency_ns(char* data, std::size_t bytes, bool quick) {
  const std::size_t lines = bytes / line;
  std::vector<std::uint32_t> order(lines);
  std::iota(order.begin(), order.end(), 0u);
  std::mt19937 random(12345);
  std::shuffle(order.begin(), order.end(), random);
  for (std::size_t i = 0; i < lines; ++i) {
    *reinterpret_cast<char**>(data + line * order[i]) = data + line * order[(i + 1) % lines];
  }
  char* at = data + line * order[0];
  const auto chase = [&](std::size_t steps) {
    for (std::size_t step = 0; step < steps; ++step) at = *reinterpret_cast<char**>(at);
    keep(at);
  };
  chase(std::min(lines, std::size_t{1} << 20));  // into the cache, where it fits
  const double estimate = least_seconds(1, [&] { chase(10000); }) / 10000;
  const auto steps = static_cast<std::size_t>(std::clamp((quick ? 0.02 : 0.3) / estimate, 1e4, 1e8));
  return 1e9 / static_cast<double>(steps) * least_seconds(quick ? 2 : 4, [&] { chase(steps); });
}

/// The sum of all words: adding integers lets the compiler use as many accumulators as it likes.
TWOFOLD_REFERENCE_WIDEST std::uint64_t read_all(const std::uint64_t* words, std::size_t count) {
  std::uint64_t a = 0, b = 0, c = 0, d = 0;
  const std::size_t quarter = count / 4;  // four streams, so that additions do not wait for each other
  for (std::size_t i = 0; i < quarter; ++i) {
    a += words[i];
    b += words[quarter + i];
    c += words[2 * quarter + i];
    d += words[3 * quarter + i];
  }
  return a + b + c + d;
}

double bandwidth(const char* data, std::size_t bytes, bool quick) {
  const auto* const words = reinterpret_cast<const std::uint64_t*>(data);
  const std::size_t count = bytes / sizeof(std::uint64_t) / 4 * 4;
  const std::size_t target = std::size_t{1} << (quick ? 26 : 30);
  const std::size_t passes = std::max<std::size_t>(1, target / bytes);
  const double seconds = least_seconds(quick ? 2 : 5, [&] {
    std::uint64_t sum = 0;
    for (std::size_t pass = 0; pass < passes; ++pass) sum += read_all(words, count);
    keep(sum);
  });
  return 1e-9 * static_cast<double>(passes * count * sizeof(std::uint64_t)) / seconds;
}

/// Every core reads its own part of memory at once.
double bandwidth_of_all_cores(const char* data, std::size_t bytes, unsigned cores, bool quick) {
  const std::size_t part = bytes / cores / 4096 * 4096;
  if (part == 0) return 0;
  const std::size_t passes = quick ? 1 : 4;
  const double seconds = least_seconds(quick ? 2 : 5, [&] {
    std::vector<std::thread> threads;
    std::vector<std::uint64_t> sums(cores * 8);  // a line each
    for (unsigned core = 0; core < cores; ++core) {
      threads.emplace_back([&, core] {
        const auto* const words = reinterpret_cast<const std::uint64_t*>(data + core * part);
        for (std::size_t pass = 0; pass < passes; ++pass) sums[core * 8] += read_all(words, part / 8);
      });
    }
    for (std::thread& thread : threads) thread.join();
    keep(std::accumulate(sums.begin(), sums.end(), std::uint64_t{0}));
  });
  return 1e-9 * static_cast<double>(passes * part * cores) / seconds;
}

}  // namespace

Table host_memory_table(bool quick) {
  Table table{"memory_host",
              "Memory of this CPU, measured",
              {{"level", ""},
               {"size", "KiB"},
               {"probed with", "KiB"},
               {"latency", "ns"},
               {"read, one core", "GB/s"},
               {"read, all cores", "GB/s"}},
              {},
              {"Latency by pointer chase in random order over 64-byte lines; in memory it includes misses of "
               "the address "
               "translation. Bandwidth of a plain reading loop, data placed by one thread."}};
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  for (const Level& level : levels(quick)) {
    if (level.footprint < 4096) continue;
    const Buffer buffer = buffer_of(level.footprint);
    const double ns = latency_ns(buffer.get(), level.footprint, quick);
    std::vector<Cell> row{level.name,
                          Cell{},
                          static_cast<std::int64_t>(level.footprint / 1024),
                          ns,
                          bandwidth(buffer.get(), level.footprint, quick),
                          Cell{}};
    if (level.bytes > 0) row[1] = static_cast<std::int64_t>(level.bytes / 1024);
    if (level.bytes == 0) row[5] = bandwidth_of_all_cores(buffer.get(), level.footprint, cores, quick);
    table.rows.push_back(std::move(row));
  }
  table.notes.push_back(std::to_string(cores) + " hardware threads.");
  return table;
}

}  // namespace twofold::reference
