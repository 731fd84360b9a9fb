// Acceptance rules of attention kernels that projects use, to say beside our verdict what they would have said. They
// decide nothing here.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "attncert/kernel.h"

namespace attncert {

// What a rule is given of one tensor of a case: all rows, also those that our bounds do not speak of.
struct Compared {
  attncert_dtype dtype = ATTNCERT_F32;  // of the outputs
  bool softcap = false;
  // O, or a gradient, as it was computed, the exact one rounded to dtype, and that of the plain reference in dtype; 0
  // in rows without a key.
  std::span<const double> output, exact, reference;
  std::span<const double> lse, exact_lse;  // -inf in rows without a key; empty of a gradient
};

struct RuleInUse {
  std::string_view name, source, formula;
  bool (*accepts)(const Compared& compared);
};
std::span<const RuleInUse> rules_in_use();

}  // namespace attncert
