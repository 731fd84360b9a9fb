// Self-adjusted softmax, four variants: softmax weights p_i times z_i (v0), z_i - min z (v1), that over the range of z
// (v2), or that with the range stretched to hold 0 (v3). Ends of the range are taken over the present entries.
#pragma once

#include "reference/normalizers/normalizer.hpp"

namespace attncert::reference {

extern const Normalizer sa_softmax_v0_normalizer, sa_softmax_v1_normalizer, sa_softmax_v2_normalizer,
    sa_softmax_v3_normalizer;

}  // namespace attncert::reference
