// attncert status: how far the shards of a run are, from their journals alone.
#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>

#include "cli/campaign.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "reports/journal.hpp"
#include "src/core/printable.hpp"

namespace attncert::cli {
namespace {

struct Standing {
  std::size_t done = 0, tasks = 0;
  double seconds = 0, left = 0;  // of work

  Standing& operator+=(const Standing& other) {
    done += other.done;
    tasks += other.tasks;
    seconds += other.seconds;
    left += other.left;
    return *this;
  }
};

// What is left is what it was expected to cost, at the rate at which what is done took its time.
Standing standing_of(const StoredJournal& journal) {
  static const std::map<std::string, double> costs = measured_costs();
  Standing standing{journal.entries.size(), journal.head.tasks};
  double expected = 0;
  for (const JournalEntry& entry : journal.entries) {
    standing.seconds += entry.seconds;
    const auto cost = costs.find(entry.task);
    expected += cost != costs.end() ? cost->second : journal.head.cost / static_cast<double>(standing.tasks);
  }
  if (standing.done == 0) standing.left = journal.head.cost;
  else if (standing.done < standing.tasks && expected > 0)
    standing.left = std::max(0.0, journal.head.cost - expected) * standing.seconds / expected;
  return standing;
}

std::string text_of(double seconds) {
  const auto whole = std::chrono::seconds(static_cast<long long>(seconds + 0.5));
  return fmt::format("{:%H:%M:%S}", whole);
}

void print(const std::string& name, const std::string& shard, const Standing& standing, const std::string& last) {
  fmt::print("{:<32} {:>9} {:>6}/{:<6} {:>10} {:>10}  {}\n", name, shard, standing.done, standing.tasks,
             text_of(standing.seconds), standing.done == standing.tasks ? "-" : text_of(standing.left), last);
}

}  // namespace

int status(const StatusOptions& options) {
  fmt::print("{:<32} {:>9} {:>13} {:>10} {:>10}  last task\n", "folder", "shard", "tasks", "work done", "work left");
  Standing all;
  int result = all_as_expected;
  for (const std::string& folder : options.folders) {
    const Result<StoredJournal> journal = read_journal(std::filesystem::path(folder) / "journal.jsonl");
    if (!journal) {
      result = fail(journal.error());
      continue;
    }
    const Standing standing = standing_of(*journal);
    print(printable(folder), journal->head.shard, standing,
          journal->entries.empty() ? "" : printable(journal->entries.back().task));
    if (!journal->damaged.empty()) fmt::print("{:<32} line {} of the journal is damaged\n", "", journal->damaged[0]);
    all += standing;
  }
  if (options.folders.size() > 1) print("all", "", all, "");
  return result;
}

}  // namespace attncert::cli
