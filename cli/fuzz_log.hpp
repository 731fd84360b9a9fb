// What a fuzzing engine prints, read line by line: libFuzzer's "#1234 NEW cov: 345 ft: 456 corp: 12/345b ..." and
// "stat::number_of_executed_units: 1234", the targets' "RECORD 0.81 words" and "RUNS 1234" (fuzz/record.hpp). Other
// lines say nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attncert::cli {

struct FuzzProgress {
  std::uint64_t executions = 0, coverage = 0, features = 0, corpus = 0;
  double worst = -1;  // the rank of worst_words; below 0: nothing was measured
  std::string worst_words;
  std::size_t worst_job = 0;  // of several: whose it is
};

void take_line(std::string_view line, FuzzProgress& progress);
FuzzProgress together(std::span<const FuzzProgress> jobs);  // executions add up, the rest is the best of any
std::string worst_text(const FuzzProgress& progress);       // "worst 0.81 of the budget, ..."; "" when there is none

// One engine: bytes as they come, lines as they end.
class FuzzLog {
 public:
  void take(std::string_view bytes);
  const FuzzProgress& progress() const { return progress_; }
  const std::string& last_line() const { return last_; }  // the last one that is not empty, printable

 private:
  void end_line();
  FuzzProgress progress_;
  std::string line_, last_;
};

}  // namespace attncert::cli
