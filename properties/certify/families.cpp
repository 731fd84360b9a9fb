#include "properties/certify/families.hpp"

#include <cstddef>

namespace attncert {
namespace {

// The closed form passes every value of `exceeds` at some L = 2^k; 2^64 is far beyond every constant that is asked for.
constexpr unsigned last_exponent_for_constants = 64;

Rational power(unsigned exponent) { return Rational(mpz_class(1) << exponent); }

bool passes(const Family& family, const Rational& constant) {
  for (unsigned k = 1; k <= last_exponent_for_constants; ++k)
    if (family.closed_form.at(power(k)) > constant) return true;
  return false;
}

WitnessFamily for_file(const Family& family) {
  WitnessFamily result;
  result.name = family.name;
  result.text = family.text;
  result.rule = family.rule;
  result.quantity = family.quantity;
  result.numerator = family.closed_form.numerator;
  result.denominator = family.closed_form.denominator;
  result.why_all_lengths = family.why_all_lengths;
  return result;
}

}  // namespace

FamilyResult check_families(const Statement& statement) {
  FamilyResult result;
  Witness witness;
  witness.claim = statement.id;
  witness.relation = "lhs <= rhs";
  witness.found.replay = "family";
  for (const Family& family : statement.families) {
    WitnessFamily record = for_file(family);
    std::optional<Rational> previous;
    for (unsigned k = 1; k <= largest_family_exponent; ++k) {
      const ExactInstance member = family.member(std::size_t{1} << k);
      const Rational value = family.value(member), expected = family.closed_form.at(power(k));
      ++result.tally.counts.tried;
      ++result.tally.counts.admissible;
      const bool grows = !previous || expected > *previous;
      if (value == expected && grows) ++result.tally.counts.violated;
      else if (result.why_not.empty())
        result.why_not = std::string(family.name) + ": at L = 2^" + std::to_string(k) + " the value is " +
                         to_text(value) + ", the closed form " + to_text(expected);
      previous = expected;
      record.members.push_back(member);
    }
    for (const Rational& constant : family.exceeds)
      if (!passes(family, constant) && result.why_not.empty())
        result.why_not = std::string(family.name) + ": the closed form never exceeds " + to_text(constant);
    witness.families.push_back(std::move(record));
  }
  if (!result.why_not.empty()) return result;
  const Family& first = statement.families.front();
  result.counterexample =
      Counterexample{std::move(witness),
                     std::string(first.quantity) + " = " +
                         to_text(first.closed_form.at(power(largest_family_exponent))) + " at L = 2^20",
                     std::string(statement.right)};
  return result;
}

}  // namespace attncert
