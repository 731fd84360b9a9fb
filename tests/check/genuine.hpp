// Certificates as the suite makes them, judged in this process.
#pragma once

#include <string>
#include <vector>

#include "check/judge.hpp"
#include "properties/claims/claim.hpp"
#include "src/core/certificate.hpp"

namespace attncert {

// The claims that rows are brought for, by id; and what is brought for one, made when it is first asked for.
std::vector<std::string> certified_ids();
const Certificate& genuine_certificate(const std::string& id);

// The same evidence through the checker, in this process.
check::Verdict judged(const Evidence& evidence);

// A side as the suite writes it: exactly where the checker can, else to more places than are compared.
Rational value_of(const check::Term& side, check::Scope& scope);

// What a claim file would bring that makes the same slips as `believed`: what is given and said, and both sides, in the
// statement's own words.
Certificate consistent_with(const check::Statement& believed, const Certificate& genuine);

}  // namespace attncert
