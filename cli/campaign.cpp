#include "cli/campaign.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "cli/places.hpp"
#include "cli/run_folder.hpp"
#include "cli/shard.hpp"
#include "reference/share_out.hpp"
#include "src/core/environment/environment.hpp"
#include "src/core/files.hpp"
#include "src/core/hash.hpp"
#include "src/core/number_in.hpp"
#include "src/core/printable.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert::cli {
namespace {

// The tasks of one process, as they come to their end.
class Progress {
 public:
  Progress(std::vector<const CampaignTask*> tasks, Journal* journal) : tasks_(std::move(tasks)), journal_(journal) {
    slots_.resize(tasks_.size());
  }

  // Those of these tasks that an interrupted run has finished.
  void take_over(std::vector<JournalEntry> finished) {
    std::map<std::string, std::size_t> at;
    for (std::size_t n = 0; n < tasks_.size(); ++n) at[tasks_[n]->name] = n;
    done_ = finished.size();
    for (JournalEntry& entry : finished) slots_[at.at(entry.task)] = std::move(entry);
  }

  // Tasks first .. last-1. What is wrong ends the run.
  Result<Done> run(std::size_t first, std::size_t last, std::size_t at_once) {
    share_out(last - first, at_once, [&](std::size_t n) { run(first + n); });
    if (failure_) return *failure_;
    return Done{};
  }

  Records records() && {
    Records records;
    for (std::optional<JournalEntry>& slot : slots_)
      if (slot) records.push_back(*std::move(slot));
    return records;
  }

 private:
  void run(std::size_t n) {
    {
      const std::lock_guard lock(mutex_);
      if (slots_[n] || failure_ || stop) return;
    }
    const auto start = std::chrono::steady_clock::now();
    Result<std::string> record = tasks_[n]->run(stop);
    if (record && record->empty()) return;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    const std::lock_guard lock(mutex_);
    if (record) keep(n, {tasks_[n]->name, took.count(), *std::move(record)});
    else if (!failure_) failure_ = record.error();
  }

  void keep(std::size_t n, JournalEntry entry) {
    if (failure_) return;  // behind half a line, which a full disk leaves, nothing may stand
    if (journal_ != nullptr)
      if (const Result<Done> appended = journal_->append(entry); !appended) failure_ = appended.error();
    line_.show(++done_, tasks_.size(), entry.task);
    slots_[n] = std::move(entry);
  }

  std::vector<const CampaignTask*> tasks_;
  Journal* journal_;
  std::vector<std::optional<JournalEntry>> slots_;
  std::size_t done_ = 0;
  std::mutex mutex_;
  std::optional<Error> failure_;
  ProgressLine line_{"tasks"};
};

// What of a campaign is this shard's: the tasks of each stage.
struct Part {
  std::vector<const CampaignTask*> tasks;
  std::set<std::string> names;    // of the tasks
  std::vector<std::size_t> ends;  // of stages
  double cost = 0;
};

Part part_of(const Campaign& campaign, const Shard& shard) {
  Part part;
  const std::vector<double> costs = costs_of(campaign);
  const std::vector<std::size_t> to = dealt(costs, shard.count);
  std::size_t n = 0;
  for (const Stage& stage : campaign.stages) {
    for (const CampaignTask& task : stage.tasks) {
      if (to[n] + 1 == shard.number) {
        part.tasks.push_back(&task);
        part.names.insert(task.name);
        part.cost += costs[n];
      }
      ++n;
    }
    part.ends.push_back(part.tasks.size());
  }
  return part;
}

// The records of the part, or none when a signal has come.
Result<std::optional<Records>> records_of(const Part& part, const Campaign& campaign, RunFolder& folder) {
  Progress progress(part.tasks, folder.journal ? &*folder.journal : nullptr);
  progress.take_over(std::move(folder.finished));
  for (std::size_t stage = 0, first = 0; stage < part.ends.size(); first = part.ends[stage++]) {
    const Result<Done> done = progress.run(first, part.ends[stage], campaign.stages[stage].at_once);
    if (!done) return done.error();
    if (stop) return std::optional<Records>();
  }
  return std::optional(std::move(progress).records());
}

int say_interrupted(const std::string& out) {
  fmt::print(stderr, "attncert: interrupted{}\n",
             out.empty() ? "" : "; go on with --resume (journal in " + printable(out) + ")");
  return interrupted;
}

Result<Shard> shard_of(const RunOptions& options) {
  if (options.shard.empty()) return Shard{};
  if (options.out.empty()) return Error{"--shard: say with --out in which folder this shard keeps its journal"};
  return shard_named(options.shard, environment_variable);
}

}  // namespace

PlanFacts plan_facts(const std::string& command, PlanFacts facts) {
  const Environment build = environment(current_instruction_set());
  facts.insert({{"command", command},
                {"commit", build.commit + (build.dirty ? "+" + file_hash("/proc/self/exe") : "")},
                {"compiler", build.compiler},
                {"instruction sets", fmt::format("{}", fmt::join(instruction_sets(), " "))}});
  for (auto& [name, value] : facts) value = printable(value);
  return facts;
}

std::string file_hash(const std::filesystem::path& file) {
  const Result<std::string> bytes = read_text(file);
  return fmt::format("{:x}", fingerprint(bytes ? *bytes : ""));
}

std::vector<const CampaignTask*> tasks_of(const Campaign& campaign) {
  std::vector<const CampaignTask*> tasks;
  for (const Stage& stage : campaign.stages)
    for (const CampaignTask& task : stage.tasks) tasks.push_back(&task);
  return tasks;
}

std::map<std::string, double> measured_costs() {
  std::map<std::string, double> costs;
  const auto file = beside_program("data/task-costs.tsv", "");
  if (!file) return costs;
  const Result<std::string> text = read_text(*file);
  for (std::size_t begin = 0, end; text && (end = text->find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string line = text->substr(begin, end - begin);
    const auto tab = std::min(line.find('\t'), line.size());
    if (const auto seconds = number_in<double>(line.substr(0, tab)); seconds && tab < line.size())
      costs[line.substr(tab + 1)] = *seconds;
  }
  return costs;
}

double median(std::vector<double> numbers, double otherwise) {
  if (numbers.empty()) return otherwise;
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

std::vector<double> costs_of(const Campaign& campaign) {
  const std::map<std::string, double> measured = measured_costs();
  std::vector<double> costs, known;
  for (const CampaignTask* task : tasks_of(campaign)) {
    const auto found = measured.find(task->name);
    costs.push_back(task->cost > 0 ? task->cost : found != measured.end() ? found->second : -1);
    if (costs.back() >= 0) known.push_back(costs.back());
  }
  const double usual = median(std::move(known), 1);
  for (double& cost : costs)
    if (cost < 0) cost = usual;
  return costs;
}

int concluded(const Campaign& campaign, const Records& records, Results& results) {
  for (const JournalEntry& entry : records) results.ledger.timing.per_claim[entry.task] = entry.seconds;
  results.facts = campaign.plan;
  return campaign.conclude(campaign, records, results);
}

int run_campaign(const Result<Campaign>& campaign, RunOptions options) {
  if (!campaign) return fail(campaign.error());
  const Result<Shard> shard = shard_of(options);
  if (!shard) return fail(shard.error());
  if (options.out.empty()) options.out = campaign->out;
  if (options.out.empty() && (options.resume || options.force))
    return fail(Error{"--resume, --force: name with --out the folder of the run"});
  const Part part = part_of(*campaign, *shard);
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const JournalHead head{campaign->plan,    options.arguments, shard->text(),
                         part.tasks.size(), part.cost,         static_cast<std::uint64_t>(now)};
  Result<RunFolder> folder = open_run_folder(options, head, part.names);
  if (!folder) return fail(folder.error());
  Results results(folder->folder.string(), options.json);
  stop_on_signals();
  const Result<std::optional<Records>> records = records_of(part, *campaign, *folder);
  if (!records) return fail(records.error());
  if (!*records) return say_interrupted(options.out);
  if (options.shard.empty()) {
    const int status = concluded(*campaign, **records, results);
    return status == interrupted ? say_interrupted(options.out) : status;
  }
  fmt::print("shard {} is finished: {} tasks in {}\n", shard->text(), (*records)->size(), printable(options.out));
  return all_as_expected;
}

}  // namespace attncert::cli
