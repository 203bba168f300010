// SPDX-License-Identifier: Apache-2.0
// twofold_reference: the tables of the course texts, regenerated here. bench/compare --reference calls it.

#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>
#include <functional>
#include <string>

#include "probes.hpp"

namespace {

using namespace twofold::reference;

constexpr const char* usage =
    "Usage: twofold_reference [--out FILE] [--quick]\n\n"
    "Regenerates the tables of the course texts on this machine: trapezoidal rule, serial against tree, "
    "memory\n"
    "statistics, stencil accesses, coalescing. Prints them; --out also writes them as JSON. Takes about a "
    "minute,\n"
    "with --quick a few seconds and rougher figures.\n";

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

int run(const std::string& out, bool quick) {
  std::vector<Table> tables;
  // Written after each table: a run that is cut short leaves what it had.
  Environment environment{{"date", utc_now()}, {"quick", quick ? "yes" : "no"}};
  const auto add = [&](const std::function<Table()>& make) {
    tables.push_back(make());
    std::printf("%s\n", as_text(tables.back()).c_str());
    std::fflush(stdout);
    if (!out.empty()) write_json(out, environment, tables);
  };
#if defined(TWOFOLD_REFERENCE_HAS_CUDA)
  const std::string missing = missing_gpu();
#else
  const std::string missing = "built without CUDA";
#endif
  environment["gpu_missing"] = missing;
#if defined(TWOFOLD_REFERENCE_HAS_CUDA)
  if (missing.empty()) {
    environment.merge(gpu_environment());
    add([&] { return trapezoid_table(quick); });
    add([&] { return serial_vs_tree_table(quick); });
    add([&] { return gpu_properties_table(); });
    add([&] { return gpu_memory_table(quick); });
    add([&] { return stencil_access_table(quick); });
    add([&] { return coalescing_table(quick); });
  }
#endif
  if (!missing.empty()) std::printf("No tables of a GPU: %s.\n\n", missing.c_str());
  add([&] { return host_sum_table(quick); });
  add([&] { return host_memory_table(quick); });
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string out;
  bool quick = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--quick") == 0) {
      quick = true;
    } else if (std::strcmp(argv[i], "--out") == 0 && i + 1 < argc) {
      out = argv[++i];
    } else {
      const bool asked = std::strcmp(argv[i], "--help") == 0 || std::strcmp(argv[i], "-h") == 0;
      std::fputs(usage, asked ? stdout : stderr);
      return asked ? 0 : 2;
    }
  }
  try {
    return run(out, quick);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "twofold_reference: %s\n", error.what());
    return 1;
  }
}
