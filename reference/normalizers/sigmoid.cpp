// 1 / (1 + exp(-x)), x = z / T + b: the sum has two positive terms, so the relative width is that of exp(-x), |x| times
// that of x. Bits lost to the size of x, and to z / T and b cancelling, are added beforehand.
#include "reference/normalizers/sigmoid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attncert::reference {
namespace {

int exponent(double value) { return value == 0 ? -2200 : std::ilogb(value); }

class Enclosed final : public RowTruth {
 public:
  explicit Enclosed(const LogitRow& row) : row_(row) { ATTNCERT_ASSERT(kind(row_) == RowKind::ordinary); }
  Interval value(std::size_t i, Precision precision) override {
    const Interval x = sigmoid_argument(row_, i, precision), one(1.0, x.precision());
    return (one / (one + exp(-x))).rounded(precision);
  }
  double screen(std::size_t i) override {
    const long double x = static_cast<long double>(row_.logits[i]) / row_.temperature + row_.parameters.bias;
    return static_cast<double>(1 / (1 + std::exp(-x)));
  }

 private:
  LogitRow row_;
};

}  // namespace

Interval sigmoid_argument(const LogitRow& row, std::size_t i, Precision precision) {
  const double z = row.logits[i], b = row.parameters.bias;
  // |x| < 2^size. Without b nothing cancels, and exponents beyond 2^31 saturate whatever the digits.
  const int size = std::max(exponent(z) - exponent(row.temperature) + 1, exponent(b)) + 1;
  const Precision working{precision.bits + 8 + std::clamp(size, 0, b == 0 ? 32 : 2200)};
  return Interval(z, working) / Interval(row.temperature, working) + Interval(b, working);
}

LogitRow saturate(const LogitRow& row, double bias) {
  constexpr double most = std::numeric_limits<double>::max(), saturated = 2000;  // exp(-2000) < 2^-2885
  LogitRow finite = row;
  if (most / row.temperature + bias < saturated) {
    const int down = std::ilogb(row.temperature) + 3;  // T < 1/4 from then on: z / T is at least 4 |b|
    finite.temperature = std::ldexp(row.temperature, -down);
    for (double& logit : finite.logits) logit = std::ldexp(logit, -down);
  }
  for (double& logit : finite.logits) logit = logit == HUGE_VAL ? most : logit;
  return finite;
}

const Normalizer sigmoid_normalizer{
    .name = "sigmoid",
    .place = 7,
    .formula = "1 / (1 + exp(-(z_i + b)))",
    .laws = {Law::nonnegative, Law::scale_invariant, Law::permutation_equivariant, Law::monotone, Law::ties_equal,
             Law::mask_is_removal},
    .truth = [](const LogitRow& row) -> std::unique_ptr<RowTruth> { return std::make_unique<Enclosed>(row); },
    .parameter = ReadsParameter::bias,
    .at_infinity = [](const LogitRow& row) { return std::optional(saturate(row, row.parameters.bias)); }};

}  // namespace attncert::reference
