#include "cli/row.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "cli/console.hpp"
#include "properties/conformance/accuracy/budget.hpp"
#include "properties/conformance/accuracy/guarded_call.hpp"
#include "properties/conformance/accuracy/judge.hpp"
#include "properties/conformance/accuracy/observed.hpp"
#include "properties/conformance/subjects.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert::cli {
namespace {

// "0,nan,0x1p-3,-inf" -> logits; an empty vector when it is no such list.
std::vector<double> logits_of(const std::string& text) {
  std::vector<double> logits;
  for (const char* at = text.c_str();;) {
    char* end = nullptr;
    logits.push_back(std::strtod(at, &end));
    if (end == at || (*end != 0 && *end != ',')) return {};
    if (*end == 0) return logits;
    at = end + 1;
  }
}

// A NaN's sign means nothing.
double shown(double value) { return std::isnan(value) ? std::abs(value) : value; }

bool among(const std::vector<std::string>& chosen, std::string_view item) {
  return chosen.empty() || std::find(chosen.begin(), chosen.end(), item) != chosen.end();
}

LogitRow rounded_to(LogitRow row, attncert_dtype dtype) {
  for (double& logit : row.logits) logit = rounded(dtype, logit);
  return row;
}

int judge_ordinary(const Subject& subject, const LogitRow& row, const attncert_kernel& kernel,
                   const GuardedOutcome& outcome) {
  const auto truth = subject.truth(row);
  const Budget budget = budget_of(kernel);
  int status = all_as_expected;
  for (std::size_t i = 0; i < row.logits.size(); ++i) {
    Judged one{outcome.output, &budget};
    const std::size_t position[] = {i};
    judge_row(subject, row, *truth, format(kernel.dtype_out), position, {&one, 1});
    const Judgement& judgement = one.judgement;
    const char* verdict = judgement.outside > 0 ? "outside" : judgement.undecided > 0 ? "undecided" : "within";
    const bool weak = judgement.vacuity.weak();
    fmt::print("  entry {}: {:.9g} ({:a}), exact {}, {:.3g} ulp, {} its budget of {:.3g}{}\n", i,
               shown(outcome.output[i]), shown(outcome.output[i]), worst_truth_text(judgement), judgement.worst_ulp,
               verdict, judgement.budget_ulp, weak ? ", which is weak: a change of 10% would go unseen" : "");
    if (judgement.outside > 0) status = differs;
    else if ((judgement.undecided > 0 || weak) && status == all_as_expected) status = undecided;
  }
  return status;
}

int judge_contract(const attncert_kernel& kernel, const Observed& seen) {
  const Result<Contract> contract = contract_named(kernel.contract);
  const std::string violation = contract ? contract_violation(*contract, seen) : contract.error().message;
  fmt::print("  contract {}: {}\n", kernel.contract, violation.empty() ? "kept" : violation);
  return violation.empty() ? all_as_expected : differs;
}

int judge(const Subject& subject, const LogitRow& row, const attncert_kernel& kernel) {
  fmt::print("{} at T = {}\n", kernel.name, row.temperature);
  const GuardedOutcome outcome = guarded_call(kernel, row);
  if (kind(row) == RowKind::ordinary && outcome.status != ATTNCERT_OK) {
    fmt::print("  status {} for a valid call\n", static_cast<int>(outcome.status));
    return differs;
  }
  const Observed seen = observe(subject, row, format(kernel.dtype_out), outcome, budget_of(kernel));
  const bool by_formula = seen.situations == 0 || (seen.behaviours & bit(Behaviour::formula)) != 0;
  int status = all_as_expected;
  if (by_formula) status = judge_ordinary(subject, row, kernel, outcome);
  else
    for (std::size_t i = 0; i < row.logits.size(); ++i) fmt::print("  entry {}: {:.9g}\n", i, shown(outcome.output[i]));
  if (seen.situations == 0) return status;
  const int kept = judge_contract(kernel, seen);
  return kept == all_as_expected ? status : kept;
}

}  // namespace

int judge_row_of(const AccuracyOptions& options, std::span<const attncert_kernel* const> kernels) {
  const LogitRow given{logits_of(options.row), options.temperature, {}};
  if (given.logits.empty()) return fail(Error{"--row: not numbers between commas; write 0,-1.5,nan,inf"});
  int worst = all_as_expected;
  bool any = false;
  for (const attncert_kernel* kernel : kernels) {
    const Subject* subject = find_subject(kernel->normalizer);
    if (subject == nullptr || subject->derivative || !among(options.normalizers, kernel->normalizer)) continue;
    if (!among(options.dtypes, format(kernel->dtype_in).name) || !among(options.kernels, kernel->name)) continue;
    any = true;
    const int status = judge(*subject, rounded_to(given, kernel->dtype_in), *kernel);
    if (status == differs || worst == all_as_expected) worst = status;
  }
  return any ? worst : fail(Error{"--row: no kernel that it could be given to; see attncert list --kernels"});
}

}  // namespace attncert::cli
