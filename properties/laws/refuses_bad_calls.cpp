// A temperature or a parameter outside its range is refused by its own status, and nothing is written.
#include "properties/laws/law_rows.hpp"

namespace attncert::laws {
namespace {

// A value of the normalizer's parameter that it has to refuse. False when it reads none.
bool spoil(RowParameters& parameters, ReadsParameter which, Choices& choices) {
  constexpr std::uint64_t alphas[][2] = {{1, 1}, {1, 2}, {3, 0}, {0, 1}};  // alpha = p / q > 1
  constexpr std::uint32_t orders[] = {0, 1, 3, 7};
  constexpr double reals[] = {HUGE_VAL, -HUGE_VAL, std::numeric_limits<double>::quiet_NaN()};
  switch (which) {
    case ReadsParameter::none:
      return false;
    case ReadsParameter::alpha: {
      const auto& alpha = alphas[choices.below(std::size(alphas))];
      parameters.alpha_numerator = alpha[0];
      parameters.alpha_denominator = alpha[1];
      return true;
    }
    case ReadsParameter::k:
      parameters.k = 0;
      return true;
    case ReadsParameter::order:
      parameters.order = orders[choices.below(std::size(orders))];
      return true;
    case ReadsParameter::scale:
      parameters.scale = reals[choices.below(std::size(reals))];
      return true;
    case ReadsParameter::bias:
      parameters.bias = reals[choices.below(std::size(reals))];
      return true;
  }
  return false;
}

}  // namespace

LawOutcome refuses_bad_calls(const Subject& subject, const attncert_kernel& kernel, Choices& choices) {
  LogitRow row = draw_row(choices, subject, kernel);
  attncert_status expected = ATTNCERT_BAD_PARAMETER;
  if (choices.flip() || !spoil(row.parameters, subject.parameter, choices)) {
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
