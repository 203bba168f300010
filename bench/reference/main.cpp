// SPDX-License-Identifier: Apache-2.0
// twofold_reference: the tables of the course texts, regenerated here. bench/compare --reference calls it.

#include <cstdio>
#include <ctime>
#include <exception>
#include <functional>
#include <string>
#include <string_view>

#include "probes.hpp"

namespace {

using namespace twofold::reference;

constexpr const char* usage =
    "Usage: twofold_reference [--out FILE] [--quick] [--backend B] [--revision R]\n\n"
    "Regenerates the tables of the course texts on this machine: trapezoidal rule, serial against tree, "
    "memory\n"
    "statistics, stencil accesses, coalescing. Prints them and takes about a minute.\n\n"
    "  --out FILE    also writes them as JSON\n"
    "  --quick       a few seconds, and rougher figures\n"
    "  --backend B   auto (default): the tables of the GPU where there is one, and those of the host; "
    "openmp: those\n"
    "                of the host alone; cuda: as auto, but without a GPU it fails with status 3\n"
    "  --revision R  source revision to record\n";

struct Options {
  std::string out;
  std::string backend = "auto";
  std::string revision = "unknown";
  bool quick = false;
};

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

/// Why there are no tables of a GPU, or "".
std::string no_gpu(const std::string& backend) {
  if (backend == "openmp") return "--backend openmp asks for the host alone";
#if defined(TWOFOLD_REFERENCE_HAS_CUDA)
  return missing_gpu();
#else
  return "built without CUDA";
#endif
}

int run(const Options& options) {
  std::vector<Table> tables;
  // Written after each table: a run that is cut short leaves what it had.
  Environment environment{
      {"date", utc_now()}, {"git_revision", options.revision}, {"quick", options.quick ? "yes" : "no"}};
  const auto add = [&](const std::function<Table()>& make) {
    tables.push_back(make());
    std::printf("%s\n", as_text(tables.back()).c_str());
    std::fflush(stdout);
    if (!options.out.empty()) write_json(options.out, environment, tables);
  };
  const bool quick = options.quick;
  const std::string missing = no_gpu(options.backend);
  if (options.backend == "cuda" && !missing.empty()) {
    std::fprintf(stderr, "twofold_reference: --backend cuda, but %s\n", missing.c_str());
    return 3;
  }
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
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    const bool has_value = i + 1 < argc;
    if (option == "--quick") {
      options.quick = true;
    } else if (option == "--out" && has_value) {
      options.out = argv[++i];
    } else if (option == "--backend" && has_value) {
      options.backend = argv[++i];
    } else if (option == "--revision" && has_value) {
      options.revision = argv[++i];
    } else {
      const bool asked = option == "--help" || option == "-h";
      std::fputs(usage, asked ? stdout : stderr);
      return asked ? 0 : 2;
    }
  }
  if (options.backend != "auto" && options.backend != "openmp" && options.backend != "cuda") {
    std::fprintf(stderr, "twofold_reference: --backend is '%s'; expected auto, openmp or cuda\n",
                 options.backend.c_str());
    return 2;
  }
  try {
    return run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "twofold_reference: %s\n", error.what());
    return 1;
  }
}
