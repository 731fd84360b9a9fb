// Evidence held against the suite's own arithmetic, which shares no formula with attncert-check: what the checker
// accepts has to be true here.
#pragma once

#include <string>

#include "src/core/certificate.hpp"

namespace attncert {

// "" when the witness refutes its claim; else why not.
std::string why_not_refuting(const Witness& witness);

// "" when the claim is expected refuted and the witness refutes it, or when the claim has a proof on the certificate's
// domain; else what is not so.
std::string why_untrue(const Evidence& evidence);

}  // namespace attncert
