#include "reference/normalizers/softmax.hpp"

#include <cmath>

#include "reference/normalizers/exponential_sum.hpp"
#include "reference/normalizers/exponents.hpp"

namespace attncert::reference {
namespace {

std::vector<Interval> softmax(Exponents x, Precision precision) {
  std::vector<Interval>& weights = x.distinct;
  for (Interval& weight : weights) weight = exp(weight);
  const Interval total = sum_of_exponentials(x, weights, false);
  for (Interval& weight : weights) weight = (weight /= total).rounded(precision);
  std::vector<Interval> row;
  row.reserve(x.index.size());
  for (const std::size_t k : x.index) {
    if (k == Exponents::masked) row.emplace_back(0.0, precision);
    else if (--x.count[k] == 0)
      row.push_back(std::move(weights[k]));  // its last use: long rows do not hold everything twice
    else row.push_back(weights[k]);
  }
  return row;
}

class Enclosed final : public RowTruth {
 public:
  explicit Enclosed(const LogitRow& row) : sum_(row) {}
  Interval value(std::size_t i, Precision precision) override { return sum_.weight(logit(i), precision); }
  double screen(std::size_t i) override { return sum_.screen_weight(logit(i)); }

 private:
  double logit(std::size_t i) const { return sum_.row().row().logits[i]; }
  ExponentialSum sum_;
};

}  // namespace

std::vector<Interval> softmax(std::span<const Rational> logits, const Rational& temperature, Precision precision,
                              std::span<const std::uint8_t> mask) {
  return softmax(exponents(logits, temperature, working(precision), mask), precision);
}

std::vector<Interval> softmax(std::span<const double> logits, double temperature, Precision precision,
                              std::span<const std::uint8_t> mask) {
  return softmax(exponents(logits, temperature, working(precision), mask), precision);
}

const Normalizer softmax_normalizer{
    .name = "softmax",
    .place = 0,
    .formula = "exp(z_i) / sum_j exp(z_j)",
    .laws = {Law::sums_to_one, Law::nonnegative, Law::shift_invariant, Law::scale_invariant,
             Law::permutation_equivariant, Law::monotone, Law::ties_equal, Law::mask_is_removal},
    .truth = [](const LogitRow& row) -> std::unique_ptr<RowTruth> { return std::make_unique<Enclosed>(row); },
    .at_infinity = [](const LogitRow& row) { return uniform_over_infinities(row); }};

}  // namespace attncert::reference
