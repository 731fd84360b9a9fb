// The accuracy job: rows -> outputs of a kernel on an instruction set -> enclosure of the truth -> error in ulp and as
// a fraction of the kernel's stated budget, with the worst witness. The truth about a row is enclosed once and serves
// every kernel and instruction set.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "attncert/kernel.h"
#include "properties/conformance/accuracy/cases.hpp"

namespace attncert {

struct AccuracyPlan {
  std::uint64_t seed = 1;
  Effort effort = Effort::normal;
  std::vector<std::string> normalizers, isas;   // empty = all; isas as instruction_sets() names them
  std::vector<attncert_dtype> dtypes;           // of the input; empty = all
  std::vector<const attncert_kernel*> kernels;  // kernels of one's own instead of the built-in ones
  std::string only_case;                        // one case's name: repeat a finding
  unsigned jobs = 0;                            // threads that judge; 0 = one per core. Changes no figure.
  bool stop_at_first = false;                   // end a kernel's campaign once it is caught
  std::function<void(std::string_view case_name)> before_call;  // told which case the next calls belong to
};

// One line of the ledger's `kernels`; the fields are those of LedgerKernel (reports/ledger.hpp).
struct AccuracyRow {
  std::string normalizer, kernel, isa, dtype;
  double worst_ulp = 0;       // certain upper bound over everything judged; magnitude's ulp
  double budget_ulp = 0;      // the budget where worst_fraction was met
  double worst_fraction = 0;  // the largest error / budget
  std::uint64_t elements = 0, undecided = 0, outside = 0;  // outside: beyond the budget, or a broken contract
  std::uint64_t bulk_elements = 0, bulk_open = 0;          // decided by the bulk tier, and left by it to Interval
  double vacuity = 0;          // 99th percentile of the relative change that would go unnoticed (vacuity.hpp)
  bool weak = false;           // ... which is too much
  std::uint64_t cases = 0;     // rows it was run on, up to the first catch with stop_at_first
  std::string contract;        // the contract declared and whether it was kept
  std::string laws;            // which were kept, and what broke (judge_laws of properties/conformance/laws/survey.hpp)
  std::uint64_t laws_checked = 0, laws_kept = 0, laws_broken = 0, laws_undecided = 0;  // broken: or unanswered
  std::string laws_replay;  // the command that repeats the first law that was not kept
  std::string contract_seen;   // the contracts of the catalogue that its rows are consistent with
  std::string replay;          // the command that repeats the worst case
  std::string witness;         // the worst entry, for people
  std::uint64_t contract_rows = 0, contract_broken = 0;
};

using AccuracyProgress = std::function<void(std::string_view case_name, std::size_t done, std::size_t of)>;

// Rows ordered by (normalizer, kernel, isa) as the lists of subjects, kernels and instruction sets are.
std::vector<AccuracyRow> run_accuracy(const AccuracyPlan& plan, const AccuracyProgress& progress = {});

}  // namespace attncert
