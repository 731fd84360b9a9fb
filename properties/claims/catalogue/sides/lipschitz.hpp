// ||f(l) - f(l')||_p / ||l - l'||_p: what a Lipschitz constant of a normalizer f is an upper bound of
// (docs/specification.md#normalizers). Rules with one constant for every l_p are tried at p in {1, 5/4, 3/2, 2, 3, 4,
// inf}, the others at p in {1, 2, inf}. Rules whose values are rational give exact differences, so that `attained` can
// be exact.
#pragma once

#include <vector>

#include "properties/claims/catalogue/sides/exact.hpp"
#include "properties/claims/catalogue/sides/pair.hpp"

namespace attncert::sides {

using Values = std::vector<Interval>;
using Logits = std::vector<Rational>;
using Rule = Values (*)(const Instance&, const Logits&, Precision);  // f of one of the instance's two rows
using ExactRule = std::vector<Rational> (*)(const Instance&, const Logits&);

Hypotheses pair_hypotheses(Hypotheses more = {});  // T > 0; two different rows of L logits; and more
Truth has_numbers(const Instance& instance);       // the numbers of a ruled_pair are there

struct Stretch {
  Interval one, two, infinity;  // by the norm on both sides
  Interval largest() const { return max(max(one, two), infinity); }
};
Stretch stretch(const Instance& instance, Rule rule, Precision precision);
Stretch stretch(const Instance& instance, ExactRule rule, Precision precision);

// In the order of half_means of sides/pair.hpp: p = 1, 5/4, 3/2, 2, 3, 4, inf.
std::vector<Interval> stretches(const Instance& instance, Rule rule, Precision precision);
std::vector<Interval> stretches(const Instance& instance, ExactRule rule, Precision precision);

struct ExactNorms {  // of l_1, l_2 and l_inf
  Rational one, squared_two, infinity;
};
ExactNorms norms(const std::vector<Rational>& v);
ExactNorms exact_stretch(const Instance& instance, ExactRule rule);

// As a side of a claim: over p in {1, 2, inf}, and over all seven.
template <auto rule>
Interval largest_stretch(const Instance& instance, Precision precision) {
  return stretch(instance, rule, precision).largest();
}
template <auto rule>
Interval largest_of_stretches(const Instance& instance, Precision precision) {
  return largest(stretches(instance, rule, precision));
}

Values softmax(const Instance& instance, const Logits& logits, Precision precision);  // of logits / T
Values shares(const Values& exponents, Precision precision);  // exp(x_i) / sum exp(x_j); x <= 0, one of them 0
// Self-adjusted softmax of either row: (l_i - low)/unit times softmax's weight.
Values self_adjusted(const Instance& instance, const Logits& logits, const Rational& low, const Rational& unit,
                     Precision precision);

// The least range of a row on the segment between the two rows, exactly; `with_zero`: of the row with one more logit 0.
Rational smallest_range_between(const Instance& instance, bool with_zero);

}  // namespace attncert::sides
