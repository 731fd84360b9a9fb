// Softmax that treats masked, empty, NaN or infinite rows wrongly.
#include <algorithm>
#include <cmath>
#include <limits>

#include "properties/conformance/faults/blockwise.hpp"
#include "properties/conformance/faults/exponential_steps.hpp"
#include "properties/conformance/faults/fault_lists.hpp"

namespace attncert::plain {
namespace {

RowFunction softmax_but(RowFunction Contract::*part, RowFunction treated) {
  return softmax({}, changed_contract("softmax", part, std::move(treated)));
}

Fault on_empty(const char* name, const char* text, const char* imitates, RowFunction empty) {
  return fault(name, "softmax", f32, text, imitates, softmax_but(&Contract::empty, std::move(empty)));
}

// The row without the entries that hold NaN.
void without_nan(Row& row) {
  if (row.mask.empty()) row.mask.assign(row.length(), 1);
  for (std::size_t i = 0; i < row.length(); ++i)
    if (std::isnan(row.logits[i])) row.mask[i] = 0;
  softmax()(row);
}

void one_nan_and_zeros(Row& row) {
  for (std::size_t i = 0; i < row.length(); ++i)
    row.out[i] = std::isnan(row.logits[i]) ? std::numeric_limits<Real>::quiet_NaN() : 0;
}

bool masked(const Row& row, std::size_t i) { return !row.visible(i) && std::isfinite(row.logits[i]); }

Real largest_of_all(const Row& row) {
  Real largest = largest_present(row);
  for (std::size_t i = 0; i < row.length(); ++i)
    if (masked(row, i)) largest = std::max(largest, row.z(i));
  return largest;
}

// Replaces a masked logit by a finite one, so that it gets a weight.
RowFunction finite_mask(double replacement) {
  return [replacement](Row& row) {
    if (kind(row) == RowKind::ordinary)
      for (std::size_t i = 0; i < row.length(); ++i)
        if (!row.present(i)) row.logits[i] = replacement;
    if (kind(row) == RowKind::ordinary) row.mask.clear();
    softmax()(row);
  };
}

void zero_times_nan(Row& row) {
  softmax()(row);
  for (std::size_t i = 0; i < row.length(); ++i)
    if (!row.visible(i) && std::isnan(row.logits[i])) all_nan(row);
}

Steps steps_with_masked_maximum() { return {.reference = largest_of_all, .exponential = exponential_within(f32)}; }

Steps steps_with_masked_sum() {
  return {.counts = [](const Row& row, std::size_t i) { return row.present(i) || masked(row, i); }};
}

}  // namespace

std::vector<Fault> mask_flaws() {
  return {
      on_empty("masked-row-nan", "a fully masked row becomes NaN", "pytorch/pytorch#41508", all_nan),
      on_empty("masked-row-uniform", "a fully masked row becomes uniform", "pytorch/pytorch#103749",
               [](Row& row) { all(row, 1 / static_cast<Real>(row.length())); }),
      on_empty("masked-row-arbitrary", "a fully masked row gets arbitrary finite values", "ml-explore/mlx#2395",
               [](Row& row) {
                 for (std::size_t i = 0; i < row.length(); ++i) row.out[i] = static_cast<Real>(i % 3) / 4;
               }),
      fault("masked-max", "softmax", f32, "masked logits take part in the maximum", "jax-ml/jax#17117",
            softmax(steps_with_masked_maximum())),
      fault("masked-sum", "softmax", f32, "the mask is applied after the softmax", "class: mask applied after softmax",
            softmax(steps_with_masked_sum())),
      fault("mask-of-minus-10000", "softmax", f32, "masked logits become -10000 and take part",
            "class: masked value finite", finite_mask(-10000)),
      fault("masked-nan-leaks", "softmax", f32, "NaN at a masked position reaches the output", "pytorch/pytorch#101967",
            zero_times_nan),
      fault("empty-block-nan", "softmax", f32, "a block with nothing present computes exp(-inf - -inf)",
            "gabrieldemarmiesse/torch-mojo-backend#319", blockwise_softmax({.block = 16, .skips_empty_blocks = false})),
      fault("nan-ignored", "softmax", f32, "a NaN logit is treated as masked", "class: NaN",
            softmax_but(&Contract::nan, without_nan)),
      fault("nan-alone", "softmax", f32, "one NaN logit gives one NaN and zeros", "oneDNN 2.6.3, first look",
            softmax_but(&Contract::nan, one_nan_and_zeros)),
      fault("infinity-nan", "softmax", f32, "+inf gives NaN", "class: +inf", softmax_but(&Contract::infinite, all_nan)),
  };
}

}  // namespace attncert::plain
