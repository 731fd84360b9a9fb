// What the law files share: rows drawn for them, outputs of a kernel, and the slack that a budget of B ulp leaves.
// Private to properties/laws.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "properties/accuracy/budget.hpp"
#include "properties/accuracy/guarded_call.hpp"
#include "properties/generators/counter.hpp"
#include "properties/generators/logits.hpp"
#include "properties/generators/masks.hpp"
#include "properties/generators/temperatures.hpp"
#include "properties/laws/law_check.hpp"

namespace attncert::laws {

inline constexpr std::size_t longest = 200;  // several vectors, blocks and a tail on every instruction set

template <class T>
struct Row {
  std::vector<T> logits;
  double temperature = 1;
  std::vector<std::uint8_t> mask;
};

template <class T>
Row<T> draw_row(Choices& choices) {
  Row<T> row;
  row.logits = expand<T>(draw_logits(choices, longest));
  row.temperature = draw_temperature(choices);
  return row;
}

template <class T>
bool ordinary(const Row<T>& row) {
  return kind(LogitRow{{row.logits.begin(), row.logits.end()}, row.temperature, row.mask}) == RowKind::ordinary;
}

template <class T>
std::vector<T> outputs(const attncert_kernel& kernel, const Row<T>& row) {
  return guarded_call<T>(kernel, row.logits, 1, row.temperature, row.mask).output;
}

// ulp of a computed value, as reference/ulp.hpp defines it.
template <class T>
long double unit(T value) {
  constexpr int digits = std::numeric_limits<T>::digits, smallest = std::numeric_limits<T>::min_exponent - 1;
  const int exponent = value == 0 || std::fpclassify(value) == FP_SUBNORMAL ? smallest : std::ilogb(value);
  return std::ldexp(1.0L, std::max(exponent, smallest) - digits + 1);
}

// A bound of |computed - exact| when the error is at most B ulp of the exact value, read off the computed one: B ulp are
// less than half the value (or both lie among the subnormals, where the unit is the same), so the exact value is at most
// one binade above and its ulp at most twice the computed one's.
template <class T>
long double slack(T computed, double budget) {
  return 2 * static_cast<long double>(budget) * unit(computed);
}

// Whether two computed values may be of one exact value: each within its slack of it.
template <class T>
bool may_agree(T a, T b, double budget) {
  if (a == b) return true;
  if (std::isinf(a) != std::isinf(b)) {  // beside the overflow: the finite one must lie at the end of the format
    const T finite = std::isinf(a) ? b : a;
    return std::abs(static_cast<long double>(finite)) + slack(finite, budget) >= std::numeric_limits<T>::max();
  }
  return std::abs(static_cast<long double>(a) - static_cast<long double>(b)) <= slack(a, budget) + slack(b, budget);
}

template <class T>
std::string value_text(T value) {
  char text[64];
  std::snprintf(text, sizeof text, "%a", static_cast<double>(value));
  return text;
}

template <class T>
std::string pair_text(const char* what, std::size_t i, T a, T b) {
  return std::string(what) + " at entry " + std::to_string(i) + ": " + value_text(a) + " and " + value_text(b);
}

// Runs a generic check for the kernel's type.
template <class Check>
LawOutcome by_type(const attncert_kernel& kernel, Check check) {
  if (kernel.dtype_in == ATTNCERT_F32 && kernel.dtype_out == ATTNCERT_F32) return check(float{});
  if (kernel.dtype_in == ATTNCERT_F64 && kernel.dtype_out == ATTNCERT_F64) return check(double{});
  return {true, ""};
}

inline const LawOutcome vacuous{true, ""};
inline const LawOutcome kept{false, ""};
inline LawOutcome violated(std::string text) { return {false, std::move(text)}; }

// The checks, one file each.
LawOutcome sums_to_one(const Subject&, const attncert_kernel&, Choices&);
LawOutcome exponentials_sum_to_one(const Subject&, const attncert_kernel&, Choices&);
LawOutcome nonnegative(const Subject&, const attncert_kernel&, Choices&);
LawOutcome nonpositive(const Subject&, const attncert_kernel&, Choices&);
LawOutcome shift_invariant(const Subject&, const attncert_kernel&, Choices&);
LawOutcome scale_invariant(const Subject&, const attncert_kernel&, Choices&);
LawOutcome permutation_equivariant(const Subject&, const attncert_kernel&, Choices&);
LawOutcome monotone(const Subject&, const attncert_kernel&, Choices&);
LawOutcome ties_equal(const Subject&, const attncert_kernel&, Choices&);
LawOutcome mask_is_removal(const Subject&, const attncert_kernel&, Choices&);
LawOutcome rows_independent(const Subject&, const attncert_kernel&, Choices&);
LawOutcome layout_independent(const Subject&, const attncert_kernel&, Choices&);
LawOutcome repeatable(const Subject&, const attncert_kernel&, Choices&);
LawOutcome environment_kept(const Subject&, const attncert_kernel&, Choices&);

}  // namespace attncert::laws
