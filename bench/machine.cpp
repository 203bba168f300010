// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

#include "peers.hpp"

#ifndef TWOFOLD_BENCH_FLAGS
#define TWOFOLD_BENCH_FLAGS ""
#endif

namespace twofold::bench {
namespace {

std::string first_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

/// The value behind "key : value" in files such as /proc/cpuinfo.
std::string value_of(const std::string& file, const std::string& key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind(key, 0) != 0) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t start = line.find_first_not_of(" \t", colon + 1);
    return start == std::string::npos ? "" : line.substr(start);
  }
  return {};
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string host_name() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::int64_t host_memory_available() {
  const std::string kilobytes = value_of("/proc/meminfo", "MemAvailable");
  if (!kilobytes.empty()) return std::stoll(kilobytes) * 1024;
  return static_cast<std::int64_t>(sysconf(_SC_AVPHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

std::int64_t host_last_level_cache() {
  std::int64_t largest = 0;
  const std::filesystem::path caches = "/sys/devices/system/cpu/cpu0/cache";
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(caches, ignored)) {
    const std::string size = first_line(entry.path() / "size");  // such as 32768K
    if (size.empty()) continue;
    const std::int64_t unit = size.back() == 'K' ? 1024 : size.back() == 'M' ? 1024 * 1024 : 1;
    largest = std::max(largest, static_cast<std::int64_t>(std::atoll(size.c_str())) * unit);
  }
  return largest > 0 ? largest : std::int64_t{32} << 20;
}

Environment host_environment(const Options& options) {
  return {{"git_revision", options.revision},
          {"date", utc_now()},
          {"host", host_name()},
          {"cpu", value_of("/proc/cpuinfo", "model name")},
          {"cpus_online", std::to_string(sysconf(_SC_NPROCESSORS_ONLN))},
          {"cpu_last_level_cache_bytes", std::to_string(host_last_level_cache())},
          {"cpu_governor", first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")},
          {"load_average", first_line("/proc/loadavg")},
          {"omp_proc_bind", variable("OMP_PROC_BIND")},
          {"omp_places", variable("OMP_PLACES")},
          {"compiler", TWOFOLD_BENCH_COMPILER},
          {"flags", TWOFOLD_BENCH_FLAGS},
          {"peers_host", host_peer_versions()},
          {"rounds", std::to_string(options.reps)},
          {"quick", options.quick ? "yes" : "no"},
          {"command", options.command_line}};
}

}  // namespace twofold::bench
