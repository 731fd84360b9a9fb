#include "cli/accuracy_table.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "properties/conformance/subjects.hpp"
#include "src/core/printable.hpp"
#include "src/device/device.hpp"
#include "src/kernel/dtype.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert::cli {
namespace {

// Three digits of a fraction within the budget; the magnitude of one far beyond it.
std::string fraction_text(double fraction) {
  return fraction < 1000 ? fmt::format("{:.3f}", fraction) : fmt::format("{:.1e}", fraction);
}

// "17/17"; "-" where none was asked.
std::string laws_text(const AccuracyRow& row) {
  if (row.laws_checked == 0) return "-";
  return std::to_string(row.laws_kept) + "/" + std::to_string(row.laws_checked);
}

// A case that was asked for is none of these kernels'.
bool has_nothing(const AccuracyRow& row) {
  return row.elements == 0 && row.contract_rows == 0 && row.laws_checked == 0 && row.outside == 0;
}

// Prints the row; the status that it alone would give. `more`: the options that repeat it, beside its own.
int show_row(const AccuracyRow& row, const std::string& more) {
  fmt::print("{:<28} {:<7} {:>11.4g} {:>8} {:>10} {:>8} {:>9} {:>8.1e} {:>6}  {}{}\n", row.kernel, row.isa,
             row.worst_ulp, fraction_text(row.worst_fraction), row.elements, row.outside, row.undecided, row.vacuity,
             laws_text(row), row.contract, row.contract_broken == 0 ? "" : "; it has: " + row.contract_seen);
  if (row.weak) fmt::print("    weak: a change of 10% would go unseen on more than one entry in a hundred\n");
  if (row.laws_kept != row.laws_checked) fmt::print("    {}\n    {}{}\n", row.laws, row.laws_replay, more);
  if (row.outside > 0) {
    if (!row.worst_entry.empty()) fmt::print("    worst: {}\n", row.worst_entry);
    fmt::print("    {}{}\n", row.replay, more);
  }
  if (row.outside > 0 || row.laws_broken > 0) return differs;
  return row.undecided > 0 || row.laws_undecided > 0 || row.weak ? undecided : all_as_expected;
}

// The first line, where a judgement is no pass because it says too little.
void show_weak(const std::vector<AccuracyRow>& rows) {
  std::string names;
  std::size_t weak = 0;
  for (const AccuracyRow& row : rows) {
    if (!row.weak) continue;
    ++weak;
    names += (names.empty() ? "" : ", ") + row.kernel + (row.isa.empty() ? "" : " " + row.isa);
  }
  if (weak != 0)
    fmt::print("weak: {} of {} kernels are judged so loosely that a change of 10% in an output would go unseen: {}\n",
               weak, rows.size(), names);
}

int show_table(const std::vector<AccuracyRow>& rows, const std::string& more) {
  show_weak(rows);
  fmt::print("{:<28} {:<7} {:>11} {:>8} {:>10} {:>8} {:>9} {:>8} {:>6}  contract\n", "kernel", "isa", "worst ulp",
             "fraction", "elements", "outside", "undecided", "vacuity", "laws");
  int status = all_as_expected;
  bool on_device = false;
  std::uint64_t decided = 0, open = 0, by_device = 0, contradicted = 0;
  for (const AccuracyRow& row : rows) {
    const int own = show_row(row, more);
    if (own == differs || status == all_as_expected) status = own;
    on_device = on_device || row.isa == device_isa;
    decided += row.double_double_elements;
    open += row.double_double_open;
    by_device += row.device_elements;
    contradicted += row.device_contradicted;
  }
  if (on_device) fmt::print("device: {}\n", device::device_line());
  if (decided != 0) fmt::print("double-double tier: {} elements decided, {} left to intervals\n", decided, open);
  if (by_device != 0) fmt::print("  {} of them by a device: {}\n", by_device, judges_of(rows));
  if (contradicted != 0)
    fmt::print("  on {} rows the processor contradicts the device, which is not to be believed: judge without it\n",
               contradicted);
  return status;
}

// The classes of inputs that the kernels were judged on; of one case there is nothing to count.
void show_coverage(const AccuracyPlan& plan, const std::vector<AccuracyRow>& rows) {
  std::vector<CoveredKernel> kernels;
  for (const AccuracyRow& row : rows)
    if (const Subject* subject = find_subject(row.normalizer); subject != nullptr && plan.only_case.empty())
      kernels.push_back({row.kernel, subject, *dtype_named(row.dtype), &row.inputs});
  if (kernels.empty()) return;
  fmt::print("classes of inputs (attncert list --inputs), rows that were answered:\n{}", coverage_text(kernels));
  std::set<std::string> said;
  for (const CoveredKernel& kernel : kernels)
    for (const std::string& missed : classes_missed(kernel))
      if (said.insert(kernel.name + missed).second) fmt::print("  {}: no row of: {}\n", kernel.name, missed);
}

}  // namespace

std::string judges_of(const std::vector<AccuracyRow>& rows) {
  std::set<std::string> names;
  for (const AccuracyRow& row : rows)
    if (!row.judge.empty()) names.insert(printable(row.judge));
  return fmt::format("{}", fmt::join(names, " and "));
}

int show_accuracy(const AccuracyPlan& plan, std::vector<AccuracyRow>& rows, const std::string& more) {
  std::erase_if(rows, has_nothing);
  if (!rows.empty()) {
    const int status = show_table(rows, more);
    show_coverage(plan, rows);
    return status;
  }
  return fail(
      Error{"accuracy: nothing to judge: no such case or kernel; see attncert list --kernels, and a report for the "
            "names of cases"});
}

}  // namespace attncert::cli
