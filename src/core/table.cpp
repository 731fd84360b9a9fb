#include "src/core/table.hpp"

#include <fmt/format.h>

#include <cmath>

#include "src/core/number_in.hpp"
#include "src/core/old_names.hpp"

namespace attncert::table {
namespace {

template <class Kind, class All>
bool get_named(std::string_view cell, const All& all, Kind& value) {
  for (const Kind one : all)
    if (cell == name(one)) {
      value = one;
      return true;
    }
  return false;
}

template <class Number>
bool get_number(std::string_view cell, Number& value) {
  const std::optional<Number> number = number_in<Number>(cell);
  value = number.value_or(value);
  return number.has_value();
}

}  // namespace

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    const auto comma = line.find(',');
    cells.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

void put(std::string& text, double value) { fmt::format_to(std::back_inserter(text), "{:.9g}", value); }
void put(std::string& text, TokenKind value) { text += name(value); }
void put(std::string& text, TokenScale value) { text += name(value); }
void put(std::string& text, const std::string& value) {
  ATTNCERT_ASSERT(value.find_first_of(",\n\"") == std::string::npos);
  text += value;
}

bool get(std::string_view cell, double& value) { return get_number(cell, value); }
bool get(std::string_view cell, TokenKind& value) { return get_named(cell, token_kinds, value); }
bool get(std::string_view cell, TokenScale& value) {
  return get_named(cell, std::array{TokenScale::raw, TokenScale::unit}, value);
}
bool get(std::string_view cell, std::string& value) {
  value = cell;
  return !cell.empty() && cell.find('"') == std::string_view::npos;
}
bool get(std::string_view cell, std::uint64_t& value) { return get_number(cell, value); }

Result<OldColumns> read(std::istream& stream, const std::string& where, const std::vector<std::string>& header,
                        const std::function<std::string(std::size_t, const std::vector<std::string_view>&)>& take) {
  std::string line;
  const std::string mend = "; measure anew with attncert gpt2 --force";
  if (!stream || !std::getline(stream, line)) return Error{where + ": cannot be read" + mend};
  const std::vector<std::string_view> names = split(line);
  const auto named = [](std::string_view given, const std::string& name) {
    return given == name || present_name("column", given) == name;
  };
  if (!std::equal(names.begin(), names.end(), header.begin(), header.end(), named))
    return Error{where + ": has other columns than this version writes" + mend};
  OldColumns old;  // before the next line takes the place of the names
  for (std::size_t i = 0; i < header.size(); ++i)
    if (names[i] != header[i]) old.emplace_back(names[i]);
  for (std::size_t number = 2; std::getline(stream, line); ++number) {
    const std::vector<std::string_view> cells = split(line);
    const std::string wrong = cells.size() == header.size()
                                  ? take(number, cells)
                                  : std::string("has another number of cells than the header");
    if (!wrong.empty()) return Error{fmt::format("{}:{}: {}{}", where, number, wrong, mend)};
  }
  if (stream.bad()) return Error{where + ": reading failed half-way; check the disk"};
  return old;
}

}  // namespace attncert::table
