// Gradients of attention, enclosed at what the kernel is given, and how far a kernel may be from them. A fused kernel
// is given the forward pass's output and LSE: p_ij = e^(x_ij - lse_i), D_i = sum_c dO_ic O_ic. An unfused one keeps the
// weights of its own softmax: p_ij is the row's weight, D_i = sum_j p_ij dP_ij. With s_ij = 1 - tanh^2 under a softcap,
// else 1:
//   dP_ij = sum_c dO_ic v_jc    dS_ij = p_ij (dP_ij - D_i) s_ij
//   dV_jc = sum_i p_ij dO_ic    dQ_ie = scale sum_j dS_ij k_je    dK_je = scale sum_i dS_ij q_ie
// and of a head's sink, whose weights are p_is: dsink = -sum_i p_is D_i.
#pragma once

#include <optional>
#include <vector>

#include "reference/attention/rounding_class.hpp"
#include "reference/attention/truth.hpp"

namespace attncert::reference {

// One query row and what the backward pass is given of it. A row that keeps no key contributes nothing.
struct GradientRow {
  AttentionRow row;
  std::span<const double> output_gradient;  // dO; d_v entries, finite
  // What a fused kernel reads of the forward pass; not read of an unfused one.
  std::span<const double> output = {};  // O; d_v entries, finite
  double lse = 0;                       // within its own rounding of the row's
  double lse_error = 0;                 // how far the LSE that the kernel read may be from `lse`
  std::size_t head = 0;                 // the row's query head, where the class stores gradients of each
};

// What a backward kernel declares beside its rounding class, whose accumulator of the output is that of dQ, dK and dV.
struct GradientRounding {
  RoundingClass common;
  Rounding dP, dS;     // stored narrow, before they are used,
  Rounding products;   // and p dP of an unfused kernel, in D and in dS
  double factors = 0;  // relative rounding of q and k where dS multiplies rounded ones
  // Relative rounding of the root of the scale, where dQ and dK are stored as they are summed and then multiplied with
  // it.
  std::optional<double> root_of_scale = {};
  bool unfused = false;  // keeps the weights, stored as the class says, and sums D from them
};

// Which gradients are wanted.
struct Wanted {
  bool queries = true;            // dQ of every row
  std::vector<std::size_t> keys;  // dK and dV of these, ascending
};

template <class Number>
struct Gradients {
  std::vector<std::vector<Number>> dQ;      // one vector a row, d entries
  std::vector<std::vector<Number>> dK, dV;  // one a wanted key: d and d_v entries; 0 where no row keeps the key
};

// rows: at least one, all of one group: they share keys, values, scale and sizes (of every query head of a KV head).
Gradients<Interval> gradient_truth(std::span<const GradientRow> rows, bool unfused, const Wanted& wanted,
                                   Precision precision);
Gradients<DoubleInterval> gradient_truth(std::span<const GradientRow> rows, bool unfused, const Wanted& wanted,
                                         DoublePrecision precision);

// Of a truth of the same rows, form and wishes. The upper ends are the bounds of the same places, +inf where the class
// promises nothing.
Gradients<Interval> gradient_bound(std::span<const GradientRow> rows, const Gradients<Interval>& truth,
                                   const GradientRounding& rounding, const Wanted& wanted, Precision precision);
Gradients<DoubleInterval> gradient_bound(std::span<const GradientRow> rows, const Gradients<DoubleInterval>& truth,
                                         const GradientRounding& rounding, const Wanted& wanted,
                                         DoublePrecision precision);

// Of a head's sink over all rows that have it.
template <class Number>
struct SinkGradient {
  Number truth, bound;  // the bound is the upper end
};
// rows: at least one, each with a sink. Of a fused kernel keys and values are not read. The class's output format is
// that of the sink's gradient.
SinkGradient<Interval> sink_gradient(std::span<const GradientRow> rows, const GradientRounding& rounding,
                                     Precision precision);
SinkGradient<DoubleInterval> sink_gradient(std::span<const GradientRow> rows, const GradientRounding& rounding,
                                           DoublePrecision precision);

// All that there is.
Wanted everything(std::span<const GradientRow> rows);

}  // namespace attncert::reference
