// The claims that the judge knows, each with the function that reads a witness against it.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "check/ball.hpp"
#include "src/core/witness.hpp"

namespace attncert::check {

// Thrown inside check/ by require(): why a witness is none. judge() turns it into a verdict.
struct Rejected {
  std::string why;
};
inline void require(bool condition, const std::string& why) {
  if (!condition) throw Rejected{why};
}

struct Sides {
  Ball lhs, rhs;
};
using SidesAt = std::function<Sides(slong bits)>;

// Requires every hypothesis, in exact arithmetic, and gives both sides at any precision; for lhs it may give a certified
// lower bound.
using InstanceClaim = SidesAt(const ExactInstance&);
// Requires all that a refutation along families needs, and says what was verified.
using FamilyClaim = std::string(const std::vector<WitnessFamily>&);

// A claim "lhs <= rhs" or "lhs = rhs" about one instance, or a claim about every length that families refute.
struct Claim {
  const char* id;
  InstanceClaim* instance;
  FamilyClaim* families = nullptr;
  bool equality = false;
};

std::span<const Claim> claims();

struct Verdict {
  bool accepted = false;
  std::string line;  // "accepted: ..." or "rejected: ..."
};
Verdict judge(const Witness& witness);

InstanceClaim theorem1_upper, theorem1_upper_norm_of_weighted_sum, theorem1_expectation_main_term,
    theorem2_lower_literal, theorem2_upper, theorem2_eighty_percent, separability_floor, lemma2_sqrt2_cap,
    softmax_quarter_over_temperature, softmax_quarter_frobenius, perturbation_output_distance;
FamilyClaim theorem1_collapse, distance_linear_in_length, lemma1_any_normalizer, selectivity_stability_tradeoff;

}  // namespace attncert::check
