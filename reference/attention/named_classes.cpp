#include "reference/attention/named_classes.hpp"

#include <algorithm>

#include "src/core/assert.hpp"

namespace attncert::reference {
namespace {

constexpr Rounding bf16 = bf16_rounding, f16 = f16_rounding;

RoundingClass three_pass() {
  RoundingClass rounding;
  rounding.three_pass = true;
  return rounding;
}

// Each block is summed apart.
RoundingClass by_block(std::size_t block, Rounding weights) {
  RoundingClass rounding;
  rounding.block = rounding.sum_chunk = rounding.output_chunk = block;
  rounding.order = BlockOrder::ascending;
  rounding.weights = weights;
  return rounding;
}

// As FlashAttention: each row's sum runs on in four threads.
RoundingClass by_run(std::size_t block, Rounding weights) {
  RoundingClass rounding = by_block(block, weights);
  rounding.sum_chunk = rounding.output_chunk = 4;
  return rounding;
}

// A matrix unit that aligns 16 products and the accumulator to the largest and keeps 23 bits below it is off by at most
// (16 + 1) 2^-23 + 2^-23 of the largest each step; of scores, whose order is open, by 2^-22 a nonzero product.
RoundingClass on_matrix_unit(RoundingClass rounding) {
  rounding.score_unit = 0x1p-22;
  rounding.output_sum.relative = 18 * 0x1p-23;
  rounding.output_chunk = 16;
  return rounding;
}

RoundingClass unfused(Rounding weights) {
  RoundingClass rounding = three_pass();
  rounding.normalised = true;
  rounding.weights = weights;
  return rounding;
}

// The plain reference of half precision: q and k scaled by the root of the scale, scores and weights, all in one
// narrow format.
RoundingClass half_reference(Rounding format) {
  RoundingClass rounding = unfused(format);
  const double once = 1 + format.relative;
  rounding.operands = {once * once * once * once - 1, format.absolute};  // the root of the scale is rounded too
  rounding.stored_scores = format;
  rounding.scores_stored = 2;
  return rounding;
}

// Every kernel on a matrix unit that keeps 23 bits is in it, whatever its blocks and their order: as the scores, so the
// output, 2^-22 a nonzero product.
RoundingClass any_order(Rounding weights) {
  RoundingClass rounding;
  rounding.score_unit = rounding.output_sum.relative = 0x1p-22;
  rounding.weights = weights;
  return rounding;
}

// The row's sum is formed as the output is, of weights as they meet the values: FlashInfer's prefill. The sum's unit is
// that of single operations, so these get the wider one too.
RoundingClass sum_of_rounded(Rounding weights) {
  RoundingClass rounding = any_order(weights);
  rounding.sum_of_rounded = true;
  rounding.single.relative = rounding.score_unit;
  return rounding;
}

RoundingClass split(std::size_t parts) {
  RoundingClass rounding;
  rounding.parts = parts;
  return rounding;
}

RoundingClass half_output_sums() {
  RoundingClass rounding;
  rounding.output_sum = f16;
  return rounding;
}

// q may be scaled in f32 before it meets k, or both by the root of the scale.
RoundingClass scaled_before(RoundingClass rounding) {
  if (rounding.operands == Rounding{0, f32_underflow}) rounding.operands.relative = scaled_in_f32;
  return rounding;
}

std::vector<NamedClass> as_declared(std::size_t block, std::size_t parts) {
  ATTNCERT_ASSERT(block >= 1 && parts >= 1);
  const std::string size = "-" + std::to_string(block);
  return {{"f32", {}},
          {"f32-three-pass", three_pass()},
          {"f32-unfused", unfused({})},
          {"f32-block" + size, by_block(block, {})},
          {"f32-run" + size, by_run(block, {})},
          {"pbf16-run" + size, on_matrix_unit(by_run(block, bf16))},
          {"pf16-run" + size, on_matrix_unit(by_run(block, f16))},
          {"pbf16-block" + size, by_block(block, bf16)},
          {"pf16-block" + size, by_block(block, f16)},
          {"f32-split-" + std::to_string(parts), split(parts)},
          {"pbf16", any_order(bf16)},
          {"pf16", any_order(f16)},
          {"pbf16-rounded-sum", sum_of_rounded(bf16)},
          {"pf16-rounded-sum", sum_of_rounded(f16)},
          {"pbf16-unfused", unfused(bf16)},
          {"pf16-unfused", unfused(f16)},
          {"sbf16-unfused", half_reference(bf16)},
          {"sf16-unfused", half_reference(f16)},
          {"of16", half_output_sums()}};
}

}  // namespace

std::vector<NamedClass> named_classes(std::size_t block, std::size_t parts) {
  std::vector<NamedClass> classes = as_declared(block, parts);
  for (NamedClass& each : classes) each.rounding = scaled_before(each.rounding);
  return classes;
}

GradientRounding backward_of(const RoundingClass& rounding) {
  GradientRounding backward;
  backward.common = rounding;
  backward.dS = rounding.weights;
  backward.unfused = rounding.normalised;
  if (rounding.normalised) backward.dP = rounding.weights;
  // dS multiplies q, and k, as they were rounded.
  backward.common.output_sum.absolute = std::max(rounding.output_sum.absolute, rounding.operands.absolute);
  if (rounding.scores_stored == 0) {
    backward.factors = rounding.operands.relative;
    return backward;
  }
  backward.dP = backward.products = rounding.stored_scores;
  // dS multiplies q and k as they were scaled by a rounded root; the sums are stored, and scaled by it once more.
  const double once = 1 + rounding.stored_scores.relative;
  backward.factors = once * once - 1;
  backward.root_of_scale = rounding.stored_scores.relative;
  return backward;
}

}  // namespace attncert::reference
