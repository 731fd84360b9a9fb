// Journal: one JSON line per finished task, appended and flushed as the run goes; the ledger is made from it, and an
// interrupted run goes on from it. The first line says which plan it belongs to.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "src/core/record.hpp"
#include "src/core/result.hpp"

namespace attncert {

class Journal {
 public:
  // Starts a new journal with its plan line.
  static Result<Journal> start(const std::filesystem::path& file, const std::string& plan);
  // Reads the finished tasks of an interrupted run and appends to them. A last line cut short is dropped; a journal of
  // another plan is an Error.
  static Result<Journal> resume(const std::filesystem::path& file, const std::string& plan,
                                std::vector<TaskRecord>& finished);

  Result<Done> append(const TaskRecord& record);

 private:
  explicit Journal(std::filesystem::path file) : file_(std::move(file)) {}
  std::filesystem::path file_;
};

std::string journal_line(const TaskRecord& record);
Result<TaskRecord> read_journal_line(const std::string& line, const std::string& where);

}  // namespace attncert
