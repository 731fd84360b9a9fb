// A matrix whose columns are too many for labels: a strip a row, a mark where something is, in three strengths.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace attncert::report {

struct Matrix {
  struct Cell {
    std::size_t column;
    int look;      // 0 to 9
    int strength;  // 0 to 2
    std::string title;
  };
  struct Row {
    std::string label, value;  // value: stands behind it, in words
    std::vector<Cell> cells;
  };
  std::string title;
  std::size_t columns = 0;
  std::vector<Row> rows = {};
  std::vector<std::pair<std::string, int>> legend = {};  // label and look
};
std::string svg(const Matrix& matrix);

}  // namespace attncert::report
