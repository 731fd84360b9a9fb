// A run as a plan and tasks: in one process or cut into shards, with a journal or without, interrupted and resumed, the
// records are the same, and so is what they come to.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/results.hpp"
#include "reports/journal.hpp"
#include "src/core/result.hpp"

namespace attncert::cli {

struct CampaignTask {
  std::string name;  // without quotes and control characters
  // The record: JSON on one line; "" where it was stopped half-way.
  std::function<Result<std::string>(const std::atomic<bool>& stop)> run;
  double cost = 0;  // seconds, where that is known beforehand
};

// Tasks that may run side by side, so many at a time.
struct Stage {
  std::vector<CampaignTask> tasks;
  std::size_t at_once = 1;
};

// Of all tasks, in their order.
using Records = std::vector<JournalEntry>;

struct Campaign {
  PlanFacts plan;  // this build and machine included
  std::vector<Stage> stages;
  std::string out;               // the folder where --out names none; "" where nothing is kept then
  std::string unrepeatable;      // why a task that runs again does not come to the same, bit for bit; "": it does
  bool machines_differ = false;  // of a merge: its records may be of machines whose machine_facts are others
  std::vector<std::filesystem::path> folders;  // of a merge: where each record's shard lies
  // Prints, fills in and writes the ledger, and returns the exit status.
  std::function<int(const Campaign&, const Records&, Results&)> conclude;
};

// A plan from what decides it, with this build and the instruction sets of this machine.
PlanFacts plan_facts(const std::string& command, PlanFacts facts);
std::string file_hash(const std::filesystem::path& file);  // of its bytes; of none where it cannot be read
// Seconds that tasks took where they were measured, by their names: data/task-costs.tsv.
std::map<std::string, double> measured_costs();
double median(std::vector<double> numbers, double otherwise);  // otherwise: where there is none
// What each task is expected to take, in the order of the tasks; of those that were not measured the median of the
// others.
std::vector<double> costs_of(const Campaign& campaign);
std::vector<const CampaignTask*> tasks_of(const Campaign& campaign);

// Runs the tasks, and concludes; of a shard its own ones, and then attncert merge concludes.
int run_campaign(const Result<Campaign>& campaign, RunOptions options);
// What all records come to; the exit status, `interrupted` where a signal came.
int concluded(const Campaign& campaign, const Records& records, Results& results);

}  // namespace attncert::cli
