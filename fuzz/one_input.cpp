#include "fuzz/one_input.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "properties/accuracy/budget.hpp"
#include "properties/accuracy/contract.hpp"
#include "properties/accuracy/guarded_call.hpp"
#include "properties/generators/logits.hpp"
#include "properties/generators/masks.hpp"
#include "properties/generators/temperatures.hpp"

namespace attncert {
namespace {

constexpr std::size_t longest = 64;  // several vectors of every width and a tail; one enclosure costs some 50 us
constexpr std::uint64_t bad_temperature_in = 16;

[[noreturn]] void stop(const attncert_kernel& kernel, const LogitRecipe& recipe, double temperature, const std::string& what) {
  std::fprintf(stderr, "%s: %s\n  row: %s, T = %a\n", kernel.name, what.c_str(), text(recipe).c_str(), temperature);
  std::abort();
}

unsigned logarithm(double worst_ulp) {
  if (!(worst_ulp > 0x1p-8)) return 0;
  return static_cast<unsigned>(std::clamp(std::log2(worst_ulp) + 8, 0.0, 15.0));
}

template <class T>
unsigned judged(const LogitRecipe& recipe, double temperature, const std::vector<std::uint8_t>& mask) {
  const Subject& subject = *find_subject("softmax");
  const attncert_kernel* kernel = find_kernel("softmax", sizeof(T) == 4 ? ATTNCERT_F32 : ATTNCERT_F64);
  ATTNCERT_ASSERT(kernel != nullptr);
  const auto logits = expand<T>(recipe);
  const LogitRow row{{logits.begin(), logits.end()}, temperature, mask};
  const auto outcome = guarded_call<T>(*kernel, logits, 1, temperature, mask);
  if (outcome.wrote_outside) stop(*kernel, recipe, temperature, "wrote outside its row");
  const double budget = budget_ulp(*kernel, temperature);
  const std::span<const T> computed(outcome.output);
  const std::string violation = contract_violation<T>(subject, row, outcome.status, computed, budget);
  if (!violation.empty()) stop(*kernel, recipe, temperature, violation);
  if (kind(row) != RowKind::ordinary) return 0;
  RowReference reference(row);
  const Judgement judgement = judge_row<T>(subject, reference, computed, budget);
  if (judgement.outside + judgement.undecided != 0)
    stop(*kernel, recipe, temperature,
         std::to_string(judgement.worst_ulp) + " ulp at entry " + std::to_string(judgement.worst_position) + ", the budget is " +
             std::to_string(budget) + "; exact " + judgement.worst_truth);
  return logarithm(judgement.worst_ulp);
}

}  // namespace

int one_input(const std::uint8_t* data, std::size_t size, unsigned* worst_ulp_log2) {
  Choices choices(std::span<const std::uint8_t>(data, size));
  const LogitRecipe recipe = draw_logits(choices, longest);
  const bool bad = choices.below(bad_temperature_in) == bad_temperature_in - 1;
  const double temperature = bad ? draw_invalid_temperature(choices) : draw_temperature(choices);
  const Mask mask = draw_mask(choices, recipe.length);
  const unsigned worst = choices.below(2) == 0 ? judged<float>(recipe, temperature, mask.keep)
                                               : judged<double>(recipe, temperature, mask.keep);
  if (worst_ulp_log2 != nullptr) *worst_ulp_log2 = worst;
  return 0;
}

}  // namespace attncert
