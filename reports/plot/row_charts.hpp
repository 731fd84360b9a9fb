// Charts of one row a thing: quotients, of which 1 is the border, and bars. The label of a row stands before it where
// all labels are short, and above it where one is long.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attncert::report {

struct RowMark {
  double value;
  int look;           // 0 to 9
  std::string title;  // what a pointer on it is told
};

// Linear from 0 to 2, if any is beyond 1, and logarithmic from there; else from 0 to 1. `most`: what is beyond it
// stands at the end of the axis.
struct QuotientChart {
  struct Row {
    std::string label, value;  // value: stands behind it, in words
    std::vector<RowMark> marks;
  };
  std::string title;
  std::vector<Row> rows = {};
  std::vector<std::pair<std::string, int>> legend = {};  // label and look
  std::optional<double> most = {};
};
std::string svg(const QuotientChart& chart);

struct BarChart {
  struct Row {
    std::string label, value;
    std::vector<RowMark> parts;  // side by side; at least 0
  };
  std::string title;
  bool shares = false;  // every bar is as long, and its parts are shares of it
  std::vector<Row> rows = {};
  std::vector<std::pair<std::string, int>> legend = {};
};
std::string svg(const BarChart& chart);

}  // namespace attncert::report
