// Claims about every length, refuted along families: at L = 2, 4, ..., 2^20 the exact value of a run-length coded
// member equals a closed form, a quotient of polynomials in L that exceeds every constant (docs/specification.md).
#include <algorithm>
#include <map>

#include "check/instance.hpp"

namespace attncert::check {
namespace {

constexpr unsigned last_power = 20, furthest_power = 40;  // members end at 2^20, the closed form is followed to 2^40
constexpr std::size_t settled_length = 1024;              // what is bounded in L has reached its bound by then
// Coefficients above and below together. Two forms p/q and u/v that agree at 18 lengths are one: p v - u q has degree
// at most 8 and would have 18 zeros. A form with 18 or more could fit any members and be arbitrary beyond them.
constexpr std::size_t most_coefficients = 6;

std::string length_at(unsigned power) { return "L = " + std::to_string(std::size_t{1} << power); }

Rational polynomial(const Vector& coefficients, const Rational& at) {
  Rational value = 0;
  for (auto c = coefficients.rbegin(); c != coefficients.rend(); ++c) value = value * at + *c;
  return value;
}

Rational closed_form(const WitnessFamily& family, unsigned power) {
  const Rational L(std::size_t{1} << power), below = polynomial(family.denominator, L);
  require(below != 0, "the closed form has a pole at " + length_at(power));
  return polynomial(family.numerator, L) / below;
}

// The closed form grows from one power of two to the next, and far out it is c L^k with c > 0 and k >= 1.
void require_unbounded(const WitnessFamily& family, unsigned first) {
  for (unsigned k = first + 1; k <= furthest_power; ++k)
    require(closed_form(family, k) > closed_form(family, k - 1), "the closed form does not grow up to " + length_at(k));
  require(closed_form(family, last_power) > 100'000, "it stays below 10^5 up to " + length_at(last_power));
  Vector above = family.numerator, below = family.denominator;
  for (Vector* coefficients : {&above, &below})
    while (coefficients->back() == 0) coefficients->pop_back();  // not all are 0: the quotient exceeds 10^5
  require(above.size() > below.size() && sgn(above.back()) == sgn(below.back()), "the closed form is bounded in L");
}

// visit(left number, right number, how many) along two lists of equally many.
template <class Visit>
void together(Runs<Rational> left, Runs<Rational> right, Visit visit) {
  for (auto l = left.begin(), r = right.begin(); l != left.end();) {
    const std::size_t count = std::min(l->count, r->count);
    visit(l->value, r->value, count);
    if ((l->count -= count) == 0) ++l;
    if ((r->count -= count) == 0) ++r;
  }
}

// d-tilde of tokens on a line, I = the top N by weight, ties by lowest index.
Rational distance(const ExactInstance& member) {
  require(member.dimension == 1 && !member.tokens.empty(), "its tokens are not on a line (d = 1)");
  require(member.selected.empty(), "the index set is the top N: leave \"selected\" out");
  require(member.count >= 1, "N is 0");
  require(sum_of(member.weights, "weights") == 1, "the weights of a member do not sum to 1");
  struct Alike {
    Rational a, weighted;
    std::size_t count;
  };
  std::vector<Alike> tokens;
  together(member.weights, coordinates(member.tokens), [&](const Rational& a, const Rational& x, std::size_t count) {
    tokens.push_back({a, a * x, count});
  });
  std::stable_sort(tokens.begin(), tokens.end(), [](const Alike& p, const Alike& q) { return p.a > q.a; });
  Rational s = 0, sum = 0;
  std::size_t wanted = member.count;
  for (Alike& token : tokens) {
    const std::size_t selected = std::min(token.count, wanted);
    s += Rational(selected) * token.weighted;
    token.count -= selected;
    wanted -= selected;
  }
  for (const Alike& token : tokens) sum += Rational(token.count) * abs(Rational(token.weighted - s));
  return sum;
}

// The projection of the logits onto the simplex, first entry: max(z_1 - tau, 0), with tau from the largest k such that
// 1 + k z_(k) exceeds the sum of the k largest (equal logits enter together).
Rational first_sparsemax(const ExactInstance& member) {
  require(!member.logits.empty(), "sparsemax needs logits");
  require(!member.temperature || *member.temperature == 1, "T is not 1");
  Runs<Rational> sorted = member.logits;
  std::sort(sorted.begin(), sorted.end(), [](const auto& p, const auto& q) { return p.value > q.value; });
  Rational k = 0, sum = 0, tau = 0;
  for (const auto& run : sorted) {
    k += Rational(run.count);
    sum += Rational(run.count) * run.value;
    if (1 + k * run.value <= sum) break;
    tau = (sum - 1) / k;
  }
  return std::max(Rational(member.logits.front().value - tau), Rational(0));
}

Rational first_separable(const ExactInstance& member) {
  const Rational sum = sum_of(member.F, "values of F");
  require(sum > 0, "the values of F are missing or sum to 0");
  return member.F.front().value / sum;
}

Rational value_of(const std::string& quantity, const std::string& rule, const ExactInstance& member) {
  const Rational L(member.length);
  if (quantity == "length-times-first-weight")
    return L * (rule == "sparsemax" ? first_sparsemax(member) : first_separable(member));
  const Rational d = distance(member);
  if (quantity == "distance") return d;
  require(d > 0, "the distance is 0");
  return L / d;
}

// The least and the largest absolute value.
std::pair<Rational, Rational> range(const Runs<Rational>& items) {
  const auto [least, most] = std::minmax_element(
      items.begin(), items.end(), [](const auto& p, const auto& q) { return abs(p.value) < abs(q.value); });
  return {abs(least->value), abs(most->value)};
}

// The hypotheses of the claims on a member whose value exists; given is the size that must stay bounded in L.

// "N = Theta(L) implies d-tilde -> 0": refuted where N/L is constant, tokens are bounded, and d-tilde grows.
Rational collapse(const ExactInstance& member, const ExactInstance& first) {
  require(member.count * first.length == first.count * member.length, "N/L is not the same for all");
  return range(coordinates(member.tokens)).second;
}

// "d-tilde grows linearly in L at N = 5 with logits bounded in L", that is d-tilde >= c L for some c > 0: refuted where
// L/d-tilde exceeds every constant. Logits bounded in L are weights of bounded ratios; the tokens are on one sphere.
Rational not_linear(const ExactInstance& member, const ExactInstance& first) {
  require(member.count == 5, "N is not 5");
  const auto tokens = range(coordinates(member.tokens)), weights = range(member.weights);
  require(tokens.first == tokens.second && tokens == range(coordinates(first.tokens)),
          "the tokens are not on one sphere for all L");
  require(weights.first > 0, "a weight is 0, which no logit gives");
  return weights.second / weights.first;
}

// "Any F independent of L forces weights O(1/L)": refuted three ways, each with L a_1 beyond every constant: by F > 0
// on logits without a bound, by an F >= 0 with a zero on bounded logits, itself bounded, and by a rule that has no F.
Rational positive(const ExactInstance& member, const ExactInstance&) {
  require(range(member.F).first > 0, "F has a zero");
  return 0;
}
Rational bounded(const ExactInstance& member, const ExactInstance&) {
  require(!member.logits.empty(), "a member has no logits");
  return range(member.logits).second;
}
Rational with_zero(const ExactInstance& member, const ExactInstance& first) {
  require(range(member.F).first == 0, "F has no zero");
  return std::max(bounded(member, first), range(member.F).second);
}

// "A rule with one Lipschitz constant for all L, on bounded logits, has weights that tend to 0": refuted by sparsemax,
// a projection on a convex set and therefore 1-Lipschitz, where one weight is 1 in every member.
Rational sharp_and_stable(const ExactInstance& member, const ExactInstance& first) {
  require(first_sparsemax(member) == 1, "the first weight is not 1");
  return bounded(member, first);
}

struct Refutation {
  const char *claim, *name, *rule, *quantity;
  unsigned first;  // the members begin at L = 2^first
  Rational (*hypotheses)(const ExactInstance& member, const ExactInstance& first);
  const char* bounded;
};
// 8 = 2^3 is the first power of two that leaves some tokens unselected at N = 5.
constexpr const char *lemma1 = "lemma1-any-normalizer", *scaled = "length-times-first-weight";
constexpr Refutation refutations[] = {
    {"theorem1-collapse", "equal-tokens", "given", "distance", 1, collapse, "tokens"},
    {"distance-linear-in-length", "equal-weights", "given", "length-over-distance", 3, not_linear, "ratios of weights"},
    {"selectivity-stability-tradeoff", "sharp-and-stable", "sparsemax", scaled, 1, sharp_and_stable, "logits"},
    {lemma1, "unbounded-logits", "separable", scaled, 1, positive, "none"},
    {lemma1, "zero-of-f", "separable", scaled, 1, with_zero, "logits or the values of F"},
    {lemma1, "non-separable", "sparsemax", scaled, 1, bounded, "logits"}};

void require_members(const Refutation& needed, const WitnessFamily& family) {
  require(family.members.size() == last_power + 1 - needed.first,
          "it needs one member for each power of two from " + length_at(needed.first) + " to 2^20");
  // F is one function for all L: where logits are given, equal logits have equal values of F in every member. Without
  // logits any positive values are those of F = exp at their logarithms.
  std::map<Rational, Rational> F;
  Rational largest = 0;
  for (unsigned k = needed.first; k <= last_power; ++k) {
    const ExactInstance& member = family.members[k - needed.first];
    require(member.length == std::size_t{1} << k, "a member stands where " + length_at(k) + " should");
    for (const auto& list : {member.weights, member.logits, member.F, coordinates(member.tokens)}) width(list);
    const Rational value = value_of(needed.quantity, needed.rule, member);
    // A bound in L, as far as the members show one: beyond L = 1024 nothing is larger than what was before.
    const Rational size = needed.hypotheses(member, family.members[0]);
    require(size <= largest || member.length <= settled_length,
            std::string("the ") + needed.bounded + " are not bounded in L");
    largest = std::max(largest, size);
    together(member.logits, needed.rule == std::string("separable") ? member.F : member.logits,
             [&](const Rational& logit, const Rational& at, std::size_t) {
               require(F.emplace(logit, at).first->second == at, "F is not a function of the logit alone");
             });
    require(value == closed_form(family, k), "the value is not the closed form at " + length_at(k));
  }
}

void require_refutation(const Refutation& needed, const WitnessFamily& family) try {
  const std::string name = needed.name, rule = needed.rule, quantity = needed.quantity;
  require(family.name == name, "it stands where " + name + " should");
  require(family.rule == rule, "its rule is not \"" + rule + "\"");
  require(family.quantity == quantity, "its quantity is not \"" + quantity + "\"");
  require(family.numerator.size() + family.denominator.size() <= most_coefficients,
          "its closed form has more than 6 coefficients, and its members do not determine it");
  width(coordinates({{family.numerator, 1}, {family.denominator, 1}}));
  require_members(needed, family);
  require_unbounded(family, needed.first);
} catch (const Rejected& rejected) {
  throw Rejected{"family " + family.name.substr(0, 40) + ": " + rejected.why};
}

}  // namespace

std::string refuted_along(const std::string& claim, const std::vector<WitnessFamily>& families) {
  std::string verified;
  std::size_t number = 0;
  for (const Refutation& needed : refutations) {
    if (needed.claim != claim) continue;
    require(number < families.size(), std::string("the family ") + needed.name + " is missing");
    require_refutation(needed, families[number++]);
    verified = std::string(needed.quantity) + " is the closed form at " + length_at(needed.first) +
               ", ..., 2^20 and exceeds every constant";
  }
  require(number == families.size(), "there are more families than the claim needs");
  return verified + (number > 1 ? ", in all its families" : "");
}

}  // namespace attncert::check
