// ||f(l) - f(l')||_p / ||l - l'||_p: what a Lipschitz constant of a normalizer f is an upper bound of
// (docs/specification.md#normalizers). Rules with one constant for every l_p are tried at p in {1, 5/4, 3/2, 2, 3, 4,
// inf}, the others at p in {1, 2, inf}. Rules whose values are rational give exact differences, so that `attained` can
// be exact.
#pragma once

#include <vector>

#include "properties/claims/catalogue/sides/pair.hpp"
#include "properties/claims/claim.hpp"

namespace attncert::sides {

using Values = std::vector<Interval>;
using Logits = std::vector<Rational>;
using Rule = Values (*)(const Instance&, const Logits&, Precision);  // f of one of the instance's two rows
using ExactRule = std::vector<Rational> (*)(const Instance&, const Logits&);

std::vector<Hypothesis> pair_hypotheses();                 // T > 0; two different rows of L logits
std::vector<Hypothesis> pair_hypotheses(Hypothesis last);  // and one more
Truth has_numbers(const Instance& instance);               // the numbers of a ruled_pair are there

struct Stretch {
  Interval one, two, infinity;  // by the norm on both sides
  Interval largest() const { return max(max(one, two), infinity); }
};
Stretch stretch(const Instance& instance, Rule rule, Precision precision);
Stretch stretch(const Instance& instance, ExactRule rule, Precision precision);

// In the order of half_means of sides/pair.hpp: p = 1, 5/4, 3/2, 2, 3, 4, inf.
std::vector<Interval> stretches(const Instance& instance, Rule rule, Precision precision);
std::vector<Interval> stretches(const Instance& instance, ExactRule rule, Precision precision);

struct ExactStretch {
  Rational one, squared_two, infinity;
};
ExactStretch exact_stretch(const Instance& instance, ExactRule rule);

// As a side of a claim: over p in {1, 2, inf}, and over all seven.
template <auto rule>
Interval largest_stretch(const Instance& instance, Precision precision) {
  return stretch(instance, rule, precision).largest();
}
template <auto rule>
Interval largest_of_stretches(const Instance& instance, Precision precision) {
  return largest(stretches(instance, rule, precision));
}

template <long numerator, unsigned long denominator>
Interval constant_over_temperature(const Instance& instance, Precision precision) {
  return Interval(Rational(ratio(numerator, denominator) / *instance.temperature), precision);
}

Values softmax(const Instance& instance, const Logits& logits, Precision precision);  // of logits / T
Values shares(const Values& exponents, Precision precision);  // exp(x_i) / sum exp(x_j); x <= 0, one of them 0
Values scaled(const std::vector<Rational>& factors, const Values& weights, Precision precision);  // entry by entry

Rational range(const Logits& logits);  // max l - min l
// The least range of a row on the segment between the two rows, exactly; `with_zero`: of the row with one more logit 0.
Rational smallest_range_between(const Instance& instance, bool with_zero);

}  // namespace attncert::sides
