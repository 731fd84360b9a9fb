// Weights of a row by the suite's own f64 kernel, with the relative error that its budget proves.
#pragma once

#include <cstddef>
#include <vector>

#include "attncert/kernel.h"

namespace attncert::bounds {

struct Weighted {
  bool known = false;
  std::vector<double> values;
  double relative =
      0;  // of each value that is at least the smallest normal number; smaller ones: a few of the smallest number
  double floor = 0;  // absolute, of a norm of diag s - s s^T / sum s (entmax_slopes)
};

// The relative error that the budget of a built-in kernel proves for a weight in the normal range (docs/budgets.md);
// infinite for another kernel.
double proved_error(const attncert_kernel& kernel, double temperature);

// logits finite; not known where the kernel refuses T or a parameter.
Weighted weights_of(const char* normalizer, const std::vector<double>& logits, double temperature,
                    const attncert_parameters& parameters);

// s = p^(2 - alpha) on the support, alpha from the parameters ("entmax") or 3/2 ("entmax-1.5"); alpha >= 1 + 2^-18.
Weighted entmax_slopes(const char* normalizer, const std::vector<double>& logits, double temperature,
                       const attncert_parameters& parameters);

// Whether rounding may leave open that the largest logit z outside the support of alpha-entmax lies at its edge, where
// the sum over the support of ((z_i - z) / (power T))^power is 1, power = 1 / (alpha - 1) (sparsemax: 1).
bool on_edge_of_support(const std::vector<double>& logits, const std::vector<double>& weights, double temperature,
                        long double power);

}  // namespace attncert::bounds
