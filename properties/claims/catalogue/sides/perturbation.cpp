#include "properties/claims/catalogue/sides/perturbation.hpp"

#include <algorithm>

#include "reference/normalizers/softmax.hpp"

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

// From J = (diag p - p p^T)/T
Interval first_order_distance(const Instance& instance, Precision precision) {
  std::vector<Rational> row = instance.logits;
  row.back() = raised_logit(instance);
  const auto p = reference::softmax(row, *instance.temperature, precision);
  const std::vector<Rational> other = perturbed_logits(instance);
  std::vector<Interval> image;
  for (std::size_t i = 0; i < row.size(); ++i)
    image.emplace_back(Rational((other[i] - instance.logits[i]) / *instance.temperature), precision);
  const Interval mean = dot(p, image, precision);
  for (std::size_t i = 0; i < row.size(); ++i) image[i] = p[i] * (image[i] - mean);
  return sqrt(sum_of_squares(image, precision));
}

Hypotheses perturbation_hypotheses() {
  return {hypotheses::positive_temperature,
          hypotheses::at_least_two_tokens,
          {"e != 0", perturbed},
          {"all logits but the last two are 0", others_zero}};
}

}  // namespace attncert::sides
