// Kernels of f16 and bf16 rows that compute in the type that they store, or in one hardly wider.
#include <algorithm>
#include <cmath>
#include <limits>

#include "properties/conformance/faults/blockwise.hpp"
#include "properties/conformance/faults/exponential_steps.hpp"
#include "properties/conformance/faults/fault_lists.hpp"
#include "properties/conformance/faults/gradient_steps.hpp"
#include "properties/conformance/faults/sparse_steps.hpp"

namespace attncert::plain {
namespace {

Rounding rounding(attncert_dtype dtype) {
  return [dtype](Real value) { return narrowed(dtype, value); };
}

Steps with_accumulator(attncert_dtype dtype) {
  return {.sum = running([dtype](Real sum, Real term) { return narrowed(dtype, sum + term); })};
}

// Every partial sum of 32 terms passes through a 16-bit register, which truncates.
Real through_register(const Row&, std::span<const Real> terms) {
  Real sum = 0;
  for (std::size_t begin = 0; begin < terms.size(); begin += 32) {
    sum += sum_of(terms.subspan(begin, std::min<std::size_t>(32, terms.size() - begin)));
    if (sum == 0 || !std::isfinite(sum)) continue;
    const Real unit = std::ldexp(Real{1}, std::ilogb(sum) - 7);
    sum = std::floor(sum / unit) * unit;
  }
  return sum;
}

Steps all_in(attncert_dtype dtype, std::function<Real(const Row&)> reference) {
  Steps s = with_accumulator(dtype);
  s.reference = std::move(reference);
  s.exponential = exponential_in(dtype);
  return s;
}

// The maximum is subtracted in the tail and not in full vectors of 8.
Steps vector_path_without_maximum() {
  return {.reference = largest_present,
          .exponent = [](const Row& row, std::size_t i,
                         Real top) { return (row.z(i) - (i < row.length() / 8 * 8 ? 0 : top)) / row.t(); },
          .exponential = exponential_in(bf16)};
}

Steps rounded_exponent(attncert_dtype dtype) {
  return {.exponent = [dtype](const Row& row, std::size_t i, Real top) {
    return narrowed(dtype, narrowed(dtype, row.z(i) - top) / row.t());
  }};
}

Steps flushed(Real smallest_normal) {
  return {.weight = [smallest_normal](const Row&, Real term, Real sum) {
    return term / sum < smallest_normal ? 0 : term / sum;
  }};
}

Steps narrow_factor(attncert_dtype dtype) {
  return {.weight = [dtype](const Row&, Real term, Real sum) { return term * narrowed(dtype, 1 / sum); }};
}

// Bisects on z itself in the narrow type, where both ends coincide at an offset of -1000.
void bisection_in_f16(Row& row) {
  const std::vector<double> sorted = descending(row);
  const Real top = narrowed(f16, static_cast<Real>(sorted[0]) / row.t() / 2);
  Real low = narrowed(f16, top - 1), high = top;
  const auto weight = [&](std::size_t i, Real threshold) {
    const Real above = narrowed(f16, narrowed(f16, row.z(i) / row.t() / 2) - threshold);
    return above > 0 ? narrowed(f16, above * above) : Real{0};
  };
  for (int step = 0; step < 24; ++step) {
    const Real middle = narrowed(f16, (low + high) / 2);
    Real sum = 0;
    for (std::size_t i = 0; i < row.length(); ++i)
      if (row.present(i)) sum = narrowed(f16, sum + weight(i, middle));
    (sum >= 1 ? low : high) = middle;
  }
  Real sum = 0;
  for (std::size_t i = 0; i < row.length(); ++i)
    if (row.present(i)) sum += row.out[i] = weight(i, low);
  for (std::size_t i = 0; i < row.length(); ++i)
    if (row.present(i)) row.out[i] /= sum;
}

Fault soft(const char* name, attncert_dtype dtype, const char* text, const char* imitates, Steps steps) {
  return fault(name, "softmax", dtype, text, imitates, softmax(std::move(steps)));
}

Real dot_in_f16(const Row& row, const Reals& b) {
  Real sum = 0;
  for (std::size_t i = 0; i < row.length(); ++i)
    if (row.present(i)) sum = narrowed(f16, sum + b[i] * row.g(i));
  return sum;
}

}  // namespace

std::vector<Fault> half_flaws() {
  const Blockwise drifting{.block = 16, .carried_maximum = rounding(f16), .carried_sum = rounding(f16)};
  return {
      soft("bf16-sum-sticks", bf16, "a bf16 sum of ones stays at 256", "pytorch/executorch#20090",
           with_accumulator(bf16)),
      soft("bf16-register", bf16, "partial sums pass through a truncating 16-bit register",
           "tenstorrent/tt-metal#52045", {.sum = through_register}),
      soft("f32-sum-in-bf16", f32, "f32 rows with a bf16 sum", "class: sum in narrow type", with_accumulator(bf16)),
      soft("f16-accumulates-in-f16", f16, "half inputs accumulate in half", "ml-explore/mlx#4178",
           with_accumulator(f16)),
      soft("f16-no-max", f16, "exp(z) overflows in f16 from 11.1 on", "mit-han-lab/llm-awq#69",
           all_in(f16, [](const Row&) { return Real{0}; })),
      soft("f16-shifted-max", f16, "the maximum is shifted up by 8: small weights vanish",
           "ikawrakow/ik_llama.cpp#1196",
           all_in(f16, [](const Row& row) { return largest_present(row) + 8 * row.t(); })),
      soft("f16-lowered-max", f16, "the maximum is shifted down by 8: f16 sums overflow", "ggml-org/llama.cpp#18614",
           all_in(f16, [](const Row& row) { return largest_present(row) - 8 * row.t(); })),
      soft("bf16-vector-no-max", bf16, "the vector path omits the maximum that the tail subtracts",
           "pytorch/pytorch#62897", vector_path_without_maximum()),
      soft("bf16-exponent", bf16, "z - max and its quotient by T rounded to bf16", "class: narrow type",
           rounded_exponent(bf16)),
      soft("f16-flush", f16, "subnormal f16 weights become 0", "modular/modular#7102", flushed(0x1p-14L)),
      soft("f16-factor", f16, "multiplies by an f16 reciprocal of the sum, which underflows on long rows",
           "ggml-org/llama.cpp#13991", narrow_factor(f16)),
      fault("f16-running-pair", "softmax", f16, "maximum and sum are kept in f16 between blocks",
            "ggml-org/llama.cpp#24389", blockwise_softmax(drifting)),
      fault("f16-log-sum", "log-softmax", f16, "the sum in f16", "uxlfoundation/oneDNN#1819",
            log_softmax({with_accumulator(f16), {}})),
      fault(
          "bf16-log-of-softmax", "log-softmax", bf16, "the logarithm of the rounded softmax", "pytorch/pytorch#94043",
          log_softmax(
              {{}, [](const Row&, Real x, Real rest) { return std::log(narrowed(bf16, std::exp(x) / (1 + rest))); }})),
      fault("f16-log-vjp", "log-softmax-vjp", f16, "the sum of the upstream in f16", "ROCm/MIOpen#3427",
            log_softmax_gradient(dot_in_f16)),
      fault("f16-vjp-dot", "softmax-vjp", f16, "the inner product in f16", "ROCm/MIOpen#3427",
            gradient(softmax_slope, dot_in_f16)),
      fault("f16-entmax-bisection", "entmax-1.5", f16, "bisection in f16: NaN at an offset of -1000",
            "deep-spin/entmax#30", guarded(default_contract("entmax-1.5"), bisection_in_f16)),
  };
}

}  // namespace attncert::plain
