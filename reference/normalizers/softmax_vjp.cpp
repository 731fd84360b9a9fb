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

template <class Weights>
class SoftmaxSlopes final : public WeightSlopes<Weights> {
 public:
  using WeightSlopes<Weights>::WeightSlopes;
  Interval slope(double logit, Precision precision) override {
    return this->share(logit, precision) / this->temperature(precision);
  }
  long double screen_slope(double logit) override {
    return static_cast<long double>(this->screen_share(logit)) / this->temperature();
  }
};

class SsmaxSlopes final : public WeightSlopes<ExponentialSum> {
 public:
  explicit SsmaxSlopes(const LogitRow& row)
      : WeightSlopes(ssmax_oriented(row), std::fabs(row.parameters.scale)), is_reversed_(row.parameters.scale < 0) {}
  Interval slope(double logit, Precision precision) override {
    const Interval slope = share(logit, precision) * shared_.factor(precision) / temperature(precision);
    return is_reversed_ ? -slope : slope;
  }
  long double screen_slope(double logit) override {
    const long double slope = screen_share(logit) * shared_.screen_factor() / temperature();
    return is_reversed_ ? -slope : slope;
  }

 private:
  bool is_reversed_;  // s < 0: the row holds -z
};

}  // namespace

const Normalizer softmax_vjp_normalizer{.name = "softmax-vjp",
                                        .place = 16,
                                        .formula = "p_i (g_i - sum_j p_j g_j) / T, p = softmax(z)",
                                        .laws = shift_invariant_derivative_laws,
                                        .truth = gradient_truth<SoftmaxSlopes<ExponentialSum>>,
                                        .derivative = true};

const Normalizer ssmax_vjp_normalizer{.name = "ssmax-vjp",
                                      .place = 21,
                                      .formula = "s log(n) p_i (g_i - sum_j p_j g_j) / T, p = softmax(s log(n) z)",
                                      .laws = shift_invariant_derivative_laws,
                                      .truth = gradient_truth<SsmaxSlopes>,
                                      .derivative = true,
                                      .parameter = ReadsParameter::scale};

const Normalizer softmax1_vjp_normalizer{.name = "softmax1-vjp",
                                         .place = 22,
                                         .formula = "p_i (g_i - sum_j p_j g_j) / T, p = softmax1(z)",
                                         .laws = derivative_laws,
                                         .truth = gradient_truth<SoftmaxSlopes<Softmax1Weights>>,
                                         .derivative = true};

const Normalizer top_k_softmax_vjp_normalizer{
    .name = "top-k-softmax-vjp",
    .place = 27,
    .formula = "p_i (g_i - sum_j p_j g_j) / T on the cell of the k largest, 0 elsewhere",
    .laws = {Law::shift_invariant, Law::scale_invariant, Law::mask_is_removal, Law::sums_to_zero,
             Law::linear_in_upstream},
    .truth = [](const LogitRow& row) -> std::unique_ptr<RowTruth> {
      return gradient_truth(row, std::make_unique<SoftmaxSlopes<ExponentialSum>>(top_k_cell(row)));
    },
    .derivative = true,
    .parameter = ReadsParameter::k};

}  // namespace attncert::reference
