// The two halves of a row, normalized separately, merge into the row: with y = log-softmax, lse(half) - lse(row) is
// y_i(row) - y_i(half) for every i of the half, and the exponentials of the two differences sum to 1. Each difference
// is exact within the slacks; exp turns an absolute slack s into a relative one, at most e^s - 1 < 2 s for s < 1.
#include "properties/conformance/laws/law_rows.hpp"

namespace attncert::laws {

LawOutcome split_and_merge(const Subject& subject, const attncert_kernel& kernel, LawChoices& choices) {
  const LogitRow row = draw_row(choices, subject, kernel);
  const std::size_t half = row.logits.size() / 2;
  if (!ordinary(row) || half == 0) return vacuous;
  const auto whole = outputs(subject, kernel, row);
  long double total = 0, allowed = 0x1p-60L;
  for (const bool upper : {false, true}) {
    const std::size_t from = upper ? half : 0, to = upper ? row.logits.size() : half;
    LogitRow part{
        {row.logits.begin() + static_cast<std::ptrdiff_t>(from), row.logits.begin() + static_cast<std::ptrdiff_t>(to)},
        row.temperature,
        {},
        row.parameters,
        {}};
    if (!ordinary(part)) continue;  // nothing present: exp(-inf) = 0
    const auto alone = outputs(subject, kernel, part);
    long double low = -HUGE_VALL, high = HUGE_VALL;  // bounds that the entries give for the difference
    for (std::size_t i = 0; i < alone.size(); ++i) {
      if (!std::isfinite(alone[i].value) || !std::isfinite(whole[from + i].value)) continue;
      const long double difference =
          static_cast<long double>(whole[from + i].value) - static_cast<long double>(alone[i].value);
      const long double slack = whole[from + i].slack + alone[i].slack;
      low = std::max(low, difference - slack);
      high = std::min(high, difference + slack);
      if (low > high)
        return violated(pair_text("the halves differ from the row by no constant", from + i, whole[from + i].value,
                                  alone[i].value));
    }
    if (!(high - low < 1)) return vacuous;
    total += std::exp((low + high) / 2);
    allowed += std::exp(high) * (high - low);
  }
  if (std::abs(total - 1) <= allowed) return kept;
  return violated("the halves' shares sum to 1 + " + std::to_string(total - 1));
}

}  // namespace attncert::laws
