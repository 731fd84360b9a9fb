// The kernels of a shared library as tasks (campaign.hpp), one each: how it takes calls, its rows and laws, and then
// the search.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/campaign.hpp"
#include "properties/conformance/accuracy/accuracy.hpp"
#include "properties/conformance/external/external_library.hpp"

namespace attncert::cli {

// A run of `attncert accuracy --library`, as its tasks and its conclusion share it.
struct LibraryRun {
  AccuracyOptions options;
  AccuracyPlan plan;  // with the kernels of the library that are judged
  std::unique_ptr<ExternalLibrary> library;
  std::vector<AccuracyRow> planned;  // of the tasks, before anything is judged
  double searched = 0;               // seconds of this process
};
Result<std::shared_ptr<LibraryRun>> library_run(const AccuracyOptions& options, AccuracyPlan plan);

Stage library_tasks(const std::shared_ptr<LibraryRun>& run);

struct LibraryFindings {
  std::vector<AccuracyRow> rows;
  std::string searches, violations;  // in lines; "": none was made, there is none
  std::uint64_t calls = 0;
  bool search_found = false;
};
// Of the run whose tasks they are; an Error names a record that is none of its task.
Result<LibraryFindings> library_findings(const LibraryRun& run, std::span<const JournalEntry> records);

}  // namespace attncert::cli
