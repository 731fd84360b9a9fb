// What the truths of the double-double tier are made from: a row in the range of balls, the buffers that a truth points
// into, and the truths themselves, of weights (tier_weights.cpp) and of gradients (tier_gradients.cpp). What has no
// proof to offer for a row gives nothing, or false.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "properties/conformance/accuracy/tier_truths.hpp"
#include "properties/conformance/double_double/balls.hpp"
#include "properties/conformance/double_double/exponentials.hpp"
#include "properties/conformance/double_double/truths.hpp"
#include "reference/interval.hpp"
#include "reference/normalizers/entmax.hpp"

namespace attncert {

struct TierTruth::Sources {
  const Normalizer& normalizer;
  LogitRow row;
  double negligible;  // of BallGradient
  std::optional<double_double::Truth> truth{};

  double_double::Exponentials exponentials{};
  double_double::LogSoftmax log_softmax{};
  std::vector<double> logits{}, upstream{};  // padded: -inf, or 0, where nothing takes part
  double largest = 0, smallest = 0;          // of what takes part
  double power = 1;                          // what gradients of the moved row are to be multiplied by
  double_double::Balls weights{}, slopes{}, gradient{};
  std::vector<double> magnitude{};
};

namespace tier {

using double_double::ball_unit;
using double_double::BallRow;
using double_double::Balls;
using double_double::Number;
using Sources = TierTruth::Sources;
using MaybeTruth = std::optional<double_double::Truth>;

bool take_exponentials(Sources& s);
// T is taken to [1, 2) and logits with it, upstream gradients to at most 1, by powers of two and exactly. Weights do
// not change by it, and gradients by `power`.
bool take_row(Sources& s);

// What softmax's logits are multiplied by.
double_double::Factor factor(const Normalizer& normalizer, const LogitRow& row);
BallRow ball_row(const Sources& s, const Number& by);
Number inverse_temperature(const Sources& s);
Number number_of(const Interval& interval);
Number number_of(const Rational& value);
double taylor_unit(const Sources& s);  // the power of two that |z| / T is at most, and 1 at least

// Into `weights`: heights of sparsemax and of 1.5-entmax; those of alpha-entmax, unless their threshold is Interval's
// to find, as of alpha far above 2, where they may be far below doubles; sigma(z) / sum sigma(z).
void take_sparsemax_heights(Sources& s);
void take_three_halves_heights(Sources& s);
bool take_entmax_heights(Sources& s, const reference::EntmaxThreshold& reference);
void take_sigmas(Sources& s);

using TruthOf = MaybeTruth(Sources&);
TruthOf softmax, softmax1, log_softmax, top_k_softmax, sparsemax, entmax15, entmax, relu_normalized, taylor_softmax,
    sigmoid, sigmoid_normalized, sa_softmax_v0, sa_softmax_v1, sa_softmax_v2, sa_softmax_v3;
TruthOf softmax_vjp, softmax1_vjp, top_k_softmax_vjp, log_softmax_vjp, sparsemax_vjp, entmax15_vjp, entmax_vjp,
    relu_normalized_vjp, taylor_softmax_vjp, sigmoid_vjp, sigmoid_normalized_vjp, sa_softmax_v0_vjp, sa_softmax_v1_vjp,
    sa_softmax_v2_vjp, sa_softmax_v3_vjp;

}  // namespace tier
}  // namespace attncert
