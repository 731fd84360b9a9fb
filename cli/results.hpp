// What a run leaves beside what it prints: with --out a folder with ledger.json and a report in each format that a run
// has, with --json the ledger on standard output.
#pragma once

#include <chrono>
#include <string>

#include "reports/journal.hpp"
#include "reports/ledger.hpp"
#include "src/core/result.hpp"

namespace attncert::cli {

// With --json what is for people goes to standard error from now on, and the ledger to standard output.
class LedgerOutput {
 public:
  explicit LedgerOutput(bool json);
  bool is_wanted() const { return standard_output_ >= 0; }
  void print(const Ledger& ledger) const;     // where it is wanted
  void print(const std::string& json) const;  // likewise, of a command whose data is no ledger

 private:
  int standard_output_ = -1;
};

// A new folder, or an empty one; "" where none is wanted. Error: it cannot be made, or is not empty.
Result<Done> make_results_folder(const std::string& out);

class Results {
 public:
  // out: a new folder, or an empty one; "" where none is wanted. Error: it cannot be made, or is not empty.
  static Result<Results> open(const std::string& out, bool json);
  Results(std::string out, bool json);  // out: a folder that is there, and the caller's

  Ledger ledger;    // the plan, the rows and what tasks took are the caller's
  PlanFacts facts;  // of a campaign, for the ledger's plan
  const std::string& folder() const { return out_; }
  std::string started() const;  // UTC, ISO 8601

  bool wanted() const { return json_.is_wanted() || !out_.empty(); }
  // `status`, or bad_usage where a file cannot be written. for_programs: nothing but data goes to standard output.
  int written(int status, bool for_programs = false);
  // The same without reports, of a command that writes its own.
  int written_ledger(int status);

 private:
  void complete();  // facts and times

  std::string out_;
  LedgerOutput json_;
  std::chrono::system_clock::time_point start_ = std::chrono::system_clock::now();
};

// Of a run that began at `start` and ends now; `folder`: where its ledger lies.
Ledger::Timing timing_since(std::chrono::system_clock::time_point start, const std::string& folder);

}  // namespace attncert::cli
