// attncert accuracy: the kernels against enclosures, in ulp and as a fraction of the budget stated beside each.
#include "properties/conformance/accuracy/accuracy.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "properties/conformance/bounds/accuracy_rows.hpp"
#include "properties/conformance/bounds/subject.hpp"
#include "properties/conformance/laws/survey.hpp"
#include "properties/conformance/subjects.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/effort.hpp"
#include "cli/external.hpp"
#include "cli/row.hpp"
#include "src/kernel/dtype.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert::cli {
namespace {

attncert_dtype dtype_named(std::string_view name) {  // one of dtype_names: CLI11 checked it
  for (const attncert_dtype dtype : {ATTNCERT_F32, ATTNCERT_F64, ATTNCERT_F16, ATTNCERT_BF16})
    if (format(dtype).name == name) return dtype;
  return ATTNCERT_F32;
}

// Of a fraction within the budget three digits, of one far beyond it the size.
std::string fraction_text(double fraction) {
  return fraction < 1000 ? fmt::format("{:.3f}", fraction) : fmt::format("{:.1e}", fraction);
}

// "17/17"; "-" where none was asked.
std::string laws_text(const AccuracyRow& row) {
  if (row.laws_checked == 0) return "-";
  return std::to_string(row.laws_kept) + "/" + std::to_string(row.laws_checked);
}

}  // namespace

int accuracy(const AccuracyOptions& options) {
  AccuracyPlan plan;
  plan.seed = options.seed;
  plan.effort = accuracy_effort(options.effort);
  plan.normalizers = options.normalizers;
  plan.isas = options.isas;
  plan.only_case = options.only_case;
  AccuracyPlan bounds = plan;  // of the bound kernels, which have subjects and rows of their own
  bounds.normalizers.clear();
  for (const std::string& normalizer : options.normalizers)
    if (find_bound_subject(normalizer) != nullptr) {
      bounds.normalizers.push_back(normalizer);
      std::erase(plan.normalizers, normalizer);
    } else if (find_subject(normalizer) == nullptr) {
      return fail(Error{normalizer + ": no such normalizer or bound; see attncert list --kernels"});
    }
  const bool only_bounds = plan.normalizers.empty() && !options.normalizers.empty();
  const bool with_bounds = options.library.empty() && (options.normalizers.empty() || !bounds.normalizers.empty()) &&
                           (options.only_case.empty() || is_bound_row(options.only_case));
  const std::vector<std::string> sets = instruction_sets();
  for (const std::string& isa : plan.isas)
    if (std::find(sets.begin(), sets.end(), isa) == sets.end())
      return fail(Error{isa + ": not an instruction set of this machine; see attncert list --kernels"});
  for (const std::string& dtype : options.dtypes) plan.dtypes.push_back(dtype_named(dtype));
  bounds.isas = plan.isas;
  bounds.dtypes = plan.dtypes;

  std::unique_ptr<ExternalLibrary> library;
  if (!options.library.empty()) {
    Result<std::unique_ptr<ExternalLibrary>> opened = open_external_library(options);
    if (!opened) return fail(opened.error());
    library = *std::move(opened);
    plan.kernels.assign(library->kernels().begin(), library->kernels().end());
    plan.before_call = [&library](std::string_view name) { library->note(name); };
  }

  if (library && options.row.empty() && run_invalid_calls(*library, options))
    return print_violations(*library) ? differs : all_as_expected;

  if (!options.row.empty()) {
    const int status = judge_row_of(options, library ? library->kernels() : built_in_kernels());
    return library && print_violations(*library) && status != bad_usage ? differs : status;
  }

  std::vector<AccuracyRow> rows;
  {
    ProgressLine line("rows");
    const auto show = [&](std::string_view name, std::size_t done, std::size_t of) { line.show(done, of, name); };
    if (!only_bounds && !is_bound_row(options.only_case)) {
      rows = run_accuracy(plan, show);
      judge_laws(plan, rows, show);
    }
    if (with_bounds)
      for (AccuracyRow& row : run_bound_accuracy(bounds, show)) rows.push_back(std::move(row));
  }
  const bool nothing = std::all_of(rows.begin(), rows.end(), [](const AccuracyRow& row) {
    return row.elements == 0 && row.contract_rows == 0 && row.laws_checked == 0;
  });
  if (nothing)
    return fail(
        Error{"accuracy: nothing to judge: no such case or kernel; see attncert list --kernels, and a report for the "
              "names of cases"});
  fmt::print("{:<28} {:<7} {:>11} {:>8} {:>10} {:>8} {:>9} {:>8} {:>6}  contract\n", "kernel", "isa", "worst ulp",
             "fraction", "elements", "outside", "undecided", "vacuity", "laws");
  int status = all_as_expected;
  for (const AccuracyRow& row : rows) {
    fmt::print("{:<28} {:<7} {:>11.4g} {:>8} {:>10} {:>8} {:>9} {:>8.1e} {:>6}  {}{}\n", row.kernel, row.isa,
               row.worst_ulp, fraction_text(row.worst_fraction), row.elements, row.outside, row.undecided, row.vacuity,
               laws_text(row), row.contract, row.contract_broken == 0 ? "" : "; it has: " + row.contract_seen);
    if (row.weak) fmt::print("    weak: changes of 10% would pass on more than one entry in a hundred\n");
    if (row.laws_kept != row.laws_checked)
      fmt::print("    {}\n    {}{}\n", row.laws, row.laws_replay, library ? " --library " + options.library : "");
    if (row.laws_broken > 0) status = differs;
    if (row.laws_undecided > 0 && status == all_as_expected) status = undecided;
    if (row.outside > 0) {
      if (!row.witness.empty()) fmt::print("    worst: {}\n", row.witness);
      fmt::print("    {}{}\n", row.replay, library ? " --library " + options.library : "");
      status = differs;
    } else if (row.undecided > 0 && status == all_as_expected) {
      status = undecided;
    }
  }
  std::uint64_t decided = 0, open = 0;
  for (const AccuracyRow& row : rows) decided += row.double_double_elements, open += row.double_double_open;
  if (decided != 0)
    fmt::print("bulk tier: {} elements decided in double-double, {} left to intervals\n", decided, open);
  if (library && print_violations(*library)) status = differs;
  return status;
}

}  // namespace attncert::cli
