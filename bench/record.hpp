// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is kept of one path of one case, and the strict JSON it becomes.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "table.hpp"

namespace twofold::bench {

struct Record {
  std::string algorithm;
  std::string path;         // portable, native, vendor:<name>, kokkos, plain, ladder:<rung>
  std::string form;         // "view", "host value", "graph node"
  std::string variant;      // what else tells two cases apart, such as "k=32"
  std::string backend;      // openmp, cuda
  std::string type;         // element type, as in --types
  std::string accumulator;  // type of the result
  std::int64_t n = 0;
  std::int64_t bytes = 0;
  double flops = 0;
  Access access = Access::none;
  bool in_cache = false;  // the working set fits the last-level cache and calls reuse it
  std::int64_t windows = 1;
  std::string clock;            // "cuda events", "steady clock"
  std::int64_t batch = 0;       // calls per sample
  std::vector<double> samples;  // seconds per call, sample k of every path taken in round k
  double wall_ratio = 0;        // wall clock / event time, where both were taken
  bool verified = false;
  std::string bits;  // hexadecimal bits of the result
  double error = 0;
  double tolerance = 0;
  std::string reason;  // why something is missing or failed
};

double median(std::vector<double> values);

/// Median absolute deviation from the median, divided by the median.
double relative_spread(const std::vector<double>& samples);

using Environment = std::map<std::string, std::string>;

/// Collects records and writes them, after each case, as one strict JSON object. A value that is not
/// finite becomes null, and `reason` says why.
class Results {
 public:
  Results(std::string file, Environment environment);

  void add(const std::vector<Record>& records);
  /// Replaces the file in one step, so that a run that is cut short leaves a valid one.
  void write() const;
  bool all_verified() const;
  const std::vector<Record>& records() const { return records_; }

 private:
  std::string file_;
  Environment environment_;
  std::vector<Record> records_;
};

}  // namespace twofold::bench
