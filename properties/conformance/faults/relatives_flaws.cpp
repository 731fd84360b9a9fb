// Scalable, self-adjusted, top-k and off-by-one softmax with one flaw at a time.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "properties/conformance/faults/exponential_steps.hpp"
#include "properties/conformance/faults/fault_lists.hpp"

namespace attncert::plain {
namespace {

Fault ssmax_with(const char* name, const char* text, const char* imitates, std::function<Real(const Row&)> scale) {
  return fault(name, "ssmax", f32, text, imitates, ssmax(scaled_steps(std::move(scale))));
}

Real s_of(const Row& row) { return static_cast<Real>(row.parameters.scale); }
Real ln(std::size_t count) { return std::log(static_cast<Real>(count)); }

Fault softmax1_with(const char* name, const char* text, const char* imitates,
                    std::function<Real(const Row&, Real)> sink) {
  Steps s = sink_steps();
  s.sink = std::move(sink);
  return fault(name, "softmax1", f32, text, imitates, softmax1(std::move(s)));
}

// The sink takes no part in the maximum, so that its exp(-max / T) can overflow the type.
RowFunction sink_outside_maximum(attncert_dtype dtype) {
  return softmax1({.sink = [dtype](const Row& row, Real top) { return within(dtype, std::exp((0 - top) / row.t())); }});
}

using Chosen = std::vector<std::uint8_t>;

Chosen all_ties(const Row& row) {
  Chosen chosen = k_largest(row);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < row.length(); ++i)
    if (chosen[i] != 0) least = std::min(least, row.logits[i]);
  for (std::size_t i = 0; i < row.length(); ++i) chosen[i] = row.present(i) && row.logits[i] >= least;
  return chosen;
}

Chosen highest_index(const Row& row) {  // chooses in the reversed row
  Row reversed = row;
  std::reverse(reversed.logits.begin(), reversed.logits.end());
  std::reverse(reversed.mask.begin(), reversed.mask.end());
  Chosen chosen = k_largest(reversed);
  std::reverse(chosen.begin(), chosen.end());
  return chosen;
}

Chosen masked_count(const Row& row) {  // masked logits take some of the k places
  Row everything = row;
  everything.mask.clear();
  for (double& z : everything.logits)
    if (std::isnan(z)) z = -HUGE_VAL;
  Chosen chosen = k_largest(everything);
  for (std::size_t i = 0; i < row.length(); ++i) chosen[i] = chosen[i] != 0 && row.present(i);
  return chosen;
}

Chosen one_more(const Row& row) {
  Row more = row;
  ++more.parameters.k;
  return k_largest(more);
}

void not_renormalised(Row& row) {
  const Chosen chosen = k_largest(row);
  row.out = softmax_weights(row);
  for (std::size_t i = 0; i < row.length(); ++i)
    if (chosen[i] == 0) row.out[i] = 0;
}

Fault adjusted(const char* name, const char* normalizer, const char* text, const char* imitates, Factors factors) {
  return fault(name, normalizer, f32, text, imitates, self_adjusted(std::move(factors)));
}

Reals range_without_guard(const Row& row) {
  if (smallest_present(row) == largest_present(row)) return Reals(row.length(), std::numeric_limits<Real>::quiet_NaN());
  return adjustment(2)(row);
}

Reals above_zero_or_masked(const Row& row) {  // masked positions hold 0 and take part in the minimum
  Reals factors(row.length(), 0);
  Real low = smallest_present(row);
  if (count_present(row) < row.length()) low = std::min(low, Real{0});
  for (std::size_t i = 0; i < row.length(); ++i) factors[i] = (row.z(i) - low) / row.t();
  return factors;
}

}  // namespace

std::vector<Fault> relatives_flaws() {
  return {
      ssmax_with("ssmax-base-2", "log2(n) for ln(n)", "class: LSE base",
                 [](const Row& row) { return s_of(row) * std::log2(static_cast<Real>(count_present(row))); }),
      ssmax_with("ssmax-counts-masked", "n counts masked keys", "class: padding",
                 [](const Row& row) { return s_of(row) * ln(row.length()); }),
      ssmax_with("ssmax-subtracts", "exp(z - s ln n): by shift invariance plain softmax", "a public library's formula",
                 [](const Row&) { return Real{1}; }),
      ssmax_with("ssmax-scale-ignored", "s = 1 whatever s is", "NVIDIA/TransformerEngine#3551",
                 [](const Row& row) { return ln(count_present(row)); }),
      softmax1_with("sink-dropped", "softmax1 without its one", "modular/modular#6591",
                    [](const Row&, Real) { return Real{0}; }),
      softmax1_with("sink-twice", "the one is counted twice, once per split", "ROCm/rocm-libraries#12229",
                    [](const Row& row, Real top) { return 2 * std::exp((0 - top) / row.t()); }),
      softmax1_with("sink-not-rescaled", "adds 1 instead of exp(-max)", "class: sink",
                    [](const Row&, Real) { return Real{1}; }),
      softmax1_with("sink-placeholder", "a block without a score rescales by its placeholder maximum -1e5",
                    "NVIDIA/TensorRT-LLM#19220",
                    [](const Row& row, Real top) {
                      if (count_present(row) == row.length()) return std::exp((0 - top) / row.t());
                      return narrowed(f32, std::exp(Real{1e5})) * std::exp((0 - top) / row.t());
                    }),
      fault("sink-in-maximum", "softmax1", f16, "the sink does not take part in the maximum: exp(-max) overflows",
            "class: max over a subset", sink_outside_maximum(f16)),
      fault("sink-in-maximum-f32", "softmax1", f32, "the same, where f32 overflows", "class: max over a subset",
            sink_outside_maximum(f32)),
      fault("top-k-ties", "top-k-softmax", f32, "all ties of the k-th take part", "class: support off by one",
            top_k(all_ties)),
      fault("top-k-last-index", "top-k-softmax", f32, "ties go to the highest index", "class: tie rule",
            top_k(highest_index)),
      fault("top-k-counts-masked", "top-k-softmax", f32, "masked logits use up places",
            "huggingface/transformers#32390", top_k(masked_count)),
      fault("top-k-one-more", "top-k-softmax", f32, "k + 1 entries", "class: support off by one", top_k(one_more)),
      fault("top-k-not-renormalised", "top-k-softmax", f32, "softmax over all, then masked",
            "class: mask applied after softmax", guarded(default_contract("top-k-softmax"), not_renormalised)),
      adjusted("sa-v0-plain", "sa-softmax-v0", "the factor z is missing", "class: factor",
               [](const Row& row) { return Reals(row.length(), 1); }),
      adjusted("sa-v0-unscaled", "sa-softmax-v0", "the factor is z, not z / T", "class: temperature",
               [](const Row& row) {
                 Reals factors;
                 for (std::size_t i = 0; i < row.length(); ++i) factors.push_back(row.z(i));
                 return factors;
               }),
      adjusted("sa-v1-masked-minimum", "sa-softmax-v1", "masked positions count as 0 in the minimum",
               "pytorch/pytorch#109517", above_zero_or_masked),
      adjusted("sa-v2-zero-range", "sa-softmax-v2", "0/0 when all logits are equal", "class: zero range",
               range_without_guard),
      adjusted("sa-v3-unclipped", "sa-softmax-v3", "the ends of the range are not clipped at 0", "class: wrong branch",
               adjustment(2)),
  };
}

}  // namespace attncert::plain
