#include "reports/table_forms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "src/core/xml_text.hpp"

namespace attncert::report {
namespace {

// Tables of more columns than a wide page has room for are set as on a narrow one, a row as lines, at every width.
constexpr std::size_t most_beside = 12;

bool is_wide(std::size_t columns) { return columns > most_beside; }

// Inside a style nothing is escaped as in markup: whatever could end a string, the style or both is written as its
// number (CSS Syntax 3, "consume an escaped code point").
std::string css_string(std::string_view text) {
  constexpr std::string_view ends = "'\"\\<>&\n\r\f\t";
  std::string inside;
  for (const char c : text)
    inside += ends.find(c) == ends.npos ? std::string(1, c) : fmt::format("\\{:x} ", static_cast<unsigned>(c));
  return "'" + xml_text(inside) + "'";
}

// Before each cell of a narrow page stands the name of its column.
std::string rules_of_names(std::size_t columns) {
  const auto rules = [columns](const char* cell) {
    std::string text = fmt::format("{}:not(:empty)::before{{color:var(--soft)}}\n", cell);
    for (std::size_t column = 1; column <= columns; ++column)
      text += fmt::format("{0}:nth-child({1}):not(:empty)::before{{content:var(--c{1}) \": \"}}\n", cell, column);
    return text;
  };
  return "@media (max-width:59.99rem){\n" + rules("td") + "}\n" + (is_wide(columns) ? rules(".wide td") : "");
}

}  // namespace

TableForms::TableForms(std::span<const Block> document) { add(document); }

void TableForms::add(std::span<const Block> document) {
  for (const Block& block : document) {
    if (const auto* table = std::get_if<Table>(&block.alternative()))
      forms_.try_emplace(form_of(*table), forms_.size());
    if (const auto* folded = std::get_if<Folded>(&block.alternative()))
      for (const Folded::Row& row : folded->rows) add(row.inside);
  }
}

bool TableForms::is_number(const Table& table, std::size_t column) {
  return !table.rows.empty() &&
         std::ranges::all_of(table.rows, [=](const auto& row) { return row[column].style == Style::number; });
}

TableForms::Form TableForms::form_of(const Table& table) {
  std::vector<bool> numbers;
  for (std::size_t column = 0; column < table.columns.size(); ++column) numbers.push_back(is_number(table, column));
  return {table.columns, numbers};
}

std::string TableForms::class_of(const Table& table) const {
  return fmt::format("{}form{}", is_wide(table.columns.size()) ? "wide " : "", forms_.at(form_of(table)));
}

std::string TableForms::rules() const {
  std::string names, numbers;
  std::size_t most = 0;
  for (const auto& [form, number] : forms_) {
    const auto& [columns, is_number] = form;
    most = std::max(most, columns.size());
    names += fmt::format(".form{}{{", number);
    for (std::size_t column = 0; column < columns.size(); ++column) {
      names += fmt::format("--c{}:{};", column + 1, css_string(columns[column]));
      if (is_number[column])
        numbers += fmt::format("{}.form{} tr>:nth-child({})", numbers.empty() ? "" : ",\n", number, column + 1);
    }
    names += "}\n";
  }
  if (!numbers.empty()) numbers += "{--side:right;--lines:nowrap}\n";
  return names + numbers + rules_of_names(most);
}

}  // namespace attncert::report
