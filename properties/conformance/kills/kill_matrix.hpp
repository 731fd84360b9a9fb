// The kill matrix: which check notices which fault, and after how many cases. Checks are "accuracy" or "bounds" (an
// entry outside its budget, or outside its stated error), "attention" (an element outside the bound of its rounding
// class), "contract" (a degenerate row, or a valid call refused), "writes" (outside the rows, or entries left
// unwritten), and the laws and calling-convention checks by their names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "properties/conformance/accuracy/cases.hpp"
#include "properties/conformance/suite/suite.hpp"

namespace attncert {

// Of an acceptance rule in use elsewhere, which stands beside our verdict and is no part of it: on the cases that our
// check decides on, or on inputs that are customary for such rules.
inline constexpr std::string_view on_campaign = "campaign", on_customary = "customary";

struct Kill {
  std::string_view fault;  // or a right kernel
  std::string check;
  std::uint64_t cases = 0;  // tried, the one that caught it included
  bool caught = false;
  std::string witness;                        // what was seen, for people
  std::uint64_t elements = 0, undecided = 0;  // of the check of rows: what was judged, and what of it was left open
  std::string rule_on = {};  // "": a check of ours; else `check` is a rule of attention/rules_in_use.hpp

  // All but the fault.
  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("check", self.check);
    field("cases", self.cases);
    field("caught", self.caught);
    field("witness", self.witness);
    field("elements", self.elements);
    field("undecided", self.undecided);
    field("rule_on", self.rule_on);
  }
};

struct KillPlan {
  std::uint64_t seed = 1;
  Effort effort = Effort::quick;
  std::uint64_t tapes = 60;  // for every law and calling-convention check
  bool first_only = false;   // stop at the first check that catches; the one that the fault names goes first
};

// False when nothing can be said: the normalizer has no reference, or no kernel of the suite whose budget would serve.
bool judgeable(const Fault& fault);

std::vector<Kill> kills_of(const Fault& fault, const KillPlan& plan);

// One line a fault: the checks that catch it.
struct KillSummary {
  const Fault* fault;
  std::vector<Kill> kills;
  // Of our checks alone. The catch after the fewest cases; null where there is none.
  const Kill* first() const;
  std::string checks() const;  // "accuracy after 9, monotone after 2"; "survives", of a right kernel "passes"
  bool as_expected() const { return (first() != nullptr) == fault->wrong; }
};
// Summaries of the faults that can be judged, each by one thread, so that figures depend on no schedule.
std::vector<KillSummary> summaries(std::span<const Fault> faults, const KillPlan& plan);

// What a run of all comes to:
// "164 deliberately wrong kernels, 0 survivors; 46 right kernels of unusual form, 0 false alarms".
std::string totals(std::span<const KillSummary> matrix);

// Attention kernels: our verdict beside what each rule in use says, as a table in Markdown and the rules' sources under
// it; "" where the matrix has none.
std::string rules_table(std::span<const KillSummary> matrix);

}  // namespace attncert
