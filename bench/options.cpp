// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>

namespace twofold::bench {
namespace {

/// Reads 1000, 1e6, 2^20, 2^20+1, 2^20-1.
std::int64_t parse_size(const std::string& text) {
  static const std::regex pattern(R"((\d+)(?:\^(\d+)|e(\d+))?(?:([+-])(\d+))?)");
  std::smatch part;
  if (!std::regex_match(text, part, pattern)) {
    throw CLI::ValidationError("--sizes", "'" + text + "' is not a size such as 1024, 1e6 or 2^20+1");
  }
  double size = std::stod(part[1]);
  if (part[2].matched) size = std::pow(size, std::stod(part[2]));
  if (part[3].matched) size *= std::pow(10.0, std::stod(part[3]));
  if (part[5].matched) size += (part[4] == "-" ? -1.0 : 1.0) * std::stod(part[5]);
  if (!(size >= 0) || size > std::ldexp(1.0, 48)) {
    throw CLI::ValidationError("--sizes", "'" + text + "' is outside 0 .. 2^48");
  }
  return static_cast<std::int64_t>(size);
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options options;
  std::vector<std::string> sizes;
  CLI::App app{"Verifies and times every path of every Twofold algorithm on this machine."};
  app.add_option("--backend", options.backend, "what to run on")
      ->check(CLI::IsMember({"auto", "openmp", "cuda"}))
      ->capture_default_str();
  app.add_flag("--quick", options.quick, "few sizes, 7 rounds, short batches");
  app.add_option("--only", options.only, "keep what matches this regular expression: algorithm/type/n/path");
  app.add_option("--sizes", sizes, "counts, such as 1024,2^20,2^20+1,1e6")->delimiter(',');
  app.add_option("--types", options.types, "of float, double, int32, int64, uint32, uint64, float->double")
      ->delimiter(',')
      ->check(CLI::IsMember({"float", "double", "int32", "int64", "uint32", "uint64", "float->double"}));
  app.add_option("--reps", options.reps, "rounds; every path takes one sample in each (11; 7 if quick)")
      ->check(CLI::Range(1, 1000));
  app.add_option("--threads", options.threads, "host threads (all)")->check(CLI::Range(1, 4096));
  app.add_flag("--cold", options.cold, "rotate through fresh memory at every size, small ones too");
  app.add_flag("--graph", options.graph, "nodes of a CUDA graph at every count, not up to 2^20 only");
  app.add_flag("!--no-limits", options.limits, "skip the memory limits: no limit_fraction");
  app.add_option("--out", options.out, "write the results to this JSON file");
  app.add_option("--revision", options.revision, "source revision to record");
  app.add_flag("--list", options.list, "list the cases, run nothing");
  try {
    app.parse(argc, argv);
    for (const std::string& size : sizes) options.sizes.push_back(parse_size(size));
    options.only_regex = std::regex(options.only);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  } catch (const std::regex_error& error) {
    std::cerr << "--only: '" << options.only << "' is no regular expression: " << error.what() << '\n';
    std::exit(2);
  }
  if (options.reps == 0) options.reps = options.quick ? 7 : 11;
  if (options.types.empty()) options.types = {"float", "double"};
  for (int i = 0; i < argc; ++i) options.command_line += (i ? " " : "") + std::string(argv[i]);
  return options;
}

}  // namespace twofold::bench
