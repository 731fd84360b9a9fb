// A kernel leaves rounding mode, flush to zero and exception masks as it found them. guarded_call restores them after a
// kernel that does not.
#include <cstdio>

#include "properties/conformance/laws/law_rows.hpp"

namespace attncert::laws {

LawOutcome environment_kept(const Subject& subject, const attncert_kernel& kernel, LawChoices& choices) {
  const GuardedOutcome outcome = answered(kernel, draw_row(choices, subject, kernel));
  if (outcome.control_after == outcome.control_before) return kept;
  char text[80];
  std::snprintf(text, sizeof text, "control words 0x%llx before, 0x%llx after",
                static_cast<unsigned long long>(outcome.control_before),
                static_cast<unsigned long long>(outcome.control_after));
  return violated(text);
}

}  // namespace attncert::laws
