// The kill matrix for people: one line a fault, as Markdown.
#include <algorithm>

#include "properties/faults/kill_matrix.hpp"

namespace attncert {
namespace {

std::string listed(const std::vector<Kill>& kills) {
  std::string names;
  for (const Kill& kill : kills)
    if (kill.caught) names += (names.empty() ? "" : ", ") + kill.check + " after " + std::to_string(kill.cases);
  return names.empty() ? "**survives**" : names;
}

}  // namespace

const Kill* KillSummary::first() const {
  const Kill* best = nullptr;
  for (const Kill& kill : kills)
    if (kill.caught && (best == nullptr || kill.cases < best->cases)) best = &kill;
  return best;
}

std::vector<KillSummary> summaries(std::span<const Fault> faults, const KillPlan& plan) {
  std::vector<KillSummary> list;
  for (const Fault& fault : faults)
    if (judgeable(*fault.kernel)) list.push_back({&fault, kills_of(fault, plan)});
  return list;
}

std::string markdown(std::span<const KillSummary> matrix, std::span<const Kill> alarms, std::size_t right) {
  const auto survivors =
      std::count_if(matrix.begin(), matrix.end(), [](const auto& line) { return line.first() == nullptr; });
  std::string text =
      "# Faults and who notices them\n\n" + std::to_string(matrix.size()) + " deliberately wrong kernels, " +
      std::to_string(survivors) + " survivors; " + std::to_string(right) + " right kernels of unusual form, " +
      std::to_string(alarms.size()) + " false alarms.\n\n" +
      "| fault | kernel | what is wrong | imitates | caught by, after how many cases |\n|---|---|---|---|---|\n";
  for (const KillSummary& line : matrix)
    text += "| " + std::string(line.fault->name) + " | " + line.fault->kernel->normalizer + " | " +
            std::string(line.fault->text) + " | " + std::string(line.fault->imitates) + " | " + listed(line.kills) +
            " |\n";
  for (const Kill& alarm : alarms)
    text += "\nFalse alarm: " + std::string(alarm.fault) + ", " + alarm.check + ": " + alarm.witness + "\n";
  return text;
}

}  // namespace attncert
