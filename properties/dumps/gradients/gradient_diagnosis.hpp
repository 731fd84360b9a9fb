// Where gradients differ from the truth: which known convention explains what the kernel computed.
#pragma once

#include <string>
#include <vector>

#include "properties/dumps/gradients/judged_gradients.hpp"

namespace attncert {

struct GradientDiagnosis {
  // Every gradient of the KV heads that were looked at is what this convention has; several: they cannot be told apart.
  std::vector<std::string> explain;
  std::vector<std::string> tensors;  // where some but not all tensors are what the file's own settings have: the others
};

// Asserts that the verdict has elements outside. within_class: what explains is as near as roundings of f16 or bf16
// leave it, not only much nearer than another convention.
GradientDiagnosis diagnosis_of_gradients(const AttentionDump& dump, const GradientVerdict& verdict,
                                         bool within_class = false);

}  // namespace attncert
