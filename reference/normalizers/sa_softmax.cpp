// Each value is a product of p_i and a factor made of exact differences: nothing cancels, an entry at the low end is
// the point 0. A range of 0 gives zeros (v2: all equal; v3: all 0).
#include "reference/normalizers/sa_softmax.hpp"

#include <algorithm>

#include "reference/normalizers/exponential_sum.hpp"

namespace attncert::reference {
namespace {

enum class Variant : std::uint8_t { v0, v1, v2, v3 };

class Enclosed final : public RowTruth {
 public:
  Enclosed(const LogitRow& row, Variant variant) : sum_(row), temperature_(row.temperature) {
    const double least = sum_.row().distinct().back(), most = sum_.row().largest();
    if (variant == Variant::v1 || variant == Variant::v2) low_ = least;
    if (variant == Variant::v3) low_ = std::min(least, 0.0);
    if (variant == Variant::v2) high_ = most;
    if (variant == Variant::v3) high_ = std::max(most, 0.0);
    over_range_ = variant == Variant::v2 || variant == Variant::v3;
  }
  Interval value(std::size_t i, Precision precision) override {
    if (logit(i) == low_) return Interval(0.0, precision);
    return sum_.weight(logit(i), precision) * (Interval(logit(i), precision) - Interval(low_, precision)) /
           (over_range_ ? Interval(high_, precision) - Interval(low_, precision) : Interval(temperature_, precision));
  }
  // Long double: the range of a row may be beyond a double.
  double screen(std::size_t i) override {
    if (logit(i) == low_) return 0;
    const long double low = low_;
    const long double factor = (logit(i) - low) / (over_range_ ? high_ - low : temperature_);
    return static_cast<double>(factor * sum_.screen_weight(logit(i)));
  }

 private:
  double logit(std::size_t i) const { return sum_.row().row().logits[i]; }
  ExponentialSum sum_;
  double temperature_, low_ = 0, high_ = 0;
  bool over_range_ = false;
};

template <Variant variant>
std::unique_ptr<RowTruth> truth(const LogitRow& row) {
  return std::make_unique<Enclosed>(row, variant);
}

}  // namespace

const Normalizer sa_softmax_v0_normalizer{
    .name = "sa-softmax-v0",
    .place = 11,
    .formula = "z_i softmax(z)_i",
    .laws = {Law::scale_invariant, Law::permutation_equivariant, Law::ties_equal, Law::mask_is_removal},
    .truth = truth<Variant::v0>};

const Normalizer sa_softmax_v1_normalizer{
    .name = "sa-softmax-v1",
    .place = 12,
    .formula = "(z_i - min z) softmax(z)_i",
    .laws = {Law::shift_invariant, Law::scale_invariant, Law::permutation_equivariant, Law::monotone, Law::ties_equal,
             Law::mask_is_removal},
    .truth = truth<Variant::v1>};

const Normalizer sa_softmax_v2_normalizer{
    .name = "sa-softmax-v2",
    .place = 13,
    .formula = "(z_i - min z) / (max z - min z) softmax(z)_i; 0 where all are equal",
    .laws = {Law::nonnegative, Law::shift_invariant, Law::scale_invariant, Law::permutation_equivariant, Law::monotone,
             Law::ties_equal, Law::mask_is_removal},
    .truth = truth<Variant::v2>};

const Normalizer sa_softmax_v3_normalizer{
    .name = "sa-softmax-v3",
    .place = 14,
    .formula = "(z_i - min(min z, 0)) / (max(max z, 0) - min(min z, 0)) softmax(z)_i; 0 where all are 0",
    .laws = {Law::nonnegative, Law::scale_invariant, Law::permutation_equivariant, Law::monotone, Law::ties_equal,
             Law::mask_is_removal},
    .truth = truth<Variant::v3>};

}  // namespace attncert::reference
