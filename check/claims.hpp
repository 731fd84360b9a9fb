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

// A claim "lhs <= rhs" about one instance, or a claim about every length that families refute.
struct Claim {
  const char* id;
  // Requires every hypothesis, in exact arithmetic, and gives both sides at any precision; for lhs it may give a
  // certified lower bound.
  SidesAt (*instance)(const ExactInstance&);
  // Requires all that a refutation along families needs, and says what was verified.
  std::string (*families)(const std::vector<WitnessFamily>&);
};

std::span<const Claim> claims();

struct Verdict {
  bool accepted = false;
  std::string line;  // "accepted: ..." or "rejected: ..."
};
Verdict judge(const Witness& witness);

SidesAt theorem1_upper(const ExactInstance&);
SidesAt distance_upper(const ExactInstance&);
SidesAt distance_two_sided(const ExactInstance&);
SidesAt theorem2_lower(const ExactInstance&);
SidesAt theorem2_upper(const ExactInstance&);
SidesAt theorem2_eighty_percent(const ExactInstance&);
SidesAt lemma2_first_term(const ExactInstance&);
SidesAt lemma2_sqrt2_cap(const ExactInstance&);
SidesAt softmax_quarter_over_temperature(const ExactInstance&);
SidesAt softmax_half_over_temperature(const ExactInstance&);
SidesAt softmax_largest_entry(const ExactInstance&);
SidesAt weights_order_sharp(const ExactInstance&);
std::string theorem1_collapse(const std::vector<WitnessFamily>&);
std::string lemma1_any_normalizer(const std::vector<WitnessFamily>&);

}  // namespace attncert::check
