// What benchmarks found, as ratios: printed line by line as a Markdown table, and kept in a file (docs/building.md)
// that `attncert report` shows.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/rounds.hpp"
#include "reports/bench_record.hpp"

namespace attncert::bench {

struct Benchmark {
  std::string name;    // what is timed: "softmax.f32", or one of its ways, "softmax.f32/masked"
  std::size_t length;  // of a row, or tokens
  std::string memory;  // where the data lie: "L1", "L2", "L3" or "memory"
};

class Ledger {
 public:
  Ledger();

  // Times all subjects in interleaved rounds and records the first one beside each other: the median over rounds of
  // their ratio in a round, and its quartiles.
  void compare(const Benchmark& what, const std::vector<Subject>& subjects, std::size_t elements, std::size_t rounds);

  // Without rows nothing was measured.
  const std::vector<BenchRow>& rows() const { return rows_; }

 private:
  std::vector<BenchRow> rows_;
};

// What the program of a benchmark does with its command line: `--json FILE` keeps the ledger, in the place of what FILE
// has of the same rows, if FILE is of this machine, instruction set and commit; `--only TEXT` measures what contains
// it; `--instruction-set SET`. Returns the status to exit with.
struct Options {
  std::string only, instruction_set;
};
int run_program(int argc, char** argv, const char* about, void (*measure)(Ledger& ledger, const Options& options));

}  // namespace attncert::bench
