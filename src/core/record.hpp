// What one task of a run found, as data: the journal keeps it, the ledger is made from it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "src/core/tally.hpp"
#include "src/core/witness.hpp"

namespace attncert {

struct Counterexample {
  Witness witness;
  std::string lhs, rhs;   // decimal enclosures of both sides
  std::string part = {};  // of a statement of several: the one that it violates

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("witness", self.witness);
    field("lhs", self.lhs);
    field("rhs", self.rhs);
    field({"part", true}, self.part);
  }
};

struct TaskRecord {
  std::map<std::string, std::map<std::string, Tally>>
      tallies;  // claim id -> source ("witness", "random", ...) -> tally
  // claim id -> the smallest of this task for each part that is violated
  std::map<std::string, std::vector<Counterexample>> counterexamples;
  std::map<std::string, Witness> tightest;                // file -> the maximiser's instance, which no tape replays
  std::map<std::string, std::vector<std::string>> tapes;  // claim id -> the tightest tapes, of a claim to be proved
  double largest_rounding = 0;  // of the captured unit tokens to rational points, as LedgerReal has it
  std::uint64_t ties = 0;

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("tallies", self.tallies);
    field("counterexamples", self.counterexamples);
    field("tightest", self.tightest);
    field({"tapes", true}, self.tapes);
    field("largest_rounding", exact_bits(self.largest_rounding));
    field("ties", self.ties);
  }
};

}  // namespace attncert
