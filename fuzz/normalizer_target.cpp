// One input of the normalizer target: a tape that spells out a row of logits, a temperature, a mask, a kernel. What the kernel
// makes of it is judged against the exact values and the kernel's budget; degenerate rows against its contract.
#include <string>

#include "fuzz/target.hpp"
#include "properties/accuracy/budget.hpp"
#include "properties/accuracy/contract.hpp"
#include "properties/accuracy/guarded_call.hpp"
#include "properties/accuracy/judge.hpp"
#include "properties/accuracy/rows.hpp"
#include "properties/generators/masks.hpp"
#include "properties/generators/temperatures.hpp"
#include "properties/subjects.hpp"
#include "src/core/hex_text.hpp"

namespace attncert {
namespace {

constexpr std::size_t longest = 64;  // several vectors of every width and a tail; one enclosure costs some 50 us
constexpr std::uint64_t bad_temperature_in = 16;

[[noreturn]] void stop(const attncert_kernel& kernel, const LogitRecipe& recipe, const LogitRow& row,
                       const std::string& what) {
  violation("normalizer", std::string(kernel.name) + ", " + text(recipe) + ", T = " + hex_text(row.temperature), what);
}

void judged(const Subject& subject, const attncert_kernel& kernel, const LogitRecipe& recipe, const LogitRow& row,
            Guide& guide) {
  const GuardedOutcome outcome = guarded_call(kernel, row);
  if (outcome.wrote_outside) stop(kernel, recipe, row, "wrote outside its row");
  const Budget budget = budget_of(kernel);
  const Format& out = format(kernel.dtype_out);
  if (kind(row) != RowKind::ordinary) {
    const std::string violation =
        contract_violation(*find_contract(kernel.contract), observe(subject, row, out, outcome, budget));
    if (!violation.empty()) stop(kernel, recipe, row, violation);
    return;
  }
  if (outcome.status != ATTNCERT_OK || outcome.unwritten != 0) stop(kernel, recipe, row, "a valid call was not served");
  const auto truth = subject.truth(row);
  const Judgement judgement = judge_row(subject, row, *truth, out, outcome.output, budget);
  if (judgement.outside + judgement.undecided != 0)
    stop(kernel, recipe, row,
         std::to_string(judgement.worst_ulp) + " ulp at entry " + std::to_string(judgement.worst_position) +
             ", allowed are " + std::to_string(judgement.budget_ulp) + "; exact " + worst_truth_text(judgement));
  guide.ulp(0, judgement.worst_ulp);
}

}  // namespace

// What is drawn last came last: bytes that end early read zeros there, so older inputs keep their meaning (softmax in f32
// or f64).
void run_normalizer(std::span<const std::uint8_t> input, Guide& guide) {
  Choices choices(input);
  const LogitRecipe recipe = draw_logits(choices, longest);
  const bool bad = choices.below(bad_temperature_in) == bad_temperature_in - 1;
  LogitRow row;
  row.temperature = bad ? draw_invalid_temperature(choices) : draw_temperature(choices);
  row.mask = draw_mask(choices, recipe.length).keep;
  const bool wide = choices.below(2) != 0;
  const Subject& subject = *subjects()[choices.below(subjects().size())];
  const bool half = choices.below(2) != 0;
  const attncert_dtype dtype = half ? (wide ? ATTNCERT_BF16 : ATTNCERT_F16) : (wide ? ATTNCERT_F64 : ATTNCERT_F32);
  const attncert_kernel* kernel = find_kernel(subject.name, dtype);
  if (kernel == nullptr) return;
  row.logits = expand(recipe, dtype);
  row.parameters = draw_parameters(choices, subject);
  if (subject.derivative) row.upstream = draw_upstream(choices, dtype, row.logits.size());
  judged(subject, *kernel, recipe, row, guide);
}

}  // namespace attncert
