// What a campaign found of one kernel (a bound kernel among them) on one instruction set: what `attncert accuracy`
// prints, and a row of the ledger's `kernels`.
#pragma once

#include <cstdint>
#include <string>

namespace attncert {

struct KernelResult {
  std::string normalizer = {}, kernel = {}, isa = {}, dtype = {};  // normalizer: of a bound kernel the bound's name
  double worst_ulp = 0;                                            // certain upper bound over everything judged
  double budget_ulp = 0;                                           // the budget where worst_fraction was met
  double worst_fraction = 0;                                       // the largest error / budget
  std::uint64_t elements = 0, undecided = 0, outside = 0;          // outside: beyond the budget, or a broken contract
  std::string contract = {};                                       // the contract declared and whether it was kept
  std::string laws = {};                                           // which were kept, and what broke
  std::uint64_t laws_broken = 0, laws_undecided = 0;  // broken: or unanswered; undecided at every precision
  std::string replay = {};                            // the command that repeats the worst case
  double vacuity = 0;  // 99 of 100 entries were judged so closely that a relative change of this size would have shown

  // Beyond this line: of the run alone, not in the ledger.
  bool weak = false;                         // the vacuity is too large, or too few entries say what it is
  std::uint64_t double_double_elements = 0;  // judged in double-double arithmetic
  std::uint64_t double_double_open = 0;      // left by it to intervals
  std::uint64_t cases = 0;                   // rows it ran on
  std::uint64_t laws_checked = 0, laws_kept = 0;
  std::string laws_replay = {};    // the command that repeats the first law that was not kept
  std::string contract_seen = {};  // the contracts of the catalogue that its rows agree with
  std::string witness = {};        // the worst entry, for people
  std::uint64_t contract_rows = 0, contract_broken = 0;

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("normalizer", self.normalizer);
    field("kernel", self.kernel);
    field("isa", self.isa);
    field("dtype", self.dtype);
    field("worst_ulp", self.worst_ulp);
    field("budget_ulp", self.budget_ulp);
    field("worst_fraction", self.worst_fraction);
    field("elements", self.elements);
    field("undecided", self.undecided);
    field("outside", self.outside);
    field("contract", self.contract);
    field("laws", self.laws);
    field("laws_broken", self.laws_broken);
    field("laws_undecided", self.laws_undecided);
    field("replay", self.replay);
    field("vacuity", self.vacuity);
  }
};

}  // namespace attncert
