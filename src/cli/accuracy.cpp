// attncert accuracy: the kernels against enclosures, in ulp and as a fraction of the budget stated beside each.
#include "properties/accuracy/accuracy.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "properties/subjects.hpp"
#include "src/cli/commands.hpp"
#include "src/cli/console.hpp"
#include "src/cli/effort.hpp"
#include "src/cli/foreign.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert::cli {

int accuracy(const AccuracyOptions& options) {
  AccuracyPlan plan;
  plan.seed = options.seed;
  plan.effort = accuracy_effort(options.effort);
  plan.normalizers = options.normalizers;
  plan.isas = options.isas;
  plan.only_case = options.only_case;
  for (const std::string& normalizer : plan.normalizers)
    if (find_subject(normalizer) == nullptr)
      return fail(Error{normalizer + ": no such normalizer; see attncert list --kernels"});
  const std::vector<std::string> sets = instruction_sets();
  for (const std::string& isa : plan.isas)
    if (std::find(sets.begin(), sets.end(), isa) == sets.end())
      return fail(Error{isa + ": not an instruction set of this machine; see attncert list --kernels"});
  for (const std::string& dtype : options.dtypes) plan.dtypes.push_back(dtype == "f32" ? ATTNCERT_F32 : ATTNCERT_F64);

  std::unique_ptr<ForeignLibrary> library;
  if (!options.library.empty()) {
    Result<std::unique_ptr<ForeignLibrary>> opened = foreign_library(options);
    if (!opened) return fail(opened.error());
    library = *std::move(opened);
    plan.kernels.assign(library->kernels().begin(), library->kernels().end());
  }

  std::vector<AccuracyRow> rows;
  {
    ProgressLine line("rows");
    rows = run_accuracy(plan, [&](std::string_view name, std::size_t done, std::size_t of) {
      if (library) library->note(name);
      line.show(done, of, name);
    });
  }
  const bool nothing = std::all_of(rows.begin(), rows.end(),
                                   [](const AccuracyRow& row) { return row.elements == 0 && row.contract_rows == 0; });
  if (nothing)
    return fail(
        Error{"accuracy: nothing to judge: no such case or kernel; see attncert list --kernels, and a report for the "
              "names of cases"});
  fmt::print("{:<16} {:<7} {:>10} {:>8} {:>9} {:>10} {:>8} {:>9}  contract\n", "kernel", "isa", "worst ulp", "budget",
             "fraction", "elements", "outside", "undecided");
  int status = all_as_expected;
  for (const AccuracyRow& row : rows) {
    fmt::print("{:<16} {:<7} {:>10.4f} {:>8} {:>9.3f} {:>10} {:>8} {:>9}  {}{}\n", row.kernel, row.isa, row.worst_ulp,
               row.budget_ulp, row.worst_fraction, row.elements, row.outside, row.undecided, row.contract,
               row.contract_broken == 0
                   ? ""
                   : fmt::format(" (broken on {} of {} rows)", row.contract_broken, row.contract_rows));
    if (row.outside > 0) {
      if (!row.witness.empty()) fmt::print("    worst: {}\n", row.witness);
      fmt::print("    {}{}\n", row.replay, library ? " --library " + options.library : "");
      status = differs;
    } else if (row.undecided > 0 && status == all_as_expected) {
      status = undecided;
    }
  }
  if (library && print_conduct(*library)) status = differs;
  return status;
}

}  // namespace attncert::cli
