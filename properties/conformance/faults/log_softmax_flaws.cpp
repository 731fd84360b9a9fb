// Log-softmax with one flaw at a time.
#include <cmath>

#include "properties/conformance/faults/exponential_steps.hpp"
#include "properties/conformance/faults/fault_lists.hpp"

namespace attncert::plain {
namespace {

Fault flawed(const char* name, const char* text, const char* imitates, LogSteps steps, attncert_dtype dtype = f32) {
  return fault(name, "log-softmax", dtype, text, imitates, log_softmax(std::move(steps)));
}

LogSteps with_entry(std::function<Real(const Row&, Real, Real)> entry) { return {{}, std::move(entry)}; }

LogSteps steps_without_maximum() {
  return {.steps = {.reference = [](const Row&) { return Real{0}; }, .exponential = exponential_within(f32)}};
}

LogSteps steps_without_last() {
  return {.steps = {.sum = [](const Row& row, std::span<const Real> terms) {
            return sum_of(row.length() >= 8 && !terms.empty() ? terms.first(terms.size() - 1) : terms);
          }}};
}

LogSteps steps_with_cut() {
  return {.steps = {.exponential = [](Real x) { return x < -10 ? 0 : std::exp(x); }}};
}

LogSteps steps_with_narrow_sum(attncert_dtype dtype) {
  return {.steps = {.sum = running([dtype](Real sum, Real term) { return narrowed(dtype, sum + term); })}};
}

// Forms max + ln(sum) first, which at z = -1e7 is rounded to a multiple of 1.
Real sum_first(const Row& row, Real x, Real rest) {
  const Real top = largest_present(row) / row.t();
  return narrowed(f32, narrowed(f32, x + top) - narrowed(f32, top + std::log1p(rest)));
}

RowFunction with_empty(Real value) {
  return log_softmax({}, changed_contract("log-softmax", &Contract::empty, [value](Row& row) { all(row, value); }));
}

}  // namespace

std::vector<Fault> log_softmax_flaws() {
  return {
      flawed(
          "log-of-softmax", "the logarithm of the rounded softmax", "pytorch/pytorch#94043",
          with_entry([](const Row&, Real x, Real rest) { return std::log(narrowed(f32, std::exp(x) / (1 + rest))); })),
      flawed("log-offset", "z - (max + ln sum): whole numbers at an offset of -1e7", "pytorch/pytorch#38839",
             with_entry(sum_first)),
      flawed("log-no-max", "does not subtract the largest logit", "uTensor/uTensor#175", steps_without_maximum()),
      flawed("log-last-lane", "the last entry is missing from the sum", "class: sum misses a tail",
             steps_without_last()),
      flawed("log-exp-cut", "exp(t) = 0 below t = -10", "class: exp range reduction limit", steps_with_cut()),
      flawed("log-base-2", "the logarithm of the sum in base 2", "ROCm/rocm-libraries#12229",
             with_entry([](const Row&, Real x, Real rest) { return x - std::log2(1 + rest); })),
      flawed("log-without-log1p", "ln(1 + rest) of a rounded 1 + rest: entries near 0 lose their bits",
             "class: cancellation",
             with_entry([](const Row&, Real x, Real rest) { return x - std::log(narrowed(f32, 1 + rest)); })),
      flawed("log-sum-f16", "the sum in an f16 accumulator", "uxlfoundation/oneDNN#1819", steps_with_narrow_sum(f16)),
      flawed("log-f64-sum-f32", "the sum in f32", "class: sum in narrow type", steps_with_narrow_sum(f32), f64),
      fault("log-empty-finite", "log-softmax", f32, "an empty row gets about -49994 instead of -inf",
            "flashinfer-ai/flashinfer#4452", with_empty(-49994)),
      fault("log-empty-nan", "log-softmax", f32, "the log-sum-exp of an empty row is +inf: -inf - inf, masked later",
            "Dao-AILab/flash-attention#978", with_empty(0)),
  };
}

}  // namespace attncert::plain
