// Vector-Jacobian products with one flaw at a time.
#include <algorithm>
#include <cmath>
#include <limits>

#include "properties/conformance/faults/exponential_steps.hpp"
#include "properties/conformance/faults/fault_lists.hpp"
#include "properties/conformance/faults/gradient_steps.hpp"
#include "properties/conformance/faults/separable_steps.hpp"
#include "properties/conformance/faults/sparse_steps.hpp"

namespace attncert::plain {
namespace {

// A function and not an object: tests ask for faults before the objects of this file are initialised.
Contract usual() { return default_contract("softmax-vjp"); }

// Absent entries contribute 0 * g, which is NaN where g or the logit is infinite.
Real dot_everywhere(const Row& row, const Reals& b) {
  Real sum = 0;
  for (std::size_t i = 0; i < row.length(); ++i) sum += b[i] * row.g(i);
  return sum;
}

// The formula multiplies by the logit of an absent entry: 0 * -inf.
Real dot_through_logits(const Row& row, const Reals& b) {
  Real sum = dot_present(row, b);
  for (std::size_t i = 0; i < row.length(); ++i)
    if (row.visible(i)) sum += 0 * row.z(i);
  return sum;
}

Dot dot_in(attncert_dtype dtype) {
  return [dtype](const Row& row, const Reals& b) {
    Real sum = 0;
    for (std::size_t i = 0; i < row.length(); ++i)
      if (row.present(i)) sum = narrowed(dtype, sum + narrowed(dtype, b[i] * row.g(i)));
    return sum;
  };
}

Slope without_temperature(Slope slope, const Row& row) {
  for (Real& a : slope.a) a *= row.t();
  return slope;
}

// a = b / T, as where F' = F.
Slope own_shares(Slope slope, const Row& row) {
  slope.a = slope.b;
  for (Real& a : slope.a) a /= row.t();
  return slope;
}

Slope mean_over_all(const Row& row) {
  Slope s = sparsemax_slope(row);
  s.b = at_present(row, [&](std::size_t) { return 1 / static_cast<Real>(count_present(row)); });
  return s;
}

Slope gradient_off_support(const Row& row) {
  Slope s = sparsemax_slope(row);
  s.a = at_present(row, [&](std::size_t) { return 1 / row.t(); });
  return s;
}

Slope sigmoid_factor_missing(const Row& row) { return own_shares(sigmoid_normalized_slope(row), row); }

Slope relu_passes_negative(const Row& row) {
  Slope s = relu_normalized_slope(row);
  const Real sum = sum_of(positive_parts(row));
  for (std::size_t i = 0; i < row.length() && sum != 0; ++i)
    if (row.present(i)) s.a[i] = 1 / sum;
  return s;
}

Slope relu_not_divided(const Row& row) {
  Slope s = relu_normalized_slope(row);
  for (Real& a : s.a) a = a > 0 ? 1 : 0;
  return s;
}

// F' = F holds for exp, not for its polynomial.
Slope taylor_like_exp(const Row& row) { return own_shares(taylor_slope(row), row); }

Slope alpha_fixed(const Row& row) { return powers_slope(row, entmax_weights(row), 0.5L); }

void no_product_rule(Row& row) {
  const Reals weights = softmax_weights(row);
  const Real inner = dot_present(row, weights);
  row.out =
      at_present(row, [&](std::size_t i) { return row.z(i) / row.t() * weights[i] * (row.g(i) - inner) / row.t(); });
}

void uniform_subtracted(Row& row) {
  const Real mean = dot_present(row, Reals(row.length(), 1)) / static_cast<Real>(count_present(row));
  row.out = at_present(row, [&](std::size_t i) { return (row.g(i) - mean) / row.t(); });
}

void not_subtracted(Row& row) {
  const Slope s = softmax_slope(row);
  row.out = at_present(row, [&](std::size_t i) { return s.a[i] * row.g(i); });
}

void clipped_upstream(Row& row) {
  for (double& g : row.upstream) g = std::clamp(g, -1.0, 1.0);
  gradient(softmax_slope)(row);
}

Adjustment fixed_minimum(const Row& row) {
  Adjustment a = adjustment_of(1, row);
  a.at_low.assign(row.length(), 0);
  return a;
}

Adjustment whole_ties(const Row& row) {  // each of the tied extremes takes the whole derivative
  Adjustment a = adjustment_of(2, row);
  for (Reals* shares : {&a.at_low, &a.at_high})
    for (Real& share : *shares) share = share > 0 ? 1 : 0;
  return a;
}

Adjustment fixed_range(const Row& row) {  // as if max - min were marked "no gradient"
  Adjustment a = adjustment_of(2, row);
  a.at_high.assign(row.length(), 0);
  a.with_range = false;
  return a;
}

Adjustment no_zero_range(const Row& row) {  // 0 / 0 where all logits are equal
  Adjustment a = adjustment_of(2, row);
  if (a.unit == 0) a.unit = std::numeric_limits<Real>::quiet_NaN();
  return a;
}

Adjustment through_the_clip(const Row& row) {  // differentiates min(z, 0) even where the minimum is positive
  Adjustment a = adjustment_of(3, row);
  if (a.low == 0) a.at_low = adjustment_of(1, row).at_low;
  return a;
}

Fault adjusted(const char* name, const char* normalizer, const char* text, const char* imitates, AdjustmentOf adjust) {
  return fault(name, normalizer, f32, text, imitates, adjusted_gradient(std::move(adjust)));
}

Fault vjp(const char* name, const char* normalizer, const char* text, const char* imitates, SlopeOf slope,
          Dot dot = dot_present, attncert_dtype dtype = f32) {
  return fault(name, normalizer, dtype, text, imitates, gradient(std::move(slope), std::move(dot)));
}

std::vector<Fault> of_softmax() {
  return {
      vjp("vjp-masked-inf", "softmax-vjp", "0 * inf where the upstream at a masked entry is infinite",
          "jax-ml/jax#19490", softmax_slope, dot_everywhere),
      vjp("vjp-minus-inf", "softmax-vjp", "0 * -inf at logits of -inf", "google-deepmind/optax#1762", softmax_slope,
          dot_through_logits),
      vjp("vjp-temperature", "softmax-vjp", "1 / T is missing", "class: temperature",
          [](const Row& row) { return without_temperature(softmax_slope(row), row); }),
      vjp("vjp-dot-bf16", "softmax-vjp", "the inner product in bf16", "class: sum in narrow type", softmax_slope,
          dot_in(bf16)),
      fault("vjp-sa-cancels", "sa-softmax-v0-vjp", f32,
            "by the definition at any distance from 0: offsets cancel to nothing", "class: cancellation",
            guarded(usual(), self_adjusted_by_definition)),
      fault("vjp-clips", "softmax-vjp", f32, "the upstream is clipped to [-1, 1]", "class: gradient",
            guarded(usual(), clipped_upstream)),
      vjp("vjp-f64-dot-f32", "softmax-vjp", "f64 with the inner product in f32", "class: sum in narrow type",
          softmax_slope, dot_in(f32), f64),
      fault("vjp-no-dot", "softmax-vjp", f32, "only the diagonal of the Jacobian", "class: gradient",
            guarded(usual(), not_subtracted)),
      fault("vjp-empty-nan", "softmax-vjp", f32, "NaN gradient on a fully masked row", "Xilinx/brevitas#1591",
            gradient(softmax_slope, dot_present, changed_contract("softmax-vjp", &Contract::empty, all_nan))),
  };
}

std::vector<Fault> of_relatives() {
  return {
      vjp("vjp-ssmax-unscaled", "ssmax-vjp", "weights and slope of plain softmax", "class: gradient", softmax_slope),
      vjp("vjp-without-sink", "softmax1-vjp", "the weights are rebuilt without the sink", "NVIDIA/cudnn-frontend#421",
          softmax_slope),
      vjp("vjp-top-k-all", "top-k-softmax-vjp", "softmax over all entries", "class: gradient", softmax_slope),
  };
}

std::vector<Fault> of_sparse() {
  return {
      vjp("vjp-sparsemax-mean-of-all", "sparsemax-vjp", "subtracts the mean over all instead of the support",
          "class: support off by one", mean_over_all),
      vjp("vjp-sparsemax-off-support", "sparsemax-vjp", "a gradient outside the support", "class: support off by one",
          gradient_off_support),
      vjp("vjp-entmax15-weights", "entmax-1.5-vjp", "p instead of its square root", "class: wrong branch",
          [](const Row& row) { return powers_slope(row, entmax_weights(row), 1); }),
      vjp("vjp-entmax-alpha-fixed", "entmax-vjp", "the slope of alpha = 3/2 whatever alpha is",
          "class: parameter ignored", alpha_fixed),
  };
}

std::vector<Fault> of_separable() {
  return {
      vjp("vjp-sigmoid-normalized-factor", "sigmoid-normalized-vjp", "1 - sigma is missing", "class: gradient",
          sigmoid_factor_missing),
      vjp("vjp-relu-negative", "relu-normalized-vjp", "a gradient at negative logits", "class: gradient",
          relu_passes_negative),
      vjp("vjp-relu-sum", "relu-normalized-vjp", "not divided by the sum", "class: gradient", relu_not_divided),
      vjp("vjp-taylor-exp", "taylor-softmax-vjp", "F' = F, as of the exponential", "class: gradient", taylor_like_exp),
  };
}

std::vector<Fault> of_log_softmax_and_sigmoid() {
  return {
      fault("vjp-log-uniform", "log-softmax-vjp", f32, "subtracts the mean of the upstream", "class: gradient",
            guarded(usual(), uniform_subtracted)),
      fault("vjp-log-masked", "log-softmax-vjp", f32, "the upstream of masked entries is summed too",
            "pytorch/pytorch#178251", log_softmax_gradient(dot_everywhere)),
      fault("vjp-sigmoid-linear", "sigmoid-vjp", f32, "sigma for sigma (1 - sigma)", "class: gradient",
            sigmoid_gradient(logistic)),
      fault("vjp-sigmoid-saturates", "sigmoid-vjp", f32, "1 - sigma of a rounded sigma: 0 from 17 on",
            "class: cancellation",
            sigmoid_gradient([](Real x) { return logistic(x) * (1 - narrowed(f32, logistic(x))); })),
  };
}

std::vector<Fault> of_self_adjusted() {
  return {
      fault("vjp-sa-product-rule", "sa-softmax-v0-vjp", f32, "the term of the factor z is missing", "class: gradient",
            guarded(usual(), no_product_rule)),
      adjusted("vjp-sa-v1-minimum", "sa-softmax-v1-vjp", "the minimum counts as a constant", "class: gradient",
               fixed_minimum),
      adjusted("vjp-sa-v2-ties", "sa-softmax-v2-vjp", "every tied extreme takes the whole derivative", "class: ties",
               whole_ties),
      adjusted("vjp-sa-v2-range", "sa-softmax-v2-vjp", "the range counts as a constant", "class: gradient",
               fixed_range),
      adjusted("vjp-sa-v2-zero-range", "sa-softmax-v2-vjp", "0/0 when all logits are equal", "class: zero range",
               no_zero_range),
      adjusted("vjp-sa-v3-clip", "sa-softmax-v3-vjp", "a derivative of min(z, 0) at positive minima",
               "class: wrong branch", through_the_clip),
      adjusted("vjp-sa-v3-unclipped", "sa-softmax-v3-vjp", "the ends of the range are not clipped at 0",
               "class: wrong branch", [](const Row& row) { return adjustment_of(2, row); }),
  };
}

}  // namespace

std::vector<Fault> gradient_flaws() {
  return joined({of_softmax, of_relatives, of_sparse, of_separable, of_log_softmax_and_sigmoid, of_self_adjusted});
}

}  // namespace attncert::plain
