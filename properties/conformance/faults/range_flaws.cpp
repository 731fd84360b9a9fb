// Right kernels that are given less than the contract allows: one input at a time is flushed, clamped, narrowed or
// misread, only beyond the sizes that tests usually draw. The rows of fixed regimes see none of them, which
// tests/properties/conformance/faults/range_flaws_test.cpp shows.
#include <algorithm>
#include <cmath>
#include <limits>

#include "properties/conformance/faults/blockwise.hpp"
#include "properties/conformance/faults/exponential_steps.hpp"
#include "properties/conformance/faults/fault_lists.hpp"
#include "properties/conformance/faults/gradient_steps.hpp"
#include "properties/conformance/faults/separable_steps.hpp"
#include "properties/conformance/faults/sparse_steps.hpp"

namespace attncert::plain {
namespace {

constexpr double smallest_normal = std::numeric_limits<float>::min(), largest = std::numeric_limits<float>::max();
constexpr std::size_t lanes = 64;

// The right function of a row that was changed first.
RowFunction of_changed(RowFunction right, std::function<void(Row&)> change) {
  return [right = std::move(right), change = std::move(change)](Row& row) {
    Row changed = row;
    change(changed);
    right(changed);
    row.out = changed.out;
  };
}

Fault misread(const char* name, const char* normalizer, const char* text, const char* imitates, RowFunction right,
              std::function<void(Row&)> change) {
  return fault(name, normalizer, f32, text, imitates, of_changed(std::move(right), std::move(change)));
}

Fault softmax_of(const char* name, const char* text, const char* imitates, std::function<void(Row&)> change) {
  return misread(name, "softmax", text, imitates, softmax(), std::move(change));
}

std::vector<Fault> temperatures() {
  return {
      softmax_of("temperature-flushed", "a T below the smallest normal f32 counts as that", "class: flush to zero",
                 [](Row& row) { row.temperature = std::max(row.temperature, smallest_normal); }),
      softmax_of("temperature-narrowed", "T is passed on as f32: the largest one beyond", "class: narrow type",
                 [](Row& row) { row.temperature = std::min(row.temperature, largest); }),
      fault("inverse-temperature", "softmax", f32, "multiplies by 1 / T in f32, which overflows", "class: overflow",
            softmax({.exponent = [](const Row& row, std::size_t i,
                                    Real reference) { return (row.z(i) - reference) * within(f32, 1 / row.t()); }})),
      fault("difference-overflows", "softmax", f32, "z - max in f32 overflows, although its quotient by T is small",
            "class: overflow",
            softmax({.exponent = [](const Row& row, std::size_t i,
                                    Real reference) { return within(f32, row.z(i) - reference) / row.t(); }})),
  };
}

std::vector<Fault> logits() {
  return {
      softmax_of("subnormals-are-zero", "subnormal logits count as 0 (DAZ)", "class: flush to zero",
                 [](Row& row) {
                   for (double& z : row.logits)
                     if (std::abs(z) < smallest_normal) z = 0;
                 }),
      fault("maximum-from-lowest-half", "softmax", f32, "the maximum starts at half of the lowest f32, not at -inf",
            "class: max initialised wrongly",
            softmax({.reference = [](const Row& row) { return std::max(Real{-largest / 2}, largest_present(row)); },
                     .exponential = exponential_within(f32)})),
      fault("long-tail-maximum", "softmax", f32, "beyond 512 entries the maximum is that of whole vectors",
            "class: max over a subset",
            softmax({.reference =
                         [](const Row& row) {
                           Row body = row;
                           if (row.length() > 512) body.logits.resize(row.length() / lanes * lanes);
                           const Real top = largest_present(body);
                           return std::isinf(top) ? largest_present(row) : top;
                         },
                     .exponential = exponential_within(f32)})),
      fault("residue-37", "softmax", f32, "beyond 256 entries a tail of 37 loses its last entry",
            "class: sum misses a tail",
            softmax({.counts =
                         [](const Row& row, std::size_t i) {
                           const bool lost = row.length() > 256 && row.length() % lanes == 37 && i + 1 == row.length();
                           return row.present(i) && !lost;
                         }})),
      softmax_of("mask-index-9-bits", "the index into the mask has 9 bits", "class: narrow type",
                 [](Row& row) {
                   for (std::size_t i = 512; i < row.mask.size(); ++i) row.mask[i] = row.mask[i % 512];
                 }),
  };
}

// The sum is rescaled at the first 12 new maxima and no more.
Reals rescaled_seldom(const Row& row) {
  constexpr int most = 12;
  Real maximum = -HUGE_VALL, sum = 0;
  int times = 0;
  for (std::size_t i = 0; i < row.length(); ++i) {
    if (!row.present(i)) continue;
    if (row.z(i) > maximum) {
      if (sum > 0 && times++ < most) sum *= std::exp((maximum - row.z(i)) / row.t());
      maximum = row.z(i);
    }
    sum += std::exp((row.z(i) - maximum) / row.t());
  }
  return at_present(row, [&](std::size_t i) { return std::exp((row.z(i) - maximum) / row.t()) / sum; });
}

std::vector<Fault> blocks() {
  return {fault("rescaled-seldom", "softmax", f32, "online: the sum is rescaled at 12 new maxima at most",
                "class: running maximum",
                guarded(default_contract("softmax"), [](Row& row) { row.out = rescaled_seldom(row); }))};
}

Fault entmax_of(const char* name, const char* text, std::function<Real(Real)> change) {
  return fault(
      name, "entmax", f32, text, "class: alpha at the ends of its range",
      entmax({safeguarded_newton, [change = std::move(change)](const Row& row) { return change(alpha_of(row)); }}));
}

std::vector<Fault> parameters() {
  return {
      entmax_of("alpha-near-two", "alpha within 1/128 of 2 counts as 2",
                [](Real alpha) { return std::abs(alpha - 2) < 0x1p-7L ? 2 : alpha; }),
      entmax_of("alpha-floor", "alpha is at least 1.1", [](Real alpha) { return std::max(alpha, Real{1.1L}); }),
      entmax_of("alpha-ceiling", "alpha is at most 6", [](Real alpha) { return std::min(alpha, Real{6}); }),
      misread("k-in-32-bits", "top-k-softmax", "k in an int: 2^64 - 1 is -1, and counts as 1", "class: narrow type",
              top_k(),
              [](Row& row) {
                if (row.parameters.k > 0x7FFFFFFF) row.parameters.k = 1;
              }),
      misread("scale-flushed", "ssmax", "an s below the smallest normal f32 is 0", "class: flush to zero", ssmax(),
              [](Row& row) {
                if (std::abs(row.parameters.scale) < smallest_normal) row.parameters.scale = 0;
              }),
      misread("bias-clamped", "sigmoid", "b is kept within 10^4", "class: clamp", sigmoid(),
              [](Row& row) { row.parameters.bias = std::clamp(row.parameters.bias, -1e4, 1e4); }),
      misread("order-at-most-16", "taylor-softmax", "orders beyond 16 count as 16", "class: clamp",
              separable(taylor_values, default_contract("taylor-softmax")),
              [](Row& row) { row.parameters.order = std::min(row.parameters.order, 16u); }),
      misread("upstream-flushed", "softmax-vjp", "upstreams below 2^-100 count as 0", "class: flush to zero",
              gradient(softmax_slope),
              [](Row& row) {
                for (double& g : row.upstream)
                  if (std::abs(g) < 0x1p-100) g = 0;
              }),
  };
}

}  // namespace

std::vector<Fault> range_flaws() {
  std::vector<Fault> list = joined({temperatures, logits, blocks, parameters});
  for (Fault& fault : list) fault.wide = true;
  return list;
}

}  // namespace attncert::plain
