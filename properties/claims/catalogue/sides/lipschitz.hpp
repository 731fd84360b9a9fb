// ||f(l) - f(l')||_p <= K ||l - l'||_p: what is said of a Lipschitz constant of a normalizer f
// (docs/specification.md#normalizers), a part for every p. Rules with one constant for every l_p are tried at p in {1,
// 5/4, 3/2, 2, 3, 4, inf}, the others at p in {1, 2, inf}. Rules whose values are rational give exact differences, so
// that `attained` can be exact.
#pragma once

#include <type_traits>
#include <vector>

#include "properties/claims/catalogue/sides/exact.hpp"
#include "properties/claims/catalogue/sides/norms.hpp"

namespace attncert::sides {

using Values = std::vector<Interval>;
using Logits = std::vector<Rational>;
using Rule = Values (*)(const Instance&, const Logits&, Precision);  // f of one of the instance's two rows
using ExactRule = std::vector<Rational> (*)(const Instance&, const Logits&);

Hypotheses pair_hypotheses(Hypotheses more = {});  // T > 0; two different rows of L logits; and more
Truth has_numbers(const Instance& instance);       // the numbers of a ruled_pair are there

std::vector<Rational> exact_step(const Instance& instance);  // l - l'
Values step(const Instance& instance, Precision precision);

// f(l) - f(l')
template <auto rule>
std::vector<Rational> exact_change(const Instance& instance) {
  std::vector<Rational> result = rule(instance, instance.logits);
  const std::vector<Rational> other = rule(instance, instance.other_logits);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] -= other[i];
  return result;
}
template <auto rule>
Values change(const Instance& instance, Precision precision) {
  if constexpr (std::is_convertible_v<decltype(rule), ExactRule>) {
    return enclosures(instance.once<exact_change<rule>>(), precision);
  } else {
    Values result = rule(instance, instance.logits, precision);
    const Values other = rule(instance, instance.other_logits, precision);
    for (std::size_t i = 0; i < result.size(); ++i) result[i] -= other[i];
    return result;
  }
}

Interval step_norm(const Instance& instance, Exponent p, Precision precision);  // ||l - l'||_p
template <auto rule>
Interval change_norm(const Instance& instance, Exponent p, Precision precision) {  // ||f(l) - f(l')||_p
  return norm(instance.once<change<rule>>(precision), p, precision);
}

// K, in the words of the report and as a number.
struct Constant {
  std::string_view text;
  Side value;
  std::string_view where = {};  // "M = max |l|/T": what its letters are
};

// The part of one p.
Part lipschitz_part(Exponent p, const Constant& constant);  // without its left side
template <auto rule>
Part lipschitz_part(Exponent p, const Constant& constant) {
  Part part = lipschitz_part(p, constant);
  part.lhs = [p](const Instance& instance, Precision precision) { return change_norm<rule>(instance, p, precision); };
  return part;
}
// The parts of one K for every p of the list.
template <auto rule, std::size_t count>
std::vector<Part> lipschitz_parts(const std::array<Exponent, count>& exponents, const Constant& constant) {
  std::vector<Part> parts;
  for (const Exponent p : exponents) parts.push_back(lipschitz_part<rule>(p, constant));
  return parts;
}

Rational squared_norm(std::span<const Rational> v, Exponent p);  // exactly; p in {1, 2, inf}
// ||f(l) - f(l')||_p = K ||l - l'||_p, exactly, for p in {1, 2, inf} and K^2 rational.
template <auto rule>
bool is_attained(const Instance& instance, Exponent p, const Rational& squared_factor) {
  return squared_norm(instance.once<exact_change<rule>>(), p) ==
         squared_factor * squared_norm(instance.once<exact_step>(), p);
}

Values softmax(const Instance& instance, const Logits& logits, Precision precision);  // of logits / T
Values shares(const Values& exponents, Precision precision);  // exp(x_i) / sum exp(x_j); x <= 0, one of them 0
// Self-adjusted softmax of either row: (l_i - low)/unit times softmax's weight.
Values self_adjusted(const Instance& instance, const Logits& logits, const Rational& low, const Rational& unit,
                     Precision precision);

// The least range of a row on the segment between the two rows, exactly; and of the row with one more logit 0.
Rational smallest_range(const Instance& instance);
Rational smallest_range_with_zero(const Instance& instance);

}  // namespace attncert::sides
