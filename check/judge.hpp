// What the checker knows: claims that it can see refuted, proofs that it can see verified, and the verdict on a file.
#pragma once

#include <functional>

#include "check/ball.hpp"
#include "check/polynomial.hpp"
#include "src/core/certificate.hpp"

namespace attncert::check {

// Thrown inside check/ by require(): why a file shows nothing. judge() turns it into a verdict.
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

// Requires every hypothesis, in exact arithmetic, and gives both sides at any precision; for lhs it may give a
// certified lower bound.
using InstanceClaim = SidesAt(const ExactInstance&);

// A claim "lhs <= rhs" or "lhs = rhs" about one instance, or (instance = nullptr) one about every length.
struct Claim {
  const char* id;
  InstanceClaim* instance;
  bool equality = false;
};

InstanceClaim theorem1_upper, theorem1_upper_norm_of_weighted_sum, theorem1_expectation_main_term,
    theorem2_lower_literal, theorem2_upper, theorem2_eighty_percent, separability_floor, lemma2_sqrt2_cap,
    softmax_quarter_over_temperature, softmax_quarter_frobenius, perturbation_output_distance;
std::vector<Claim> claims();
// Requires all that refutes a claim about every length, and says what was verified.
std::string refuted_along(const std::string& claim, const std::vector<WitnessFamily>& families);

// An inequality, slack >= 0 on [0,1]^coordinates, or an identity, slack = 0.
struct Piece {
  std::string name;
  std::size_t coordinates;
  std::function<Quotient(const std::vector<Quotient>&)> slack;
  bool identity = false;
};
// The pieces that a claim follows from on the domain.
struct Proof {
  const char *claim, *domain;
  std::vector<std::string> reductions;
  std::vector<Piece> pieces;
};
std::vector<Proof> proofs();

struct Answer {
  bool accepted = false;
  std::string line;  // "accepted: ..." or "rejected: ..."
};
Answer judge(const Evidence& evidence);

}  // namespace attncert::check
