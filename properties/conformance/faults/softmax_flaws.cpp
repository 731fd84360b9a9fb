// Softmax with one step of its arithmetic wrong. "field" after a dash: the twelve faults that were injected into eight
// published acceptance rules; two of them survive all eight.
#include <algorithm>
#include <cmath>

#include "properties/conformance/faults/blockwise.hpp"
#include "properties/conformance/faults/exponential_steps.hpp"
#include "properties/conformance/faults/fault_lists.hpp"

namespace attncert::plain {
namespace {

constexpr std::size_t lanes = 8;

Fault flawed(const char* name, const char* text, const char* imitates, Steps steps, attncert_dtype dtype = f32) {
  return fault(name, "softmax", dtype, text, imitates, softmax(std::move(steps)));
}
Fault with_reference(const char* name, const char* text, const char* imitates,
                     std::function<Real(const Row&)> reference) {
  return flawed(name, text, imitates, {.reference = std::move(reference), .exponential = exponential_within(f32)});
}

Real largest_magnitude(const Row& row) { return std::max(largest_present(row), -smallest_present(row)); }

Real largest_of_first(const Row& row, std::size_t count) {
  Real largest = -HUGE_VALL;
  for (std::size_t i = 0; i < std::min(row.length(), count); ++i)
    if (row.present(i)) largest = std::max(largest, row.z(i));
  return std::isinf(largest) ? largest_present(row) : largest;
}

// e^t by linear interpolation between the integers from -16 to 0.
Real interpolated(Real x) {
  if (x < -16) return 0;
  const Real left = std::floor(x), part = x - left;
  return (1 - part) * std::exp(left) + part * std::exp(left + 1);
}

void reverse_last_lanes(Row& row) {
  softmax()(row);
  if (row.length() >= lanes) std::reverse(row.out.end() - lanes, row.out.end());
}

std::vector<Fault> wrong_results() {
  return {
      fault("zeros", "softmax", f32, "returns zeros", "ScalingIntelligence/KernelBench#165",
            [](Row& row) { all(row, 0); }),
      fault("uniform", "softmax", f32, "returns 1/L everywhere", "ScalingIntelligence/KernelBench#165",
            [](Row& row) { all(row, 1 / static_cast<Real>(row.length())); }),
  };
}

std::vector<Fault> wrong_maxima() {
  return {
      with_reference("no-max", "does not subtract the largest logit", "NVIDIA/DeepLearningExamples#169",
                     [](const Row&) { return Real{0}; }),
      with_reference("max-from-zero", "the running maximum starts at 0", "class: max initialised wrongly",
                     [](const Row& row) { return std::max(Real{0}, largest_present(row)); }),
      with_reference("max-of-absolute", "subtracts the largest magnitude", "class: max initialised wrongly",
                     largest_magnitude),
      with_reference("max-of-first-block", "subtracts the largest of the first 16 logits", "class: max over a subset",
                     [](const Row& row) { return largest_of_first(row, 16); }),
      with_reference("max-floor", "the maximum is at least -1e4", "tracel-ai/burn#4697",
                     [](const Row& row) { return std::max(Real{-1e4}, largest_present(row)); }),
  };
}

std::vector<Fault> wrong_sums() {
  return {
      flawed("last-lane", "the last entry is missing from the sum", "class: sum misses a tail",
             {.sum =
                  [](const Row& row, std::span<const Real> terms) {
                    return sum_of(row.length() >= lanes ? terms.first(terms.size() - 1) : terms);
                  }}),
      flawed("tail-twice", "the tail behind the last full vector is added twice", "class: sum repeats a tail",
             {.sum =
                  [](const Row&, std::span<const Real> terms) {
                    return sum_of(terms) + (terms.size() > lanes ? sum_of(terms.last(terms.size() % lanes)) : 0);
                  }}),
      flawed("floor-of-sum", "1e-6 is added to the sum", "class: floor epsilon added to the sum",
             {.sum = [](const Row&, std::span<const Real> terms) { return sum_of(terms) + 1e-6L; }}),
  };
}

std::vector<Fault> wrong_exponentials() {
  return {
      flawed("exp-cut", "exp(t) = 0 below t = -10", "class: exp range reduction limit",
             {.exponential = [](Real x) { return x < -10 ? 0 : std::exp(x); }}),
      flawed("exp-floor", "exp(t) is at least 1e-38", "huggingface/funes#160",
             {.exponential = [](Real x) { return std::max(std::exp(x), 1e-38L); }}),
      flawed("exp-3-percent", "exp with an error of up to 3%", "openvinotoolkit/openvino#37857",
             {.exponential = [](Real x) { return std::exp(x) * (1 + 0.03L * std::sin(40 * x)); }}),
      flawed("exp-lines", "exp from a table with straight lines between", "tensorflow/tensorflow#57161",
             {.exponential = interpolated}),
  };
}

std::vector<Fault> wrong_exponents() {
  return {
      flawed("temperature-off", "temperature wrong by a thousandth", "class: temperature",
             {.exponent = [](const Row& row, std::size_t i,
                             Real top) { return scaled_difference(row, i, top) / 1.001L; }}),
      flawed("temperature-ignored", "computes at T = 1 whatever T is", "class: temperature",
             {.exponent = [](const Row& row, std::size_t i, Real top) { return row.z(i) - top; }}),
      flawed("temperature-first", "z / T rounded to f32 before the maximum is subtracted",
             "class: order of subtraction",
             {.exponent = [](const Row& row, std::size_t i,
                             Real top) { return narrowed(f32, row.z(i) / row.t()) - narrowed(f32, top / row.t()); }}),
      flawed("rounded-difference", "z - max rounded to f32, as three-pass kernels do", "oneDNN 2.6.3, spread 20",
             {.exponent = [](const Row& row, std::size_t i,
                             Real top) { return narrowed(f32, row.z(i) - top) / row.t(); }}),
      flawed(
          "f64-through-f32", "f64 softmax of f32 differences", "class: sum in narrow type",
          {.exponent = [](const Row& row, std::size_t i, Real top) { return narrowed(f32, row.z(i) - top) / row.t(); }},
          f64),
  };
}

std::vector<Fault> wrong_weights() {
  return {
      flawed("flush-1e-7", "weights below 1e-7 become 0", "class: tail flush",
             {.weight = [](const Row&, Real term, Real sum) { return term / sum < 1e-7L ? 0 : term / sum; }}),
      flawed("flush-subnormal", "subnormal weights become 0", "modular/modular#7102",
             {.weight = [](const Row&, Real term, Real sum) { return term / sum < 0x1p-126L ? 0 : term / sum; }}),
      flawed("bytes", "weights as bytes; one near 1 wraps round", "microsoft/onnxruntime#29727",
             {.weight =
                  [](const Row&, Real term, Real sum) {
                    const Real byte = std::rint(256 * term / sum);
                    return (byte > 127 ? byte - 256 : byte) / 256;
                  }}),
      flawed("reciprocal-12-bits", "divides by a reciprocal of 12 bits, without a Newton step", "class: vector path",
             {.weight = [](const Row&, Real term, Real sum) { return term * narrowed(f16, 1 / sum); }}),
  };
}

std::vector<Fault> wrong_blocks() {
  return {
      fault("lanes-reversed", "softmax", f32, "the last 8 lanes are stored in reverse", "class: tail",
            reverse_last_lanes),
      fault("no-rescale", "softmax", f32, "one pass; the sum is not rescaled when the maximum grows",
            "class: rescale underflow", blockwise_softmax({.block = 16, .rescale = [](Real) { return Real{1}; }})),
      fault("last-split-twice", "softmax", f32, "the last of 4 splits is merged twice", "ROCm/rocm-libraries#12229",
            split_softmax(4,
                          [](std::span<const Real> parts) {
                            Reals repeated(parts.begin(), parts.end());
                            repeated.push_back(repeated.back());
                            return log_of_sum_of_exponentials(repeated);
                          })),
      fault("split-base-2", "softmax", f32, "log-sum-exps in base 2 are merged as natural ones",
            "meta-pytorch/attention-gym#205",
            split_softmax(2,
                          [](std::span<const Real> parts) {
                            Reals in_base_2;
                            for (const Real lse : parts) in_base_2.push_back(lse / std::log(Real{2}));
                            return log_of_sum_of_exponentials(in_base_2) * std::log(Real{2});
                          })),
  };
}

std::vector<Fault> narrow_sum() {
  return {
      seen_on(flawed("f32-sum", "one f32 running sum", "class: sum in narrow type",
                     {.sum = running([](Real sum, Real term) { return narrowed(f32, sum + term); })}),
              "normal:s=3:T=1:L=262147"),
  };
}

}  // namespace

std::vector<Fault> softmax_flaws() {
  return joined({wrong_results, wrong_maxima, wrong_sums, wrong_exponentials, wrong_exponents, wrong_weights,
                 wrong_blocks, narrow_sum});
}

}  // namespace attncert::plain
