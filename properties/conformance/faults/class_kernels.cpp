// For every normalizer and class of budgets (docs/budgets.md) a kernel that keeps the class and nearly uses it, and one
// that only just exceeds it.
#include <cmath>
#include <string>
#include <string_view>

#include "properties/conformance/faults/exponential_steps.hpp"
#include "properties/conformance/faults/strained_steps.hpp"

namespace attncert::plain {
namespace {

using Sum = Strained::Sum;

// A class that a kernel of one normalizer has.
struct Classed {
  const char *name, *normalizer, *budget;
  Strained by;
  Real excess;  // the strain that exceeds it
};

// Rounding to long double is no part of a class. A threshold of sorting is allowed its worst logits, all at the
// threshold itself, and no row has these.
constexpr Real nearly = 0.99L, little = 1.5, twice = 2;

// "plain" has a member for every normalizer (ClassKernels in the tests).
const char* const normalizers[] = {"softmax",
                                   "log-softmax",
                                   "sparsemax",
                                   "entmax-1.5",
                                   "entmax",
                                   "ssmax",
                                   "softmax1",
                                   "sigmoid",
                                   "sigmoid-normalized",
                                   "relu-normalized",
                                   "taylor-softmax",
                                   "sa-softmax-v0",
                                   "sa-softmax-v1",
                                   "sa-softmax-v2",
                                   "sa-softmax-v3",
                                   "top-k-softmax",
                                   "softmax-vjp",
                                   "log-softmax-vjp",
                                   "sparsemax-vjp",
                                   "entmax-1.5-vjp",
                                   "entmax-vjp",
                                   "ssmax-vjp",
                                   "softmax1-vjp",
                                   "sigmoid-vjp",
                                   "sigmoid-normalized-vjp",
                                   "relu-normalized-vjp",
                                   "taylor-softmax-vjp",
                                   "top-k-softmax-vjp",
                                   "sa-softmax-v0-vjp",
                                   "sa-softmax-v1-vjp",
                                   "sa-softmax-v2-vjp",
                                   "sa-softmax-v3-vjp"};

const Classed further_classes[] = {
    {"pairwise", "softmax", "plain+pairwise", {}, little},
    {"running", "softmax", "plain+running", {.sum = Sum::running}, little},
    {"lanes", "softmax", "plain+lanes=8", {.sum = Sum::lanes, .width = 8}, little},
    {"compensated", "softmax", "plain+compensated", {.sum = Sum::compensated}, little},
    {"online", "softmax", "plain+online=1", {.sum = Sum::online}, little},
    {"unshifted", "softmax", "plain+unshifted", {.shifted = false}, little},
    {"f64", "softmax", "plain", {.dtype = f64}, little},
    {"f64-running", "softmax", "plain+running", {.dtype = f64, .sum = Sum::running}, little},
    {"log1p", "log-softmax", "plain+log1p", {.log1p = true}, little},
    {"running", "log-softmax", "plain+running", {.sum = Sum::running}, little},
    {"exp", "softmax", "plain+exp=4", {.exponential = 4}, little},
    {"exponent", "softmax", "plain+exponent=6", {.exponent = 6}, little},
    {"unshifted", "log-softmax", "plain+unshifted", {.shifted = false}, little},
    {"saved", "sigmoid-vjp", "plain+saved", {.saved = true}, little},
    {"threshold", "sparsemax", "plain+threshold=1e-5", {.threshold = 1e-5L}, little},
    {"threshold", "entmax", "plain+threshold=1e-4", {.threshold = 1e-4L}, little},
    {"f64", "softmax-vjp", "plain", {.dtype = f64}, little},
    {"running", "softmax-vjp", "plain+running", {.sum = Sum::running}, little},
    {"f64", "sparsemax", "plain", {.dtype = f64}, twice},
};

std::vector<Classed> all_classed() {
  std::vector<Classed> list;
  for (const std::string_view normalizer : normalizers)
    list.push_back({"plain", normalizer.data(), "plain", {}, normalizer == "sparsemax" ? twice : little});
  list.insert(list.end(), std::begin(further_classes), std::end(further_classes));
  return list;
}

std::string full_name(const Classed& one) { return std::string("class.") + one.normalizer + "." + one.name; }

// f32 inside and one rounding to a half, to nearest or towards 0.
RowFunction rounded_to_half(bool truncates) {
  return softmax({.exponential = exponential_in(f32), .weight = [truncates](const Row& row, Real term, Real sum) {
                    const Real weight = narrowed(f32, term / sum), nearest = narrowed(row.dtype, weight);
                    if (!truncates || nearest <= weight) return nearest;
                    const int digits = row.dtype == bf16 ? 8 : 11;
                    const Real unit =
                        std::ldexp(Real{1}, std::max(std::ilogb(weight), row.dtype == bf16 ? -126 : -14) - digits + 1);
                    return std::floor(weight / unit) * unit;
                  }});
}

}  // namespace

std::vector<Fault> class_members() {
  std::vector<Fault> list;
  for (Classed one : all_classed()) {
    one.by.strain = nearly;
    list.push_back(right(full_name(one).c_str(), one.normalizer, one.by.dtype,
                         "every rounding is as bad as its class lets it be", strained(one.normalizer, one.by),
                         one.budget));
  }
  for (const attncert_dtype half : {bf16, f16})
    list.push_back(right(half == bf16 ? "class.softmax.bf16" : "class.softmax.f16", "softmax", half,
                         "f32 inside, rounded once", rounded_to_half(false), "plain"));
  return list;
}

std::vector<Fault> class_faults() {
  std::vector<Fault> list;
  const auto held = [](const std::string& name, const char* normalizer, attncert_dtype dtype, const char* text,
                       RowFunction row, const char* budget) -> Fault {
    const attncert_kernel* kernel = descriptor({"fault." + name, normalizer, dtype, std::move(row), {}, budget});
    return {kernel->name, text, "class: only just beyond a class of budgets", kernel};
  };
  for (const Classed& one : all_classed()) {
    Strained by = one.by;
    by.strain = one.excess;
    list.push_back(held(full_name(one) + "-exceeded", one.normalizer, by.dtype, "every rounding is half as much more",
                        strained(one.normalizer, by), one.budget));
  }
  for (const attncert_dtype half : {bf16, f16})
    list.push_back(held(half == bf16 ? "class.softmax.bf16-truncated" : "class.softmax.f16-truncated", "softmax", half,
                        "f32 inside, truncated", rounded_to_half(true), "plain"));
  return list;
}

}  // namespace attncert::plain
