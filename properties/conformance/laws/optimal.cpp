// Sparsemax and entmax: the row satisfies the optimality conditions of the definition, with every weight within its
// budget and an exact support (optimality.hpp). The check needs no reference value.
#include "properties/conformance/accuracy/budget.hpp"
#include "properties/conformance/laws/law_rows.hpp"

namespace attncert::laws {

LawOutcome told(const OptimalityVerdict& verdict) {
  using enum OptimalityVerdict::Kind;
  if (verdict.kind == violated) return laws::violated("entry " + std::to_string(verdict.entry) + ": " + verdict.reason);
  return verdict.kind == undecided ? laws::undecided(verdict.reason) : kept;
}

LawOutcome optimal(const Subject& subject, const attncert_kernel& kernel, Choices& choices) {
  const LogitRow row = draw_row(choices, subject, kernel);
  if (!ordinary(row)) return vacuous;
  return told(check_optimality(subject, row, values(kernel, row), format(kernel.dtype_out), budget_of(kernel)));
}

}  // namespace attncert::laws
