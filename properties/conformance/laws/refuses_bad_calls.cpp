// A kernel refuses a temperature or a parameter outside its range with the status for it, and writes nothing.
#include "properties/conformance/laws/law_rows.hpp"

namespace attncert::laws {
LawOutcome refuses_bad_calls(const Subject& subject, const attncert_kernel& kernel, LawChoices& choices) {
  LogitRow row = draw_row(choices, subject, kernel);
  attncert_status expected = ATTNCERT_BAD_PARAMETER;
  if (choices.flip() || !draw_invalid_parameter(choices, subject, row.parameters)) {
    row.temperature = draw_invalid_temperature(choices);
    expected = ATTNCERT_BAD_TEMPERATURE;
  }
  const GuardedOutcome outcome = guarded_call(kernel, row);
  if (outcome.status != expected)
    return violated("status " + std::to_string(outcome.status) + ", not " + std::to_string(expected));
  if (outcome.unwritten != row.logits.size() || outcome.wrote_outside)
    return violated("refused, and wrote all the same");
  return kept;
}

}  // namespace attncert::laws
