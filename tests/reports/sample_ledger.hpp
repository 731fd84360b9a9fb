// A hand-made ledger that has every kind of row once, with the values that formats get wrong: text that looks like
// markup, numbers that are not finite, minus zero, a subnormal, the largest counts and seeds.
#pragma once

#include "reports/ledger.hpp"

namespace attncert {
Ledger sample_ledger();
}
