// SPDX-License-Identifier: Apache-2.0
#include "record.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace twofold::bench {
namespace {

using Json = nlohmann::ordered_json;

/// Seven digits: more than any clock has, and the files stay small.
Json finite_or_null(double value) {
  if (!std::isfinite(value)) return nullptr;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.7g", value);
  return std::strtod(text.data(), nullptr);
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

std::string name_of(Access access) {
  switch (access) {
    case Access::read:
      return "read";
    case Access::write:
      return "write";
    case Access::copy:
      return "copy";
    case Access::none:
      break;
  }
  return "none";
}

double gb_per_s(const Record& record) {
  const double seconds = median(record.samples);
  // An operation without traffic has no bandwidth; NaN becomes null in the file.
  return record.bytes > 0 && seconds > 0 ? static_cast<double>(record.bytes) / seconds * 1e-9 : NAN;
}

using Limits = std::map<std::pair<std::string, Access>, double>;

/// The best that any verified record reached out of cache, per backend and kind of access: the
/// dedicated read, memset or memcpy, or a path that beat it. So a fraction never exceeds 1.
Limits limits_of(const std::vector<Record>& records) {
  Limits limits;
  for (const Record& record : records) {
    if (!record.verified || record.in_cache || record.access == Access::none) continue;
    const double rate = gb_per_s(record);
    if (!std::isfinite(rate)) continue;
    double& best = limits[{record.backend, record.access}];
    best = std::max(best, rate);
  }
  return limits;
}

Json to_json(const Record& record, const Limits& limits) {
  const double seconds = median(record.samples);
  const double rate = gb_per_s(record);
  const auto found = limits.find({record.backend, record.access});
  const double limit = found == limits.end() ? NAN : found->second;
  std::string reason = record.reason;
  double fraction = NAN;
  if (record.access == Access::none) {
    if (reason.empty()) reason = "no memory limit applies";
  } else if (record.in_cache) {
    if (reason.empty()) reason = "fits in cache: the limit was measured in memory";
  } else {
    fraction = rate / limit;
  }
  Json json;
  json["algorithm"] = record.algorithm;
  json["path"] = record.path;
  json["backend"] = record.backend;
  json["type"] = record.type;
  json["accumulator"] = record.accumulator;
  json["form"] = record.form;
  json["variant"] = text_or_null(record.variant);
  json["n"] = record.n;
  json["seconds"] = finite_or_null(seconds);
  json["spread"] = finite_or_null(relative_spread(record.samples));
  json["bytes"] = record.bytes;
  json["gb_per_s"] = finite_or_null(rate);
  json["gflop_per_s"] = finite_or_null(record.flops > 0 ? record.flops / seconds * 1e-9 : NAN);
  json["access"] = name_of(record.access);
  json["limit_gb_per_s"] = finite_or_null(limit);
  json["limit_fraction"] = finite_or_null(fraction);
  json["regime"] = record.in_cache ? "cache" : "memory";
  json["verified"] = record.verified;
  json["bits"] = text_or_null(record.bits);
  json["error"] = finite_or_null(record.error);
  json["tolerance"] = finite_or_null(record.tolerance);
  json["clock"] = record.clock;
  json["wall_ratio"] = finite_or_null(record.wall_ratio > 0 ? record.wall_ratio : NAN);
  json["batch"] = record.batch;
  json["windows"] = record.windows;
  json["samples"] = Json::array();
  for (const double sample : record.samples) json["samples"].push_back(finite_or_null(sample));
  json["reason"] = text_or_null(reason);
  return json;
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return NAN;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

double relative_spread(const std::vector<double>& samples) {
  if (samples.size() < 2) return NAN;
  const double middle = median(samples);
  std::vector<double> deviations;
  for (const double sample : samples) deviations.push_back(std::abs(sample - middle));
  return median(std::move(deviations)) / middle;
}

Results::Results(std::string file, Environment environment)
    : file_(std::move(file)), environment_(std::move(environment)) {}

void Results::add(const std::vector<Record>& records) {
  records_.insert(records_.end(), records.begin(), records.end());
}

void Results::write() const {
  if (file_.empty()) return;
  Json json;
  json["schema"] = "twofold-bench-1";
  for (const auto& [key, value] : environment_) json["environment"][key] = text_or_null(value);
  json["cases"] = Json::array();
  const Limits limits = limits_of(records_);
  for (const Record& record : records_) json["cases"].push_back(to_json(record, limits));
  const std::string unfinished = file_ + ".part";
  {
    std::ofstream out(unfinished);
    out << json.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
    if (!out.flush()) throw std::runtime_error("cannot write " + unfinished);
  }
  if (std::rename(unfinished.c_str(), file_.c_str()) != 0) {
    throw std::runtime_error("cannot rename " + unfinished + " to " + file_);
  }
}

bool Results::all_verified() const {
  return std::all_of(records_.begin(), records_.end(), [](const Record& record) { return record.verified; });
}

}  // namespace twofold::bench
