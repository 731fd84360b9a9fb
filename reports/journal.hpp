// Journal: one JSON line per finished task, appended as a run goes; the ledger is made from it, an interrupted run goes
// on from it, and runs of several machines are merged from theirs. The first line says what plan and which shard of it
// the tasks are. Format: docs/campaigns.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/core/result.hpp"

namespace attncert {

// All that decides what the tasks of a run find, by name: seed, effort, build, ... Printable.
using PlanFacts = std::map<std::string, std::string>;

// Facts of a plan in which machines that computed parts of one run may differ, where that is allowed: what has the
// device's kernels run, and what multiplies the matrices of a model, where either is part of the run.
inline constexpr const char* device_fact = "device";
inline constexpr const char* products_fact = "matrix products";
inline constexpr std::array machine_facts{"instruction sets", device_fact, products_fact};

// What one has and the other has not, printable: "seed: 1, and 2 in DIR".
std::string difference(const PlanFacts& one, const PlanFacts& other, const std::string& whose);

struct JournalHead {
  PlanFacts plan;
  std::vector<std::string> arguments;  // the command and what makes the plan from it
  std::string shard;                   // "2/8"; "1/1" of a run that is not cut
  std::uint64_t tasks = 0;             // of the shard
  double cost = 0;                     // of the shard's tasks, in seconds of the machine that costs were measured on
  std::uint64_t started = 0;           // when the run began or went on, in seconds since 1970
  std::uint64_t finished = 0;          // tasks that were finished then

  template <class Self, class Field>
  static void fields(Self& self, Field field) {
    field("plan", self.plan);
    field("arguments", self.arguments);
    field("shard", self.shard);
    field("tasks", self.tasks);
    field("cost", self.cost);
    field("started", self.started);
    field("finished", self.finished);
  }
};

// What a task found, JSON on one line: held here, or read from the journal each time where it is long.
class RecordText {
 public:
  RecordText(std::string text = "") : held_(std::move(text)) {}
  RecordText(std::filesystem::path file, std::uint64_t begin, std::uint64_t size)
      : file_(std::move(file)), begin_(begin), size_(size) {}
  std::string text() const;  // throws where the journal can no longer be read

 private:
  std::string held_;
  std::filesystem::path file_;  // "" where it is held
  std::uint64_t begin_ = 0, size_ = 0;
};

struct JournalEntry {
  std::string task;
  double seconds = 0;
  RecordText record;
};

// A whole journal as it lies in a file. Its last line may be cut short: that one is left out.
struct StoredJournal {
  JournalHead head;
  std::vector<JournalEntry> entries;
  std::vector<std::size_t> damaged;  // numbers of lines, from 1, that are no entry of this plan
};
Result<StoredJournal> journal_of(const std::string& text, const std::string& where);  // where: names it in an Error
Result<StoredJournal> read_journal(const std::filesystem::path& file);
std::string journal_text(const StoredJournal& journal);  // without what was damaged

struct ResumedJournal;

class Journal {
 public:
  // Starts a new journal.
  static Result<Journal> start(const std::filesystem::path& file, const JournalHead& head);
  // Reads the finished tasks of an interrupted run, of these tasks, and appends to them. Damaged lines, as a full disk
  // leaves them, are taken away, so that their tasks run again. A journal of another plan or shard, or with a task
  // twice or one that is none of these, is an Error, and stays as it is.
  static Result<ResumedJournal> resume(const std::filesystem::path& file, JournalHead head,
                                       const std::set<std::string>& tasks);

  Result<Done> append(JournalEntry& entry);  // which then needs no more memory than a short one

 private:
  Journal(std::filesystem::path file, const JournalHead& head);
  std::filesystem::path file_;
  std::uint64_t plan_;
};

struct ResumedJournal {
  Journal journal;
  std::vector<JournalEntry> finished;
  std::size_t damaged = 0;  // lines that were taken away
};

}  // namespace attncert
