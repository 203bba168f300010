// SPDX-License-Identifier: Apache-2.0
#include "tables.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace twofold::reference {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Cell& cell) {
  if (cell.kind == Cell::Kind::text) return cell.text;
  if (cell.kind == Cell::Kind::whole) return std::to_string(cell.whole);
  if (cell.kind == Cell::Kind::nothing || !std::isfinite(cell.real)) return "-";
  // Four digits, but large numbers in full: 12345.6 is 12346, not 1.235e+04.
  const bool large = std::abs(cell.real) >= 1000 && std::abs(cell.real) < 1e9;
  char digits[32];
  std::snprintf(digits, sizeof digits, large ? "%.0f" : "%.4g", cell.real);
  return digits;
}

Json json_of(const Cell& cell) {
  if (cell.kind == Cell::Kind::text) return cell.text;
  if (cell.kind == Cell::Kind::whole) return cell.whole;
  if (cell.kind == Cell::Kind::nothing || !std::isfinite(cell.real)) return nullptr;
  return cell.real;
}

std::string heading(const Column& column) {
  return column.unit.empty() ? column.name : column.name + " [" + column.unit + "]";
}

}  // namespace

std::string as_text(const Table& table) {
  std::vector<std::size_t> widths;
  std::vector<std::vector<std::string>> lines(1);
  for (const Column& column : table.columns) lines[0].push_back(heading(column));
  for (const auto& row : table.rows) {
    lines.emplace_back();
    for (const Cell& cell : row) lines.back().push_back(text_of(cell));
  }
  for (const auto& line : lines) {
    widths.resize(std::max(widths.size(), line.size()));
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], line[c].size());
  }
  std::string text = table.title + "\n";
  for (std::size_t l = 0; l < lines.size(); ++l) {
    std::string line;
    for (std::size_t c = 0; c < lines[l].size(); ++c) {
      const std::string room(widths[c] - lines[l][c].size(), ' ');
      line += (c == 0 ? lines[l][c] + room : "  " + room + lines[l][c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += "  " + line + "\n";
    if (l == 0) text += "  " + std::string(line.size(), '-') + "\n";
  }
  for (const std::string& note : table.notes) text += "  * " + note + "\n";
  return text;
}

void write_json(const std::string& file, const Environment& environment, const std::vector<Table>& tables) {
  Json json;
  json["schema"] = "twofold-reference-1";
  json["environment"] = Json::object();
  for (const auto& [key, value] : environment) json["environment"][key] = value;
  json["tables"] = Json::array();
  for (const Table& table : tables) {
    Json t;
    t["id"] = table.id;
    t["title"] = table.title;
    t["columns"] = Json::array();
    for (const Column& column : table.columns) {
      Json c;
      c["name"] = column.name;
      c["unit"] = column.unit.empty() ? Json(nullptr) : Json(column.unit);
      t["columns"].push_back(std::move(c));
    }
    t["rows"] = Json::array();
    for (const auto& row : table.rows) {
      Json cells = Json::array();
      for (const Cell& cell : row) cells.push_back(json_of(cell));
      t["rows"].push_back(std::move(cells));
    }
    t["notes"] = table.notes;
    json["tables"].push_back(std::move(t));
  }
  const std::string unfinished = file + ".part";
  {
    std::ofstream out(unfinished);
    out << json.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
    if (!out.flush()) throw std::runtime_error("cannot write " + unfinished);
  }
  if (std::rename(unfinished.c_str(), file.c_str()) != 0) {
    throw std::runtime_error("cannot rename " + unfinished + " to " + file);
  }
}

}  // namespace twofold::reference
