// The order of judgement: known claim, right kind of witness, hypotheses (exact), then the two sides at 64, 128, ...,
// 4096 bits until the balls are apart. Balls that never part are no refutation, whichever way they lean.
#include <algorithm>

#include "check/claims.hpp"

namespace attncert::check {
namespace {

constexpr slong first_bits = 64, last_bits = 4096;

Verdict compare(const Witness& witness, const SidesAt& sides, bool equality) {
  const ExactInstance& i = *witness.instance;
  const std::string size =
      "(L=" + std::to_string(i.length) + ", d=" + std::to_string(i.dimension) + ", N=" + std::to_string(i.count) + ")";
  for (slong bits = first_bits;; bits *= 2) {
    const auto [lhs, rhs] = sides(bits);
    const std::string left = "lhs in " + lhs.text(), right = "rhs in " + rhs.text();
    const std::string at = " at " + std::to_string(bits) + " bits " + size;
    if (certainly_greater(lhs, rhs))
      return {true, "accepted: " + witness.claim + " is refuted: " + left + " > " + right + at};
    if (equality && certainly_greater(rhs, lhs))
      return {true, "accepted: " + witness.claim + " is refuted: " + left + " < " + right + at};
    if (!equality && certainly_at_most(lhs, rhs))
      return {false, "rejected: " + left + " does not exceed " + right + at};
    if (bits >= last_bits) return {false, "rejected: " + left + " is not told apart from " + right + at};
  }
}

Verdict decide(const Witness& witness) {
  const auto table = claims();
  const auto claim = std::find_if(table.begin(), table.end(), [&](const Claim& c) { return c.id == witness.claim; });
  require(claim != table.end(), "the claim is none that this checker knows (--help lists them)");
  const std::string relation = claim->equality ? "lhs = rhs" : "lhs <= rhs";
  require(witness.relation == relation, "the relation is not \"" + relation + "\"");
  if (claim->families) {
    require(!witness.families.empty(), witness.claim + " is about every length and needs families");
    const std::string verified = claim->families(witness.families);
    return {true, "accepted: " + witness.claim + " is refuted: " + verified};
  }
  require(witness.instance.has_value(), witness.claim + " needs an instance");
  return compare(witness, claim->instance(*witness.instance), claim->equality);
}

}  // namespace

std::span<const Claim> claims() {
  static constexpr Claim table[] = {
      {"theorem1-upper", theorem1_upper},
      {"theorem1-upper-norm-of-weighted-sum", theorem1_upper_norm_of_weighted_sum},
      {"theorem1-expectation-main-term", theorem1_expectation_main_term},
      {"theorem1-collapse", nullptr, theorem1_collapse},
      {"distance-linear-in-length", nullptr, distance_linear_in_length},
      {"theorem2-lower-literal", theorem2_lower_literal},
      {"theorem2-upper", theorem2_upper},
      {"theorem2-eighty-percent", theorem2_eighty_percent},
      {"separability-floor", separability_floor},
      {"lemma2-sqrt2-cap", lemma2_sqrt2_cap},
      {"softmax-quarter-over-temperature", softmax_quarter_over_temperature},
      {"softmax-quarter-frobenius", softmax_quarter_frobenius},
      {"perturbation-output-distance", perturbation_output_distance, nullptr, true},
      {"selectivity-stability-tradeoff", nullptr, selectivity_stability_tradeoff},
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
