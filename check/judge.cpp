// The order of judgement: known claim, right kind of witness, hypotheses (exact), then the two sides at 64, 128, ...,
// 4096 bits until the balls are apart. Balls that never part are no refutation, whichever way they lean.
#include "check/judge.hpp"

#include <algorithm>

namespace attncert::check {
namespace {

constexpr slong first_bits = 64, last_bits = 4096;

std::string compare(const ExactInstance& i, const SidesAt& sides, bool equality) {
  for (slong bits = first_bits;; bits *= 2) {
    const auto [lhs, rhs] = sides(bits);
    const std::string left = "lhs in " + lhs.text(), right = "rhs in " + rhs.text();
    const std::string at = " at " + std::to_string(bits) + " bits (L=" + std::to_string(i.length) +
                           ", d=" + std::to_string(i.dimension) + ", N=" + std::to_string(i.count) + ")";
    if (certainly_greater(lhs, rhs)) return left + " > " + right + at;
    if (equality && certainly_greater(rhs, lhs)) return left + " < " + right + at;
    require(equality || !certainly_at_most(lhs, rhs), left + " does not exceed " + right + at);
    require(bits < last_bits, left + " is not told apart from " + right + at);
  }
}

std::string verified(const Witness& witness) {
  const std::vector<Claim> known = claims();
  const auto claim = std::find_if(known.begin(), known.end(), [&](const Claim& c) { return c.id == witness.claim; });
  require(claim != known.end(), "the claim is none that this checker knows (--help lists them)");
  const std::string relation = claim->equality ? "lhs = rhs" : "lhs <= rhs", refuted = witness.claim + " is refuted: ";
  require(witness.relation == relation, "the relation is not \"" + relation + "\"");
  if (claim->instance == nullptr) {
    require(!witness.families.empty(), witness.claim + " is about every length and needs families");
    return refuted + refuted_along(witness.claim, witness.families);
  }
  require(witness.instance.has_value(), witness.claim + " needs an instance");
  return refuted + compare(*witness.instance, claim->instance(*witness.instance), claim->equality);
}

std::string verified(const Certificate& certificate) { return proved_by(certificate); }

}  // namespace

std::vector<Claim> claims() {
  return {{"theorem1-upper", theorem1_upper},
          {"theorem1-upper-norm-of-weighted-sum", theorem1_upper_norm_of_weighted_sum},
          {"theorem1-expectation-main-term", theorem1_expectation_main_term},
          {"theorem1-collapse", nullptr},
          {"distance-linear-in-length", nullptr},
          {"theorem2-lower-literal", theorem2_lower_literal},
          {"theorem2-upper", theorem2_upper},
          {"theorem2-eighty-percent", theorem2_eighty_percent},
          {"separability-floor", separability_floor},
          {"lemma2-sqrt2-cap", lemma2_sqrt2_cap},
          {"softmax-quarter-over-temperature", softmax_quarter_over_temperature},
          {"softmax-quarter-frobenius", softmax_quarter_frobenius},
          {"perturbation-output-distance", perturbation_output_distance, true},
          {"selectivity-stability-tradeoff", nullptr},
          {"lemma1-any-normalizer", nullptr}};
}

Verdict judge(const Evidence& evidence) {
  try {
    return {true, "accepted: " + std::visit([](const auto& read) { return verified(read); }, evidence)};
  } catch (const Rejected& rejected) {
    Verdict verdict{false, "rejected: " + rejected.why};  // which may quote the name of a family: keep it to one line
    std::replace_if(
        verdict.line.begin(), verdict.line.end(), [](unsigned char c) { return c < ' '; }, '?');
    return verdict;
  }
}

}  // namespace attncert::check
