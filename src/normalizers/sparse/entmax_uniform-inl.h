// Rows of entmax that are uniform because T is so large.
#if defined(ATTNCERT_NORMALIZERS_ENTMAX_UNIFORM_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTNCERT_NORMALIZERS_ENTMAX_UNIFORM_INL_H
#undef ATTNCERT_NORMALIZERS_ENTMAX_UNIFORM_INL_H
#else
#define ATTNCERT_NORMALIZERS_ENTMAX_UNIFORM_INL_H
#endif

#include <cmath>
#include <limits>
#include <optional>

#include "hwy/highway.h"
#include "src/normalizers/sparse/entmax_power-inl.h"
#include "src/normalizers/sparse/entmax_support-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {

// Below it a v is nothing that doubles and pairs of them serve.
constexpr double kLeast = 0x1p-960;

// b < 1, f32: the smallest of the n candidates that are not -inf, where no depth d = a (max - x) is anything that
// doubles serve, nor 2^-70 of n^-(alpha - 1), which is at most t. Then all are in the support and have the weight
// (t - d)^b = t^b (1 - d / t)^b, 1 / n to 2^-70. (f64 works in units of T.)
template <class T>
struct Uniform {
  T lowest = std::numeric_limits<T>::infinity();
  double count = 0;
};
template <class T>
HWY_INLINE std::optional<Uniform<T>> uniform_row(const AnyPower& raise, const Scale<T>& scale,
                                                 const Candidates<T>& candidates) {
  if (sizeof(T) == 8 || raise.exponent >= 1 || scale.given < 0x1p600) return std::nullopt;
  Uniform<T> row;
  for (std::size_t i = 0; i < candidates.count; ++i) {
    if (candidates.logits[i] == -std::numeric_limits<T>::infinity()) continue;
    row.lowest = std::min(row.lowest, candidates.logits[i]);
    ++row.count;
  }
  // Not by a itself: the product of T and alpha's denominator may be beyond the doubles.
  const double range = static_cast<double>(candidates.largest) - static_cast<double>(row.lowest);
  const double depth = range / scale.given * raise.step;
  const bool uniform = depth < kLeast && (depth == 0 || std::log2(depth) < -raise.step * std::log2(row.count) - 70);
  return uniform ? std::optional(row) : std::nullopt;
}

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
