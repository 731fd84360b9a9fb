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
    const Scale& by = scale(precision);
    const double z = logit(i);
    const Interval p = sum_.weight(z, precision), g(upstream_.at(i), precision);
    const Interval inner = by.peak * (g - by.origin - sums.shift) - by.depth(z) * g + sums.depths;
    if (low_.is_at(z)) return by.over_units(p * inner, p * (g - by.low_origin - sums.low.shift) - sums.low.others);
    if (high_.is_at(z)) return by.over_units(p * inner, p * (g - by.origin - sums.high.shift) - sums.high.others);
    return by.over_units(p * inner, p * g);
  }

  // The same with all terms counted as positive.
  double magnitude(std::size_t i) override {
    if (is_constant()) return 0;
    constexpr Precision precision = magnitude_precision;
    const Common& sums = common(precision);
    const Scale& by = scale(precision);
    if (!sizes_) sizes_ = common_sums(precision, &sums);
    const double z = logit(i);
    const Interval p = sum_.weight(z, precision), g(upstream_.at(i), precision), size = abs(g);
    const Interval far = by.peak * (abs(g - by.origin - sums.shift) + sizes_->shift);
    const Interval inner = far + by.depth(z) * size + sizes_->depths;
    Interval ended = p * size;
    if (low_.is_at(z)) ended = p * (abs(g - by.low_origin - sums.low.shift) + sizes_->low.shift) + sizes_->low.others;
    if (high_.is_at(z)) ended = p * (abs(g - by.origin - sums.high.shift) + sizes_->high.shift) + sizes_->high.others;
    return lower_magnitude(by.over_units(p * inner, ended));
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

  // What every entry needs, at one precision.
  struct Scale {
    Interval most, low, high, unit, temperature, peak, origin, low_origin;
    bool over_temperature;
    Interval depth(double z) const { return (most - Interval(z, most.precision())) / unit; }  // e
    Interval over_units(const Interval& inner, const Interval& ended) const {
      return over_temperature ? (inner + ended) / temperature : inner / temperature + ended / unit;
    }
  };

  bool is_constant() const { return variant_ != Variant::v1 && low_.logit == high_.logit; }
  bool over_temperature() const { return variant_ == Variant::v1; }

  const Common& common(Precision precision) {
    auto known = common_.find(precision.bits);
    if (known == common_.end()) known = common_.emplace(precision.bits, common_sums(precision, nullptr)).first;
    return known->second;
  }

  const Scale& scale(Precision precision) {
    auto known = scales_.find(precision.bits);
    if (known == scales_.end()) {
      const Interval most(sum_.row().largest(), precision), low(low_.logit, precision), high(high_.logit, precision);
      const Interval temperature(row().temperature, precision), unit = over_temperature() ? temperature : high - low;
      const Interval origin(origin_, precision), low_origin(low_.origin, precision);
      const Scale made{most, low, high, unit, temperature, (most - low) / unit, origin, low_origin, over_temperature()};
      known = scales_.emplace(precision.bits, made).first;
    }
    return known->second;
  }

  // Of absolute values where `about` says what the means are. Equal logits have their weights and factors together.
  Common common_sums(Precision precision, const Common* about) {
    const Interval none(0.0, precision);
    Common sums{none, none, {none, none}, {none, none}};
    const Scale& by = scale(precision);
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
      const Interval p = sum_.weight(z, precision), weighted = p * group.enclosed(), at(z, precision);
      sums.shift += p * distance(origin_, about != nullptr ? &about->shift : nullptr);
      sums.depths += weighted * (by.most - at);
      if (low_.is_at(z)) sums.low.shift = distance(low_.origin, about != nullptr ? &about->low.shift : nullptr);
      else if (low_.count != 0) sums.low.others += over_temperature() ? weighted : weighted * (by.high - at);
      if (high_.is_at(z)) sums.high.shift = distance(high_.origin, about != nullptr ? &about->high.shift : nullptr);
      else if (high_.count != 0) sums.high.others += weighted * (at - by.low);
    }
    sums.depths /= by.unit;
    if (!over_temperature()) sums.low.others /= by.unit;
    sums.high.others /= by.unit;
    for (const auto& [at, end] : {std::pair{&sums.low, &low_}, std::pair{&sums.high, &high_}}) {
      if (end->count < 2) continue;
      const Interval count(static_cast<double>(end->count), precision);
      at->shift /= count;
      at->others /= count;
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
        sizes += abs(Interval(g, precision) - Interval(origin, precision) - *mean);
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

  const LogitRow& row() const { return sum_.row().row(); }
  double logit(std::size_t i) const { return row().logits[i]; }
  long double long_unit() const {
    return over_temperature() ? static_cast<long double>(row().temperature)
                              : static_cast<long double>(high_.logit) - low_.logit;
  }

  ExponentialSum sum_;
  UpstreamSum upstream_;
  Variant variant_;
  double origin_;  // g_0
  End low_, high_;
  std::map<int, Common> common_;  // by bits
  std::map<int, Scale> scales_;
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
