// Sigmoid, ReLU-normalised and Taylor weights with one flaw at a time.
#include <algorithm>
#include <cmath>
#include <limits>

#include "properties/conformance/faults/exponential_steps.hpp"
#include "properties/conformance/faults/fault_lists.hpp"
#include "properties/conformance/faults/separable_steps.hpp"

namespace attncert::plain {
namespace {

Fault sigmoid_with(const char* name, const char* text, const char* imitates, std::function<Real(Real)> function,
                   Argument argument = biased, attncert_dtype dtype = f32) {
  return fault(name, "sigmoid", dtype, text, imitates, sigmoid(std::move(function), std::move(argument)));
}

Reals rounded_sigmoids(const Row& row) {  // below -104 all are 0, and the quotient is 0/0
  return at_present(row, [&](std::size_t i) { return within(f32, logistic(row.z(i) / row.t())); });
}

Reals divided(Reals values, Real sum) {
  for (Real& value : values) value /= sum;
  return values;
}

Reals bare_shares(const Reals& values) { return divided(values, sum_of(values)); }  // no test for a sum of 0

Reals shares_with_epsilon(const Reals& values) { return divided(values, sum_of(values) + 1e-6L); }

Reals magnitudes(const Row& row) {
  return at_present(row, [&](std::size_t i) { return std::abs(row.z(i)); });
}

// Masks by a very negative logit, which an even polynomial turns into the largest weight.
Reals inverted_mask(const Row& row) {
  Reals values = taylor_values(row);
  for (std::size_t i = 0; i < row.length(); ++i)
    if (!row.present(i)) values[i] = taylor(-1e4L, row.parameters.order);
  return values;
}

Reals powers_in_f32(const Row& row) {  // x^n overflows although the quotients are finite
  Reals values = taylor_values(row);
  for (Real& value : values) value = within(f32, value);
  return values;
}

Reals one_order_less(const Row& row) {
  return at_present(row, [&](std::size_t i) { return taylor(row.z(i) / row.t(), row.parameters.order - 1); });
}

Reals order_two(const Row& row) {
  Row second = row;
  second.parameters.order = 2;
  return taylor_values(second);
}

Fault taylor_with(const char* name, const char* text, const char* imitates, Values values,
                  std::function<Reals(const Reals&)> divide = shares) {
  return fault(name, "taylor-softmax", f32, text, imitates,
               separable(std::move(values), default_contract("taylor-softmax"), std::move(divide)));
}

Fault relu_with(const char* name, const char* text, const char* imitates, Values values,
                std::function<Reals(const Reals&)> divide) {
  return fault(name, "relu-normalized", f32, text, imitates,
               separable(std::move(values), default_contract("relu-normalized"), std::move(divide)));
}

Reals sigmoid_values(const Row& row, Real temperature) {
  return at_present(row, [&](std::size_t i) { return logistic(row.z(i) / temperature); });
}

}  // namespace

std::vector<Fault> separable_flaws() {
  return {
      sigmoid_with("sigmoid-tanh", "tanh(x/2)/2 + 1/2 in f32: small weights cancel", "class: tail flush",
                   [](Real x) { return narrowed(f32, narrowed(f32, std::tanh(x / 2)) / 2 + 0.5L); }),
      sigmoid_with("sigmoid-hard", "cut to 0 and 1 beyond 8", "class: exp clamp floor",
                   [](Real x) { return x < -8  ? 0
                                       : x > 8 ? 1
                                               : logistic(x); }),
      sigmoid_with("sigmoid-one-branch", "1 / (1 + exp(-x)) in f32: exp overflows before the weight underflows",
                   "modular/modular#7102", [](Real x) { return 1 / (1 + within(f32, std::exp(-x))); }),
      sigmoid_with(
          "sigmoid-bias-inside", "(z + b) / T", "class: temperature", logistic,
          [](const Row& row, std::size_t i) { return (row.z(i) + static_cast<Real>(row.parameters.bias)) / row.t(); }),
      sigmoid_with(
          "sigmoid-bias-sign", "z / T - b", "class: sign", logistic,
          [](const Row& row, std::size_t i) { return row.z(i) / row.t() - static_cast<Real>(row.parameters.bias); }),
      sigmoid_with(
          "sigmoid-f64-in-f32", "f64 weights from an f32 exponential", "class: narrow type",
          [](Real x) { return x >= 0 ? 1 / (1 + narrowed(f32, std::exp(-x))) : logistic(x); }, biased, f64),
      fault("sigmoid-normalized-zero", "sigmoid-normalized", f32, "0/0 when every sigmoid underflows",
            "class: missing max", separable(rounded_sigmoids, default_contract("sigmoid-normalized"), bare_shares)),
      fault("sigmoid-normalized-epsilon", "sigmoid-normalized", f32, "1e-6 is added to the sum",
            "class: floor epsilon added to the sum",
            separable([](const Row& row) { return sigmoid_values(row, row.t()); },
                      default_contract("sigmoid-normalized"), shares_with_epsilon)),
      fault("sigmoid-normalized-softmax", "sigmoid-normalized", f32, "computes softmax", "class: wrong branch",
            guarded(default_contract("sigmoid-normalized"), [](Row& row) { row.out = softmax_weights(row); })),
      relu_with("relu-zero-over-zero", "0/0 when nothing is positive", "class: zero range", positive_parts,
                bare_shares),
      relu_with("relu-epsilon", "1e-6 is added to the sum", "class: floor epsilon added to the sum", positive_parts,
                shares_with_epsilon),
      relu_with("relu-magnitudes", "|z| for max(z, 0)", "class: sign", magnitudes, shares),
      taylor_with("taylor-mask-inverts", "a mask of -1e4 becomes the largest weight", "class: masked value finite",
                  inverted_mask),
      taylor_with("taylor-overflow", "x^n overflows in f32", "ggml-org/llama.cpp#17746", powers_in_f32),
      taylor_with("taylor-odd", "one order less, so that weights become negative", "class: wrong branch",
                  one_order_less),
      taylor_with("taylor-order-two", "order 2 whatever the order is", "class: parameter ignored", order_two),
  };
}

}  // namespace attncert::plain
