#include "properties/conformance/accuracy/double_double_tier.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "properties/conformance/accuracy/entry_bounds.hpp"
#include "properties/conformance/accuracy/tier_truths.hpp"
#include "properties/conformance/double_double/judge.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {

struct DoubleDoubleTier::State {
  const Normalizer& normalizer;
  const LogitRow& row;
  double_double::OutputFormat format;
  TierTruth truth;
};

namespace {

double_double::OutputFormat output_format(attncert_dtype dtype) {
  const Format& f = format(dtype);
  return {f.digits, f.min_exponent, f.max_exponent};
}

double power_of_two(int exponent) {  // of a normal double, or less
  return exponent < -1022 ? 0 : std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
}

// floor(log2 v) of v > 0, and what ulps are called by in reference/ulp.hpp.
int exponent(double v) { return v > 0 ? std::ilogb(v) : std::numeric_limits<short>::min(); }
int ulp_exponent_of(int exponent, const double_double::OutputFormat& format) {
  return std::max(exponent, format.min_exponent - 1) - (format.digits - 1);
}

// What every entry may err by, in the unit of double_double::judge, and never more than judge.cpp allows: where a power
// of two is too near to tell its sides, the exact value stands on the lower one.
std::vector<double> allowances(const Budget& budget, const EntryBounds& bounds, const double_double::Truth& truth,
                               const double_double::OutputFormat& format) {
  std::vector<double> each(truth.length);
  const double bound = bounds.of(budget);
  for (std::size_t i = 0; i < truth.length; ++i) {
    if (!std::isfinite(truth.high[i])) continue;  // absent: right or wrong, whatever is allowed; or not known
    const double value = std::abs(truth.high[i] * truth.times.high) * (1 - 0x1p-44);
    const double measure = truth.magnitude != nullptr ? truth.magnitude[i] * (1 - 0x1p-44) : value;
    const int own = exponent(value) - truth.scale, of = exponent(measure) - truth.scale;
    const int unit = ulp_exponent_of(of, format);
    each[i] = budget.last * power_of_two(ulp_exponent_of(own, format) - unit) + bounds.absolute(budget, i, unit);
    if (budget.narrowed) {
      each[i] += bound * power_of_two(ulp_exponent_of(of, double_double::f32) - unit) +
                 budget.inner_last * power_of_two(ulp_exponent_of(own, double_double::f32) - unit);
    } else {
      each[i] += bound;
    }
  }
  return each;
}

// What is allowed, as a part of every entry that was computed as a normal number, or of the sizes that cancel in it: of
// heights over a threshold those of the largest weight.
Vacuity vacuity_of(std::span<const double> each, const double_double::Truth& truth, std::span<const double> computed,
                   const double_double::OutputFormat& format, bool of_heights) {
  const double smallest = std::ldexp(1.0, format.min_exponent - 1);
  Vacuity vacuity;
  double largest = 0;
  for (std::size_t i = 0; i < truth.length && of_heights; ++i)
    if (std::isfinite(truth.high[i])) largest = std::max(largest, truth.high[i] * truth.times.high);
  for (std::size_t i = 0; i < truth.length; ++i) {
    if (!std::isfinite(truth.high[i]) || !std::isfinite(computed[i]) || std::abs(computed[i]) < smallest) continue;
    const double value = std::abs(truth.high[i] * truth.times.high);
    const double measure = truth.magnitude != nullptr ? truth.magnitude[i] : value;
    const int unit = ulp_exponent_of(exponent(measure) - truth.scale, format);
    vacuity.add(std::ldexp(each[i], unit + truth.scale) / std::max(measure, largest));
  }
  return vacuity;
}

// Where the support is exact, a weight that is no number below all may not be 0, whatever its budget allows: such zeros
// are for Interval to see.
void leave_zeros_open(const double_double::Truth& truth, std::span<const double> computed,
                      const double_double::OutputFormat& format, std::vector<std::size_t>& open) {
  const double smallest = std::ldexp(1.0, format.min_exponent - format.digits + truth.scale);
  const std::size_t before = open.size();
  for (std::size_t i = 0; i < truth.length; ++i)
    if (computed[i] == 0 && std::abs(truth.high[i] * truth.times.high) >= smallest * (1 - 0x1p-40)) open.push_back(i);
  if (open.size() == before) return;
  std::sort(open.begin(), open.end());
  open.erase(std::unique(open.begin(), open.end()), open.end());
}

}  // namespace

bool DoubleDoubleTier::serves(const Normalizer& normalizer) { return TierTruth::serves(normalizer); }

DoubleDoubleTier::DoubleDoubleTier(const Normalizer& normalizer, const LogitRow& row, attncert_dtype dtype_out)
    : state_(new State{
          normalizer, row, output_format(dtype_out),
          // What kernels of 16 bits compute in has units, too.
          TierTruth(normalizer, row, std::min(format(dtype_out).min_exponent, double_double::f32.min_exponent))}) {}

DoubleDoubleTier::~DoubleDoubleTier() = default;

bool DoubleDoubleTier::offered() const { return state_->truth.truth().has_value(); }

TierOutcome DoubleDoubleTier::judge(std::span<const double> computed, const Budget& budget, bool with_position,
                                    std::size_t sample) const {
  if (!offered()) return {};
  const State& s = *state_;
  const double_double::Truth& truth = *s.truth.truth();
  const bool unit = s.row.temperature == 1;
  const double tolerance = unit ? budget.tolerance_unit : budget.tolerance_other;
  const double bound = budget.bound(s.row.temperature);
  double_double::Allowance allowance{tolerance > 0 ? std::min(tolerance, bound) : bound, {}};
  std::vector<double> each;
  if (budget.last != 0 || budget.narrowed || budget.arithmetic != nullptr) {
    if (tolerance > 0) return {};  // no kernel has both
    each = allowances(budget, EntryBounds(s.normalizer, s.row), truth, s.format);
    allowance.each = each;
  }
  double_double::Judgement judgement;
  double_double::judge<double>(judgement, truth, computed, s.format, allowance,
                               with_position ? 0 : std::numeric_limits<double>::infinity(), sample);
  if (judgement.outside != 0) return {};
  if (s.normalizer.exact_support) leave_zeros_open(truth, computed, s.format, judgement.undecided);
  return {judgement.elements - judgement.undecided.size(),
          std::move(judgement.undecided),
          judgement.worst_ulp,
          judgement.worst_fraction,
          judgement.worst_position,
          judgement.worst_allowed,
          judgement.truth_error,
          budget.arithmetic == nullptr
              ? Vacuity{}
              : vacuity_of(each, truth, computed, s.format, has_threshold(s.normalizer) && !s.normalizer.derivative),
          std::move(judgement.sample)};
}

}  // namespace attncert
