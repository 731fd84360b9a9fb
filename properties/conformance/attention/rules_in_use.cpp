#include "properties/conformance/attention/rules_in_use.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "src/kernel/dtype.hpp"

namespace attncert {
namespace {

// As torch.max has it: NaN where there is one.
double largest_difference(std::span<const double> a, std::span<const double> b, attncert_dtype dtype) {
  double most = 0;
  for (std::size_t n = 0; n < a.size(); ++n) {
    const double off = std::abs(rounded(dtype, a[n] - b[n]));
    if (std::isnan(off)) return std::numeric_limits<double>::quiet_NaN();
    most = std::max(most, off);
  }
  return most;
}

// Twice the error of the plain reference, and twice what adding 0.3 and taking it away again costs; a gradient under a
// softcap has 3e-4 more.
bool twice_the_reference(const Compared& c) {
  const bool gradient = c.lse.empty();
  double allowed = 0;
  for (const double exact : c.exact) {
    const double there = rounded(c.dtype, rounded(c.dtype, exact + 0.3) - 0.3);
    allowed = std::max(allowed, 2 * std::abs(rounded(c.dtype, there - exact)));
  }
  const double factor = c.softcap ? 3 : 2;
  if (gradient && c.softcap) allowed += 3e-4;
  return largest_difference(c.output, c.exact, c.dtype) <=
         factor * largest_difference(c.reference, c.exact, c.dtype) + allowed;
}

template <class Near>
bool all(std::span<const double> a, std::span<const double> b, Near near) {
  return std::equal(a.begin(), a.end(), b.begin(), [&](double x, double y) { return x == y || near(x, y); });
}

// An element of O or of the LSE, to base 2, is wrong where both its errors are too large, or where it is infinite. Rows
// without a key are left out: there the rule refuses the right LSE.
bool close(const Compared& c) {
  const auto near = [](double got, double exact) {
    const double off = std::abs(got - exact);
    return !std::isinf(got) && (off <= 1e-2 || off <= 1e-2 * std::abs(exact));
  };
  if (c.lse.empty()) return all(c.output, c.exact, near);
  const std::size_t values = c.output.size() / c.lse.size();
  for (std::size_t r = 0; r < c.lse.size(); ++r) {
    if (std::isinf(c.exact_lse[r])) continue;
    if (!near(c.lse[r] / std::numbers::ln2, c.exact_lse[r] / std::numbers::ln2)) return false;
    for (std::size_t n = r * values; n < (r + 1) * values; ++n)
      if (!near(c.output[n], c.exact[n])) return false;
  }
  return true;
}

bool absolute(const Compared& c) {
  return all(c.output, c.exact, [](double got, double exact) { return std::abs(got - exact) <= 1e-2; });
}

// NaN fails by a test of its own there; 0 / 0 does not exceed the limit.
bool mean_square(const Compared& c) {
  double off = 0, size = 0;
  for (std::size_t n = 0; n < c.output.size(); ++n) {
    if (std::isnan(c.output[n])) return false;
    off += (c.output[n] - c.exact[n]) * (c.output[n] - c.exact[n]);
    size += c.output[n] * c.output[n];
  }
  return !(off / size > 5e-4);
}

bool close_with_lse(const Compared& c) {
  const auto near = [](double got, double exact) { return std::abs(got - exact) <= 2e-2 + 2e-2 * std::abs(exact); };
  return all(c.output, c.exact, near) && all(c.lse, c.exact_lse, near);
}

}  // namespace

std::span<const RuleInUse> rules_in_use() {
  static const RuleInUse rules[] = {
      {"2x-reference", "Dao-AILab/flash-attention, test_flash_attn of hopper",
       "max|O - R| <= 2 max|P - R| + 2 max|(R + 0.3 - 0.3) - R|, under a softcap 3 in place of the first 2, and "
       "3e-4 more for gradients",
       twice_the_reference},
      {"allclose-1e-2", "flashinfer-ai/flashinfer-bench",
       "each |O - R| <= 1e-2 or |O - R| <= 1e-2 |R|, and the same of the LSE to base 2; no infinity; rows without a "
       "key "
       "left out",
       close},
      {"nmse-5e-4", "ggml, test-backend-ops, whose reference is its CPU backend: here the exact output",
       "sum (O - R)^2 / sum O^2 <= 5e-4", mean_square},
      {"absolute-1e-2",
       "triton-lang/triton, tutorial 06, fused attention, whose reference is a plain one in half precision: here the "
       "exact output",
       "each |O - R| <= 1e-2", absolute},
      {"allclose-2e-2-lse", "NVIDIA/cudnn-frontend, its Python tests",
       "each |O - R| <= 2e-2 + 2e-2 |R|, and the same of the LSE", close_with_lse}};
  return rules;
}

}  // namespace attncert
