// The campaigns of kernels as tasks (campaign.hpp): of rows and laws, one for each normalizer or bound and type; of
// faults, one for each.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "cli/campaign.hpp"
#include "properties/conformance/accuracy/accuracy.hpp"
#include "properties/conformance/kills/kill_matrix.hpp"

namespace attncert::cli {

// Built-in kernels. Instruction sets are forced for the whole process, so no two of these run side by side.
Stage kernel_tasks(const AccuracyPlan& plan);
// In the order in which run_accuracy() has them. An Error names a record that is none, or has other rows than its task;
// any_machine: on other instruction sets than this machine has, in its place.
Result<std::vector<AccuracyRow>> kernel_rows(std::span<const JournalEntry> records, const AccuracyPlan& plan,
                                             bool any_machine);
// What the kernels run on that are a device's; "none" where the plan has none.
std::string device_of(const AccuracyPlan& plan);

// Seconds that the task of a row is expected to take; 0 where nothing like it was measured.
class KernelCosts {
 public:
  explicit KernelCosts(Effort effort);
  double of(const AccuracyRow& row) const;

 private:
  Effort effort_;
  std::map<std::string, double> measured_;
  double longer_ = 0;  // than its quick campaign, the median of the tasks that were measured at both efforts
};
// Rows and laws of what the plan names, with progress on a terminal.
std::vector<AccuracyRow> judged_rows(const AccuracyPlan& plan);

Stage fault_tasks(const KillPlan& plan, std::size_t jobs);
Result<std::vector<KillSummary>> kill_summaries(std::span<const JournalEntry> records);

}  // namespace attncert::cli
