// Real numbers for the tests' own truth: Arb balls at 320 bits with operators. Inputs are doubles, so each difference
// of two logits and each z + b T carries one rounding of 2^-320; no formula here loses more than 2^60 of that.
#pragma once

#include "tests/arb.hpp"
#include "tests/normalizers/ball.hpp"

namespace attncert::oracle {

using Number = ArbNumber<320>;

}  // namespace attncert::oracle
