// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <regex>
#include <string>
#include <vector>

namespace twofold::bench {

struct Options {
  std::string backend = "auto";
  bool quick = false;
  bool list = false;
  std::string only;  // regular expression over algorithm/type/n/path
  std::regex only_regex;
  std::vector<std::int64_t> sizes;  // empty: the defaults of the backend
  std::vector<std::string> types;
  int reps = 0;     // 0: 11, or 7 with --quick
  int threads = 0;  // 0: as the run time finds
  bool cold = false;
  bool graph = false;
  bool limits = true;
  std::string out;
  std::string revision = "unknown";
  std::string command_line;

  bool wants(const std::string& name) const { return only.empty() || std::regex_search(name, only_regex); }
};

/// Parses the command line. Prints help or the error and exits where there is nothing to run.
Options parse_options(int argc, char** argv);

}  // namespace twofold::bench
