// Gradients of fused attention, enclosed at the outputs and LSEs that the kernel is given, and how far a kernel may be
// from them. With p_ij = e^(x_ij - lse_i) and D_i = sum_c dO_ic O_ic, s_ij = 1 - tanh^2 under a softcap, else 1:
//   dP_ij = sum_c dO_ic v_jc    dS_ij = p_ij (dP_ij - D_i) s_ij
//   dV_jc = sum_i p_ij dO_ic    dQ_ie = scale sum_j dS_ij k_je    dK_je = scale sum_i dS_ij q_ie
#pragma once

#include "reference/attention/rounding_class.hpp"
#include "reference/attention/truth.hpp"

namespace attncert::reference {

// One query row and what the backward pass is given of it. A row that keeps no key contributes nothing.
struct GradientRow {
  AttentionRow row;
  std::span<const double> output;           // O as the kernel reads it; d_v entries, finite
  std::span<const double> output_gradient;  // dO; d_v entries, finite
  double lse = 0;                           // as the kernel reads it, within its own rounding of the row's
};

// What a backward kernel declares beside its rounding class, whose accumulator of the output is that of dQ, dK and dV.
struct GradientRounding {
  RoundingClass common;
  Rounding dP, dS;     // stored narrow, before they are used
  double factors = 0;  // relative rounding of q and k where dS multiplies rounded ones
};

struct Gradients {
  std::vector<std::vector<Interval>> dQ;  // one vector a row, d entries
  std::vector<Interval> dK, dV;           // row-major as keys and values; 0 at keys that no row keeps
};

// rows: at least one, all of one group: they share keys, values, scale and sizes (of every query head of a KV head).
Gradients gradient_truth(std::span<const GradientRow> rows, Precision precision);

// The upper ends are the bounds of the same places, +inf where the class promises nothing.
Gradients gradient_bound(std::span<const GradientRow> rows, const GradientRounding& rounding, Precision precision);

}  // namespace attncert::reference
