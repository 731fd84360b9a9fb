// The order of judgement: known claim, right kind of witness, hypotheses (exact), then the two sides at 64, 128, ...,
// 4096 bits until the balls are apart. Balls that never part are no refutation, whichever way they lean.
#include <algorithm>

#include "check/claims.hpp"

namespace attncert::check {
namespace {

constexpr slong first_bits = 64, last_bits = 4096;

Verdict compare(const Witness& witness, const SidesAt& sides) {
  const ExactInstance& i = *witness.instance;
  const std::string size =
      "(L=" + std::to_string(i.length) + ", d=" + std::to_string(i.dimension) + ", N=" + std::to_string(i.count) + ")";
  for (slong bits = first_bits;; bits *= 2) {
    const auto [lhs, rhs] = sides(bits);
    const std::string left = "lhs in " + lhs.text(), right = "rhs in " + rhs.text();
    const std::string at = " at " + std::to_string(bits) + " bits " + size;
    if (certainly_greater(lhs, rhs))
      return {true, "accepted: " + witness.claim + " is refuted: " + left + " > " + right + at};
    if (certainly_at_most(lhs, rhs)) return {false, "rejected: " + left + " does not exceed " + right + at};
    if (bits >= last_bits) return {false, "rejected: " + left + " is not told apart from " + right + at};
  }
}

Verdict decide(const Witness& witness) {
  const auto table = claims();
  const auto claim = std::find_if(table.begin(), table.end(), [&](const Claim& c) { return c.id == witness.claim; });
  require(claim != table.end(), "the claim is none that this checker knows (--help lists them)");
  require(witness.relation == "lhs <= rhs", "the relation is not \"lhs <= rhs\"");
  if (claim->families) {
    require(!witness.families.empty(), witness.claim + " is about every length and needs families");
    const std::string verified = claim->families(witness.families);
    return {true, "accepted: " + witness.claim + " is refuted: " + verified};
  }
  require(witness.instance.has_value(), witness.claim + " needs an instance");
  return compare(witness, claim->instance(*witness.instance));
}

}  // namespace

std::span<const Claim> claims() {
  static constexpr Claim table[] = {
      {"theorem1-upper", theorem1_upper, nullptr},
      {"distance-upper", distance_upper, nullptr},
      {"distance-two-sided", distance_two_sided, nullptr},
      {"theorem1-upper-norm-of-weighted-sum", theorem1_upper_norm_of_weighted_sum, nullptr},
      {"theorem1-expectation-main-term", theorem1_expectation_main_term, nullptr},
      {"theorem1-collapse", nullptr, theorem1_collapse},
      {"distance-linear-in-length", nullptr, distance_linear_in_length},
      {"theorem2-lower", theorem2_lower, nullptr},
      {"theorem2-lower-literal", theorem2_lower_literal, nullptr},
      {"theorem2-upper", theorem2_upper, nullptr},
      {"theorem2-eighty-percent", theorem2_eighty_percent, nullptr},
      {"separability-floor", separability_floor, nullptr},
      {"lemma2-first-term", lemma2_first_term, nullptr},
      {"lemma2-sqrt2-cap", lemma2_sqrt2_cap, nullptr},
      {"softmax-quarter-over-temperature", softmax_quarter_over_temperature, nullptr},
      {"softmax-quarter-frobenius", softmax_quarter_frobenius, nullptr},
      {"softmax-half-over-temperature", softmax_half_over_temperature, nullptr},
      {"softmax-largest-entry", softmax_largest_entry, nullptr},
      {"weights-order-sharp", weights_order_sharp, nullptr},
      {"lemma1-any-normalizer", nullptr, lemma1_any_normalizer},
  };
  return table;
}

Verdict judge(const Witness& witness) {
  try {
    return decide(witness);
  } catch (const Rejected& rejected) {
    Verdict verdict{false, "rejected: " + rejected.why};  // which may quote the name of a family: keep it to one line
    std::replace_if(
        verdict.line.begin(), verdict.line.end(), [](unsigned char c) { return c < ' '; }, '?');
    return verdict;
  }
}

}  // namespace attncert::check
