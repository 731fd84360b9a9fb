// What benchmarks found: the time of kernels beside that of peers, as ratios (bench/ledger.hpp), which a report shows
// where it is given. The bars are those of the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reports/document.hpp"
#include "src/core/result.hpp"

namespace attncert {

struct BenchRow {
  std::string benchmark, memory, peer;              // memory: where the data lie: "L1", "L2", "L3" or "memory"
  std::uint64_t length = 0, rounds = 0;             // length: of a row, or tokens
  double ratio = 0, ratio_low = 0, ratio_high = 0;  // time / the peer's time in a round: median and quartiles
  std::optional<double> bar = {};                   // the largest ratio that is wanted

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("benchmark", self.benchmark);
    field("length", self.length);
    field("memory", self.memory);
    field("peer", self.peer);
    field("ratio", self.ratio);
    field("ratio_low", self.ratio_low);
    field("ratio_high", self.ratio_high);
    field("rounds", self.rounds);
    field("bar", self.bar);
  }
  bool misses() const { return bar && !(ratio <= *bar); }
};

struct Bench {
  std::string schema;
  std::map<std::string, std::string> machine;  // in the file's words: cpu, instruction_set, commit
  std::vector<BenchRow> rows;

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("schema", self.schema);
    field("machine", self.machine);
    field("rows", self.rows);
  }
};

Result<Bench> read_bench(const std::filesystem::path& file);

namespace report {

void add_bench(const Bench& bench, Document& document);
Numbers::Item bars_held(const Bench& bench);

}  // namespace report
}  // namespace attncert
