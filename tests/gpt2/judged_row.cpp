#include "tests/gpt2/judged_row.hpp"

#include "properties/conformance/accuracy/budget.hpp"
#include "properties/conformance/accuracy/judge.hpp"
#include "properties/conformance/subjects.hpp"

namespace attncert {

JudgedRow judged_row(std::string_view normalizer, double temperature, const attncert_parameters& p,
                     std::span<const float> logits, std::span<const float> weights) {
  const LogitRow row{{logits.begin(), logits.end()},
                     temperature,
                     {},
                     {p.alpha_numerator, p.alpha_denominator, p.k, p.order, p.scale, p.bias}};
  const Subject& subject = *find_subject(normalizer);
  const attncert_kernel& kernel = *find_kernel(normalizer, ATTNCERT_F32);
  const std::vector<double> computed(weights.begin(), weights.end());
  const Judgement judgement =
      judge_row(subject, row, *subject.truth(row), format(ATTNCERT_F32), computed, budget_of(kernel));
  return {judgement.elements, judgement.outside, judgement.undecided};
}

}  // namespace attncert
