#include "proofs/values.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>

#include "proofs/coq_text.hpp"
#include "properties/claims/certify/judge.hpp"
#include "properties/claims/certify/search.hpp"
#include "properties/claims/claim.hpp"

namespace attncert {
namespace {

constexpr Precision precision{128};
constexpr std::size_t instances_of_a_claim = 5, most_coordinates = 4, most_bits = 80;

using Arguments = std::string (*)(const Instance&, std::size_t part);

std::string row(const std::vector<Rational>& numbers) {
  return " (row " + coq_numbers(numbers) + " : 'I_" + std::to_string(numbers.size()) + " -> R)";
}

std::string set(const Instance& instance) {
  std::vector<std::string> places;
  for (const std::size_t i : instance.selected) places.push_back(std::to_string(i) + "%nat");
  return " (chosen " + coq_list(places) + " : {set 'I_" + std::to_string(instance.length) + "})";
}

std::string tokens(const Instance& instance) {
  const std::vector<Rational> values = instance.token_values();
  const auto d = static_cast<std::ptrdiff_t>(instance.dimension());
  std::vector<std::string> rows;
  for (auto at = values.begin(); at != values.end(); at += d) rows.push_back(coq_numbers({at, at + d}));
  return " (rows " + coq_list(rows) + " : 'I_" + std::to_string(instance.length) + " -> 'I_" +
         std::to_string(instance.dimension()) + " -> R)";
}

std::string place(std::size_t i, std::size_t length) {
  return " (@Ordinal " + std::to_string(length) + " " + std::to_string(i) + " isT)";
}

template <class Compare>
std::size_t extreme(const std::vector<Rational>& row, Compare compare) {
  return static_cast<std::size_t>(std::min_element(row.begin(), row.end(), compare) - row.begin());
}

std::string selection(const Instance& instance, std::size_t) {
  return " _ _" + row(instance.weights) + tokens(instance) + set(instance);
}
std::string selected_weights(const Instance& instance, std::size_t) {
  return " _" + row(instance.weights) + set(instance);
}
std::string two_weights(const Instance& instance, std::size_t) {
  return " _" + row(instance.weights) + row(instance.other_weights);
}
std::string slopes(const Instance& instance, std::size_t) { return " _" + row(instance.F) + row(instance.dF); }
std::string slopes_and_vector(const Instance& instance, std::size_t) {
  return slopes(instance, 0) + row(std::vector<Rational>(instance.length, 1));
}
// The largest weight in the first part, the smallest in the second.
std::string extreme_value(const Instance& instance, std::size_t part) {
  const std::size_t i = part == 0 ? extreme(instance.F, std::greater<>()) : extreme(instance.F, std::less<>());
  return " _" + row(instance.F) + place(i, instance.length);
}
std::string logits_and_top(const Instance& instance, std::size_t) {
  return " _ (" + to_text(*instance.temperature) + ")" + row(instance.logits) +
         place(extreme(instance.logits, std::greater<>()), instance.length);
}

std::string logits_and_top_twice(const Instance& instance, std::size_t) {
  return logits_and_top(instance, 0) + place(extreme(instance.logits, std::greater<>()), instance.length);
}

// sides: what the theorem's relation has on each; "factor" where its right side is the claim's times a norm, and its
// left side a vector's, not the matrix's.
struct Tie {
  std::string_view claim;
  Arguments arguments;
  std::string_view sides = "both";
  std::size_t longest = 3;  // Coq takes seconds for an instance of three tokens, or of a matrix of four entries
};

constexpr Tie ties[] = {
    {"distance-cap-fixed-n", selection},
    {"distance-lower", selection},
    {"distance-split", selection},
    {"distance-two-sided", selection},
    {"distance-upper", selection},
    {"mean-distance-limit", selection},
    {"theorem1-upper", selection},
    {"theorem1-upper-norm-of-sum", selection},
    {"theorem1-upper-norm-of-weighted-sum", selection},
    {"top-mass-cap", selected_weights},
    {"weights-diameter", two_weights},
    {"weights-order-sharp", extreme_value},
    {"lemma1-bounded-logits", extreme_value},
    {"jacobian-frobenius", slopes, "both", 2},
    {"lemma2-first-term-frobenius", slopes, "both", 2},
    {"lemma2-first-term", slopes_and_vector, "factor"},
    {"jacobian-sharp-column", slopes_and_vector, "factor"},
    {"jacobian-sharp-slope", slopes_and_vector, "factor"},
    {"softmax-largest-entry", logits_and_top_twice},
    {"softmax-mass-needs-range", logits_and_top},
    {"softmax-sharpness-needs-log-length", logits_and_top},
};

std::string power_of_ten(int exponent) { return "1" + std::string(static_cast<std::size_t>(exponent), '0'); }

// A decimal of 12 digits below (or above) the value, and not the value itself.
std::string end(const Rational& value, bool below) {
  constexpr int digits = 12;
  int places = digits;
  for (Rational size = abs(value); size >= 1; size /= 10) --places;
  for (Rational size = abs(value); sgn(size) != 0 && size * 10 < 1; size *= 10) ++places;
  const Rational scaled = places >= 0 ? Rational(value * Rational(power_of_ten(places)))
                                      : Rational(value / Rational(power_of_ten(-places)));
  mpz_class whole;
  if (below) mpz_fdiv_q(whole.get_mpz_t(), scaled.get_num_mpz_t(), scaled.get_den_mpz_t());
  else mpz_cdiv_q(whole.get_mpz_t(), scaled.get_num_mpz_t(), scaled.get_den_mpz_t());
  whole += below ? -1 : 1;
  return "(" + whole.get_str() + (places >= 0 ? " / " : " * ") + power_of_ten(std::abs(places)) + ")";
}

std::string ends(const Interval& value) {
  return end(value.lower_exact(), true) + " " + end(value.upper_exact(), false);
}

// A refutation says that what is claimed of everything is false: H is then what is claimed of the instance.
std::string theorem_at(const Tie& tie, const std::string& arguments) {
  const std::string name = "@" + coq_name(tie.claim) + "." + coq_name(tie.claim);
  if (find_claim(tie.claim)->expected != Expected::refuted) return "move: (" + name + arguments + ") => H.";
  return "apply: (claimed (" + name + ")) => H; move: {H}(H" + arguments + ") => H.";
}

// Neither side is 0, which many a wrong definition has too.
bool says_something(const Sided& sided, const Instance& instance) {
  return std::all_of(sided.parts.begin(), sided.parts.end(), [&](const Part& part) {
    return !part.lhs(instance, precision).contains(0) && !part.rhs(instance, precision).contains(0);
  });
}

void write_instance(const Tie& tie, const Sided& sided, const Instance& instance, bool attained) {
  for (std::size_t p = 0; p < sided.parts.size(); ++p) {
    const Part& part = sided.parts[p];
    std::cout << "(* " << tie.claim << (part.name.empty() ? "" : ", ") << part.name << ": " << instance.size_text()
              << (attained ? ", attained" : "") << " *)\n"
              << "Goal True. " << theorem_at(tie, tie.arguments(instance, p)) << ' ' << tie.sides << "_sides H " << p
              << "%nat " << ends(part.lhs(instance, precision)) << ' ' << ends(part.rhs(instance, precision))
              << ". Qed.\n";
  }
}

bool is_attained(const Sided& sided, const Instance& instance) {
  return std::any_of(sided.parts.begin(), sided.parts.end(),
                     [&](const Part& part) { return part.attained && part.attained(instance); });
}

// Coq's exponentials, and 1 - p with them, have a few hundred bits.
bool moderate(const Instance& instance) {
  return std::all_of(instance.logits.begin(), instance.logits.end(),
                     [&](const Rational& logit) { return abs(logit) <= 50 * *instance.temperature; });
}

bool is_of_use(const Tie& tie, const Statement& statement, const Instance& instance) {
  return instance.length >= 2 && instance.length <= tie.longest &&
         instance.length * instance.dimension() <= most_coordinates && instance.bits() <= most_bits &&
         admissible(statement, instance) && moderate(instance) && says_something(*statement.sided(), instance);
}

bool write_claim(const Tie& tie) {
  const Statement& statement = find_claim(tie.claim)->statement;
  const Sided& sided = *statement.sided();
  std::size_t found = 0;
  bool any_attained = false;
  const auto add = [&](const Instance& instance, bool attained) {
    write_instance(tie, sided, instance, attained);
    any_attained = any_attained || attained;
    ++found;
  };
  for (const Instance& known : known_instances(statement))
    if (is_of_use(tie, statement, known) && is_attained(sided, known) && !any_attained) add(known, true);
  constexpr std::uint64_t most_drawn = 20000, drawn_for_attained = 2000;
  for (std::uint64_t number = 0; number < most_drawn && found < instances_of_a_claim; ++number) {
    const Instance instance = instance_of(statement, random_case(statement, 1, number));
    if (!is_of_use(tie, statement, instance)) continue;
    const bool attained = is_attained(sided, instance);
    // One attains the statement, as long as there is hope for one.
    const bool last = found + 1 == instances_of_a_claim, hope = number < drawn_for_attained;
    if (attained ? any_attained && sided.parts[0].relation == Relation::at_most : !any_attained && last && hope)
      continue;
    add(instance, attained);
  }
  if (found < instances_of_a_claim) std::cerr << tie.claim << " has too few small instances\n";
  return found == instances_of_a_claim;
}

}  // namespace

bool write_values() {
  std::cout << "(* Written by attncert_proof_inputs (docs/proofs.md); not edited by hand. *)\n"
               "From mathcomp Require Import ssreflect ssrfun ssrbool eqtype ssrnat seq choice fintype finset bigop.\n"
               "From Attncert Require Import definitions inside.\n";
  for (const Tie& tie : ties) std::cout << "From Attncert Require " << coq_name(tie.claim) << ".\n";
  std::cout << "Local Open Scope R_scope.\n";
  return std::all_of(std::begin(ties), std::end(ties), write_claim);
}

}  // namespace attncert
