// Sparsemax and entmax with one flaw at a time.
#include <algorithm>
#include <cmath>
#include <limits>

#include "properties/conformance/faults/fault_lists.hpp"
#include "properties/conformance/faults/sparse_steps.hpp"

namespace attncert::plain {
namespace {

using Sorted = std::vector<double>;

Fault with_support(const char* name, const char* text, const char* imitates, Support support,
                   attncert_dtype dtype = f32) {
  return fault(name, "sparsemax", dtype, text, imitates, sparsemax(std::move(support)));
}

// Tests 1 + k z > sum in f32 without subtracting the largest logit: from 1e8 on the 1 is lost and the support is empty.
void unshifted_f32(Row& row) {
  const Sorted sorted = descending(row);
  Real sum = 0;
  std::size_t support = 0;
  Real threshold = std::numeric_limits<Real>::quiet_NaN();
  for (std::size_t k = 1; k <= sorted.size(); ++k) {
    const Real z = narrowed(f32, static_cast<Real>(sorted[k - 1]) / row.t());
    sum = narrowed(f32, sum + z);
    if (narrowed(f32, 1 + narrowed(f32, static_cast<Real>(k) * z)) <= sum) break;
    support = k;
    threshold = narrowed(f32, (sum - 1) / static_cast<Real>(support));
  }
  row.out = at_present(row, [&](std::size_t i) { return std::max(Real{0}, row.z(i) / row.t() - threshold); });
}

std::size_t narrow_support(const Row& row, const Sorted& sorted, attncert_dtype dtype) {
  Real sum = 0;
  for (std::size_t k = 1; k <= sorted.size(); ++k) {
    const Real z = (static_cast<Real>(sorted[k - 1]) - static_cast<Real>(sorted[0])) / row.t();
    sum = narrowed(dtype, sum + z);
    if (narrowed(dtype, 1 + static_cast<Real>(k) * z) <= sum) return k - 1;
  }
  return sorted.size();
}

void masked_take_part(Row& row) {
  Row everything = row;
  for (std::size_t i = 0; i < row.length(); ++i)
    if (std::isfinite(row.logits[i]) && !row.mask.empty()) everything.mask[i] = 1;
  const Reals weights = sparsemax_weights(everything);
  row.out = at_present(row, [&](std::size_t i) { return weights[i]; });
}

void temperature_forgotten(Row& row) {
  row.temperature = 1;
  row.out = sparsemax_weights(row);
}

void small_dropped(Row& row) {
  row.out = sparsemax_weights(row);
  for (Real& weight : row.out) weight = weight < 1e-6L ? 0 : weight;
}

// Lets -inf into the running sums, which gives inf - inf.
RowFunction infinity_in_sums(RowFunction right) {
  return [right = std::move(right)](Row& row) {
    right(row);
    const bool ordinary = kind(row) == RowKind::ordinary;
    for (std::size_t i = 0; ordinary && i < row.length(); ++i)
      if (row.visible(i) && !row.present(i)) return all_nan(row);
  };
}

Fault entmax_with(const char* name, const char* normalizer, const char* text, const char* imitates, EntmaxSteps steps) {
  return fault(name, normalizer, f32, text, imitates, entmax(std::move(steps)));
}

Real after_ten_steps(const Reals& x, Real alpha) {
  Real low = -1, high = -std::pow(static_cast<Real>(x.size()), 1 - alpha);
  for (int step = 0; step < 10; ++step) {
    const Real middle = (low + high) / 2;
    (mass(x, middle, alpha) >= 1 ? low : high) = middle;
  }
  return low;
}

// Compares with the sign of (mass - 1) at the lower end. Where that end is the root the sign is 0, and every step goes
// right.
Cut root_at_lower_end(const Reals& x, Real alpha) {
  Real low = -1, high = -std::pow(static_cast<Real>(x.size()), 1 - alpha);
  const Real sign = mass(x, low, alpha) - 1;
  if (sign != 0) return safeguarded_newton(x, alpha);
  for (int step = 0; step < 50; ++step) {
    const Real middle = (low + high) / 2;
    ((mass(x, middle, alpha) - 1) * sign >= 0 ? low : high) = middle;
  }
  return low;
}

Real first_threshold(const Reals& x, Real) {  // the threshold of the whole row, whatever its support is
  Real sum = 0, squares = 0;
  for (const Real value : x) sum += value, squares += value * value;
  const Real k = static_cast<Real>(x.size()), mean = sum / k;
  return mean - std::sqrt(std::max(Real{0}, (1 - (squares - sum * mean)) / k));
}

Real unclipped_root(const Reals& x, Real) {
  Real sum = 0, squares = 0, threshold = -1;
  for (std::size_t n = 0; n < x.size(); ++n) {
    sum += x[n], squares += x[n] * x[n];
    const Real k = static_cast<Real>(n + 1), mean = sum / k, next = mean - std::sqrt((1 - (squares - sum * mean)) / k);
    if (next > x[n]) break;  // false for NaN, which stays
    threshold = next;
  }
  return threshold;
}

attncert_status accepts_alpha_one(const attncert_arguments& a, const PlainKernel& kernel) {
  const attncert_status status = refusal(a, kernel);
  if (status != ATTNCERT_OK && status != ATTNCERT_BAD_PARAMETER) return status;
  PlainKernel uniform = kernel;
  if (status == ATTNCERT_BAD_PARAMETER) uniform.row = [](Row& row) { all(row, 1 / static_cast<Real>(row.length())); };
  run_rows(a, uniform);
  return ATTNCERT_OK;
}

}  // namespace

std::vector<Fault> sparse_flaws() {
  return {
      with_support("support-short", "the support is one short", "class: support off by one",
                   [](const Row& row, const Sorted& sorted) {
                     return std::max<std::size_t>(projected_support(row, sorted) - 1, 1);
                   }),
      with_support("support-long", "one entry too many", "class: support off by one",
                   [](const Row& row, const Sorted& sorted) {
                     return std::min(projected_support(row, sorted) + 1, sorted.size());
                   }),
      with_support("support-bf16", "the running sum of the sorted logits in bf16", "class: sum in narrow type",
                   [](const Row& row, const Sorted& sorted) {
                     return std::max<std::size_t>(narrow_support(row, sorted, bf16), 1);
                   }),
      with_support(
          "support-f64-f32", "f64 sparsemax that decides its support in f32", "class: sum in narrow type",
          [](const Row& row, const Sorted& sorted) {
            return std::max<std::size_t>(narrow_support(row, sorted, f32), 1);
          },
          f64),
      fault("sparsemax-1e8", "sparsemax", f32, "NaN once logits reach 1e8", "tensorflow/addons#2314",
            guarded(default_contract("sparsemax"), unshifted_f32)),
      fault("sparsemax-infinity", "sparsemax", f32, "-inf gives NaN", "tensorflow/tensorflow#15564",
            infinity_in_sums(sparsemax())),
      fault("small-dropped", "sparsemax", f32, "weights below 1e-6 become 0", "class: tail flush",
            guarded(default_contract("sparsemax"), small_dropped)),
      fault("sparsemax-masked", "sparsemax", f32, "masked logits take part", "class: mask applied after softmax",
            guarded(default_contract("sparsemax"), masked_take_part)),
      fault("sparsemax-temperature", "sparsemax", f32, "T is ignored", "class: temperature",
            guarded(default_contract("sparsemax"), temperature_forgotten)),
      entmax_with("entmax15-first-threshold", "entmax-1.5", "the threshold of the whole row",
                  "class: threshold from the wrong branch", {first_threshold, alpha_of}),
      entmax_with("entmax15-unclipped-root", "entmax-1.5", "a negative number under the square root",
                  "deep-spin/entmax#9", {unclipped_root, alpha_of}),
      entmax_with("entmax15-alpha-2", "entmax-1.5", "computes sparsemax", "class: wrong branch",
                  {safeguarded_newton, [](const Row&) { return Real{2}; }}),
      fault("entmax15-infinity", "entmax-1.5", f32, "-inf gives NaN", "deep-spin/entmax#9", infinity_in_sums(entmax())),
      entmax_with("entmax-ten-steps", "entmax", "bisection stops after ten steps", "class: bisect stops early",
                  {after_ten_steps, alpha_of}),
      entmax_with("entmax-lower-end", "entmax", "wrong where the lower end is the root already", "deep-spin/entmax#32",
                  {root_at_lower_end, alpha_of}),
      entmax_with("entmax-alpha-fixed", "entmax", "alpha is 3/2 whatever it is", "class: parameter ignored",
                  {safeguarded_newton, [](const Row&) { return Real{1.5L}; }}),
      fault("entmax-alpha-one", "entmax", f32, "alpha = 1 returns equal weights instead of being refused",
            "deep-spin/entmax#23", entmax(), accepts_alpha_one),
  };
}

}  // namespace attncert::plain
