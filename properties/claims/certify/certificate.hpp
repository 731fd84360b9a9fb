// What goes to the checker of a claim that is to be proved: what it says, and what its sides come to on the search's
// own instances, on known extremal ones and on long rows. The proof is the checker's.
#pragma once

#include "properties/claims/claim.hpp"
#include "src/core/certificate.hpp"
#include "src/core/record.hpp"

namespace attncert {

// `found`: what the search kept of the claim. Asserts that the statement is to be proved.
Certificate certificate_of(const Statement& statement, std::uint64_t seed, const TaskRecord& found);

// One instance with both sides of each part; none where the sides are out of reach of the checker's comparison.
std::optional<CertificateRow> certificate_row(const Statement& statement, const Instance& instance);

}  // namespace attncert
