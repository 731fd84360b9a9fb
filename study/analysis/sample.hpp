// Sample: of any number of rows, those with the smallest hash of their key (bottom-k sampling; Cohen and Kaplan, PODC
// 2007). The hash does not depend on the values, so the sample is random. It does not depend on the order or the number
// of jobs either, and cells that saw the same rows keep the same rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "study/attention_lines.hpp"

namespace attncert::report {

template <class Value>
class Sample {
 public:
  explicit Sample(std::size_t limit) : limit_(limit) {}

  void add(const RowKey& row, const Value& value) {
    ++seen_;
    const Entry entry{hash(row), value};
    if (kept_.size() == limit_) {
      if (!(entry.hash < kept_.front().hash)) return;
      std::pop_heap(kept_.begin(), kept_.end());
      kept_.pop_back();
    }
    kept_.push_back(entry);
    std::push_heap(kept_.begin(), kept_.end());
  }

  std::uint64_t seen() const { return seen_; }
  std::size_t size() const { return kept_.size(); }

  std::vector<Value> values() const {  // smallest hash first
    std::vector<Entry> sorted = kept_;
    std::sort_heap(sorted.begin(), sorted.end());
    std::vector<Value> values;
    values.reserve(sorted.size());
    for (const Entry& entry : sorted) values.push_back(entry.value);
    return values;
  }

 private:
  struct Entry {
    std::uint64_t hash;
    Value value;
    bool operator<(const Entry& other) const { return hash < other.hash; }
  };
  std::size_t limit_;
  std::uint64_t seen_ = 0;
  std::vector<Entry> kept_;  // a heap, largest hash in front
};

// "4,096 of 14,400 rows kept", of the cell with the most rows; "all rows" where none was dropped.
std::string kept_text(std::size_t kept, std::uint64_t seen);
template <class Cells, class Get>  // `get`: a cell's sample
std::string kept_text(const Cells& cells, Get get) {
  std::size_t kept = 0;
  std::uint64_t seen = 0;
  for (const auto& [place, cell] : cells)
    if (get(cell).seen() > seen) kept = get(cell).size(), seen = get(cell).seen();
  return kept_text(kept, seen);
}

// Linear between order statistics (R's type 7); NaN of an empty list. `sorted` ascends.
double quantile(const std::vector<double>& sorted, double share);

// `get` of every value, ascending; values that are not finite are left out.
template <class Value, class Get>
std::vector<double> sorted(const std::vector<Value>& values, Get get) {
  std::vector<double> numbers;
  for (const Value& value : values)
    if (const double number = std::invoke(get, value); number - number == 0) numbers.push_back(number);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace attncert::report
