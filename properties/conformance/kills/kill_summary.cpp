// The kill matrix for people: one line a fault, as Markdown.
#include <algorithm>
#include <iterator>

#include "properties/conformance/accuracy/share_out.hpp"
#include "properties/conformance/kills/kill_matrix.hpp"

namespace attncert {

std::string KillSummary::checks() const {
  std::string names;
  for (const Kill& kill : kills)
    if (kill.caught) names += (names.empty() ? "" : ", ") + kill.check + " after " + std::to_string(kill.cases);
  return names.empty() ? "survives" : names;
}

const Kill* KillSummary::first() const {
  const Kill* best = nullptr;
  for (const Kill& kill : kills)
    if (kill.caught && (best == nullptr || kill.cases < best->cases)) best = &kill;
  return best;
}

std::vector<KillSummary> summaries(std::span<const Fault> faults, const KillPlan& plan) {
  std::vector<KillSummary> list;
  for (const Fault& fault : faults)
    if (judgeable(*fault.kernel)) list.push_back({&fault, {}});
  // Each fault by one thread, so that figures depend on no schedule.
  share_out(list.size(), 0, [&](std::size_t n) { list[n].kills = kills_of(*list[n].fault, plan); });
  return list;
}

std::vector<Kill> false_alarms(std::span<const RightKernel> kernels, const KillPlan& plan) {
  std::vector<std::vector<Kill>> found(kernels.size());
  share_out(kernels.size(), 0, [&](std::size_t n) {
    const RightKernel& right = kernels[n];
    if (judgeable(*right.kernel)) found[n] = kills_of({right.name, right.text, "", right.kernel, "", ""}, plan);
  });
  std::vector<Kill> alarms;
  for (const std::vector<Kill>& kills : found)
    std::copy_if(kills.begin(), kills.end(), std::back_inserter(alarms), [](const Kill& kill) { return kill.caught; });
  return alarms;
}

std::vector<Kill> kill_matrix(std::uint64_t seed, Effort effort) {
  std::vector<Kill> kills;
  for (const KillSummary& line : summaries(faults(), {seed, effort}))
    kills.insert(kills.end(), line.kills.begin(), line.kills.end());
  return kills;
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
            std::string(line.fault->text) + " | " + std::string(line.fault->imitates) + " | " + line.checks() + " |\n";
  for (const Kill& alarm : alarms)
    text += "\nFalse alarm: " + std::string(alarm.fault) + ", " + alarm.check + ": " + alarm.witness + "\n";
  return text;
}

}  // namespace attncert
