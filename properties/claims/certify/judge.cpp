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

// The sign of the slack, where a statement has one: asked when the sides overlap and equality does not explain it.
Truth slack_decides(const Sided& claimed, const Instance& instance, const Interval& lhs, const Interval& rhs,
                    Precision precision) {
  if (claimed.slack == nullptr) return Truth::unknown;
  const Interval slack = claimed.slack(instance, precision);
  ATTNCERT_ASSERT(overlaps(slack, rhs - lhs) == Truth::yes);
  return less_equal(Interval(0.0, precision), slack);
}

}  // namespace

std::string_view name(Decision decision) {
  constexpr std::string_view names[] = {"discarded", "held", "violated", "equality", "undecided"};
  return names[static_cast<int>(decision)];
}

std::optional<double> Ruling::tightness() const {
  if (!lhs) return std::nullopt;
  const Interval zero(0.0, rhs->precision());
  if (less(zero, *rhs) == Truth::yes) {
    const double quotient = (*lhs / *rhs).lower();
    return std::isfinite(quotient) ? std::optional(quotient) : std::nullopt;
  }
  if (decision == Decision::violated) return std::numeric_limits<double>::infinity();
  return std::nullopt;
}

Ruling judge(const Statement& statement, const Instance& instance, Precision limit) {
  const Sided& claimed = std::get<Sided>(statement.kind);
  ATTNCERT_ASSERT(claimed.relation != Relation::equal || claimed.attained != nullptr);
  Ruling result;
  for (const Hypothesis& hypothesis : claimed.hypotheses)
    if (hypothesis.holds(instance) != Truth::yes) {
      result.discarded_by = hypothesis.text;
      return result;
    }
  for (Precision precision; precision <= limit; precision = precision.doubled()) {
    result.lhs = claimed.lhs(instance, precision);
    result.rhs = claimed.rhs(instance, precision);
    result.bits = precision.bits;
    Truth answer = holds(claimed.relation, *result.lhs, *result.rhs);
    // Equality stays undecidable at every precision: the exact test is asked at once where it is cheap. On long rows
    // it costs more than many doublings, so there it waits for the limit.
    const bool ask = precision.doubled() > limit ||
                     (precision == Precision{} && (claimed.attained_is_cheap || instance.length <= cheap_length));
    if (answer == Truth::unknown && ask && claimed.attained != nullptr && claimed.attained(instance)) {
      result.decision = Decision::equality;
      return result;
    }
    if (answer == Truth::unknown) answer = slack_decides(claimed, instance, *result.lhs, *result.rhs, precision);
    if (answer != Truth::unknown) {
      result.decision = answer == Truth::yes ? Decision::held : Decision::violated;
      return result;
    }
  }
  result.decision = Decision::undecided;
  return result;
}

void record(Tally& tally, const Ruling& ruling, const std::string& replay) {
  Counts& counts = tally.counts;
  ++counts.tried;
  if (ruling.decision == Decision::discarded) {
    ++counts.discarded[std::string(ruling.discarded_by)];
    return;
  }
  ++counts.admissible;
  tally.max_bits = std::max(tally.max_bits, ruling.bits);
  if (ruling.decision == Decision::held) ++counts.held;
  else if (ruling.decision == Decision::violated) ++counts.violated;
  else if (ruling.decision == Decision::equality) ++counts.equality;
  else ++counts.undecided;
  const std::optional<double> tightness = ruling.tightness();
  if (tightness && (!tally.tightest || *tightness > tally.tightest->tightness))
    tally.tightest = Tightest{*tightness, ruling.lhs->text(), ruling.rhs->text(), replay};
}

}  // namespace attncert
