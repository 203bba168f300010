// SPDX-License-Identifier: Apache-2.0
#pragma once

// A table as the texts print them: for people as aligned text, for programs as strict JSON.

#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace twofold::reference {

/// Text, a whole number, a number, or nothing. Nothing becomes "-" and null; so does a number that is not finite.
struct Cell {
  enum class Kind { nothing, text, whole, real };

  Cell() = default;
  Cell(std::string t) : kind(Kind::text), text(std::move(t)) {}
  Cell(const char* t) : kind(Kind::text), text(t) {}
  Cell(std::integral auto w) : kind(Kind::whole), whole(static_cast<std::int64_t>(w)) {}
  Cell(double r) : kind(Kind::real), real(r) {}

  Kind kind = Kind::nothing;
  std::string text;
  std::int64_t whole = 0;
  double real = 0;
};

struct Column {
  std::string name;
  std::string unit;  // "us", "GB/s", "cycles", "" where there is none
};

struct Table {
  std::string id;
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::string> notes;
};

using Environment = std::map<std::string, std::string>;

std::string as_text(const Table& table);

/// Writes one JSON object: schema, environment, tables. Replaces the file in one step. Throws on failure.
void write_json(const std::string& file, const Environment& environment, const std::vector<Table>& tables);

}  // namespace twofold::reference
