// SPDX-License-Identifier: Apache-2.0
// twofold_bench: verifies and times every path of every algorithm. bench/compare builds and runs it.

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

#include "limits.hpp"
#include "registry.hpp"

namespace twofold::bench {
namespace {

template <class Exec>
std::vector<std::int64_t> sizes_for(const Options& options) {
  if (!options.sizes.empty()) return options.sizes;
  std::vector<std::int64_t> sizes;
  const int step = options.quick ? 4 : 2;
  for (int power = Backend<Exec>::sizes_from() + (options.quick ? 2 : 0);
       power <= Backend<Exec>::sizes_to() - (options.quick ? 1 : 0); power += step) {
    sizes.push_back(std::int64_t{1} << power);
  }
  return sizes;
}

/// The registered benchmarks of the wanted types. By type first, so that operands are made once; then in the table's
/// order.
template <class Exec>
std::vector<Entry<Exec>> wanted_entries(const Options& options) {
  const auto place = [&](const Entry<Exec>& entry) {
    const auto type = std::find(options.types.begin(), options.types.end(), entry.type);
    return std::pair(type - options.types.begin(), order_in_table(entry.algorithm));
  };
  std::vector<Entry<Exec>> wanted = entries<Exec>();
  std::erase_if(wanted, [&](const Entry<Exec>& entry) {
    return std::find(options.types.begin(), options.types.end(), entry.type) == options.types.end();
  });
  std::sort(wanted.begin(), wanted.end(),
            [&](const Entry<Exec>& a, const Entry<Exec>& b) { return place(a) < place(b); });
  return wanted;
}

/// The sizes whose operands and results fit into memory.
template <class Exec>
std::vector<std::int64_t> fitting(const Entry<Exec>& entry, const Session<Exec>& session,
                                  std::vector<std::int64_t> sizes) {
  if (entry.reads_operands || entry.writes_results) {
    std::erase_if(sizes, [&](std::int64_t n) { return !session.inputs.fits(n, entry.element_bytes); });
  }
  return sizes;
}

/// Counts the entry's cases. False where --only leaves none: nothing must be made for it then.
template <class Exec>
bool has_cases(const Entry<Exec>& entry, Session<Exec>& session, const std::vector<std::int64_t>& sizes) {
  const auto before = session.cases_total;
  const std::vector<std::int64_t> some = fitting(entry, session, sizes);
  for (const std::int64_t n : some) entry.run(session, n);
  if (session.cases_total == before) return false;
  if (some.size() < sizes.size()) {
    std::fprintf(stderr,
                 "%s %s %s: %zu of %zu sizes are left out, their operands or results exceed the memory\n",
                 Backend<Exec>::name().c_str(), entry.algorithm.c_str(), entry.type.c_str(),
                 sizes.size() - some.size(), sizes.size());
  }
  return true;
}

template <class Exec>
void run_entry(const Entry<Exec>& entry, Session<Exec>& session, const std::vector<std::int64_t>& sizes) {
  const std::vector<std::int64_t> some = fitting(entry, session, sizes);
  if (entry.reads_operands) entry.prepare(session, *std::max_element(some.begin(), some.end()));
  for (const std::int64_t n : some) entry.run(session, n);
}

template <class Exec>
void run_backend(const Options& options, Results& results) {
  if (!Backend<Exec>::matches(options.backend)) return;
  std::vector<Entry<Exec>> wanted = wanted_entries<Exec>(options);
  const std::vector<std::int64_t> sizes = sizes_for<Exec>(options);
  Session<Exec> session(options, results);
  session.dry_run = true;
  std::erase_if(wanted, [&](const Entry<Exec>& entry) { return !has_cases(entry, session, sizes); });
  if (options.list || session.cases_total == 0) return;
  session.cases_total += options.limits ? limit_cases : 0;
  session.dry_run = false;
  if (options.limits) measure_limits(session);
  for (const Entry<Exec>& entry : wanted) run_entry(entry, session, sizes);
}

template <class... EachExec>
void run_backends(const Options& options, Results& results, ExecList<EachExec...>) {
  (run_backend<EachExec>(options, results), ...);
}

template <class... EachExec>
Environment environment_of(const Options& options, ExecList<EachExec...>) {
  Environment environment = host_environment(options);
  environment["kokkos"] = std::to_string(KOKKOS_VERSION / 10000) + "." +
                          std::to_string(KOKKOS_VERSION / 100 % 100) + "." +
                          std::to_string(KOKKOS_VERSION % 100);
  environment["kokkos_host_space"] = Kokkos::DefaultHostExecutionSpace::name();
  environment["threads"] = std::to_string(Kokkos::DefaultHostExecutionSpace().concurrency());
  for (const char* key : {"gpu", "driver_supports_cuda", "cuda"}) environment[key] = "";
  (..., [&] {
    for (const auto& [key, value] : Backend<EachExec>::environment()) environment[key] = value;
  }());
  return environment;
}

int run(const Options& options) {
  Results results(options.out, environment_of(options, Execs{}));
  run_backends(options, results, Execs{});
  if (options.list) return 0;
  results.write();
  if (results.records().empty()) {
    std::fprintf(stderr, "twofold_bench: no case matches --backend, --only, --types and --sizes\n");
    return 2;
  }
  if (!results.all_verified()) {
    std::fprintf(stderr, "twofold_bench: at least one case FAILED its verification\n");
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace twofold::bench

int main(int argc, char** argv) {
  using namespace twofold::bench;
  const Options options = parse_options(argc, argv);
  if (const std::string missing = missing_device(); !missing.empty()) {
    std::fprintf(stderr, "twofold_bench: %s\n", missing.c_str());
    return 3;
  }
  Kokkos::InitializationSettings settings;
  if (options.threads > 0) settings.set_num_threads(options.threads);
  const Kokkos::ScopeGuard kokkos(settings);
  set_host_peer_threads(Kokkos::DefaultHostExecutionSpace().concurrency());
  try {
    return run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "twofold_bench: %s\n", error.what());
    return 1;
  }
}
