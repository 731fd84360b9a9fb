// A CSV file of expected values: a header line, then a line per row. A missing file or column fails the test loudly.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace attncert {

class Table {
 public:
  explicit Table(const std::string& name);  // of data/tiny-gpt2/expected; throws std::runtime_error

  std::size_t rows() const { return cells_.size(); }
  const std::string& text(std::size_t row, const std::string& column) const { return cells_[row][columns_.at(column)]; }
  double number(std::size_t row, const std::string& column) const { return std::stod(text(row, column)); }
  std::size_t count(std::size_t row, const std::string& column) const { return std::stoul(text(row, column)); }

 private:
  std::map<std::string, std::size_t> columns_;
  std::vector<std::vector<std::string>> cells_;
};

}  // namespace attncert
