// Gradients in doubles, without error bounds: what finds the rows and keys that are worth a proof, and what a kernel
// with another convention would have computed.
#pragma once

#include <optional>
#include <vector>

#include "reference/attention/gradient.hpp"

namespace attncert {

// A backward pass over the rows of one group, as a kernel may have it.
struct BackwardPass {
  std::vector<reference::GradientRow> rows;
  bool unfused = false;
  std::optional<std::vector<double>> D = {};  // one a row, in place of what the form has
  bool slope = true;                          // of the softcap
  std::vector<bool> in_keys = {};             // which rows count in dk and dv; empty: all
  double dq = 1, dk = 1, dv = 1, dsink = 1;   // factors
};

struct ApproximateGradients {
  std::vector<std::vector<double>> dq, dk, dv;                 // dq one a row; dk, dv one a key
  std::vector<std::vector<double>> dq_size, dk_size, dv_size;  // sums of the magnitudes of what they are summed of
  std::vector<double> sinks, sinks_size;  // what each row adds to the gradient of its sink; 0 without one
};
ApproximateGradients approximate_gradients(const BackwardPass& pass);

// D of a fused kernel.
double fused_D(const reference::GradientRow& row);
std::vector<double> fused_D(const std::vector<reference::GradientRow>& rows);

}  // namespace attncert
