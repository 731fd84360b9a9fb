#include "fuzz/normalizer_execution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fuzz/rank.hpp"
#include "fuzz/record.hpp"
#include "fuzz/regimes.hpp"
#include "properties/conformance/accuracy/double_double_tier.hpp"
#include "properties/conformance/accuracy/judge.hpp"
#include "properties/conformance/accuracy/observed.hpp"
#include "reference/ulp.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert {
namespace {

// Interval judges this many entries of a row that the double-double tier does not serve, or of a row of hundreds for
// which it has no proof. Both ends and the two entries farthest from plain double arithmetic are among them.
constexpr std::size_t looked_at = 8;

constexpr double well_within = 0.875;  // of what is allowed
// Bounds dominated by the double-double tier's own error say nothing of the kernel; they must not steer the fuzzer.
constexpr double negligible = 0x1p-10;  // ulp

// Where terms cancel (derivatives) every entry is allowed another error, and the largest error in ulp and the largest
// share of what is allowed need not belong to the same entry.
void tell(const NormalizerCase& one, const Budget& budget, double ulp, double fraction, Guide& guide) {
  const bool cancels = one.subject->derivative;
  const double beyond = !cancels ? beyond_rounding(ulp, fraction) : budget.narrowed && fraction <= 1 ? 0 : fraction;
  guide.ulp(group_of(one), ulp);
  guide.fraction(group_of(one), beyond);
  const double allowed = budget.narrowed ? of_rounding : budget.last + budget.bound(one.row.temperature);
  note_worst(rank(beyond, allowed), [&] {
    return figure(beyond) + (cancels ? " of the budget, " : " of the budget beyond half an ulp, ") + figure(ulp) +
           " ulp: " + text(one);
  });
}

// The same row with other strides, elsewhere, and among others.
std::string objection_to_batch(const NormalizerCase& one, const Variant& variant, const GuardedOutcome& together) {
  if (together.wrote_outside) return "wrote outside the rows of a batch";
  if (together.status != variant.outcome.status) return "another status in a batch";
  const std::size_t length = one.row.logits.size();
  for (std::size_t i = 0; i < length; ++i) {
    const double alone = variant.outcome.output[i], there = together.output[one.at * length + i];
    if (alone != there && !(std::isnan(alone) && std::isnan(there)))
      return "entry " + std::to_string(i) + " alone and in a batch: " + std::to_string(alone) + " and " +
             std::to_string(there);
  }
  return "";
}

std::string objection_to_refusal(const NormalizerCase& one, const Variant& variant) {
  const attncert_status status = variant.outcome.status;
  const bool cold = kind(one.row) == RowKind::bad_temperature && status == ATTNCERT_BAD_TEMPERATURE;
  if (status != ATTNCERT_BAD_PARAMETER && !cold) return "a parameter out of range is not refused";
  return variant.outcome.unwritten == one.row.logits.size() ? "" : "refused, and wrote all the same";
}

std::string objection_to_degenerate(const NormalizerCase& one, const Variant& variant) {
  const Result<Contract> contract = contract_named(variant.kernel->contract);
  if (!contract) return contract.error().message;
  if (one.longer > longest_otherwise) return "";  // some compare every entry with Interval's
  const Observed observed =
      observe(*one.subject, one.row, format(variant.kernel->dtype_out), variant.outcome, variant.budget);
  return contract_violation(*contract, observed);
}

// What double-double says of all variants. decided: every entry but `open` is within what is allowed.
enum class TierAnswer { not_asked, not_offered, saw_an_error, decided };

TierAnswer judged_by_tier(const NormalizerCase& one, std::span<const Variant> variants, std::vector<std::size_t>& open,
                          Guide& guide) {
  if ((one.thorough && one.longer == 0) || !DoubleDoubleTier::serves(*one.subject)) return TierAnswer::not_asked;
  const DoubleDoubleTier tier(*one.subject, one.row, variants.front().kernel->dtype_out);
  if (!tier.offered()) return TierAnswer::not_offered;
  for (const Variant& variant : variants) {
    const TierOutcome outcome = tier.judge(variant.outcome.output, variant.budget, false);
    if (outcome.elements == 0) return TierAnswer::saw_an_error;
    open.insert(open.end(), outcome.open.begin(), outcome.open.end());
    if (outcome.truth_error <= negligible) tell(one, variant.budget, outcome.worst_ulp, outcome.worst_fraction, guide);
  }
  return TierAnswer::decided;
}

// True where plain double arithmetic finds every entry of f32 or a half type well within what is allowed (deeper and
// longer rows are allowed more): its own error is nothing beside their ulp. It cannot see an error that it shares with
// a kernel, such as terms that cancel to the same 0. Therefore one row of 16 is `thorough` and goes to Interval
// unscreened.
bool screened(const NormalizerCase& one, std::span<const Variant> variants, RowTruth& truth, Guide& guide) {
  const Format& f = format(variants.front().kernel->dtype_out);
  if (one.thorough || f.digits > std::numeric_limits<float>::digits) return false;
  double worst = 0, worst_ulp = 0;
  for (std::size_t i = 0; i < one.row.logits.size(); ++i) {
    const bool present = one.row.present(i);
    const double screen = present ? truth.screen(i) : one.subject->absent;
    if (present && !std::isfinite(screen)) return false;
    const double unit = std::ldexp(1.0, ulp_exponent(screen, {f.digits, f.min_exponent}));
    for (const Variant& variant : variants) {
      const double computed = variant.outcome.output[i];
      if (computed == screen) continue;
      const Budget& budget = variant.budget;
      const double bound = budget.last + (budget.narrowed ? 0 : budget.bound(one.row.temperature));
      const double ulp = std::abs(computed - screen) / unit, fraction = ulp / bound;
      if (!present || !(fraction <= well_within)) return false;
      if (one.subject->exact_support && (computed == 0 || screen == 0)) return false;
      if (fraction > worst) worst_ulp = ulp;
      worst = std::max(worst, fraction);
    }
  }
  tell(one, variants.front().budget, worst_ulp, worst, guide);
  return true;
}

std::string objection_to_numbers(const NormalizerCase& one, std::span<const Variant> variants, Guide& guide) {
  std::vector<std::size_t> positions;
  const TierAnswer tier = judged_by_tier(one, variants, positions, guide);
  if (tier == TierAnswer::decided && positions.empty()) return "";
  // Interval takes a second for the sum of tens of thousands: only of a row in which an error was seen.
  std::vector<Judged> judged;
  for (const Variant& variant : variants) judged.push_back({variant.outcome.output, &variant.budget});
  if (tier != TierAnswer::saw_an_error && one.longer > longest_otherwise) return "";
  const auto truth = one.subject->truth(one.row);
  if ((tier == TierAnswer::not_asked || tier == TierAnswer::not_offered) && screened(one, variants, *truth, guide))
    return "";
  const bool all =
      tier == TierAnswer::saw_an_error || (one.longer == 0 && (one.thorough || tier == TierAnswer::not_offered));
  if (tier != TierAnswer::decided)
    positions = chosen_positions(one.row, *truth, judged, all ? one.row.logits.size() : looked_at);
  judge_row(*one.subject, one.row, *truth, format(variants.front().kernel->dtype_out), positions, judged);
  for (const auto& [computed, budget, judgement] : judged) {
    const bool violated = judgement.outside + judgement.undecided != 0;
    if (violated)
      return std::to_string(judgement.worst_ulp) + " ulp at entry " + std::to_string(judgement.worst_position) +
             ", allowed are " + std::to_string(judgement.budget_ulp) + "; exact " + worst_truth_text(judgement);
    tell(one, *budget, judgement.worst_fraction * judgement.budget_ulp, judgement.worst_fraction, guide);
  }
  return "";
}

GuardedOutcome called(const Variant& variant, const LogitRow& batch, std::size_t rows, const Layout& layout) {
  std::optional<ForcedInstructionSet> forced;
  if (!variant.isa.empty()) forced.emplace(variant.isa);
  return guarded_call(*variant.kernel, batch, rows, layout);
}

std::string objection_to_answer(const NormalizerCase& one, const Variant& variant) {
  const GuardedOutcome& outcome = variant.outcome;
  if (outcome.wrote_outside) return "wrote outside its row or scratch";
  if (outcome.control_after != outcome.control_before) return "left another rounding mode behind";
  if (one.refused) return objection_to_refusal(one, variant);
  if (!by_formula(variant.kernel->contract, one.row)) return objection_to_degenerate(one, variant);
  return outcome.status == ATTNCERT_OK && outcome.unwritten == 0 ? "" : "a valid call was not served";
}

}  // namespace

Budget proved_budget(const attncert_kernel& kernel) {
  Budget budget = budget_of(kernel);
  budget.tolerance_unit = budget.tolerance_other = 0;
  return budget;
}

bool asks_for_batch(const NormalizerCase& one) { return !one.refused && (one.rows > 1 || one.elsewhere); }

Execution asked_of(const attncert_kernel& kernel, NormalizerCase one) {
  Execution execution{std::move(one), {{&kernel, "", proved_budget(kernel)}}, std::nullopt};
  execution.one.kernel = &kernel;
  execution.one.isa = execution.one.other_isa = "";
  return execution;
}

void make_calls(std::span<Execution> executions) {
  for (Execution& execution : executions) {
    const NormalizerCase& one = execution.one;
    for (Variant& variant : execution.variants) variant.outcome = called(variant, one.row, 1, {});
    if (asks_for_batch(one))
      execution.together = called(execution.variants.front(), batch_of(one), one.rows, one.layout);
  }
}

std::string objection(const Execution& execution, Guide& given) {
  const NormalizerCase& one = execution.one;
  if (!execution.conduct.wrong.empty() || execution.conduct.lost) return execution.conduct.wrong;
  Guide none = Guide::silent();
  // Long rows are slow: among others they give no guidance.
  Guide& guide = one.longer == 0 || one.lengths == Lengths::long_ones ? given : none;
  flag_length(one, given);
  for (const Variant& variant : execution.variants)
    if (std::string wrong = objection_to_answer(one, variant); !wrong.empty()) return wrong;
  const Variant& first = execution.variants.front();
  if (execution.together)
    if (std::string wrong = objection_to_batch(one, first, *execution.together); !wrong.empty()) return wrong;
  flag_regimes(one, first.outcome.output, guide);
  if (one.refused || !by_formula(first.kernel->contract, one.row)) return "";
  return objection_to_numbers(one, execution.variants, guide);
}

}  // namespace attncert
