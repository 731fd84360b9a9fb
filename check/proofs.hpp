// What has to be shown for a claim to be proved, in the checker's own words and formulas.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "check/claims.hpp"
#include "check/polynomial.hpp"
#include "src/core/certificate.hpp"

namespace attncert::check {

// slack >= 0 on [0,1]^coordinates, or slack = 0 identically.
struct Piece {
  std::string name;
  std::size_t coordinates;
  std::function<Quotient(const std::vector<Quotient>&)> slack;
  bool identity = false;
};

struct Proof {
  const char *claim, *domain;
  std::vector<std::string> reductions;
  std::vector<Piece> pieces;
};

std::vector<Proof> proofs();
Verdict judge(const Certificate& certificate);

}  // namespace attncert::check
