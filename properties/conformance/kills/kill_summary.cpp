// The kill matrix for people: one line a fault, as Markdown.
#include <algorithm>

#include "properties/conformance/kills/kill_matrix.hpp"
#include "reference/share_out.hpp"

namespace attncert {
namespace {

struct Totals {
  std::size_t wrong = 0, survivors = 0, right = 0, alarms = 0;
};

Totals counted(std::span<const KillSummary> matrix) {
  Totals totals;
  for (const KillSummary& line : matrix) {
    const bool expected = line.as_expected();
    if (line.fault->wrong) ++totals.wrong, totals.survivors += !expected;
    else ++totals.right, totals.alarms += !expected;
  }
  return totals;
}

}  // namespace

std::string KillSummary::checks() const {
  std::string names;
  for (const Kill& kill : kills)
    if (kill.caught && kill.rule_on.empty())
      names += (names.empty() ? "" : ", ") + kill.check + " after " + std::to_string(kill.cases);
  return !names.empty() ? names : fault->wrong ? "survives" : "passes";
}

const Kill* KillSummary::first() const {
  const Kill* best = nullptr;
  for (const Kill& kill : kills)
    if (kill.caught && kill.rule_on.empty() && (best == nullptr || kill.cases < best->cases)) best = &kill;
  return best;
}

std::vector<KillSummary> summaries(std::span<const Fault> faults, const KillPlan& plan) {
  std::vector<KillSummary> list;
  for (const Fault& fault : faults)
    if (judgeable(fault)) list.push_back({&fault, {}});
  share_out(list.size(), 0, [&](std::size_t n) { list[n].kills = kills_of(*list[n].fault, plan); });
  return list;
}

std::string totals(std::span<const KillSummary> matrix) {
  const Totals all = counted(matrix);
  return std::to_string(all.wrong) + " deliberately wrong kernels, " + std::to_string(all.survivors) + " survivors; " +
         std::to_string(all.right) + " right kernels of unusual form, " + std::to_string(all.alarms) + " false alarms";
}

}  // namespace attncert
