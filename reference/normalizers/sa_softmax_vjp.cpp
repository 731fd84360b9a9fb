// Self-adjusted v1 to v3, w_i = f_i p_i, f_i = (z_i - lo) / U, U = T (v1) or hi - lo: with e_i = (max z - z_i) / U, the upstream g_0 of
// a largest logit and c_i = (g_i - g_0) - sum_j p_j (g_j - g_0), entry k is
//   p_k (f_max c_k - e_k g_k + sum e_j p_j g_j) / T + d_k / U,
// d_k = p_k g_k, but at lo where it moves with the row (docs/contracts.md) p_k (g_k - mean of g there) - (1 / n) sum b_j p_j g_j over
// the others, n logits being lo, b_j = 1 (v1) or (hi - z_j) / U; and at hi the same with f_j.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "reference/normalizers/exponential_sum.hpp"
#include "reference/normalizers/gradient.hpp"
#include "reference/normalizers/softmax_vjp.hpp"

namespace attncert::reference {
namespace {

enum class Variant : std::uint8_t { v1, v2, v3 };

// lo or hi, and the logits that it moves with.
struct End {
  double logit = 0;
  std::size_t count = 0;  // 0: it is clipped, or constant
  double origin = 0;      // the upstream of one of them
  bool is_at(double z) const { return count != 0 && z == logit; }
};

class AdjustedGradient final : public RowTruth {
 public:
  AdjustedGradient(const LogitRow& row, Variant variant)
      : sum_(row), upstream_(row, sum_.row()), variant_(variant), origin_(upstream_.at(upstream_.order().front())) {
    const std::vector<std::size_t>& counts = sum_.row().count();
    const double least = sum_.row().distinct().back(), most = sum_.row().largest();
    low_ = {least, counts.back(), upstream_.at(upstream_.order().back())};
    high_ = {most, variant == Variant::v1 ? 0 : counts.front(), origin_};
    if (variant == Variant::v3 && least >= 0) low_ = {};
    if (variant == Variant::v3 && most <= 0) high_ = {};
  }

  Interval value(std::size_t i, Precision precision) override {
    if (is_constant()) return Interval(0.0, precision);
    const Common& sums = common(precision);
    const double z = logit(i), g = upstream_.at(i);
    const Interval p = sum_.weight(z, precision), upstream(g, precision);
    const Interval inner =
        peak(precision) * (away(g, origin_, precision) - sums.shift) - depth(z, precision) * upstream + sums.depths;
    Interval ended = p * upstream;
    if (low_.is_at(z)) ended = p * (away(g, low_.origin, precision) - sums.low.shift) - sums.low.others;
    if (high_.is_at(z)) ended = p * (away(g, high_.origin, precision) - sums.high.shift) - sums.high.others;
    return over_units(p * inner, ended, precision);
  }

  // The same with all terms counted as positive.
  double magnitude(std::size_t i) override {
    if (is_constant()) return 0;
    constexpr Precision precision = magnitude_precision;
    const Common& sums = common(precision);
    if (!sizes_) sizes_ = common_sums(precision, &sums);
    const double z = logit(i), g = upstream_.at(i);
    const Interval p = sum_.weight(z, precision), upstream(std::fabs(g), precision);
    const Interval far = peak(precision) * (abs(away(g, origin_, precision) - sums.shift) + sizes_->shift);
    Interval ended = p * upstream;
    if (low_.is_at(z))
      ended = p * (abs(away(g, low_.origin, precision) - sums.low.shift) + sizes_->low.shift) + sizes_->low.others;
    if (high_.is_at(z))
      ended = p * (abs(away(g, high_.origin, precision) - sums.high.shift) + sizes_->high.shift) + sizes_->high.others;
    const Interval inner = far + depth(z, precision) * upstream + sizes_->depths;
    return lower_magnitude(over_units(p * inner, ended, precision));
  }

  double screen(std::size_t i) override {
    if (is_constant()) return 0;
    if (!screen_) screen_ = screen_sums();
    const double z = logit(i);
    const long double p = sum_.screen_weight(z), g = upstream_.at(i);
    const long double centred = p == 0 ? 0 : g - origin_ - screen_->shift;
    const long double most = sum_.row().largest(), depth = p == 0 ? 0 : (most - z) / long_unit();
    const long double inner = (most - low_.logit) / long_unit() * centred - depth * g + screen_->depths;
    long double ended = p * g;
    if (low_.is_at(z)) ended = p * (g - low_.origin - screen_->low.shift) - screen_->low.others;
    if (high_.is_at(z)) ended = p * (g - high_.origin - screen_->high.shift) - screen_->high.others;
    return static_cast<double>((p == 0 ? 0 : p * inner / row().temperature) + ended / long_unit());
  }

 private:
  // At an end: the mean there of g less the end's origin, and of the sum over the other logits of b_j p_j g_j or f_j p_j g_j
  // each tied logit's share; or both of absolute values, the first about the mean.
  template <class Number>
  struct AtEnd {
    Number shift, others;
  };
  template <class Number>
  struct Sums {
    Number shift, depths;  // over p_j of g_j - g_0, e_j g_j; or of absolute values, the first about the mean
    AtEnd<Number> low, high;
  };
  using Common = Sums<Interval>;

  bool is_constant() const { return variant_ != Variant::v1 && low_.logit == high_.logit; }
  bool over_temperature() const { return variant_ == Variant::v1; }

  const Common& common(Precision precision) {
    auto known = common_.find(precision.bits);
    if (known == common_.end()) known = common_.emplace(precision.bits, common_sums(precision, nullptr)).first;
    return known->second;
  }

  // Of absolute values where `about` says what the means are. Equal logits have their weights and factors together.
  Common common_sums(Precision precision, const Common* about) {
    const Interval none(0.0, precision);
    Common sums{none, none, {none, none}, {none, none}};
    const std::vector<std::size_t>& order = upstream_.order();
    for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
      const double z = logit(order[first]);
      while (last < order.size() && logit(order[last]) == z) ++last;
      DoublesSum group(precision);
      for (std::size_t j = first; j < last; ++j) {
        const double g = upstream_.at(order[j]);
        group.add(about != nullptr ? std::fabs(g) : g);
      }
      const auto distance = [&](double origin, const Interval* mean) {
        return distances(first, last, origin, mean, precision);
      };
      const Interval p = sum_.weight(z, precision), weighted = p * group.enclosed();
      sums.shift += p * distance(origin_, about != nullptr ? &about->shift : nullptr);
      sums.depths += weighted * depth(z, precision);
      if (low_.is_at(z)) {
        sums.low.shift = distance(low_.origin, about != nullptr ? &about->low.shift : nullptr);
      } else {
        sums.low.others += over_temperature() ? weighted : weighted * ratio(high_.logit, z, precision);
      }
      if (high_.is_at(z)) {
        sums.high.shift = distance(high_.origin, about != nullptr ? &about->high.shift : nullptr);
      } else {
        sums.high.others += weighted * ratio(z, low_.logit, precision);
      }
    }
    for (const auto& [at, end] : {std::pair{&sums.low, &low_}, std::pair{&sums.high, &high_}}) {
      if (end->count < 2) continue;
      const Interval count(static_cast<double>(end->count), precision);
      at->shift = at->shift / count;
      at->others = at->others / count;
    }
    return sums;
  }

  // Sum over the entries [first, last) of the order of g - origin, exactly; or of |g - origin - mean|.
  Interval distances(std::size_t first, std::size_t last, double origin, const Interval* mean,
                     Precision precision) const {
    DoublesSum differences(precision);
    Interval sizes(0.0, precision);
    for (std::size_t j = first; j < last; ++j) {
      const double g = upstream_.at(upstream_.order()[j]);
      if (mean != nullptr) {
        sizes += abs(away(g, origin, precision) - *mean);
      } else {
        differences.add(g);
        differences.add(-origin);
      }
    }
    return mean != nullptr ? sizes : differences.enclosed();
  }

  Sums<long double> screen_sums() {
    Sums<long double> sums{};
    const long double most = sum_.row().largest(), low = low_.logit, high = high_.logit;
    for (const std::size_t j : upstream_.order()) {
      const double z = logit(j);
      const long double p = sum_.screen_weight(z), g = upstream_.at(j);
      if (low_.is_at(z)) sums.low.shift += (g - low_.origin) / low_.count;
      if (high_.is_at(z)) sums.high.shift += (g - high_.origin) / high_.count;
      if (p == 0) continue;
      sums.shift += p * (g - origin_);
      sums.depths += p * (most - z) / long_unit() * g;
      if (low_.count != 0 && z != low_.logit)
        sums.low.others += (over_temperature() ? p * g : p * (high - z) / long_unit() * g) / low_.count;
      if (high_.count != 0 && z != high_.logit) sums.high.others += p * (z - low) / long_unit() * g / high_.count;
    }
    return sums;
  }

  Interval over_units(const Interval& inner, const Interval& ended, Precision precision) const {
    const Interval temperature(row().temperature, precision);
    return over_temperature() ? (inner + ended) / temperature : inner / temperature + ended / unit(precision);
  }

  const LogitRow& row() const { return sum_.row().row(); }
  double logit(std::size_t i) const { return row().logits[i]; }
  static Interval away(double g, double origin, Precision precision) {
    return Interval(g, precision) - Interval(origin, precision);
  }
  long double long_unit() const {
    return over_temperature() ? static_cast<long double>(row().temperature)
                              : static_cast<long double>(high_.logit) - low_.logit;
  }
  Interval unit(Precision precision) const {
    if (over_temperature()) return Interval(row().temperature, precision);
    return away(high_.logit, low_.logit, precision);
  }
  Interval ratio(double above, double below, Precision precision) const {  // (above - below) / U
    return away(above, below, precision) / unit(precision);
  }
  Interval depth(double z, Precision precision) const { return ratio(sum_.row().largest(), z, precision); }  // e
  Interval peak(Precision precision) const {                                                                 // f_max
    return ratio(sum_.row().largest(), low_.logit, precision);
  }

  ExponentialSum sum_;
  UpstreamSum upstream_;
  Variant variant_;
  double origin_;  // g_0
  End low_, high_;
  std::map<int, Common> common_;  // by bits
  std::optional<Common> sizes_;
  std::optional<Sums<long double>> screen_;
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
