// Evidence held against the suite's own arithmetic, which shares no formula with attncert-check: what the checker
// accepts has to be true here.
#pragma once

#include <string>

#include "src/core/certificate.hpp"

namespace attncert {

// Whether the witness holds families that are to prove its claim; any other is to refute it.
bool is_to_prove(const Witness& witness);

// "" when the witness refutes its claim; else why not.
std::string why_not_refuting(const Witness& witness);

// "" when the claim is expected refuted and the witness refutes it, or when the claim is expected proved and is what
// the certificate says, with these sides on every row; else what is not so.
std::string why_untrue(const Evidence& evidence);

}  // namespace attncert
