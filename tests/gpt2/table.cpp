#include "tests/gpt2/table.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace attncert {
namespace {

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

}  // namespace

Table::Table(const std::string& name) {
  const std::string path = std::string(ATTNCERT_SOURCE_DIR) + "/data/tiny-gpt2/expected/" + name;
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) throw std::runtime_error("cannot read " + path);
  const auto names = cells_of(line);
  for (std::size_t i = 0; i < names.size(); ++i) columns_[names[i]] = i;
  while (std::getline(file, line)) {
    cells_.push_back(cells_of(line));
    if (cells_.back().size() != names.size()) throw std::runtime_error("ragged line in " + path + ": " + line);
  }
}

}  // namespace attncert
