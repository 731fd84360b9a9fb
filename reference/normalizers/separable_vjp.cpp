// For a = F(z) / sum F(z): a_i (F' / F)(z_i) (g_i - sum_j a_j g_j) / T. F' / F is 1 - sigma, 1 / z or F_(n-1) / F_n.
// Sigmoid alone: sigma(x) sigma(-x) g / T = e / (1 + e)^2 g / T, e = exp(-|x|): no terms to cancel.
#include "reference/normalizers/separable_vjp.hpp"

#include <cmath>

#include "reference/normalizers/gradient.hpp"
#include "reference/normalizers/relu_normalized.hpp"
#include "reference/normalizers/sigmoid.hpp"
#include "reference/normalizers/sigmoid_normalized.hpp"
#include "reference/normalizers/taylor_softmax.hpp"

namespace attncert::reference {
namespace {

class SigmoidGradient final : public RowTruth {
 public:
  explicit SigmoidGradient(const LogitRow& row) : row_(row) { ATTNCERT_ASSERT(kind(row_) == RowKind::ordinary); }
  Interval value(std::size_t i, Precision precision) override {
    const Interval x = sigmoid_argument(row_, i, precision);
    const Interval e = exp(-abs(x)), slope = e / square(e + Interval(1.0, x.precision()));
    const Interval g(row_.upstream[i], x.precision()), temperature(row_.temperature, x.precision());
    return (slope * g / temperature).rounded(precision);
  }
  double screen(std::size_t i) override {
    const long double x = static_cast<long double>(row_.logits[i]) / row_.temperature + row_.parameters.bias;
    const long double e = std::exp(-std::fabs(x));
    return static_cast<double>(e / ((1 + e) * (1 + e)) * row_.upstream[i] / row_.temperature);
  }

 private:
  LogitRow row_;
};

class SigmoidSlopes final : public WeightSlopes<SigmoidSum> {
 public:
  using WeightSlopes::WeightSlopes;
  Interval slope(double logit, Precision precision) override {
    const Interval unit = temperature(precision), one(1.0, precision);
    return share(logit, precision) / (one + exp(Interval(logit, precision) / unit)) / unit;
  }
  long double screen_slope(double logit) override {
    return screen_share(logit) / (1 + std::exp(static_cast<long double>(logit) / temperature())) / temperature();
  }
};

class ReluSlopes final : public WeightSlopes<ReluSum> {
 public:
  using WeightSlopes::WeightSlopes;
  bool is_flat(double logit) override { return logit <= 0; }
  Interval slope(double, Precision precision) override { return Interval(1.0, precision) / shared_.total(precision); }
  long double screen_slope(double logit) override { return static_cast<long double>(screen_share(logit)) / logit; }
};

class TaylorSlopes final : public WeightSlopes<TaylorSum> {
 public:
  explicit TaylorSlopes(const LogitRow& row) : WeightSlopes(row), order_(row.parameters.order) {}
  Interval slope(double logit, Precision precision) override {
    return shared_.polynomial(order_ - 1, logit, precision) / shared_.total(precision) / temperature(precision);
  }
  long double screen_slope(double logit) override {
    return static_cast<long double>(shared_.screen_slope_ratio(logit)) * screen_share(logit) / temperature();
  }

 private:
  std::uint32_t order_;
};

}  // namespace

const Normalizer sigmoid_vjp_normalizer{
    .name = "sigmoid-vjp",
    .place = 23,
    .formula = "sigma(z_i + b) (1 - sigma(z_i + b)) g_i / T",
    .laws = derivative_laws,
    .truth = [](const LogitRow& row) -> std::unique_ptr<RowTruth> { return std::make_unique<SigmoidGradient>(row); },
    .derivative = true,
    .parameter = ReadsParameter::bias};

const Normalizer sigmoid_normalized_vjp_normalizer{
    .name = "sigmoid-normalized-vjp",
    .place = 24,
    .formula = "a_i (1 - sigma(z_i)) (g_i - sum_j a_j g_j) / T, a = sigma(z) / sum sigma(z)",
    .laws = derivative_laws,
    .truth = gradient_truth<SigmoidSlopes>,
    .derivative = true};

const Normalizer relu_normalized_vjp_normalizer{
    .name = "relu-normalized-vjp",
    .place = 25,
    .formula = "(g_i - sum_j a_j g_j) / sum_j max(T z_j, 0) where z_i > 0, else 0; a = max(z, 0) / sum max(z, 0)",
    .laws = derivative_laws,
    .truth = gradient_truth<ReluSlopes>,
    .derivative = true};

const Normalizer taylor_softmax_vjp_normalizer{
    .name = "taylor-softmax-vjp",
    .place = 26,
    .formula = "a_i F_(n-1)(z_i) / F_n(z_i) (g_i - sum_j a_j g_j) / T, a = F_n(z) / sum F_n(z)",
    .laws = derivative_laws,
    .truth = gradient_truth<TaylorSlopes>,
    .derivative = true,
    .parameter = ReadsParameter::order};

}  // namespace attncert::reference
