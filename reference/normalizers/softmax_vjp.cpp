// p_i (g_i - sum_j p_j g_j) / T, for SSMax times s log n (p being its own weights). Softmax1 has the same form: the
// weight of the added logit has no upstream gradient.
#include "reference/normalizers/softmax_vjp.hpp"

#include <cmath>

#include "reference/normalizers/exponential_sum.hpp"
#include "reference/normalizers/gradient.hpp"
#include "reference/normalizers/softmax1.hpp"
#include "reference/normalizers/ssmax.hpp"
#include "reference/normalizers/top_k_softmax.hpp"

namespace attncert::reference {
namespace {

class SoftmaxSlopes final : public Slopes {
 public:
  SoftmaxSlopes(ExponentialSum sum, bool is_reversed) : sum_(std::move(sum)), is_reversed_(is_reversed) {}
  const DescendingRow& row() const override { return sum_.row(); }
  Interval share(double logit, Precision precision) override { return sum_.weight(logit, precision); }
  Interval slope(double logit, Precision precision) override {
    const Interval slope =
        sum_.weight(logit, precision) * sum_.factor(precision) / Interval(row().row().temperature, precision);
    return is_reversed_ ? -slope : slope;
  }
  double screen_share(double logit) override { return sum_.screen_weight(logit); }
  long double screen_slope(double logit) override {
    const long double slope = sum_.screen_weight(logit) * sum_.screen_factor() / row().row().temperature;
    return is_reversed_ ? -slope : slope;
  }

 private:
  ExponentialSum sum_;
  bool is_reversed_;  // s < 0: the row holds -z
};

class Softmax1Slopes final : public Slopes {
 public:
  explicit Softmax1Slopes(const LogitRow& row) : weights_(row) {}
  const DescendingRow& row() const override { return weights_.row(); }
  Interval share(double logit, Precision precision) override { return weights_.weight(logit, precision); }
  Interval slope(double logit, Precision precision) override {
    return weights_.weight(logit, precision) / Interval(row().row().temperature, precision);
  }
  double screen_share(double logit) override { return weights_.screen_weight(logit); }
  long double screen_slope(double logit) override {
    return static_cast<long double>(weights_.screen_weight(logit)) / row().row().temperature;
  }

 private:
  Softmax1Weights weights_;
};

constexpr Laws shift_invariant_laws = {Law::shift_invariant,   Law::scale_invariant, Law::permutation_equivariant,
                                       Law::ties_equal,        Law::mask_is_removal, Law::sums_to_zero,
                                       Law::linear_in_upstream};

}  // namespace

const Normalizer softmax_vjp_normalizer{.name = "softmax-vjp",
                                        .place = 16,
                                        .formula = "p_i (g_i - sum_j p_j g_j) / T, p = softmax(z)",
                                        .laws = shift_invariant_laws,
                                        .truth = [](const LogitRow& row) -> std::unique_ptr<RowTruth> {
                                          return gradient_truth(
                                              row, std::make_unique<SoftmaxSlopes>(ExponentialSum(row), false));
                                        },
                                        .derivative = true};

const Normalizer ssmax_vjp_normalizer{.name = "ssmax-vjp",
                                      .place = 21,
                                      .formula = "s log(n) p_i (g_i - sum_j p_j g_j) / T, p = softmax(s log(n) z)",
                                      .laws = shift_invariant_laws,
                                      .truth = [](const LogitRow& row) -> std::unique_ptr<RowTruth> {
                                        const double scale = row.parameters.scale;
                                        ExponentialSum sum(ssmax_oriented(row), std::fabs(scale));
                                        return gradient_truth(
                                            row, std::make_unique<SoftmaxSlopes>(std::move(sum), scale < 0));
                                      },
                                      .derivative = true,
                                      .parameter = ReadsParameter::scale};

const Normalizer softmax1_vjp_normalizer{
    .name = "softmax1-vjp",
    .place = 22,
    .formula = "p_i (g_i - sum_j p_j g_j) / T, p = softmax1(z)",
    .laws = {Law::scale_invariant, Law::permutation_equivariant, Law::ties_equal, Law::mask_is_removal,
             Law::linear_in_upstream},
    .truth = [](const LogitRow& row) { return gradient_truth(row, std::make_unique<Softmax1Slopes>(row)); },
    .derivative = true};

const Normalizer top_k_softmax_vjp_normalizer{
    .name = "top-k-softmax-vjp",
    .place = 27,
    .formula = "p_i (g_i - sum_j p_j g_j) / T on the cell of the k largest, 0 elsewhere",
    .laws = {Law::shift_invariant, Law::scale_invariant, Law::mask_is_removal, Law::sums_to_zero,
             Law::linear_in_upstream},
    .truth = [](const LogitRow& row) -> std::unique_ptr<RowTruth> {
      return gradient_truth(row, std::make_unique<SoftmaxSlopes>(ExponentialSum(top_k_cell(row)), false));
    },
    .derivative = true,
    .parameter = ReadsParameter::k};

}  // namespace attncert::reference
