#include "fuzz/one_input.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "properties/accuracy/budget.hpp"
#include "properties/accuracy/contract.hpp"
#include "properties/accuracy/guarded_call.hpp"
#include "properties/accuracy/judge.hpp"
#include "properties/accuracy/rows.hpp"
#include "properties/generators/masks.hpp"
#include "properties/generators/temperatures.hpp"
#include "properties/subjects.hpp"

namespace attncert {
namespace {

constexpr std::size_t longest = 64;  // several vectors of every width and a tail; one enclosure costs some 50 us
constexpr std::uint64_t bad_temperature_in = 16;

[[noreturn]] void stop(const attncert_kernel& kernel, const LogitRecipe& recipe, const LogitRow& row,
                       const std::string& what) {
  std::fprintf(stderr, "%s: %s\n  row: %s, T = %a\n", kernel.name, what.c_str(), text(recipe).c_str(), row.temperature);
  std::abort();
}

unsigned logarithm(double worst_ulp) {
  if (!(worst_ulp > 0x1p-8)) return 0;
  return static_cast<unsigned>(std::clamp(std::log2(worst_ulp) + 8, 0.0, 15.0));
}

unsigned judged(const Subject& subject, const attncert_kernel& kernel, const LogitRecipe& recipe, const LogitRow& row) {
  const GuardedOutcome outcome = guarded_call(kernel, row);
  if (outcome.wrote_outside) stop(kernel, recipe, row, "wrote outside its row");
  const Budget budget = budget_of(kernel);
  const Format& out = format(kernel.dtype_out);
  if (kind(row) != RowKind::ordinary) {
    const std::string violation =
        contract_violation(*find_contract(kernel.contract), observe(subject, row, out, outcome, budget));
    if (!violation.empty()) stop(kernel, recipe, row, violation);
    return 0;
  }
  if (outcome.status != ATTNCERT_OK || outcome.unwritten != 0) stop(kernel, recipe, row, "a valid call was not served");
  const auto truth = subject.truth(row);
  const Judgement judgement = judge_row(subject, row, *truth, out, outcome.output, budget);
  if (judgement.outside + judgement.undecided != 0)
    stop(kernel, recipe, row,
         std::to_string(judgement.worst_ulp) + " ulp at entry " + std::to_string(judgement.worst_position) +
             ", allowed are " + std::to_string(judgement.budget_ulp) + "; exact " + worst_truth_text(judgement));
  return logarithm(judgement.worst_ulp);
}

}  // namespace

// What is drawn last came last: bytes that end early read zeros there, so older inputs keep their meaning (softmax in f32
// or f64).
int one_input(const std::uint8_t* data, std::size_t size, unsigned* worst_ulp_log2) {
  Choices choices(std::span<const std::uint8_t>(data, size));
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
  if (kernel == nullptr) return 0;
  row.logits = expand(recipe, dtype);
  row.parameters = draw_parameters(choices, subject);
  if (subject.derivative) row.upstream = draw_upstream(choices, dtype, row.logits.size());
  const unsigned worst = judged(subject, *kernel, recipe, row);
  if (worst_ulp_log2 != nullptr) *worst_ulp_log2 = worst;
  return 0;
}

}  // namespace attncert
