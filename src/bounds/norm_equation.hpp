// The norms of a normalizer's Jacobian but for the root of an equation: what is known without it, and how the root
// becomes the spectral norm. Whoever solves the equation adds up its sums over the row: operator_norm.hpp does, and
// src/bounds/device for many rows at a time.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "src/bounds/operator_norm.hpp"
#include "src/bounds/secular.hpp"
#include "src/bounds/separable_norm.hpp"

namespace attncert::bounds {

struct NormEquation {
  OperatorNorm norm{unknown, unknown};       // all of it where there is no equation, else the Frobenius norm
  std::optional<Spectrum> secular{};         // of softmax and its relatives; lives until the thread's next spectrum_of
  std::optional<SeparableRow> separable{};   // of the others
  std::function<Certified(Scaled)> share{};  // the root as a norm
};

// As operator_norm and separable_jacobian.
NormEquation norm_equation(std::string_view normalizer, std::span<const double> logits, double temperature,
                           const attncert_parameters* parameters = nullptr);
NormEquation separable_equation(std::span<const double> weights, std::span<const double> slopes);

}  // namespace attncert::bounds
