// Each value is a product of p_i and a factor made of exact differences: nothing cancels, an entry at the low end is
// the point 0. A range of 0 gives zeros (v2: all equal; v3: all 0).
#include "reference/normalizers/sa_softmax.hpp"

#include <algorithm>

#include "reference/normalizers/exponential_sum.hpp"
#include "reference/normalizers/weight_truth.hpp"

namespace attncert::reference {
namespace {

enum class Variant : std::uint8_t { v0, v1, v2, v3 };

template <Variant variant>
class SelfAdjusted {
 public:
  explicit SelfAdjusted(const LogitRow& row) : sum_(row), temperature_(row.temperature) {
    const double least = sum_.row().distinct().back(), most = sum_.row().largest();
    if (variant == Variant::v1 || variant == Variant::v2) low_ = least;
    if (variant == Variant::v3) low_ = std::min(least, 0.0);
    if (variant == Variant::v2) high_ = most;
    if (variant == Variant::v3) high_ = std::max(most, 0.0);
    over_range_ = variant == Variant::v2 || variant == Variant::v3;
  }
  const DescendingRow& row() const { return sum_.row(); }
  Interval weight(double logit, Precision precision) {
    if (logit == low_) return Interval(0.0, precision);
    return sum_.weight(logit, precision) * (Interval(logit, precision) - Interval(low_, precision)) /
           (over_range_ ? Interval(high_, precision) - Interval(low_, precision) : Interval(temperature_, precision));
  }
  // Long double: the range of a row may be beyond a double.
  double screen_weight(double logit) {
    if (logit == low_) return 0;
    const long double low = low_;
    const long double factor = (logit - low) / (over_range_ ? high_ - low : temperature_);
    return static_cast<double>(factor * sum_.screen_weight(logit));
  }

 private:
  ExponentialSum sum_;
  double temperature_, low_ = 0, high_ = 0;
  bool over_range_ = false;
};

}  // namespace

const Normalizer sa_softmax_v0_normalizer{
    .name = "sa-softmax-v0",
    .place = 11,
    .formula = "z_i softmax(z)_i",
    .laws = {Law::scale_invariant, Law::permutation_equivariant, Law::ties_equal, Law::mask_is_removal},
    .truth = weight_truth<SelfAdjusted<Variant::v0>>};

const Normalizer sa_softmax_v1_normalizer{
    .name = "sa-softmax-v1",
    .place = 12,
    .formula = "(z_i - min z) softmax(z)_i",
    .laws = {Law::shift_invariant, Law::scale_invariant, Law::permutation_equivariant, Law::monotone, Law::ties_equal,
             Law::mask_is_removal},
    .truth = weight_truth<SelfAdjusted<Variant::v1>>};

const Normalizer sa_softmax_v2_normalizer{
    .name = "sa-softmax-v2",
    .place = 13,
    .formula = "(z_i - min z) / (max z - min z) softmax(z)_i; 0 where all are equal",
    .laws = {Law::nonnegative, Law::shift_invariant, Law::scale_invariant, Law::permutation_equivariant, Law::monotone,
             Law::ties_equal, Law::mask_is_removal},
    .truth = weight_truth<SelfAdjusted<Variant::v2>>};

const Normalizer sa_softmax_v3_normalizer{
    .name = "sa-softmax-v3",
    .place = 14,
    .formula = "(z_i - min(min z, 0)) / (max(max z, 0) - min(min z, 0)) softmax(z)_i; 0 where all are 0",
    .laws = {Law::nonnegative, Law::scale_invariant, Law::permutation_equivariant, Law::monotone, Law::ties_equal,
             Law::mask_is_removal},
    .truth = weight_truth<SelfAdjusted<Variant::v3>>};

}  // namespace attncert::reference
