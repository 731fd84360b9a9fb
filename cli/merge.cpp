// attncert merge: the shards of a run, checked against one another, against what this build makes of their arguments
// and, where asked, against tasks that are run again; then what the whole run would have written.
#include <fmt/ranges.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <set>

#include "cli/campaign.hpp"
#include "cli/console.hpp"
#include "cli/interrupt.hpp"
#include "cli/merge_arguments.hpp"
#include "cli/run_folder.hpp"
#include "cli/shard.hpp"
#include "src/core/number_in.hpp"
#include "src/core/printable.hpp"

namespace attncert::cli {
namespace {

struct ShardFolder {
  std::string name;  // printable
  std::filesystem::path path;
  FolderLock lock;
  StoredJournal journal;
};

Result<std::vector<ShardFolder>> read_folders(const std::vector<std::string>& folders) {
  std::vector<ShardFolder> shards;
  std::set<std::filesystem::path> seen;
  for (const std::string& folder : folders) {
    std::error_code error;
    const std::string name = printable(folder);
    if (!seen.insert(std::filesystem::weakly_canonical(folder, error)).second)
      return Error{name + ": is named twice; name each shard's folder once"};
    Result<FolderLock> lock = FolderLock::shared(folder);
    if (!lock) return lock.error();
    Result<StoredJournal> journal = read_journal(std::filesystem::path(folder) / "journal.jsonl");
    if (!journal) return journal.error();
    if (!journal->damaged.empty())
      return Error{fmt::format("{}: line {} of the journal was edited, or is of another run; run the shard again", name,
                               journal->damaged[0])};
    shards.push_back({name, folder, *std::move(lock), *std::move(journal)});
  }
  return shards;
}

// The plan without what machines may differ in, where they may.
PlanFacts comparable(PlanFacts plan, bool any_machine) {
  if (any_machine)
    for (const char* fact : machine_facts) plan.erase(fact);
  return plan;
}

Result<Done> same_plan(const std::vector<ShardFolder>& shards, bool any_machine) {
  const JournalHead& first = shards[0].journal.head;
  for (const ShardFolder& shard : shards) {
    const JournalHead& head = shard.journal.head;
    const PlanFacts mine = comparable(head.plan, any_machine), theirs = comparable(first.plan, any_machine);
    if (mine != theirs)
      return Error{shard.name + ": is of another plan: " + difference(mine, theirs, "in " + shards[0].name)};
    const std::vector<std::string> one = without_files(head.arguments), other = without_files(first.arguments);
    if (one != other)
      return Error{printable(fmt::format("{}: was run as \"{}\", and {} as \"{}\"; name the folders of one run only",
                                         shard.name, fmt::join(one, " "), shards[0].name, fmt::join(other, " ")))};
  }
  return Done{};
}

// The records in the order of the tasks, each there once, and into the campaign where each lies.
Result<Records> whole(const std::vector<ShardFolder>& shards, Campaign& campaign) {
  std::map<std::string, std::pair<const ShardFolder*, const JournalEntry*>> found;
  for (const ShardFolder& shard : shards)
    for (const JournalEntry& entry : shard.journal.entries)
      if (const auto [at, added] = found.try_emplace(entry.task, &shard, &entry); !added)
        return Error{fmt::format("task {} is there twice, in {} and in {}; name the folders of one run only",
                                 printable(entry.task), at->second.first->name, shard.name)};
  Records records;
  std::vector<std::string> missing;
  for (const CampaignTask* task : tasks_of(campaign)) {
    const auto at = found.find(task->name);
    if (at == found.end()) {
      missing.push_back(task->name);
      continue;
    }
    records.push_back(*at->second.second);
    campaign.folders.push_back(at->second.first->path);
    found.erase(at);
  }
  if (!found.empty())
    return Error{fmt::format("{}: task {} is none of this plan", found.begin()->second.first->name,
                             printable(found.begin()->first))};
  if (missing.empty()) return records;
  std::string unfinished;
  for (const ShardFolder& shard : shards)
    if (shard.journal.entries.size() < shard.journal.head.tasks)
      unfinished += fmt::format("; {} has {} of the {} tasks of shard {}: go on with --resume", shard.name,
                                shard.journal.entries.size(), shard.journal.head.tasks, shard.journal.head.shard);
  return Error{fmt::format("{} of {} tasks are missing, {} among them{}", missing.size(), tasks_of(campaign).size(),
                           missing[0], unfinished)};
}

Result<std::uint64_t> recheck_seed(const std::string& given) {
  std::random_device device;  // which tasks are looked at is nothing that a shard can know
  if (given.empty()) return (std::uint64_t{device()} << 32) | device();
  const auto seed = number_in<std::uint64_t>(given);
  if (!seed) return Error{"--recheck-seed: \"" + printable(given) + "\" is not a whole number"};
  return *seed;
}

// Runs some tasks of each shard again, unless a signal comes.
Result<Done> recheck(const std::vector<ShardFolder>& shards, const Campaign& campaign, std::size_t count,
                     std::uint64_t seed) {
  std::map<std::string, const CampaignTask*> tasks;
  for (const CampaignTask* task : tasks_of(campaign)) tasks[task->name] = task;
  std::mt19937_64 random(seed);
  ProgressLine line("rechecked");
  std::size_t done = 0;
  for (const ShardFolder& shard : shards)
    for (const std::size_t n : drawn(shard.journal.entries.size(), count, random)) {
      const JournalEntry& entry = shard.journal.entries[n];
      if (stop) return Done{};
      const Result<std::string> again = tasks.at(entry.task)->run(stop);
      if (!again) return again.error();
      if (stop && again->empty()) return Done{};
      if (*again != entry.record.text())
        return Error{
            fmt::format("{}: task {} comes to something else when it is run again: the shard's record is "
                        "wrong, or this machine computes other bits (--recheck-seed {})",
                        shard.name, printable(entry.task), seed)};
      line.show(++done, shards.size() * count, entry.task);
    }
  return Done{};
}

// The same as asked for; says so where all came to the same.
Result<Done> recheck(const std::vector<ShardFolder>& shards, const Campaign& campaign, const MergeOptions& options) {
  if (options.recheck == 0) return Done{};
  if (!campaign.unrepeatable.empty()) return Error{shards[0].name + ": --recheck: " + campaign.unrepeatable};
  const Result<std::uint64_t> seed = recheck_seed(options.seed);
  if (!seed) return seed.error();
  const Result<Done> right = recheck(shards, campaign, options.recheck, *seed);
  if (right && !stop)
    fmt::print("up to {} tasks of each shard, run again, came to the same (--recheck-seed {})\n", options.recheck,
               *seed);
  return right;
}

// The shards' campaign as this build makes it of their arguments: a plan that they share.
Result<Campaign> shared_campaign(const std::vector<ShardFolder>& shards, const MergeOptions& options) {
  const bool any_machine = options.any_instruction_sets;
  const Result<Done> same = same_plan(shards, any_machine);
  if (!same) return same.error();
  const JournalHead& head = shards[0].journal.head;
  Result<Campaign> campaign = campaign_of(head.arguments, head.shard, options.files);
  if (!campaign) return campaign;
  const PlanFacts theirs = comparable(head.plan, any_machine), mine = comparable(campaign->plan, any_machine);
  if (theirs != mine)
    return Error{shards[0].name +
                 ": is of another plan than the same arguments make here: " + difference(theirs, mine, "here")};
  campaign->machines_differ = any_machine;
  return campaign;
}

// The merged folder: where it is not kept, it is as if no merge had been asked for.
class NewFolder {
 public:
  explicit NewFolder(std::filesystem::path folder) : folder_(std::move(folder)) {
    std::error_code error;
    there_ = folder_.empty() || std::filesystem::exists(folder_, error);
    for (auto part = folder_.parent_path(); !part.empty() && !std::filesystem::exists(part, error);
         part = part.parent_path())
      missing_.push_back(part);
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  ~NewFolder() {
    std::error_code error;
    if (kept_ || folder_.empty()) return;
    if (there_)  // and empty
      for (const auto& entry : std::filesystem::directory_iterator(folder_, error))
        std::filesystem::remove_all(entry.path(), error);
    else std::filesystem::remove_all(folder_, error);
    for (const std::filesystem::path& part : missing_)
      std::filesystem::remove(part, error);  // where nothing else is in it
  }
  void keep() { kept_ = true; }

 private:
  std::filesystem::path folder_;
  std::vector<std::filesystem::path> missing_;  // folders above it, the nearest first
  bool there_ = false, kept_ = false;
};

// A lock is held of each shard.
void raise_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int merged(const std::vector<ShardFolder>& shards, const Campaign& campaign, const Records& records,
           const MergeOptions& options, Results& results) {
  const Result<Done> right = recheck(shards, campaign, options);
  const int status = !right ? fail(right.error()) : stop ? interrupted : concluded(campaign, records, results);
  if (status == interrupted) fmt::print(stderr, "attncert: interrupted; merge again\n");
  return status;
}

}  // namespace

int merge(const MergeOptions& options) {
  stop_on_signals();
  raise_descriptors();
  const Result<std::vector<ShardFolder>> shards = read_folders(options.folders);
  if (!shards) return fail(shards.error());
  Result<Campaign> campaign = shared_campaign(*shards, options);
  if (!campaign) return fail(campaign.error());
  const Result<Records> records = whole(*shards, *campaign);
  if (!records) return fail(records.error());
  const std::string out = options.run.out.empty() ? campaign->out : options.run.out;
  NewFolder folder(out);
  Result<Results> results = Results::open(out, options.run.json);
  if (!results) {
    folder.keep();
    return fail(results.error());
  }
  const int status = merged(*shards, *campaign, *records, options, *results);
  if (status != interrupted && status != bad_usage) folder.keep();
  return status;
}

}  // namespace attncert::cli
