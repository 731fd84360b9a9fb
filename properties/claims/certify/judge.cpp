#include "properties/claims/certify/judge.hpp"

#include <cmath>
#include <limits>

namespace attncert {
namespace {

constexpr std::size_t cheap_length = 32;  // generated instances have L <= 25; exact tests are quadratic in L

// Enclosures never show that two numbers are equal, only that they are not: equality is for `attained` to say.
Truth holds(Relation relation, const Interval& lhs, const Interval& rhs) {
  if (relation == Relation::at_most) return less_equal(lhs, rhs);
  return overlaps(lhs, rhs) == Truth::no ? Truth::no : Truth::unknown;
}

// The sign of the slack, where a part has one: asked when the sides overlap and equality does not explain it.
Truth slack_decides(const Part& part, const Instance& instance, const PartRuling& sides, Precision precision) {
  if (!part.slack) return Truth::unknown;
  const Interval slack = part.slack(instance, precision);
  ATTNCERT_ASSERT(overlaps(slack, sides.rhs - sides.lhs) == Truth::yes);
  return less_equal(Interval(0.0, precision), slack);
}

// Whether what the statement leaves open makes its right side any number, at every precision.
bool is_any_number(const Part& part, const Instance& instance, const Interval& rhs, Precision limit) {
  const auto whole = [](const Interval& side) {
    return !side.is_finite() && std::isinf(side.lower()) && std::isinf(side.upper());
  };
  return !part.open.empty() && whole(rhs) && whole(part.rhs(instance, limit));
}

bool is_zero(const Interval& value) { return value.is_point() && value.contains(0); }

constexpr std::string_view says_nothing = "the right side is a certain number";

std::string_view failed_hypothesis(const Sided& claimed, const Instance& instance) {
  for (const Hypothesis& hypothesis : claimed.hypotheses)
    if (hypothesis.holds(instance) != Truth::yes) return hypothesis.text;
  return {};
}

}  // namespace

std::string_view name(Decision decision) {
  constexpr std::string_view names[] = {"discarded", "held", "equality", "undecided", "violated"};
  return names[static_cast<int>(decision)];
}

std::optional<double> PartRuling::tightness() const {
  const Interval zero(0.0, rhs.precision());
  if (less(zero, rhs) == Truth::yes) {
    const double quotient = (lhs / rhs).lower();
    return std::isfinite(quotient) ? std::optional(quotient) : std::nullopt;
  }
  if (decision == Decision::violated) return std::numeric_limits<double>::infinity();
  return std::nullopt;
}

std::optional<double> Ruling::tightness() const {
  std::optional<double> largest;
  for (const PartRuling& part : parts)
    if (const auto tightness = part.tightness(); tightness && (!largest || *tightness > *largest)) largest = tightness;
  return largest;
}

std::size_t Ruling::telling() const {
  std::size_t best = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (parts[p].decision == Decision::violated) return p;
    if (parts[p].tightness().value_or(-HUGE_VAL) > parts[best].tightness().value_or(-HUGE_VAL)) best = p;
  }
  return best;
}

bool admissible(const Statement& statement, const Instance& instance) {
  return failed_hypothesis(std::get<Sided>(statement.kind), instance).empty();
}

PartRuling judge_part(const Statement& statement, std::size_t which, const Instance& instance, Precision limit) {
  const Sided& claimed = std::get<Sided>(statement.kind);
  const Part& part = claimed.parts[which];
  ATTNCERT_ASSERT(part.relation != Relation::equal || part.attained);
  for (Precision precision;; precision = precision.doubled()) {
    Interval rhs = part.rhs(instance, precision);
    if (precision == Precision{} && is_any_number(part, instance, rhs, limit))
      return {Decision::discarded, rhs, rhs, precision.bits};
    PartRuling result{Decision::undecided, part.lhs(instance, precision), std::move(rhs), precision.bits};
    Truth answer = holds(part.relation, result.lhs, result.rhs);
    // Equality stays undecidable at every precision: the exact test is asked at once where it is cheap. On long rows
    // it costs more than many doublings, so there it waits for the limit, and is left out below the usual one.
    const bool last = precision.doubled() > limit;
    const bool cheap = claimed.attained_is_cheap || instance.length <= cheap_length;
    const bool ask = cheap ? last || precision == Precision{} : last && limit == precision_limit;
    if (answer == Truth::unknown && ask && part.attained && part.attained(instance)) {
      const bool trivial = part.relation == Relation::at_most && is_zero(result.lhs) && is_zero(result.rhs);
      result.decision = trivial ? Decision::held : Decision::equality;
      return result;
    }
    if (answer == Truth::unknown) answer = slack_decides(part, instance, result, precision);
    if (answer != Truth::unknown) result.decision = answer == Truth::yes ? Decision::held : Decision::violated;
    if (answer != Truth::unknown || last) return result;
  }
}

Ruling judge(const Statement& statement, const Instance& instance, Precision limit) {
  const Sided& claimed = std::get<Sided>(statement.kind);
  Ruling result;
  result.discarded_by = failed_hypothesis(claimed, instance);
  if (!result.discarded_by.empty()) return result;
  for (std::size_t p = 0; p < claimed.parts.size(); ++p) {
    result.parts.push_back(judge_part(statement, p, instance, limit));
    if (result.parts.back().decision == Decision::discarded) return {Decision::discarded, says_nothing, {}};
    result.decision = std::max(result.decision, result.parts.back().decision);
  }
  return result;
}

bool violates(const Statement& statement, std::size_t part, const Instance& instance, Precision limit) {
  return admissible(statement, instance) && judge_part(statement, part, instance, limit).decision == Decision::violated;
}

void record(Tally& tally, const Statement& statement, const Ruling& ruling, const std::string& replay) {
  const std::vector<Part>& parts = std::get<Sided>(statement.kind).parts;
  const auto count = [](auto& counts, Decision decision) {
    if (decision == Decision::held) ++counts.held;
    if (decision == Decision::equality) ++counts.equality;
    if (decision == Decision::undecided) ++counts.undecided;
    if (decision == Decision::violated) ++counts.violated;
  };
  ++tally.counts.tried;
  if (tally.parts.empty() && parts.size() > 1)
    for (const Part& part : parts) tally.parts.emplace_back().part = part.name;
  if (ruling.decision == Decision::discarded) {
    ++tally.counts.discarded[std::string(ruling.discarded_by)];
    return;
  }
  ++tally.counts.admissible;
  count(tally.counts, ruling.decision);
  double nearest = 0;
  for (std::size_t p = 0; p < ruling.parts.size(); ++p) {
    const PartRuling& part = ruling.parts[p];
    tally.max_bits = std::max(tally.max_bits, part.bits);
    if (parts.size() > 1) count(tally.parts[p], part.decision);
    const std::optional<double> tightness = part.tightness();
    nearest = std::max(nearest, tightness.value_or(0));
    std::optional<Tightest>& own = parts.size() > 1 ? tally.parts[p].tightest : tally.tightest;
    if (!tightness || (own && *tightness <= own->tightness)) continue;
    own = Tightest{*tightness, part.lhs.text(), part.rhs.text(), replay};
    if (parts.size() > 1) Tally::offer(tally.tightest, own);
  }
  if (ruling.decision == Decision::held) tally.counts.add_nearness(nearest);
}

}  // namespace attncert
