// log-softmax: (g_i - p_i sum_j g_j) / T. Self-adjusted v0, x = z / T: p_i (g_i + x_i g_i - sum_j x_j p_j g_j) / T.
// Neither has the form of gradient.hpp; each term is enclosed by itself. Rows of the second far from 0:
// far_self_adjusted.hpp.
#include <cmath>
#include <map>
#include <optional>

#include "reference/normalizers/exponential_sum.hpp"
#include "reference/normalizers/far_self_adjusted.hpp"
#include "reference/normalizers/gradient.hpp"
#include "reference/normalizers/softmax_vjp.hpp"

namespace attncert::reference {
namespace {

// What both share: a sum over the row that every entry needs, per precision, and the sum of its absolute values.
class SumTruth : public RowTruth {
 public:
  explicit SumTruth(const LogitRow& row) : sum_(row), upstream_(row, sum_.row()) {}
  Interval value(std::size_t i, Precision precision) override {
    auto common = common_.find(precision.bits);
    if (common == common_.end()) common = common_.emplace(precision.bits, common_sum(precision, false)).first;
    return entry(i, precision, common->second, false) / temperature(precision);
  }
  long double magnitude(std::size_t i) override {
    if (!absolute_) absolute_ = common_sum(magnitude_precision, true);
    return lower_magnitude(entry(i, magnitude_precision, *absolute_, true) / temperature(magnitude_precision));
  }

 protected:
  virtual Interval common_sum(Precision precision, bool absolute) = 0;
  // T times the value; all terms counted positive where absolute.
  virtual Interval entry(std::size_t i, Precision precision, const Interval& common, bool absolute) = 0;
  double logit(std::size_t i) const { return sum_.row().row().logits[i]; }
  Interval temperature(Precision precision) const { return Interval(sum_.row().row().temperature, precision); }
  Interval gradient(std::size_t i, Precision precision, bool absolute) const {
    const double g = upstream_.at(i);
    return Interval(absolute ? std::fabs(g) : g, precision);
  }

  ExponentialSum sum_;
  UpstreamSum upstream_;

 private:
  std::map<int, Interval> common_;  // by bits
  std::optional<Interval> absolute_;
};

class LogSoftmaxGradient final : public SumTruth {
 public:
  using SumTruth::SumTruth;
  double screen(std::size_t i) override {
    if (!total_) {
      total_ = 0;
      for (const std::size_t j : upstream_.order()) *total_ += upstream_.at(j);
    }
    const long double terms = upstream_.at(i) - sum_.screen_weight(logit(i)) * *total_;
    return static_cast<double>(terms / sum_.row().row().temperature);
  }

 protected:
  Interval common_sum(Precision precision, bool absolute) override {
    return upstream_.sum(
        precision, [&](double) { return Interval(1.0, precision); }, absolute);
  }
  Interval entry(std::size_t i, Precision precision, const Interval& common, bool absolute) override {
    const Interval other = sum_.weight(logit(i), precision) * common, own = gradient(i, precision, absolute);
    return absolute ? own + other : own - other;
  }

 private:
  std::optional<long double> total_;
};

class SelfAdjustedGradient final : public SumTruth {
 public:
  using SumTruth::SumTruth;
  double screen(std::size_t i) override {
    if (!total_) {
      total_ = 0;
      for (const std::size_t j : upstream_.order()) {
        const long double weight = sum_.screen_weight(logit(j));
        if (weight != 0) *total_ += scaled(j) * weight * upstream_.at(j);
      }
    }
    const long double weight = sum_.screen_weight(logit(i)), g = upstream_.at(i);
    return static_cast<double>(weight * (g + scaled(i) * g - *total_) / sum_.row().row().temperature);
  }

 protected:
  Interval common_sum(Precision precision, bool absolute) override {
    const auto weight = [&](double logit) {
      return sum_.weight(logit, precision) * ratio_of(logit, precision, absolute);
    };
    return upstream_.sum(precision, weight, absolute);
  }
  // g_i + x_i g_i is g_i (1 + x_i): one cancellation less to widen the enclosure; its magnitude counts both terms.
  Interval entry(std::size_t i, Precision precision, const Interval& common, bool absolute) override {
    const Interval factor = Interval(1.0, precision) + ratio_of(logit(i), precision, absolute);
    const Interval own = gradient(i, precision, absolute) * factor;
    return sum_.weight(logit(i), precision) * (absolute ? own + common : own - common);
  }

 private:
  Interval ratio_of(double logit, Precision precision, bool absolute) const {
    return Interval(absolute ? std::fabs(logit) : logit, precision) / temperature(precision);
  }
  long double scaled(std::size_t i) const { return static_cast<long double>(logit(i)) / sum_.row().row().temperature; }
  std::optional<long double> total_;
};

}  // namespace

const Normalizer log_softmax_vjp_normalizer{
    .name = "log-softmax-vjp",
    .place = 17,
    .formula = "(g_i - softmax(z)_i sum_j g_j) / T",
    .laws = shift_invariant_derivative_laws,
    .truth = [](const LogitRow& row) -> std::unique_ptr<RowTruth> { return std::make_unique<LogSoftmaxGradient>(row); },
    .derivative = true};

const Normalizer sa_softmax_v0_vjp_normalizer{.name = "sa-softmax-v0-vjp",
                                              .place = 28,
                                              .formula = "p_i (g_i + z_i g_i - sum_j z_j p_j g_j) / T, p = softmax(z)",
                                              .laws = derivative_laws,
                                              .truth = [](const LogitRow& row) -> std::unique_ptr<RowTruth> {
                                                if (is_far_self_adjusted(row)) return far_self_adjusted_truth(row);
                                                return std::make_unique<SelfAdjustedGradient>(row);
                                              },
                                              .derivative = true};

}  // namespace attncert::reference
