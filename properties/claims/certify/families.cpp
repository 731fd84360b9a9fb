#include "properties/claims/certify/families.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace attncert {
namespace {

// A form that refutes passes every power of ten up to this at some L = 2^k; 2^64 is far beyond what is asked for.
constexpr unsigned long largest_constant = 1'000'000;
constexpr unsigned last_exponent_for_constants = 64;

Rational power(unsigned exponent) { return Rational(mpz_class(1) << exponent); }

bool passes(const Family& family, const ClosedForm& form, const Rational& constant) {
  for (unsigned k = family.first_exponent; k <= last_exponent_for_constants; ++k)
    if (form.at(power(k)) > constant) return true;
  return false;
}

// What the quantity of a family reads is there; the reader has checked the lengths.
bool readable(const Family& family, const ExactInstance& member) {
  if (family.rule == "given")
    return !member.weights.empty() && !member.tokens.empty() && member.dimension == 1 && member.count >= 1;
  if (family.rule == "sparsemax") return !member.logits.empty();
  Rational total = 0;
  for (const auto& run : member.F) total += Rational(static_cast<unsigned long>(run.count)) * run.value;
  return sgn(total) > 0;
}

bool supports(const Family& family) { return !family.within.empty(); }

// Beyond the members too: what a form of few coefficients does, it does by then.
bool stays_within(const Family& family, const ClosedForm& form) {
  for (unsigned k = family.first_exponent; k <= last_exponent_for_constants; ++k) {
    const Rational value = form.at(power(k));
    if (value < family.within[0] || value > family.within[1]) return false;
  }
  return true;
}

// Members at L = 2^first, ..., 2^20 with the values of a form that grows and exceeds, or stays within bounds; the count
// of good members, and why not all.
std::string check_members(const Family& family, const std::vector<ExactInstance>& members, const ClosedForm& form,
                          Counts& counts) {
  std::string why_not;
  const auto note = [&](const std::string& why) {
    if (why_not.empty()) why_not = std::string(family.name) + ": " + why;
  };
  const unsigned first = family.first_exponent;
  if (members.size() != largest_family_exponent - first + 1) note("not all members");
  std::optional<Rational> previous;
  for (unsigned k = first; k < first + members.size(); ++k) {
    const ExactInstance& member = members[k - first];
    ++counts.tried;
    ++counts.admissible;
    const std::string where = "at L = 2^" + std::to_string(k);
    if (member.length != std::size_t{1} << k || !readable(family, member)) {
      note(where + " there is no such member");
      continue;
    }
    const Rational value = family.value(member), expected = form.at(power(k));
    const bool good = value == expected && (supports(family) || !previous || value > *previous);
    if (good) ++(supports(family) ? counts.held : counts.violated);
    else note(where + " the value is " + to_text(value) + ", the closed form " + to_text(expected));
    previous = value;
  }
  if (supports(family) && !stays_within(family, form)) note("the closed form leaves its bounds");
  for (unsigned long constant = 1; !supports(family) && constant <= largest_constant; constant *= 10)
    if (!passes(family, form, constant)) note("the closed form never exceeds " + std::to_string(constant));
  return why_not;
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
  const Families& along = std::get<Families>(statement.kind);
  for (const Family& family : along.families) {
    WitnessFamily written = for_file(family);
    for (unsigned k = family.first_exponent; k <= largest_family_exponent; ++k)
      written.members.push_back(family.member(std::size_t{1} << k));
    const std::string why_not = check_members(family, written.members, family.closed_form, result.tally.counts);
    if (result.why_not.empty()) result.why_not = why_not;
    witness.families.push_back(std::move(written));
  }
  if (!result.why_not.empty()) result.tally.counts.undecided += std::exchange(result.tally.counts.held, 0);
  if (!result.why_not.empty() || supports(along.families.front())) return result;
  const Family& first = along.families.front();
  const Rational last = first.closed_form.at(power(largest_family_exponent));
  result.counterexample =
      Counterexample{std::move(witness), std::string(first.quantity) + " = " + to_text(last) + " at L = 2^20",
                     std::string(along.right)};
  return result;
}

std::string check_family_witness(const Statement& statement, const Witness& witness) {
  const Families* const along = statement.families();
  if (along == nullptr) return std::string(statement.id) + " is not refuted along families";
  for (const Family& family : along->families) {
    const auto found = std::find_if(witness.families.begin(), witness.families.end(),
                                    [&](const WitnessFamily& written) { return written.name == family.name; });
    if (found == witness.families.end()) return std::string(family.name) + ": the family is missing";
    const ClosedForm form{found->numerator, found->denominator};
    for (unsigned k = family.first_exponent; k <= last_exponent_for_constants; ++k)
      if (!form.defined_at(power(k))) return std::string(family.name) + ": the closed form divides by 0";
    Counts counts;
    const std::string why_not = check_members(family, found->members, form, counts);
    if (!why_not.empty()) return why_not;
  }
  return "";
}

}  // namespace attncert
