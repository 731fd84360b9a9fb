// Sparsemax and entmax: the row satisfies the optimality conditions of the definition, with every weight within its
// budget and an exact support (optimality.hpp). The check needs no reference value.
#include "properties/conformance/accuracy/budget.hpp"
#include "properties/conformance/laws/law_rows.hpp"

namespace attncert::laws {
namespace {

constexpr std::size_t longest_affordable = 8192 + 37;

}  // namespace

LawOutcome told(const OptimalityVerdict& verdict) {
  using enum OptimalityVerdict::Kind;
  if (verdict.kind == violated) return laws::violated("entry " + std::to_string(verdict.entry) + ": " + verdict.reason);
  return verdict.kind == undecided ? laws::undecided(verdict.reason) : kept;
}

LawOutcome optimal(const Subject& subject, const attncert_kernel& kernel, LawChoices& choices) {
  // Two powers for every positive weight, and all entries in every sum: beyond 2^13 of them it takes seconds.
  LawChoices shorter = choices;
  if (choices.length() > longest_affordable) shorter.shorten(longest_affordable);
  const LogitRow row = draw_row(shorter, subject, kernel);
  if (!ordinary(row)) return vacuous;
  return told(check_optimality(subject, row, values(kernel, row), format(kernel.dtype_out), budget_of(kernel)));
}

}  // namespace attncert::laws
