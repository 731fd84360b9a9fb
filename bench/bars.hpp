// What the suite asks of its own speed: the most that the ratio of a benchmark's time to a peer's may be.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bench/ledger.hpp"

namespace attncert::bench {

std::optional<double> bar(const Benchmark& what, std::string_view peer);

// Of benchmarks that print what they measure: figures beside the most that they may be, and whether all are.
class Bars {
 public:
  std::string beside(double figure, double most);  // "1.42 (at most 1.5)"
  int status() const { return missed_ ? 1 : 0; }

 private:
  bool missed_ = false;
};

}  // namespace attncert::bench
