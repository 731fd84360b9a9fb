// What turns a row of attention logits into weights inside the forward pass. Any normalizer can stand there.
#pragma once

#include <functional>
#include <span>

namespace attncert {

// Writes as many weights as there are logits; the two never overlap.
using Normalizer = std::function<void(std::span<const float> logits, std::span<float> weights)>;

// The softmax kernel of the suite, f32, T = 1 (the logits are scaled already).
Normalizer built_in_softmax();

}  // namespace attncert
