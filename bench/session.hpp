// SPDX-License-Identifier: Apache-2.0
#pragma once

// One back end during one run: its instance, clocks, operands, and where results go.

#include <cstdio>
#include <memory>
#include <set>
#include <string>

#include "backend.hpp"
#include "inputs.hpp"
#include "options.hpp"
#include "record.hpp"

namespace twofold::bench {

template <class Exec>
struct Session {
  const Options& options;
  Results& results;
  Exec exec = Backend<Exec>::instance();
  std::unique_ptr<Clock> clock = Backend<Exec>::clock(exec);
  SteadyClock wall{[this] { exec.fence("twofold_bench: end of a batch"); }};
  Inputs<Exec> inputs{exec};
  Sampling sampling = Backend<Exec>::sampling();
  bool dry_run = false;
  int cases_done = 0;
  int cases_total = 0;

  Session(const Session&) = delete;  // its members refer to each other
  Session& operator=(const Session&) = delete;
  Session(const Options& chosen, Results& sink) : options(chosen), results(sink) {
    sampling.rounds = options.reps;
    if (options.quick) sampling.batch_seconds *= 0.5;
  }

  /// Drops the paths that --only excludes, measures the rest, keeps the records, shows progress. In a dry run,
  /// only counts (and lists) the case.
  void measure(Case c) {
    c.backend = Backend<Exec>::name();
    std::erase_if(
        c.paths, [&](const Path& path) { return !c.is_limit && !options.wants(c.name() + "/" + path.name); });
    if (c.paths.empty()) return;
    if (dry_run) {
      ++cases_total;
      if (options.list) list(c);
      return;
    }
    std::fprintf(stderr, "[%d/%d] %s %s:", ++cases_done, cases_total, c.backend.c_str(), c.name().c_str());
    const std::vector<Record> records = bench::measure(c, sampling);
    for (const Record& record : records) show(record);
    std::fprintf(stderr, "\n");
    results.add(records);
    results.write();
  }

  /// Whether a path that is timed up to n_max only takes part in this case. Says where it does not, once.
  bool takes_part(const Case& c, const std::string& path, std::int64_t n_max) {
    if (c.n <= n_max) return true;
    const std::string what = c.algorithm + "(" + c.variant + ")/" + c.type + ": " + path;
    if (dry_run && options.wants(c.name() + "/" + path) && bounded_.insert(what).second) {
      std::fprintf(stderr, "%s %s is timed up to n = %lld only\n", Backend<Exec>::name().c_str(),
                   what.c_str(), static_cast<long long>(n_max));
    }
    return false;
  }

 private:
  std::set<std::string> bounded_;

  static void list(const Case& c) {
    std::printf("%s %s:", c.backend.c_str(), c.name().c_str());
    for (const Path& path : c.paths) std::printf("  %s (%s)", path.name.c_str(), path.form.c_str());
    std::printf("\n");
  }

  static void show(const Record& record) {
    const std::string label = record.path + (record.form == "view" ? "" : " (" + record.form + ")");
    if (record.verified) {
      std::fprintf(stderr, "  %s %.3g us", label.c_str(), median(record.samples) * 1e6);
    } else {
      std::fprintf(stderr, "  %s FAILED: %s", label.c_str(), record.reason.c_str());
    }
  }
};

}  // namespace twofold::bench
