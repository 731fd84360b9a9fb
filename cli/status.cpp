// attncert status: how far the shards of a run are, from their journals alone.
#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/campaign.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "reports/journal.hpp"
#include "src/core/printable.hpp"

namespace attncert::cli {
namespace {

using Seconds = double;
constexpr Seconds longest = 100 * 365.25 * 86'400;  // a hundred years: beyond it nothing is an estimate

struct Standing {
  std::size_t done = 0, tasks = 0;
  Seconds worked = 0, left = 0;  // left: until the end, while it goes on as it did since it began or went on
};

Seconds now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

// No journal is trusted with what it says of times: a shard may have been edited, and a clock may go back.
Seconds sound(Seconds seconds) { return seconds >= 0 && seconds <= longest ? seconds : 0; }

Standing standing_of(const StoredJournal& journal) {
  static const std::map<std::string, double> costs = measured_costs();
  const JournalHead& head = journal.head;
  Standing standing{journal.entries.size(), head.tasks};
  double done = 0, lately = 0;  // of the head's cost
  for (std::size_t n = 0; n < journal.entries.size(); ++n) {
    const JournalEntry& entry = journal.entries[n];
    const auto known = costs.find(entry.task);
    const double cost = known != costs.end() ? known->second : sound(head.cost / static_cast<double>(head.tasks));
    standing.worked += sound(entry.seconds);
    done += cost;
    if (n >= head.finished) lately += cost;
  }
  // While nothing is finished, the time that has gone is all that is known of the pace.
  const Seconds elapsed = std::max(1.0, now() - static_cast<double>(head.started)), left = sound(head.cost) - done;
  if (standing.done < standing.tasks)
    standing.left = std::clamp(lately > 0 ? left * elapsed / lately : left - elapsed, 0.0, longest);
  return standing;
}

// What is found so far: claims that are violated, and the kernel that comes nearest to its budget, or is beyond it.
struct Found {
  std::set<std::string> violated;
  std::string kernel;
  double fraction = 0;

  void add(const std::string& record) {
    const nlohmann::json json = nlohmann::json::parse(record, nullptr, false);
    if (!json.is_object()) return;
    if (const auto claims = json.find("counterexamples"); claims != json.end() && claims->is_object())
      for (const auto& [claim, parts] : claims->items()) violated.insert(claim);
    const auto rows = json.find("rows");
    if (rows == json.end() || !rows->is_array()) return;
    for (const auto& row : *rows) {
      if (!row.is_object() || !row.contains("worst_fraction") || !row["worst_fraction"].is_number()) continue;
      if (row["worst_fraction"] <= fraction) continue;
      fraction = row["worst_fraction"];
      kernel = word(row, "kernel") + " " + word(row, "isa");
    }
  }
  static std::string word(const nlohmann::json& row, const char* key) {
    return row.contains(key) && row[key].is_string() ? row[key].get<std::string>() : "";
  }
  void print() const {
    if (!violated.empty()) fmt::print("violated so far: {} claims\n", violated.size());
    if (!kernel.empty()) fmt::print("worst so far: {}, {:.3f} of its budget\n", printable(kernel), fraction);
  }
};

std::string duration_text(Seconds seconds) {
  const long long whole = std::llround(seconds);
  return fmt::format("{:02}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string end_text(const Standing& standing) {
  if (standing.done >= standing.tasks) return "finished";
  const auto end = static_cast<std::time_t>(now() + standing.left);
  return fmt::format("in {}, {:%Y-%m-%dT%H:%M:%SZ}", duration_text(standing.left), fmt::gmtime(end));
}

void print(const std::string& name, const std::string& shard, const Standing& standing) {
  const double rate = standing.worked > 0 ? 3600 * static_cast<double>(standing.done) / standing.worked : 0;
  fmt::print("{:<32} {:>9} {:>6}/{:<6} {:>10} {:>8.0f}  {}\n", name, shard, standing.done, standing.tasks,
             duration_text(standing.worked), rate, end_text(standing));
}

}  // namespace

int status(const StatusOptions& options) {
  fmt::print("{:<32} {:>9} {:>13} {:>10} {:>8}  end\n", "folder", "shard", "tasks", "work done", "tasks/h");
  Standing all;
  Found found;
  int result = all_as_expected;
  for (const std::string& folder : options.folders) {
    const Result<StoredJournal> journal = read_journal(std::filesystem::path(folder) / "journal.jsonl");
    if (!journal) {
      result = fail(journal.error());
      continue;
    }
    const Standing standing = standing_of(*journal);
    print(printable(folder), printable(journal->head.shard), standing);
    if (!journal->damaged.empty()) fmt::print("{:<32} line {} of the journal is damaged\n", "", journal->damaged[0]);
    for (const JournalEntry& entry : journal->entries) found.add(entry.record.text());
    all.done += standing.done;
    all.tasks += standing.tasks;
    all.worked += standing.worked;
    all.left = std::max(all.left, standing.left);  // the shards run side by side
  }
  if (options.folders.size() > 1) print("all", "", all);
  found.print();
  return result;
}

}  // namespace attncert::cli
