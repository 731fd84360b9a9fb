// Tables of plain text.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace attncert::report {

// What stands in the place of a cell that has its full width; `row` counts the titles as the first.
using Painted = std::function<std::string(std::size_t row, std::size_t column, const std::string& cell)>;

// Columns as wide as their widest cell, numbers to the right; the last runs on.
inline std::string aligned(const std::vector<std::vector<std::string>>& rows, const std::vector<bool>& to_the_left,
                           const Painted& painted = {}) {
  std::vector<std::size_t> widths(to_the_left.size());
  for (const auto& row : rows)
    for (std::size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], row[column].size());
  std::string text;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::string line;
    for (std::size_t column = 0; column < rows[row].size(); ++column) {
      const std::string& own = rows[row][column];
      const std::string space(widths[column] - own.size(), ' '), cell = to_the_left[column] ? own + space : space + own;
      line += (column > 0 ? "  " : "") + (painted ? painted(row, column, cell) : cell);
    }
    while (line.ends_with(' ')) line.pop_back();
    text += line + "\n";
  }
  return text;
}

}  // namespace attncert::report
