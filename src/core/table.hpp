// Tables of lines as CSV: a header, then a line each; numbers with nine digits, counts in full. The columns come from
// the line's own list (attention_lines.hpp).
#pragma once

#include <concepts>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/attention.hpp"
#include "src/core/result.hpp"

namespace attncert {

namespace table {
std::vector<std::string_view> split(std::string_view line);  // at its commas, valid as long as the line

void put(std::string& text, double value);
void put(std::string& text, TokenKind value);
void put(std::string& text, TokenScale value);
void put(std::string& text, const std::string& value);
template <std::unsigned_integral Count>
void put(std::string& text, Count value) {
  text += std::to_string(value);
}

// False when the cell is no such value.
bool get(std::string_view cell, double& value);
bool get(std::string_view cell, TokenKind& value);
bool get(std::string_view cell, TokenScale& value);
bool get(std::string_view cell, std::string& value);
bool get(std::string_view cell, std::uint64_t& value);

// The columns of a file that have another name now (src/core/old_names.hpp). They are read as if they had it; whoever
// speaks to people says so.
using OldColumns = std::vector<std::string>;

// Calls take(line number, cells) for every line after the header; `take` returns what is wrong with the line, "" for
// nothing. `where` names the stream in an Error.
Result<OldColumns> read(
    std::istream& stream, const std::string& where, const std::vector<std::string>& header,
    const std::function<std::string(std::size_t number, const std::vector<std::string_view>& cells)>& take);
}  // namespace table

template <class Line>
std::vector<std::string> column_names() {
  std::vector<std::string> names;
  Line line;
  Line::columns(line, [&](const char* name, auto&, const char*) { names.emplace_back(name); });
  return names;
}

template <class Line>
std::string header_line() {
  std::string text;
  for (const std::string& name : column_names<Line>()) text += (text.empty() ? "" : ",") + name;
  return text + "\n";
}

template <class Line>
void append_line(std::string& text, const Line& line) {
  bool first = true;
  Line::columns(line, [&](const char*, const auto& value, const char*) {
    if (!first) text += ',';
    first = false;
    table::put(text, value);
  });
  text += '\n';
}

// Streams: memory does not grow with the table. The columns are to be exactly the line's.
template <class Line>
Result<table::OldColumns> read_table(std::istream& stream, const std::string& where,
                                     const std::function<void(const Line&)>& take) {
  return table::read(stream, where, column_names<Line>(), [&](std::size_t, const std::vector<std::string_view>& cells) {
    Line line;
    std::string wrong;
    std::size_t next = 0;
    Line::columns(line, [&](const char* name, auto& value, const char*) {
      const std::string_view cell = cells[next++];
      if (!table::get(cell, value)) wrong = std::string(name) + " is not a value of this column";
    });
    if (wrong.empty()) take(line);
    return wrong;
  });
}

template <class Line>
Result<table::OldColumns> read_table(const std::filesystem::path& file, const std::function<void(const Line&)>& take) {
  std::ifstream stream(file);
  return read_table<Line>(stream, file.string(), take);
}

}  // namespace attncert
