// x_i - log(1 + R), x = (z - max) / T, R the sum of all exponentials but one of the largest's. Both parts are <= 0:
// nothing cancels, and log1p keeps the first entry's relative width where R is tiny.
#include "reference/normalizers/log_softmax.hpp"

#include <cmath>

#include "reference/normalizers/exponential_sum.hpp"
#include "reference/normalizers/exponents.hpp"

namespace attncert::reference {
namespace {

std::vector<Interval> log_softmax(Exponents x, Precision precision) {
  std::vector<Interval> exponentials;
  exponentials.reserve(x.distinct.size());
  for (const Interval& exponent : x.distinct) exponentials.push_back(exp(exponent));
  const Interval log_total = log1p(sum_of_exponentials(x, exponentials, true));
  exponentials = {};
  std::vector<Interval> values = std::move(x.distinct);
  for (Interval& value : values) value = (value -= log_total).rounded(precision);
  return by_position(std::move(x), std::move(values), Interval::whole_line(precision));
}

class Enclosed final : public RowTruth {
 public:
  explicit Enclosed(const LogitRow& row) : sum_(row) {}
  Interval value(std::size_t i, Precision precision) override {
    return -sum_.row().deficit(logit(i), precision) - log1p(sum_.rest(precision));
  }
  double screen(std::size_t i) override { return -sum_.screen_depth(logit(i)) - std::log1p(sum_.screen_rest()); }

 private:
  double logit(std::size_t i) const { return sum_.row().row().logits[i]; }
  ExponentialSum sum_;
};

}  // namespace

std::vector<Interval> log_softmax(std::span<const Rational> logits, const Rational& temperature, Precision precision,
                                  std::span<const std::uint8_t> mask) {
  return log_softmax(exponents(logits, temperature, working(precision), mask), precision);
}

std::vector<Interval> log_softmax(std::span<const double> logits, double temperature, Precision precision,
                                  std::span<const std::uint8_t> mask) {
  return log_softmax(exponents(logits, temperature, working(precision), mask), precision);
}

const Normalizer log_softmax_normalizer{
    .name = "log-softmax",
    .place = 1,
    .formula = "z_i - log sum_j exp(z_j)",
    .laws = {Law::exponentials_sum_to_one, Law::nonpositive, Law::shift_invariant, Law::scale_invariant,
             Law::permutation_equivariant, Law::monotone, Law::ties_equal, Law::mask_is_removal, Law::split_and_merge},
    .truth = [](const LogitRow& row) -> std::unique_ptr<RowTruth> { return std::make_unique<Enclosed>(row); },
    .absent = -HUGE_VAL,
    .at_infinity = [](const LogitRow& row) { return uniform_over_infinities(row); }};

}  // namespace attncert::reference
