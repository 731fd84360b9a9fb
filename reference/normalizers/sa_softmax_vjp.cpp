// Self-adjusted v1 to v3, w_i = f_i p_i, f_i = (z_i - lo) / U, U = T (v1) or hi - lo: with e_i = (max z - z_i) / U, the
// upstream g_0 of a largest logit and c_i = (g_i - g_0) - sum_j p_j (g_j - g_0), entry k is
//   p_k (f_max c_k - e_k g_k + sum e_j p_j g_j) / T + d_k / U,
// d_k = p_k g_k, but at lo where it moves with the row (docs/contracts.md) p_k (g_k - mean of g there) - (1 / n) sum
// b_j p_j g_j over the others, n logits being lo, b_j = 1 (v1) or (hi - z_j) / U; and at hi the same with f_j.
#include <algorithm>
#include <cmath>
#include <limits>
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

  // The same with all terms counted as positive, in long double: sums of positive terms are good to 2^-42 at any depth
  // (2^-49) and n 2^-63 more at length n, and of differences from a mean what the mean may be off by is taken away.
  long double magnitude(std::size_t i) override {
    if (is_constant()) return 0;
    const LongSums& sums = long_sums();
    const double z = logit(i);
    const long double p = long_weight(z), g = upstream_.at(i), size = std::fabs(g);
    const long double inner = peak() * (beside(g - origin_, sums.values.shift, sums.doubt) + sums.sizes.shift) +
                              (p == 0 ? 0 : depth(z) * size) + sums.sizes.depths;
    const auto tied = [&](const End& end, const AtEnd<long double>& values, const AtEnd<long double>& sizes,
                          long double doubt) {
      return p * (beside(g - end.origin, values.shift, doubt) + sizes.shift) + sizes.others;
    };
    long double ended = p * size;
    if (low_.is_at(z)) ended = tied(low_, sums.values.low, sums.sizes.low, sums.low_doubt);
    if (high_.is_at(z)) ended = tied(high_, sums.values.high, sums.sizes.high, sums.high_doubt);
    const long double all = (p == 0 ? 0 : p * inner / row().temperature) + ended / unit();
    return all * (1 - 0x1p-41L - static_cast<long double>(upstream_.order().size()) * 0x1p-62L);
  }

  double screen(std::size_t i) override {
    if (is_constant()) return 0;
    const Sums<long double>& sums = long_sums().values;
    const double z = logit(i);
    const long double p = long_weight(z), g = upstream_.at(i);
    const long double inner = p == 0 ? 0 : peak() * (g - origin_ - sums.shift) - depth(z) * g + sums.depths;
    long double ended = p * g;
    if (low_.is_at(z)) ended = p * (g - low_.origin - sums.low.shift) - sums.low.others;
    if (high_.is_at(z)) ended = p * (g - high_.origin - sums.high.shift) - sums.high.others;
    return static_cast<double>((p == 0 ? 0 : p * inner / row().temperature) + ended / unit());
  }

 private:
  // At an end: the mean there of g less the end's origin, and of the sum over the other logits of b_j p_j g_j or f_j
  // p_j g_j each tied logit's share; or of sizes, those of the first about its mean.
  template <class Number>
  struct AtEnd {
    Number shift, others;
  };
  template <class Number>
  struct Sums {
    Number shift, depths;  // over p_j of g_j - g_0, e_j g_j; or of sizes
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
    if (known == common_.end()) known = common_.emplace(precision.bits, common_sums(precision)).first;
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

  // Equal logits have their weights and factors together.
  Common common_sums(Precision precision) {
    const Interval none(0.0, precision);
    Common sums{none, none, {none, none}, {none, none}};
    const Scale& by = scale(precision);
    const std::vector<std::size_t>& order = upstream_.order();
    for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
      const double z = logit(order[first]);
      DoublesSum upstreams(precision), differences(precision), differences_low(precision);
      for (; last < order.size() && logit(order[last]) == z; ++last) {
        const double g = upstream_.at(order[last]);
        upstreams.add(g);
        differences.add(g);
        differences.add(-origin_);
        if (!low_.is_at(z)) continue;
        differences_low.add(g);
        differences_low.add(-low_.origin);
      }
      const Interval p = sum_.weight(z, precision), weighted = p * upstreams.enclosed(), at(z, precision);
      const Interval difference = differences.enclosed();
      sums.shift += p * difference;
      sums.depths += weighted * (by.most - at);
      if (low_.is_at(z)) sums.low.shift = differences_low.enclosed();
      else if (low_.count != 0) sums.low.others += over_temperature() ? weighted : weighted * (by.high - at);
      if (high_.is_at(z)) sums.high.shift = difference;
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

  struct LongSums {
    Sums<long double> values, sizes;
    long double doubt, low_doubt, high_doubt;  // what the shifts among the values may be off by
  };

  const LongSums& long_sums() {
    if (long_sums_) return *long_sums_;
    LongSums& sums = long_sums_.emplace();
    const std::vector<std::size_t>& order = upstream_.order();
    std::vector<long double> weights;
    for (std::size_t n = 0; n < order.size(); ++n) {
      const double z = logit(order[n]);
      weights.push_back(n != 0 && z == logit(order[n - 1]) ? weights.back() : long_weight(z));
    }
    for (std::size_t n = 0; n < order.size(); ++n) {
      const double z = logit(order[n]);
      const long double p = weights[n], g = upstream_.at(order[n]);
      sums.values.shift += p * (g - origin_);
      sums.doubt += p * std::fabs(g - origin_);
      if (low_.is_at(z)) {
        sums.values.low.shift += (g - low_.origin) / low_.count;
        sums.low_doubt += std::fabs(g - low_.origin) / low_.count;
      }
      if (high_.is_at(z)) {
        sums.values.high.shift += (g - high_.origin) / high_.count;
        sums.high_doubt += std::fabs(g - high_.origin) / high_.count;
      }
      if (p == 0) continue;
      const auto add = [&](Sums<long double>& to, long double product) {
        to.depths += product * depth(z);
        const long double below = over_temperature() ? 1 : (high_.logit - static_cast<long double>(z)) / unit();
        if (low_.count != 0 && !low_.is_at(z)) to.low.others += product * below / low_.count;
        const long double above = (static_cast<long double>(z) - low_.logit) / unit();
        if (high_.count != 0 && !high_.is_at(z)) to.high.others += product * above / high_.count;
      };
      add(sums.values, p * g);
      add(sums.sizes, p * std::fabs(g));
    }
    sums.doubt *= doubt(order.size());
    sums.low_doubt *= doubt(low_.count);
    sums.high_doubt *= doubt(high_.count);
    Sums<long double>& sizes = sums.sizes;
    for (std::size_t n = 0; n < order.size(); ++n) {
      const double z = logit(order[n]);
      const long double g = upstream_.at(order[n]);
      sizes.shift += weights[n] * beside(g - origin_, sums.values.shift, sums.doubt);
      if (low_.is_at(z)) sizes.low.shift += beside(g - low_.origin, sums.values.low.shift, sums.low_doubt) / low_.count;
      if (high_.is_at(z))
        sizes.high.shift += beside(g - high_.origin, sums.values.high.shift, sums.high_doubt) / high_.count;
    }
    return sums;
  }

  // What a mean of `count` differences may be off by, of the mean of their sizes: weights with depths up to 11400, and
  // the sum.
  static long double doubt(std::size_t count) { return (0x1p15L + static_cast<long double>(count)) * 0x1p-63L; }
  static long double beside(long double difference, long double mean, long double doubt) {
    return std::max(0.0L, std::fabs(difference - mean) - doubt);
  }
  // p, and e and U.
  long double long_weight(double z) {
    const std::vector<double>& distinct = sum_.row().distinct();
    if (exponentials_.empty()) {
      for (const double x : distinct)
        exponentials_.push_back(std::exp((x - static_cast<long double>(distinct.front())) / row().temperature));
      for (std::size_t k = distinct.size(); k-- > 0;)
        long_sum_ += static_cast<long double>(sum_.row().count()[k]) * exponentials_[k];
    }
    return exponentials_[sum_.row().index_of(z)] / long_sum_;
  }
  long double depth(double z) const { return (static_cast<long double>(sum_.row().largest()) - z) / unit(); }
  long double peak() const { return depth(low_.logit); }
  long double unit() const {
    return over_temperature() ? static_cast<long double>(row().temperature)
                              : static_cast<long double>(high_.logit) - low_.logit;
  }

  const LogitRow& row() const { return sum_.row().row(); }
  double logit(std::size_t i) const { return row().logits[i]; }

  ExponentialSum sum_;
  UpstreamSum upstream_;
  Variant variant_;
  double origin_;  // g_0
  End low_, high_;
  std::map<int, Common> common_;  // by bits
  std::map<int, Scale> scales_;
  std::optional<LongSums> long_sums_;
  std::vector<long double> exponentials_;  // of the distinct logits
  long double long_sum_ = 0;               // of all, the smallest first
};

template <Variant variant>
std::unique_ptr<RowTruth> truth(const LogitRow& row) {
  return std::make_unique<AdjustedGradient>(row, variant);
}

}  // namespace

const Normalizer sa_softmax_v1_vjp_normalizer{
    .name = "sa-softmax-v1-vjp",
    .place = 29,
    .formula =
        "p_i (g_i + (z_i - min z) g_i - sum_j (z_j - min z) p_j g_j) / T, less (sum_j p_j g_j) / T at the minimum",
    .laws = shift_invariant_derivative_laws,
    .truth = truth<Variant::v1>,
    .derivative = true};

const Normalizer sa_softmax_v2_vjp_normalizer{
    .name = "sa-softmax-v2-vjp",
    .place = 30,
    .formula = "J^T g of (z_i - min z) / (max z - min z) softmax(z)_i; 0 where all are equal",
    .laws = shift_invariant_derivative_laws,
    .truth = truth<Variant::v2>,
    .derivative = true};

const Normalizer sa_softmax_v3_vjp_normalizer{
    .name = "sa-softmax-v3-vjp",
    .place = 31,
    .formula = "J^T g of (z_i - min(min z, 0)) / (max(max z, 0) - min(min z, 0)) softmax(z)_i; 0 where all are 0",
    .laws = derivative_laws,
    .truth = truth<Variant::v3>,
    .derivative = true};

}  // namespace attncert::reference
