// What turns a row of attention logits into weights inside the forward pass. Any normalizer can stand there.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "attncert/kernel.h"
#include "src/core/result.hpp"

namespace attncert {

// Writes as many weights as there are logits; the two never overlap. Several threads may call one at a time.
struct RowNormalizer : std::function<void(std::span<const float> logits, std::span<float> weights)> {
  using function::function;
  bool is_softmax = false;  // at T = 1: sums of values can be had without their weights
};

// The softmax kernel of the suite, f32, T = 1 (the logits are scaled already).
RowNormalizer built_in_softmax();

// The f32 kernel of a normalizer that "attncert list --normalizers" names and that gives weights: not log-softmax, no
// derivative. `parameters` are copied; null = the defaults.
Result<RowNormalizer> normalizer_named(std::string_view name, double temperature,
                                       const attncert_parameters* parameters);

}  // namespace attncert
