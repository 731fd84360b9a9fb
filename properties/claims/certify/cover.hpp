// Proving a statement by covering: each of its pieces, an inequality on [0,1]^k, by branch and bound over boxes whose
// leaves show Bernstein coefficients >= 0. Untrusted: attncert-check decides with formulas of its own.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "properties/claims/claim.hpp"
#include "src/core/certificate.hpp"

namespace attncert {

struct CoverResult {
  std::optional<Certificate> certificate;  // when every piece was covered
  std::size_t leaves = 0;
  std::string why_not;  // otherwise: the first piece that was not, and why
};

// Asserts that the statement has a cover. At most `most_boxes` boxes a piece are looked at: by default as many as
// attncert-check judges (check/judge.cpp).
CoverResult cover(const Statement& statement, std::size_t most_boxes = 255);

}  // namespace attncert
