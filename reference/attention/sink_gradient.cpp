#include <algorithm>
#include <cstdint>

#include "reference/attention/gamma.hpp"
#include "reference/attention/gradient.hpp"
#include "reference/attention/gradient_row.hpp"
#include "src/core/assert.hpp"

namespace attncert::reference {
namespace {

// Each term passes its product, the sum over the rows and one operation more, as where signs or parts come last.
template <class Number>
SinkGradient<Number> gradient_of(std::span<const GradientRow> rows, const GradientRounding& rounding,
                                 PrecisionOf<Number> precision) {
  ATTNCERT_ASSERT(!rows.empty());
  const auto number = [&](double value) { return Number(value, precision); };
  const std::vector<std::uint8_t> no_key(rows[0].row.key_count(), 0);
  const std::size_t steps = rows.size() + 2;
  const double unit = std::max(rounding.common.single.relative, rounding.common.output_sum.relative);
  const Number sums = Gamma<Number>(unit, precision)(steps), one = number(1);
  Number truth = number(0), error = number(0);
  for (GradientRow row : rows) {
    ATTNCERT_ASSERT(row.row.sink);
    if (!rounding.unfused) row.row.mask = no_key;
    const GradientErrors<Number> errors = gradient_errors<Number>(row, rounding, precision);
    truth += *errors.terms.sink;
    error += *errors.sink + sums * *errors.sink_most;
  }
  const double underflow = std::max(rounding.common.single.absolute, rounding.common.output_sum.absolute);
  error += number(2 * static_cast<double>(steps)) * number(underflow) * (one + sums);
  const Rounding& output = rounding.common.output;
  return {truth, error + number(output.relative) * (abs(truth) + error) + number(output.absolute)};
}

}  // namespace

SinkGradient<Interval> sink_gradient(std::span<const GradientRow> rows, const GradientRounding& rounding,
                                     Precision precision) {
  return gradient_of<Interval>(rows, rounding, precision);
}
SinkGradient<DoubleInterval> sink_gradient(std::span<const GradientRow> rows, const GradientRounding& rounding,
                                           DoublePrecision precision) {
  return gradient_of<DoubleInterval>(rows, rounding, precision);
}

}  // namespace attncert::reference
