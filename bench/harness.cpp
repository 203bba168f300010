// SPDX-License-Identifier: Apache-2.0
#include "harness.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <utility>

namespace twofold::bench {
namespace {

// A batch ends on window 0, whose result is known, so that it can be checked after timing too.
std::int64_t first_window(const Case& c, std::int64_t count) {
  const std::int64_t back = (count - 1) % c.windows;
  return (c.windows - back) % c.windows;
}

Elapsed run_batch(const Case& c, const Path& path, std::int64_t count) {
  const std::int64_t first = first_window(c, count);
  return path.clock->time([&] { path.run(first, count); });
}

Verdict verify(const Case& c, const Path& path) {
  try {
    path.poison();
    run_batch(c, path, 1);
    return path.check();
  } catch (const std::exception& error) {
    Verdict verdict;
    verdict.reason = std::string("threw: ") + error.what();
    return verdict;
  }
}

std::int64_t batch_size(const Case& c, const Path& path, const Sampling& sampling) {
  run_batch(c, path, std::min<std::int64_t>(3, sampling.max_batch));  // first calls allocate and load
  std::int64_t count = 1;
  double per_call = 0;
  // Grow until the estimate stands on something longer than the clock's own cost.
  do {
    per_call = run_batch(c, path, count).seconds / static_cast<double>(count);
    if (per_call * static_cast<double>(count) > 0.1 * sampling.batch_seconds) break;
    count *= 4;
  } while (count < sampling.max_batch);
  for (int again = 0; again < 2; ++again) {  // the least disturbed of three decides
    per_call = std::min(per_call, run_batch(c, path, count).seconds / static_cast<double>(count));
  }
  const double wanted = std::ceil(sampling.batch_seconds / std::max(per_call, 1e-10));
  const std::int64_t least = per_call < sampling.min_batch_until ? sampling.min_batch : 1;
  const std::int64_t most = std::max<std::int64_t>(sampling.max_batch / path.calls_per_run, 1);
  return std::clamp(static_cast<std::int64_t>(std::min(wanted, 1e9)), std::min(least, most), most);
}

Record new_record(const Case& c, const Path& path, const Verdict& verdict) {
  const Row& row = row_of(c.algorithm);
  Record record;
  record.algorithm = c.algorithm;
  record.path = path.name;
  record.form = path.form;
  record.variant = c.variant;
  record.backend = c.backend;
  record.type = c.type;
  record.accumulator = c.accumulator;
  record.n = c.n;
  record.bytes = path.bytes > 0 ? path.bytes : c.bytes;
  record.flops = c.counts_flops ? static_cast<double>(row.flops) * static_cast<double>(c.n) : 0;
  record.access = path.bytes > 0 ? Access::copy : row.access;
  record.in_cache = c.in_cache;
  record.windows = c.windows;
  record.clock = path.clock->name();
  record.verified = verdict.ok;
  record.bits = verdict.bits;
  record.error = verdict.error;
  record.tolerance = verdict.tolerance;
  record.reason = verdict.reason;
  return record;
}

void require_equal_bits(const Case& c, std::vector<Record>& records) {
  const Record* first = nullptr;
  for (std::size_t p = 0; p < records.size(); ++p) {
    if (!c.paths[p].promised_bits || !records[p].verified) continue;
    if (first == nullptr) {
      first = &records[p];
    } else if (records[p].bits != first->bits) {
      records[p].verified = false;
      records[p].reason = "bits differ from " + first->path + " (" + first->bits + ")";
    }
  }
}

void take_sample(const Case& c, const Path& path, Record& record, std::vector<double>& walls) {
  const std::int64_t count = record.batch;
  // The path before left its threads and its data behind: one call that is not timed.
  if (count >= 4) run_batch(c, path, 1);
  const Elapsed elapsed = run_batch(c, path, count);
  record.samples.push_back(elapsed.seconds / static_cast<double>(count) / path.calls_per_run);
  walls.push_back(elapsed.wall / std::max(elapsed.seconds, 1e-12));
}

// Batches must leave the right result behind as well: nothing was optimised away or still running.
void close(const Case& c, const Path& path, const std::vector<double>& walls, Record& record) {
  record.wall_ratio = median(walls);
  path.poison();
  run_batch(c, path, std::min<std::int64_t>(record.batch, 10));
  const Verdict after = path.check();
  if (!after.ok) {
    record.verified = false;
    record.reason = "wrong after a batch: " + after.reason;
  } else if (median(record.samples) > 1e-3 && std::abs(record.wall_ratio - 1) > 0.1) {
    record.reason = "wall clock and " + record.clock + " disagree: see wall_ratio";
  }
}

}  // namespace

SteadyClock::SteadyClock(std::function<void()> fence) : fence_(std::move(fence)) {}

Elapsed SteadyClock::time(const std::function<void()>& work) {
  fence_();
  const auto start = std::chrono::steady_clock::now();
  work();
  fence_();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return {elapsed.count(), elapsed.count()};
}

std::string Case::name() const {
  return algorithm + (variant.empty() ? "" : "(" + variant + ")") + "/" + type + "/" + std::to_string(n);
}

std::vector<Record> measure(const Case& c, const Sampling& sampling) {
  std::vector<Record> records;
  for (const Path& path : c.paths) records.push_back(new_record(c, path, verify(c, path)));
  require_equal_bits(c, records);

  std::vector<std::vector<double>> walls(c.paths.size());
  const auto guarded = [&](std::size_t p, auto&& work) {
    if (!records[p].verified) return;
    try {
      work();
    } catch (const std::exception& error) {
      records[p].verified = false;
      records[p].reason = std::string("threw while timed: ") + error.what();
    }
  };
  for (std::size_t p = 0; p < c.paths.size(); ++p) {
    guarded(p, [&] { records[p].batch = batch_size(c, c.paths[p], sampling); });
  }
  for (int round = 0; round < sampling.rounds; ++round) {
    for (std::size_t p = 0; p < c.paths.size(); ++p) {
      guarded(p, [&] { take_sample(c, c.paths[p], records[p], walls[p]); });
    }
  }
  for (std::size_t p = 0; p < c.paths.size(); ++p) {
    guarded(p, [&] { close(c, c.paths[p], walls[p], records[p]); });
  }
  return records;
}

}  // namespace twofold::bench
