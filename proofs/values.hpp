// What ties the definitions of proofs/definitions.v to the sides that attncert evaluates.
#pragma once

namespace attncert {

// Writes Coq text: for claims with a theorem whose sides can be computed, instances that a search draws, an attained
// one among them where there is one, and for both sides of each part, as the theorem has them, that they lie in the
// enclosure that attncert has of its own, to 12 digits. False where a claim has too few.
bool write_values();

}  // namespace attncert
