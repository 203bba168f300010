// SPDX-License-Identifier: Apache-2.0
#pragma once

// Verify, then time: the part of a benchmark that knows neither Kokkos nor CUDA.
//
// A case is one algorithm, type and count; its paths are the implementations that compete. Each path
// is verified before it is timed, then all take one sample per round in turn (A, B, C, A, B, C ...),
// so that a ratio of two paths comes from neighbours in time and drifting clocks cancel.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "record.hpp"

namespace twofold::bench {

/// What a path's result looked like beside the reference.
struct Verdict {
  bool ok = false;
  std::string bits;
  double error = 0;
  double tolerance = 0;
  std::string reason;
};

struct Elapsed {
  double seconds = 0;  // what is reported
  double wall = 0;     // steady clock over the same calls, up to the end of their execution
};

/// Runs work and waits until all of it has been executed: enqueuing alone is never timed.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Elapsed time(const std::function<void()>& work) = 0;
  virtual std::string name() const = 0;
};

/// For host back ends and for calls that block: wall time, closed by a fence.
class SteadyClock : public Clock {
 public:
  explicit SteadyClock(std::function<void()> fence);
  Elapsed time(const std::function<void()>& work) override;
  std::string name() const override { return "steady clock"; }

 private:
  std::function<void()> fence_;
};

struct Path {
  std::string name;
  std::string form = "view";
  bool promised_bits = false;  // must equal, bit for bit, every other such path of the case
  std::function<void()> poison;
  std::int64_t bytes =
      0;  // that a call moves, copying, where its function must move more than the case counts
  int calls_per_run = 1;  // a graph of several calls runs them all at once
  /// Enqueues `count` runs, on windows first, first + 1, ... of the input.
  std::function<void(std::int64_t first, std::int64_t count)> run;
  std::function<Verdict()> check;  // of the result of the last call, made on window 0
  Clock* clock = nullptr;
};

struct Case {
  std::string algorithm;
  std::string variant;
  bool counts_flops = true;  // as bench/table.hpp has them; false where the variant has others
  std::string backend;
  std::string type;
  std::string accumulator;
  std::int64_t n = 0;
  std::int64_t bytes = 0;
  bool in_cache = false;
  std::int64_t windows = 1;
  bool is_limit = false;  // measured whatever --only says: other cases are divided by it
  std::vector<Path> paths;

  std::string name() const;
};

struct Sampling {
  int rounds = 11;
  double batch_seconds = 2e-3;  // calls are batched up to this
  std::int64_t min_batch = 1;
  std::int64_t max_batch = 200;
  double min_batch_until = 1e-2;  // calls longer than this need no minimum
};

/// Verifies and times all paths. A path that fails is recorded with the reason and not timed.
std::vector<Record> measure(const Case& c, const Sampling& sampling);

}  // namespace twofold::bench
