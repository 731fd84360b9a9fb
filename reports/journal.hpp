// Journal: one JSON line per finished task, appended as a run goes; the ledger is made from it, an interrupted run goes
// on from it, and runs of several machines are merged from theirs. The first line says what plan and which shard of it
// the tasks are. Format: docs/campaigns.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "src/core/result.hpp"

namespace attncert {

struct JournalHead {
  std::string plan;                    // JSON on one line: all that decides what the tasks find
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
  std::uint64_t begin = 0, end = 0;  // of the lines behind the first, in bytes
};
Result<StoredJournal> journal_of(const std::string& text, const std::string& where);  // where: names it in an Error
Result<StoredJournal> read_journal(const std::filesystem::path& file);
std::string journal_text(const StoredJournal& journal);  // without what was damaged

class Journal {
 public:
  // Starts a new journal.
  static Result<Journal> start(const std::filesystem::path& file, const JournalHead& head);
  // Reads the finished tasks of an interrupted run and appends to them. A journal of another plan or shard, or one that
  // is damaged, is an Error.
  static Result<Journal> resume(const std::filesystem::path& file, JournalHead head,
                                std::vector<JournalEntry>& finished);

  Result<Done> append(JournalEntry& entry);  // which then needs no more memory than a short one

 private:
  Journal(std::filesystem::path file, const JournalHead& head);
  std::filesystem::path file_;
  std::uint64_t plan_;
};

}  // namespace attncert
