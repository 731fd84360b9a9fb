// Self-adjusted v1 to v3, w_i = f_i p_i, f_i = (z_i - lo) / U, U = T (v1) or hi - lo: with e_i = (max z - z_i) / U, the upstream g_0 of
// a largest logit and c_i = (g_i - g_0) - sum_j p_j (g_j - g_0), entry k is
//   p_k (f_max c_k - e_k g_k + sum e_j p_j g_j) / T + (p_k g_k - l_k sum b_j p_j g_j - h_k sum f_j p_j g_j) / U,
// b_j = 1 (v1), (hi - z_j) / U. l_k = 1 / n for the n logits that are lo where lo is theirs (docs/contracts.md), h_k for hi.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "reference/normalizers/exponential_sum.hpp"
#include "reference/normalizers/gradient.hpp"
#include "reference/normalizers/softmax_vjp.hpp"

namespace attncert::reference {
namespace {

enum class Variant : std::uint8_t { v1, v2, v3 };

class AdjustedGradient final : public RowTruth {
 public:
  AdjustedGradient(const LogitRow& row, Variant variant)
      : sum_(row), upstream_(row, sum_.row()), variant_(variant), origin_(upstream_.at(upstream_.order().front())) {
    const double least = sum_.row().distinct().back(), most = sum_.row().largest();
    const bool clips = variant == Variant::v3;
    low_ = clips ? std::min(least, 0.0) : least;
    high_ = clips ? std::max(most, 0.0) : most;
    low_count_ = clips && least >= 0 ? 0 : sum_.row().count().back();
    high_count_ = variant == Variant::v1 || (clips && most <= 0) ? 0 : sum_.row().count().front();
  }

  Interval value(std::size_t i, Precision precision) override {
    if (is_constant()) return Interval(0.0, precision);
    const Common& sums = common(precision);
    return entry(i, precision, sums, centred(i, sums.shift), false);
  }

  double magnitude(std::size_t i) override {
    if (is_constant()) return 0;
    constexpr Precision precision = magnitude_precision;
    const Interval& shift = common(precision).shift;
    if (!sizes_) sizes_ = common_sums(precision, &shift);
    return lower_magnitude(entry(i, precision, *sizes_, abs(centred(i, shift)) + sizes_->shift, true));
  }

  double screen(std::size_t i) override {
    if (is_constant()) return 0;
    if (!screen_) screen_ = screen_sums();
    const long double p = sum_.screen_weight(logit(i)), g = upstream_.at(i), z = logit(i);
    const long double centred = p == 0 ? 0 : g - origin_ - screen_->shift;
    const long double most = sum_.row().largest(), depth = p == 0 ? 0 : (most - z) / long_unit();
    const long double inner = (most - low_) / long_unit() * centred - depth * g + screen_->depths;
    const long double moved = low_share(z) * screen_->below + high_share(z) * screen_->above;
    return static_cast<double>((p == 0 ? 0 : p * inner / row().temperature) + (p * g - moved) / long_unit());
  }

 private:
  struct Common {
    // sums over p_j of g_j - g_0, e_j g_j, b_j g_j, f_j g_j; or of their absolute values, |c_j| for the first
    Interval shift, depths, below, above;
  };
  struct Screen {
    long double shift = 0, depths = 0, below = 0, above = 0;
  };

  bool is_constant() const { return variant_ != Variant::v1 && low_ == high_; }
  bool over_temperature() const { return variant_ == Variant::v1; }

  const Common& common(Precision precision) {
    auto known = common_.find(precision.bits);
    if (known == common_.end()) known = common_.emplace(precision.bits, common_sums(precision, nullptr)).first;
    return known->second;
  }

  // Sizes: the sums of absolute values about `sizes_of`, the shift. Equal logits have their weights and factors together.
  Common common_sums(Precision precision, const Interval* sizes_of) {
    const Interval none(0.0, precision);
    Common sums{none, none, none, none};
    const std::vector<std::size_t>& order = upstream_.order();
    for (std::size_t first = 0; first < order.size();) {
      const double z = logit(order[first]);
      DoublesSum group(precision), differences(precision);
      Interval deviations = none;
      for (; first < order.size() && logit(order[first]) == z; ++first) {
        const double g = upstream_.at(order[first]);
        group.add(sizes_of != nullptr ? std::fabs(g) : g);
        if (sizes_of != nullptr) {
          deviations += abs(centred(order[first], *sizes_of));
        } else {
          differences.add(g);
          differences.add(-origin_);
        }
      }
      const Interval p = sum_.weight(z, precision), weighted = p * group.enclosed();
      sums.shift += p * (sizes_of != nullptr ? deviations : differences.enclosed());
      sums.depths += weighted * ratio(sum_.row().largest(), z, precision);
      sums.below += over_temperature() ? weighted : weighted * ratio(high_, z, precision);
      sums.above += weighted * ratio(z, low_, precision);
    }
    return sums;
  }

  // `inner` is c_k, or |c_k| + sum p |c| where all terms count as positive.
  Interval entry(std::size_t i, Precision precision, const Common& sums, const Interval& inner, bool sizes) {
    const double z = logit(i), g = sizes ? std::fabs(upstream_.at(i)) : upstream_.at(i);
    const Interval p = sum_.weight(z, precision), upstream(g, precision);
    const Interval depth = ratio(sum_.row().largest(), z, precision) * upstream;
    const Interval far = ratio(sum_.row().largest(), low_, precision) * inner;
    const Interval terms = sizes ? far + depth + sums.depths : far - depth + sums.depths;
    const Interval moved = share(z == low_ ? low_count_ : 0, precision) * sums.below +
                           share(z == high_ ? high_count_ : 0, precision) * sums.above;
    const Interval temperature(row().temperature, precision);
    if (over_temperature()) return (p * (upstream + terms) + (sizes ? moved : -moved)) / temperature;
    return p * terms / temperature + (p * upstream + (sizes ? moved : -moved)) / unit(precision);
  }

  Screen screen_sums() {
    Screen sums;
    for (const std::size_t j : upstream_.order()) {
      const long double z = logit(j), p = sum_.screen_weight(logit(j)), g = upstream_.at(j);
      if (p == 0) continue;
      sums.shift += p * (g - origin_);
      sums.depths += p * (sum_.row().largest() - z) / long_unit() * g;
      sums.below += over_temperature() ? p * g : p * (high_ - z) / long_unit() * g;
      sums.above += p * (z - low_) / long_unit() * g;
    }
    return sums;
  }

  const LogitRow& row() const { return sum_.row().row(); }
  double logit(std::size_t i) const { return row().logits[i]; }
  static Interval share(std::size_t count, Precision precision) {
    const Interval whole(count == 0 ? 0.0 : 1.0, precision);
    return count < 2 ? whole : whole / Interval(static_cast<double>(count), precision);
  }
  long double low_share(long double z) const {
    return z == low_ && low_count_ != 0 ? 1 / static_cast<long double>(low_count_) : 0;
  }
  long double high_share(long double z) const {
    return z == high_ && high_count_ != 0 ? 1 / static_cast<long double>(high_count_) : 0;
  }
  long double long_unit() const {
    return over_temperature() ? static_cast<long double>(row().temperature) : static_cast<long double>(high_) - low_;
  }
  Interval unit(Precision precision) const {
    if (over_temperature()) return Interval(row().temperature, precision);
    return Interval(high_, precision) - Interval(low_, precision);
  }
  Interval ratio(double above, double below, Precision precision) const {  // (above - below) / U
    return (Interval(above, precision) - Interval(below, precision)) / unit(precision);
  }
  Interval centred(std::size_t i, const Interval& shift) const {
    return Interval(upstream_.at(i), shift.precision()) - Interval(origin_, shift.precision()) - shift;
  }

  ExponentialSum sum_;
  UpstreamSum upstream_;
  Variant variant_;
  double origin_, low_ = 0, high_ = 0;          // g_0, lo, hi
  std::size_t low_count_ = 0, high_count_ = 0;  // of the logits that lo and hi move with
  std::map<int, Common> common_;                // by bits
  std::optional<Common> sizes_;
  std::optional<Screen> screen_;
};

template <Variant variant>
std::unique_ptr<RowTruth> truth(const LogitRow& row) {
  return std::make_unique<AdjustedGradient>(row, variant);
}

}  // namespace

const Normalizer sa_softmax_v1_vjp_normalizer{
    .name = "sa-softmax-v1-vjp",
    .formula =
        "p_i (g_i + (z_i - min z) g_i - sum_j (z_j - min z) p_j g_j) / T, less (sum_j p_j g_j) / T at the minimum",
    .source = "claims.md, section 13",
    .laws = {Law::shift_invariant, Law::scale_invariant, Law::permutation_equivariant, Law::ties_equal,
             Law::mask_is_removal, Law::sums_to_zero, Law::linear_in_upstream},
    .truth = truth<Variant::v1>,
    .derivative = true};

const Normalizer sa_softmax_v2_vjp_normalizer{
    .name = "sa-softmax-v2-vjp",
    .formula = "J^T g of (z_i - min z) / (max z - min z) softmax(z)_i; 0 where all are equal",
    .source = "claims.md, section 13",
    .laws = {Law::shift_invariant, Law::scale_invariant, Law::permutation_equivariant, Law::ties_equal,
             Law::mask_is_removal, Law::sums_to_zero, Law::linear_in_upstream},
    .truth = truth<Variant::v2>,
    .derivative = true};

const Normalizer sa_softmax_v3_vjp_normalizer{
    .name = "sa-softmax-v3-vjp",
    .formula = "J^T g of (z_i - min(min z, 0)) / (max(max z, 0) - min(min z, 0)) softmax(z)_i; 0 where all are 0",
    .source = "claims.md, section 13",
    .laws = {Law::scale_invariant, Law::permutation_equivariant, Law::ties_equal, Law::mask_is_removal,
             Law::linear_in_upstream},
    .truth = truth<Variant::v3>,
    .derivative = true};

}  // namespace attncert::reference
