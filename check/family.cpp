// Claims about every length, refuted along families: at L = 2, 4, ..., 2^20 the exact value of a run-length coded member
// equals a closed form, a quotient of polynomials in L that exceeds what is claimed (claims.md, sections 1, 4 and 5).
#include <algorithm>
#include <map>

#include "check/instance.hpp"

namespace attncert::check {
namespace {

constexpr unsigned last_power = 20, furthest_power = 40;  // members end at 2^20, the closed form is followed to 2^40
constexpr std::size_t settled_length = 1024;              // what is bounded in L has reached its bound by then
constexpr std::size_t few = 5;                            // the selected tokens of distance-linear-in-length
constexpr unsigned first_power_few = 3;  // 8 = 2^3 is the first power of two that leaves some of them unselected
// Coefficients above and below together. Two forms p/q and u/v that agree at 18 lengths are one: p v - u q has degree at
// most 8 and would have 18 zeros. With 18 or more, a form fits any members and does as it likes beyond them.
constexpr std::size_t most_coefficients = 6;

void require(bool condition, const WitnessFamily& family, const std::string& why) {
  check::require(condition, "family " + family.name.substr(0, 40) + ": " + why);
}

Rational polynomial(const std::vector<Rational>& coefficients, const Rational& at) {
  Rational value = 0;
  for (auto coefficient = coefficients.rbegin(); coefficient != coefficients.rend(); ++coefficient)
    value = value * at + *coefficient;
  return value;
}

Rational closed_form(const WitnessFamily& family, unsigned power) {
  const Rational L(std::size_t{1} << power);
  const Rational below = polynomial(family.denominator, L);
  require(below != 0, family, "the closed form has a pole at L = " + to_text(L));
  return polynomial(family.numerator, L) / below;
}

// Far out the closed form is c L^k with c > 0 and k >= the one asked for: what 20 members cannot show.
bool grows_like(const WitnessFamily& family, long least) {
  const auto leading = [](const std::vector<Rational>& p) {
    return std::find_if(p.rbegin(), p.rend(), [](const Rational& coefficient) { return coefficient != 0; });
  };
  const auto above = leading(family.numerator), below = leading(family.denominator);
  if (above == family.numerator.rend() || below == family.denominator.rend()) return false;
  return sgn(*above) == sgn(*below) && (family.numerator.rend() - above) - (family.denominator.rend() - below) >= least;
}

Rational sum_of(const WitnessFamily& family, const Runs<Rational>& items, const std::string& name) {
  Rational sum = 0;
  for (const auto& run : items) {
    require(run.value >= 0, family, "a negative number among the " + name);
    sum += Rational(run.count) * run.value;
  }
  return sum;
}

// visit(left item, right item, how many) along two lists of equally many items.
template <class Left, class Right, class Visit>
void together(const Runs<Left>& left, const Runs<Right>& right, Visit visit) {
  for (std::size_t l = 0, r = 0, l_used = 0, r_used = 0; l < left.size();) {
    const std::size_t count = std::min(left[l].count - l_used, right[r].count - r_used);
    visit(left[l].value, right[r].value, count);
    if ((l_used += count) == left[l].count) ++l, l_used = 0;
    if ((r_used += count) == right[r].count) ++r, r_used = 0;
  }
}

// d-tilde of tokens on a line, I = the top N by weight, ties by lowest index.
Rational distance(const ExactInstance& member) {
  struct Piece {
    const Rational *a, *x;
    std::size_t count, place, chosen = 0;
  };
  std::vector<Piece> pieces;
  together(member.weights, member.tokens, [&pieces](const Rational& a, const Vector& x, std::size_t count) {
    pieces.push_back({&a, &x[0], count, pieces.size()});
  });
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& p, const Piece& q) { return *p.a != *q.a ? *p.a > *q.a : p.place < q.place; });
  Rational s = 0, sum = 0;
  std::size_t wanted = member.count;
  for (Piece& piece : pieces) {
    piece.chosen = std::min(piece.count, wanted);
    wanted -= piece.chosen;
    s += Rational(piece.chosen) * *piece.a * *piece.x;
  }
  for (const Piece& piece : pieces)
    sum += Rational(piece.count - piece.chosen) * abs(Rational(*piece.a * *piece.x - s));
  return sum;
}

// The projection of the logits onto the simplex, first entry: max(z_1 - tau, 0), with tau from the largest k such that
// 1 + k z_(k) exceeds the sum of the k largest (equal logits enter together).
Rational first_sparsemax(const Runs<Rational>& logits) {
  Runs<Rational> sorted = logits;
  std::sort(sorted.begin(), sorted.end(), [](const auto& p, const auto& q) { return p.value > q.value; });
  Rational k = 0, sum = 0, tau = 0;
  for (const auto& run : sorted) {
    k += Rational(run.count);
    sum += Rational(run.count) * run.value;
    if (1 + k * run.value <= sum) break;
    tau = (sum - 1) / k;
  }
  return std::max(Rational(logits.front().value - tau), Rational(0));
}

Rational first_weight(const WitnessFamily& family, const ExactInstance& member) {
  if (family.rule == "sparsemax") {
    require(!member.logits.empty(), family, "sparsemax needs logits");
    require(!member.temperature || *member.temperature == 1, family, "T is not 1");
    return first_sparsemax(member.logits);
  }
  const Rational sum = sum_of(family, member.F, "values of F");
  require(sum > 0, family, "the values of F are missing or sum to 0");
  return member.F.front().value / sum;
}

// The exact values of the members at L = 2^first, ..., 2^20, each found equal to the closed form.
template <class Value>
std::vector<Rational> require_closed_form(const WitnessFamily& family, Value value, unsigned first = 1) {
  require(family.numerator.size() + family.denominator.size() <= most_coefficients, family,
          "its closed form has more than 6 coefficients, and its members do not determine it");
  ExactInstance coefficients;
  coefficients.tokens = {{family.numerator, 1}, {family.denominator, 1}};
  require_manageable(coefficients);
  require(family.members.size() == last_power + 1 - first, family,
          "it needs its " + std::to_string(last_power + 1 - first) + " members at L = 2^" + std::to_string(first) +
              ", ..., 2^20, one for each power of two");
  std::vector<Rational> values;
  for (unsigned k = first; k <= last_power; ++k) {
    const ExactInstance& member = family.members[k - first];
    const std::string at = "L = " + std::to_string(std::size_t{1} << k);
    require(member.length == std::size_t{1} << k, family, "a member stands where " + at + " should");
    require_manageable(member);
    values.push_back(value(member));
    require(values.back() == closed_form(family, k), family, "the value is not the closed form at " + at);
  }
  return values;
}

// d-tilde of a member with given weights and tokens on a line.
Rational given_distance(const WitnessFamily& family, const ExactInstance& member) {
  require(member.dimension == 1 && !member.tokens.empty(), family, "its tokens are not on a line (d = 1)");
  require(member.selected.empty(), family, "the index set is the top N: leave \"selected\" out");
  require(member.count >= 1, family, "N is 0");
  require(sum_of(family, member.weights, "weights") == 1, family, "the weights of a member do not sum to 1");
  return distance(member);
}

// The values grow from member to member, and their closed form beyond every constant.
void require_unbounded(const WitnessFamily& family, const std::vector<Rational>& values, const std::string& name) {
  for (std::size_t k = 1; k < values.size(); ++k)
    require(values[k] > values[k - 1], family, name + " does not grow from member to member");
  require(values.back() > 100'000, family, name + " stays below 10^5");
  for (unsigned k = last_power + 1; k <= furthest_power; ++k)
    require(closed_form(family, k) >= closed_form(family, k - 1), family, "the closed form falls");
  require(grows_like(family, 1), family, "the closed form is bounded in L");
}

const Rational& number(const Rational& logit) { return logit; }
const Rational& number(const Vector& token) { return token[0]; }

constexpr auto smaller = [](const auto& p, const auto& q) { return abs(number(p.value)) < abs(number(q.value)); };

// A bound in L, as far as the members show one: beyond L = 1024 nothing is larger than what was before.
template <class Size>
void require_bounded(const WitnessFamily& family, const std::string& name, Size size_of) {
  Rational largest = 0;
  for (const ExactInstance& member : family.members) {
    const Rational size = size_of(member);
    require(size <= largest || member.length <= settled_length, family, "the " + name + " are not bounded in L");
    largest = std::max(largest, size);
  }
}

template <class Item>
void require_bounded(const WitnessFamily& family, const std::string& name, Runs<Item> ExactInstance::*list) {
  require_bounded(family, name, [&](const ExactInstance& member) {
    const Runs<Item>& items = member.*list;
    require(!items.empty(), family, "a member has no " + name);
    return Rational(abs(number(std::max_element(items.begin(), items.end(), smaller)->value)));
  });
}

// F is one function for all L: where logits are given, equal logits have equal values of F in every member. Without
// logits any positive values are those of F = exp at their logarithms.
void require_one_function(const WitnessFamily& family) {
  std::map<Rational, Rational> function;
  for (const auto& member : family.members)
    together(member.logits, member.F, [&](const Rational& logit, const Rational& value, std::size_t) {
      const auto known = function.emplace(logit, value).first;
      require(known->second == value, family, "F is not a function of the logit alone");
    });
}

}  // namespace

// "N = Theta(L) implies d-tilde -> 0": refuted where N/L is constant, tokens are bounded, and d-tilde grows.
std::string theorem1_collapse(const std::vector<WitnessFamily>& families) {
  for (const auto& family : families) {
    require(family.rule == "given" && family.quantity == "distance", family,
            "the claim needs given weights and the distance");
    const auto values = require_closed_form(family, [&](const ExactInstance& member) {
      const ExactInstance& first = family.members[0];
      require(member.count * first.length == first.count * member.length, family, "N/L is not the same for all");
      return given_distance(family, member);
    });
    require_bounded(family, "tokens", &ExactInstance::tokens);
    std::size_t k = 0;  // the first member at a distance of 1 or more
    while (family.members[k].length < settled_length && values[k] < 1) ++k;
    require(values[k] >= 1, family, "the distance stays below 1 up to L = 1024");
    while (++k < values.size()) require(values[k] > values[k - 1], family, "the distance does not grow");
    require(grows_like(family, 0), family, "the closed form tends to 0");
  }
  return "the distance is the closed form at L = 2, 4, ..., 2^20, grows beyond 1, and does not tend to 0";
}

// "d-tilde grows linearly in L at N = 5 with logits bounded in L", that is d-tilde >= c L for some c > 0: refuted where
// L/d-tilde exceeds every constant. Logits bounded in L are weights of bounded ratios; the tokens are on one sphere.
std::string distance_linear_in_length(const std::vector<WitnessFamily>& families) {
  for (const auto& family : families) {
    require(family.rule == "given" && family.quantity == "length-over-distance", family,
            "the claim needs given weights and the length over the distance");
    const auto values = require_closed_form(
        family,
        [&](const ExactInstance& member) {
          require(member.count == few, family, "N is not 5");
          const Rational below = given_distance(family, member);
          require(below > 0, family, "the distance is 0");
          return Rational(Rational(member.length) / below);
        },
        first_power_few);
    const Rational radius = abs(number(family.members[0].tokens[0].value));
    require_bounded(family, "ratios of weights", [&](const ExactInstance& member) {
      for (const auto& run : member.tokens)
        require(abs(number(run.value)) == radius, family, "the tokens are not on one sphere for all L");
      const auto [least, most] = std::minmax_element(member.weights.begin(), member.weights.end(), smaller);
      require(least->value > 0, family, "a weight is 0, which no logit gives");
      return Rational(most->value / least->value);
    });
    require_unbounded(family, values, "L/d-tilde");
  }
  return "L/d-tilde is the closed form at L = 8, 16, ..., 2^20 and exceeds every constant";
}

// "A rule with one Lipschitz constant for all L, on bounded logits, has weights O(1/L)": refuted by sparsemax, a projection
// on a convex set and therefore 1-Lipschitz, where one weight is 1 in every member.
std::string selectivity_stability_tradeoff(const std::vector<WitnessFamily>& families) {
  for (const auto& family : families) {
    require(family.rule == "sparsemax" && family.quantity == "length-times-first-weight", family,
            "the claim needs sparsemax and L times the first weight");
    const auto values = require_closed_form(family, [&family](const ExactInstance& member) {
      const Rational weight = first_weight(family, member);
      require(weight == 1, family, "the first weight is not 1");
      return Rational(Rational(member.length) * weight);
    });
    require_bounded(family, "logits", &ExactInstance::logits);
    require_unbounded(family, values, "L a_1");
  }
  return "a_1 = 1 at L = 2, 4, ..., 2^20 on bounded logits, under a rule that is 1-Lipschitz for every L";
}

// "Any F independent of L forces weights O(1/L)": refuted three ways, each with L a_1 beyond every constant.
std::string lemma1_any_normalizer(const std::vector<WitnessFamily>& families) {
  std::map<std::string, std::string> rules = {
      {"unbounded-logits", "separable"}, {"zero-of-f", "separable"}, {"non-separable", "sparsemax"}};
  for (const auto& family : families) {
    const auto known = rules.find(family.name);
    require(known != rules.end(), family, "it stands twice or is none of unbounded-logits, zero-of-f, non-separable");
    require(family.rule == known->second, family, "its rule is not \"" + known->second + "\"");
    rules.erase(known);
    require(family.quantity == "length-times-first-weight", family,
            "its quantity is not \"length-times-first-weight\"");
    const auto values = require_closed_form(family, [&family](const ExactInstance& member) {
      return Rational(Rational(member.length) * first_weight(family, member));
    });
    bool zero = false;
    for (const auto& member : family.members)
      for (const auto& run : member.F) zero = zero || run.value == 0;
    require(zero == (family.name == "zero-of-f"), family, zero ? "F has a zero" : "F has no zero");
    if (family.name != "unbounded-logits") require_bounded(family, "logits", &ExactInstance::logits);
    if (family.rule == "separable") require_one_function(family);
    require_unbounded(family, values, "L a_1");
  }
  if (!rules.empty()) throw Rejected{"the family " + rules.begin()->first + " is missing"};
  return "L a_1 is the closed form at L = 2, 4, ..., 2^20 and exceeds every constant, in all three families";
}

}  // namespace attncert::check
