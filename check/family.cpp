// Claims about every length, refuted along families: at L = 2, 4, ..., 2^20 the exact value of a run-length coded member
// equals a closed form, a quotient of polynomials in L that exceeds every constant (claims.md, sections 1, 4, 5 and 11).
#include <algorithm>
#include <map>

#include "check/instance.hpp"

namespace attncert::check {
namespace {

constexpr unsigned last_power = 20, furthest_power = 40;  // members end at 2^20, the closed form is followed to 2^40
constexpr std::size_t settled_length = 1024;              // what is bounded in L has reached its bound by then
// Coefficients above and below together. Two forms p/q and u/v that agree at 18 lengths are one: p v - u q has degree at
// most 8 and would have 18 zeros. With 18 or more, a form fits any members and does as it likes beyond them.
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

Rational sum_of(const Runs<Rational>& items, const std::string& name) {
  Rational sum = 0;
  for (const auto& run : items) {
    require(run.value >= 0, "a negative number among the " + name);
    sum += Rational(run.count) * run.value;
  }
  return sum;
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

// What a claim says is bounded, of members whose value is the closed form.
Rational value_of(const std::string& rule, const std::string& quantity, const ExactInstance& member) {
  const Rational L(member.length);
  if (rule == "sparsemax") return L * first_sparsemax(member);
  if (rule == "separable") return L * first_separable(member);
  const Rational d = distance(member);
  if (quantity == "distance") return d;
  require(d > 0, "the distance is 0");
  return L / d;
}

// The members stand at L = 2^first, ..., 2^20, and the value of each is the closed form.
void require_closed_form(const WitnessFamily& family, unsigned first) {
  require(family.numerator.size() + family.denominator.size() <= most_coefficients,
          "its closed form has more than 6 coefficients, and its members do not determine it");
  width(coordinates({{family.numerator, 1}, {family.denominator, 1}}));
  const std::size_t members = last_power + 1 - first;
  require(family.members.size() == members, "it needs its " + std::to_string(members) + " members at " +
                                                length_at(first) + ", ..., 2^20, one for each power of two");
  for (unsigned k = first; k <= last_power; ++k) {
    const ExactInstance& member = family.members[k - first];
    require(member.length == std::size_t{1} << k, "a member stands where " + length_at(k) + " should");
    for (const auto& list : {member.weights, member.logits, member.F, coordinates(member.tokens)}) width(list);
    require(value_of(family.rule, family.quantity, member) == closed_form(family, k),
            "the value is not the closed form at " + length_at(k));
  }
}

Rational largest(const Runs<Rational>& items) {
  Rational most = 0;
  for (const auto& run : items) most = std::max(most, Rational(abs(run.value)));
  return most;
}

// A bound in L, as far as the members show one: beyond L = 1024 nothing is larger than what was before.
void require_bounded(const WitnessFamily& family, const std::string& name, Rational size_of(const ExactInstance&)) {
  Rational most = 0;
  for (const ExactInstance& member : family.members) {
    const Rational size = size_of(member);
    require(size <= most || member.length <= settled_length, "the " + name + " are not bounded in L");
    most = std::max(most, size);
  }
}

void require_bounded_logits(const WitnessFamily& family) {
  require_bounded(family, "logits", [](const ExactInstance& member) {
    require(!member.logits.empty(), "a member has no logits");
    return largest(member.logits);
  });
}

// F is one function for all L: where logits are given, equal logits have equal values of F in every member. Without
// logits any positive values are those of F = exp at their logarithms.
void require_one_function(const WitnessFamily& family, bool with_zero) {
  std::map<Rational, Rational> function;
  bool zero = false;
  for (const auto& member : family.members) {
    for (const auto& run : member.F) zero = zero || run.value == 0;
    together(member.logits, member.F, [&](const Rational& logit, const Rational& value, std::size_t) {
      require(function.emplace(logit, value).first->second == value, "F is not a function of the logit alone");
    });
  }
  require(zero == with_zero, zero ? "F has a zero" : "F has no zero");
}

// "N = Theta(L) implies d-tilde -> 0": refuted where N/L is constant, tokens are bounded, and d-tilde grows.
void collapse(const WitnessFamily& family) {
  const ExactInstance& first = family.members[0];
  for (const ExactInstance& member : family.members)
    require(member.count * first.length == first.count * member.length, "N/L is not the same for all");
  require_bounded(family, "tokens", [](const ExactInstance& member) { return largest(coordinates(member.tokens)); });
}

// "d-tilde grows linearly in L at N = 5 with logits bounded in L", that is d-tilde >= c L for some c > 0: refuted where
// L/d-tilde exceeds every constant. Logits bounded in L are weights of bounded ratios; the tokens are on one sphere.
void not_linear(const WitnessFamily& family) {
  const Rational radius = largest(coordinates(family.members[0].tokens));
  for (const ExactInstance& member : family.members) {
    require(member.count == 5, "N is not 5");
    for (const auto& run : coordinates(member.tokens))
      require(abs(run.value) == radius, "the tokens are not on one sphere for all L");
  }
  require_bounded(family, "ratios of weights", [](const ExactInstance& member) {
    Rational least = 1;
    for (const auto& run : member.weights) least = std::min(least, run.value);
    require(least > 0, "a weight is 0, which no logit gives");
    return Rational(largest(member.weights) / least);
  });
}

// "A rule with one Lipschitz constant for all L, on bounded logits, has weights O(1/L)": refuted by sparsemax, a projection
// on a convex set and therefore 1-Lipschitz, where one weight is 1 in every member.
void sharp_and_stable(const WitnessFamily& family) {
  for (const ExactInstance& member : family.members) require(first_sparsemax(member) == 1, "the first weight is not 1");
  require_bounded_logits(family);
}

// "Any F independent of L forces weights O(1/L)": refuted three ways, each with L a_1 beyond every constant: by F > 0 on
// logits without a bound, by an F >= 0 with a zero on bounded logits, itself bounded, and by a rule that has no F.
void unbounded_logits(const WitnessFamily& family) { require_one_function(family, false); }
void zero_of_F(const WitnessFamily& family) {
  require_bounded_logits(family);
  require_one_function(family, true);
  require_bounded(family, "values of F", [](const ExactInstance& member) { return largest(member.F); });
}

struct Refutation {
  const char *claim, *name, *rule, *quantity;  // name "": any
  unsigned first;                              // the members begin at L = 2^first
  void (*hypotheses)(const WitnessFamily&);
};
// 8 = 2^3 is the first power of two that leaves some tokens unselected at N = 5.
constexpr const char *lemma1 = "lemma1-any-normalizer", *scaled_weight = "length-times-first-weight";
constexpr Refutation refutations[] = {
    {"theorem1-collapse", "", "given", "distance", 1, collapse},
    {"distance-linear-in-length", "", "given", "length-over-distance", 3, not_linear},
    {"selectivity-stability-tradeoff", "", "sparsemax", scaled_weight, 1, sharp_and_stable},
    {lemma1, "unbounded-logits", "separable", scaled_weight, 1, unbounded_logits},
    {lemma1, "zero-of-f", "separable", scaled_weight, 1, zero_of_F},
    {lemma1, "non-separable", "sparsemax", scaled_weight, 1, require_bounded_logits}};

void require_refutation(const Refutation& needed, const WitnessFamily& family) try {
  const std::string name = needed.name, rule = needed.rule, quantity = needed.quantity;
  require(name.empty() || family.name == name, "it stands where " + name + " should");
  require(family.rule == rule, "its rule is not \"" + rule + "\"");
  require(family.quantity == quantity, "its quantity is not \"" + quantity + "\"");
  require_closed_form(family, needed.first);
  needed.hypotheses(family);
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
