// Terms are the positive logits themselves: exact points, so only the sum and the quotient round.
#include "reference/normalizers/relu_normalized.hpp"

#include <algorithm>

namespace attncert::reference {
namespace {

class Enclosed final : public RowTruth {
 public:
  explicit Enclosed(const LogitRow& row) : sum_(row) {}
  Interval value(std::size_t i, Precision precision) override {
    return logit(i) <= 0 ? Interval(0.0, precision) : sum_.share(logit(i), precision);
  }
  double screen(std::size_t i) override { return logit(i) <= 0 ? 0 : sum_.screen_share(logit(i)); }

 private:
  double logit(std::size_t i) const { return sum_.row().row().logits[i]; }
  ReluSum sum_;
};

}  // namespace

Interval ReluSum::compute(double logit, Precision precision) { return Interval(std::max(logit, 0.0), precision); }
long double ReluSum::screen_term(double logit) { return std::max(logit, 0.0); }

// sums_to_one is left out: a row without positive logits is all zeros.
const Normalizer relu_normalized_normalizer{
    .name = "relu-normalized",
    .place = 9,
    .formula = "max(z_i, 0) / sum_j max(z_j, 0); 0 where no logit is positive",
    .laws = {Law::nonnegative, Law::scale_invariant, Law::permutation_equivariant, Law::monotone, Law::ties_equal,
             Law::mask_is_removal},
    .truth = [](const LogitRow& row) -> std::unique_ptr<RowTruth> { return std::make_unique<Enclosed>(row); },
    .exact_support = true,
    .at_infinity = [](const LogitRow& row) { return uniform_over_infinities(row, 1); }};

}  // namespace attncert::reference
