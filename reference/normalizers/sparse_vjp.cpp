// s_i (g_i - sum_j s_j g_j / sum_j s_j) / T, s = p^(2 - alpha) on the support and 0 off it: 1 for sparsemax
// (alpha = 2), sqrt(p) for alpha = 3/2.
#include "reference/normalizers/sparse_vjp.hpp"

#include <algorithm>
#include <cmath>

#include "reference/normalizers/entmax.hpp"
#include "reference/normalizers/entmax15.hpp"
#include "reference/normalizers/gradient.hpp"
#include "reference/normalizers/sparsemax.hpp"
#include "reference/normalizers/term_sum.hpp"

namespace attncert::reference {
namespace {

// Terms s of the support; 0 elsewhere.
class SupportSum : public TermSum {
 public:
  using TermSum::TermSum;
  virtual bool is_outside(double logit) = 0;
  long double screen_of(double logit) { return screen_term(logit); }
};

class SparsemaxSum final : public SupportSum {
 public:
  explicit SparsemaxSum(const LogitRow& row) : SupportSum(row) {
    std::vector<std::uint8_t> present(row.logits.size());
    for (std::size_t i = 0; i < present.size(); ++i) present[i] = row.present(i) ? 1 : 0;
    least_ = this->row().largest();
    const Sparsemax exact = sparsemax(row.logits, row.temperature, present);
    for (std::size_t i = 0; i < present.size(); ++i)
      if (exact.weights[i] > 0) least_ = std::min(least_, row.logits[i]);
  }
  bool is_outside(double logit) override { return logit < least_; }

 protected:
  Interval compute(double logit, Precision precision) override {
    return Interval(is_outside(logit) ? 0.0 : 1.0, precision);
  }
  long double screen_term(double logit) override { return is_outside(logit) ? 0 : 1; }

 private:
  double least_;
};

class ThreeHalvesSum final : public SupportSum {
 public:
  explicit ThreeHalvesSum(const LogitRow& row) : SupportSum(row), roots_(row) {}
  bool is_outside(double logit) override { return !roots_.in_support(logit); }

 protected:
  Interval compute(double logit, Precision precision) override {
    return is_outside(logit) ? Interval(0.0, precision) : roots_.root(logit, precision);
  }
  long double screen_term(double logit) override { return roots_.screen_root(logit); }

 private:
  ThreeHalvesRoots roots_;
};

class EntmaxSum final : public SupportSum {
 public:
  explicit EntmaxSum(const LogitRow& row) : SupportSum(row), threshold_(row) {
    const Rational above_one(threshold_.rise(), threshold_.run());
    exponent_ = (1 - above_one) / above_one;  // s = (t - d)^((2 - alpha) / (alpha - 1))
  }
  bool is_outside(double logit) override { return threshold_.in_support(logit) == attncert::Truth::no; }

 protected:
  Interval compute(double logit, Precision precision) override {
    if (is_outside(logit)) return Interval(0.0, precision);
    return EntmaxThreshold::power(threshold_.height(logit, precision), exponent_).rounded(precision);
  }
  long double screen_term(double logit) override {
    const double height = threshold_.screen_height(logit);
    return height > 0 ? std::pow(height, exponent_.get_d()) : 0;
  }

 private:
  EntmaxThreshold threshold_;
  Rational exponent_;
};

template <class Sum>
class SparseSlopes final : public WeightSlopes<Sum> {
 public:
  using WeightSlopes<Sum>::WeightSlopes;
  bool is_flat(double logit) override { return this->shared_.is_outside(logit); }
  Interval slope(double logit, Precision precision) override {
    return this->shared_.term(logit, precision) / this->temperature(precision);
  }
  long double screen_slope(double logit) override { return this->shared_.screen_of(logit) / this->temperature(); }
};

}  // namespace

const Normalizer sparsemax_vjp_normalizer{
    .name = "sparsemax-vjp",
    .place = 18,
    .formula = "(g_i - mean of g over the support) / T on the support, 0 elsewhere",
    .laws = shift_invariant_derivative_laws,
    .truth = gradient_truth<SparseSlopes<SparsemaxSum>>,
    .derivative = true};

const Normalizer entmax15_vjp_normalizer{.name = "entmax-1.5-vjp",
                                         .place = 19,
                                         .formula = "s_i (g_i - sum s g / sum s) / T, s = sqrt(p)",
                                         .laws = shift_invariant_derivative_laws,
                                         .truth = gradient_truth<SparseSlopes<ThreeHalvesSum>>,
                                         .derivative = true};

const Normalizer entmax_vjp_normalizer{.name = "entmax-vjp",
                                       .place = 20,
                                       .formula = "s_i (g_i - sum s g / sum s) / T, s = p^(2 - alpha) on the support",
                                       .laws = shift_invariant_derivative_laws,
                                       .truth = gradient_truth<SparseSlopes<EntmaxSum>>,
                                       .derivative = true,
                                       .parameter = ReadsParameter::alpha};

}  // namespace attncert::reference
