// "Increasing N beyond 20 yields diminishing returns: the distance plateaus", arXiv 2508.17821, experiments on the
// distance (docs/specification.md#fixed-n): numbers of captured attention.
#include "properties/claims/claim.hpp"

namespace attncert {

Claim distance_plateau() {
  return {
      .statement = {.source = "arXiv 2508.17821, experiments on the distance, N beyond 20",
                    .section = "5",
                    .text = "Beyond N = 20 selected tokens the distance d-tilde plateaus.",
                    .proof =
                        "Neither the length of the row nor what a plateau is is said. d-tilde lies within one token "
                        "norm of (L-N) ||s|| (distance-two-sided): as N grows the factor L-N falls to 0 while ||s|| "
                        "moves from that of the heaviest token to the head's output. It is level where these two "
                        "balance, which depends on L and on the head, and it ends at 0 for N = L.",
                    .domain = "captured rows",
                    .kind = Measured{}},
      .expected = Expected::measured};
}

}  // namespace attncert
