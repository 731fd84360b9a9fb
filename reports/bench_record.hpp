// What benchmarks found: the time of kernels beside that of peers, as ratios. bench/ledger.hpp writes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/core/result.hpp"

namespace attncert {

struct BenchRow {
  std::string benchmark, memory, peer;              // memory: where the data lie: "L1", "L2", "L3" or "memory"
  std::uint64_t length = 0, rounds = 0;             // length: of a row, or tokens
  double ratio = 0, ratio_low = 0, ratio_high = 0;  // time / the peer's time in a round: median and quartiles
  double nanoseconds = 0, peer_nanoseconds = 0;     // an element: medians
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
    field("nanoseconds", self.nanoseconds);
    field("peer_nanoseconds", self.peer_nanoseconds);
    field("rounds", self.rounds);
    field("bar", self.bar);
  }
  // Whether both are of the same thing.
  bool same_as(const BenchRow& other) const {
    return benchmark == other.benchmark && memory == other.memory && peer == other.peer && length == other.length;
  }
  bool misses() const { return bar && !(ratio <= *bar); }
};

inline constexpr const char* bench_schema = "attncert-bench-1";

struct Bench {
  std::string schema = bench_schema;
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
Result<Done> write_bench(const Bench& bench, const std::filesystem::path& file);  // temporary name, then rename

}  // namespace attncert
