// One execution of the target `normalizer`: the calls that its case asks for, and what is wrong with their answers. The
// exact values and the kernel's budget decide, first in double-double, then by Interval where that leaves entries open;
// of degenerate rows the kernel's contract. Other strides, another alignment and rows beside it must change no bit.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/guide.hpp"
#include "fuzz/normalizer_case.hpp"
#include "properties/conformance/accuracy/budget.hpp"

namespace attncert {

// One kernel on one instruction set, and what it answered to the row by itself.
struct Variant {
  const attncert_kernel* kernel;
  std::string_view isa;
  Budget budget;
  GuardedOutcome outcome{};
};

// What the process of an external library saw of its kernel during the calls.
struct Conduct {
  std::string wrong;                // "" = nothing
  bool lost = false, hung = false;  // a call got no answer, for the second reason after the time limit
};

struct Execution {
  NormalizerCase one;
  std::vector<Variant> variants;
  std::optional<GuardedOutcome> together;  // the first variant's, where the case asks for the row in a batch
  Conduct conduct{};
};

// What every row must keep is proved. A campaign tolerance (docs/budgets.md) is what rows of a campaign keep: a guided
// search goes beyond it.
Budget proved_budget(const attncert_kernel& kernel);

// The case with this kernel, which has its normalizer and type, in the place of the suite's own.
Execution asked_of(const attncert_kernel& kernel, NormalizerCase one);

bool asks_for_batch(const NormalizerCase& one);

void make_calls(std::span<Execution> executions);  // of all their variants, in this process

// Of all its calls; "" = none.
std::string objection(const Execution& execution, Guide& guide);

}  // namespace attncert
