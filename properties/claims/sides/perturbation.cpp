#include "properties/claims/sides/perturbation.hpp"

#include <algorithm>

#include "properties/claims/sides/softmax.hpp"
#include "properties/generators/hypotheses.hpp"

namespace attncert::sides {
namespace {

Truth others_zero(const Instance& instance) {
  return truth(std::all_of(instance.logits.begin(), instance.logits.end() - 2,
                           [](const Rational& logit) { return sgn(logit) == 0; }));
}

Truth perturbed(const Instance& instance) { return truth(sgn(perturbation(instance)) != 0); }

}  // namespace

Rational raised_logit(const Instance& instance) { return instance.logits[instance.length - 2]; }

Rational perturbation(const Instance& instance) { return instance.logits.back() - raised_logit(instance); }

std::vector<Rational> perturbed_logits(const Instance& instance) {
  std::vector<Rational> result = instance.logits;
  const Rational a = raised_logit(instance), e = perturbation(instance);
  result[result.size() - 2] = a + 2 * e;
  result.back() = a;
  return result;
}

std::vector<Hypothesis> perturbation_hypotheses() {
  std::vector<Hypothesis> all = softmax_hypotheses();
  all.push_back({"L >= 2", hypotheses::at_least_two_tokens});
  all.push_back({"e != 0", perturbed});
  all.push_back({"all logits but the last two are 0", others_zero});
  return all;
}

}  // namespace attncert::sides
