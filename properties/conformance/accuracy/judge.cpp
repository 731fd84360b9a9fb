#include "properties/conformance/accuracy/judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "properties/conformance/accuracy/entry_bounds.hpp"
#include "reference/ulp.hpp"

namespace attncert {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double smallest_subnormal(const Format& f) { return std::ldexp(1.0, f.min_exponent - f.digits); }
double smallest_normal(const Format& f) { return std::ldexp(1.0, f.min_exponent - 1); }
UlpFormat ulps(const Format& f) { return {f.digits, f.min_exponent}; }

// An infinity stands for 2^max_exponent, the next number if the format went on: a result is infinite exactly where its
// last rounding, with no end to the exponents, gives that or more (IEEE 754-2019, 7.4). Halves, since f64 has no such
// double.
UlpError error_of(double computed, const Format& format, const Interval& truth, long double magnitude) {
  if (!std::isinf(computed)) return ulp_error(computed, ulps(format), truth, magnitude);
  const double end = std::copysign(std::ldexp(1.0, format.max_exponent - 1), computed);
  const Interval half = truth * Interval(0.5, truth.precision()), limit(end, truth.precision());
  if ((computed < 0 ? less_equal(half, limit) : less_equal(limit, half)) == Truth::yes) return {0, 0};
  return ulp_error(end, ulps(format), half, magnitude / 2);
}

// Zero where the truth is zero and nowhere else; a positive truth below the smallest subnormal may round to zero.
bool support_differs(double computed, const Format& format, const Interval& truth) {
  if (truth.is_point() && truth.upper() == 0) return computed != 0;
  return computed == 0 && truth.lower() >= smallest_subnormal(format);
}

// How far a value lies from the screen, relative to it; NaN is as far as can be.
double suspicion_of(double value, double screen) {
  if (value == screen) return 0;
  const double distance =
      std::abs(value - screen) / std::max(std::abs(screen), double{std::numeric_limits<float>::min()});
  return std::isnan(distance) ? infinity : distance;
}

// What the row's entry at hand allows a kernel, in the unit that its error is measured in: ulp(max(|exact|,
// magnitude)).
class Allowances {
 public:
  Allowances(const Normalizer& normalizer, const LogitRow& row, const Format& format)
      : unit_(row.temperature == 1), bounds_(normalizer, row), format_(format) {}

  double of(const Budget& budget, std::size_t position, const Interval& truth, long double magnitude) const {
    const double bound = bounds_.of(budget);
    const double tolerance = unit_ ? budget.tolerance_unit : budget.tolerance_other;
    const double least = std::min(std::abs(truth.lower()), std::abs(truth.upper()));
    const int unit = std::max(ulp_exponent(least, ulps(format_)), ulp_exponent(magnitude, ulps(format_)));
    const int own = ulp_exponent(least, ulps(format_)) - unit;
    double allowed = std::ldexp(budget.last, own) + bounds_.absolute(budget, position, unit);
    if (budget.narrowed) {
      const int inner = ulp_exponent(std::max<long double>(least, magnitude), ulp_format<float>) - unit;
      allowed +=
          std::ldexp(bound, inner) + std::ldexp(budget.inner_last, ulp_exponent(least, ulp_format<float>) - unit);
    } else {
      allowed += bound;
    }
    return tolerance > 0 ? std::min(allowed, tolerance) : allowed;
  }

  std::size_t largest() const { return bounds_.at_largest(); }

  // What a class allows may be far above the entry (a weight that is 0, next to a threshold): in its own unit, then, as
  // that of the entry may have no double that says how many.
  long double least_magnitude(const Budget& budget, std::size_t position) const {
    return std::min(bounds_.absolute(budget, position), std::numeric_limits<long double>::max());
  }

 private:
  bool unit_;  // T = 1
  EntryBounds bounds_;
  const Format& format_;
};

void record(Judgement& judgement, std::size_t position, double value, const UlpError& error, double allowed,
            const Interval& truth) {
  judgement.worst_ulp = std::max(judgement.worst_ulp, error.upper);
  const double fraction = std::max(0.0, error.upper / allowed);  // no -0 in a report
  judgement.sample.push_back({position, error.upper, fraction});
  if (fraction <= judgement.worst_fraction && has_worst(judgement)) return;
  judgement.worst_fraction = fraction;
  judgement.budget_ulp = allowed;
  judgement.worst_position = position;
  judgement.worst_value = value;
  judgement.worst_truth = truth;
  judgement.worst_absent.clear();
}

void judge_absent(Judgement& judgement, std::size_t position, double value, double expected) {
  ++judgement.elements;
  if (value == expected) return;
  ++judgement.outside;
  judgement.worst_ulp = judgement.worst_fraction = infinity;
  judgement.worst_position = position;
  judgement.worst_value = value;
  judgement.worst_truth.reset();
  judgement.worst_absent = expected == 0 ? "0 (takes no part)" : "-inf (takes no part)";
}

// The first enclosure serves every kernel; those that it leaves open are few.
class Entry {
 public:
  Entry(const Normalizer& normalizer, RowTruth& truth, const Format& format, const Allowances& allowances,
        std::size_t position)
      : normalizer_(normalizer),
        truth_(truth),
        format_(format),
        allowances_(allowances),
        position_(position),
        first_(truth.value(position, first_precision(format))),
        magnitude_(truth.magnitude(position)) {}

  void judge(Judgement& judgement, double computed, const Budget& budget) {
    ++judgement.elements;
    const long double unit_of = magnitude(budget);
    for (Precision precision = first_precision(format_);; precision = precision.doubled()) {
      const Interval finer = precision == first_precision(format_) ? first_ : truth_.value(position_, precision);
      UlpError error = finer.is_finite() ? error_of(computed, format_, finer, unit_of) : UlpError{0, infinity};
      if (has_exact_support(budget) && support_differs(computed, format_, finer)) error = {infinity, infinity};
      const double allowed = finer.is_finite() ? allowances_.of(budget, position_, finer, unit_of) : 0;
      const bool decided = error.upper <= allowed || error.lower > allowed;
      if (!decided && precision.doubled() <= last_precision) continue;
      record(judgement, position_, computed, error, allowed, finer);
      if (!decided) ++judgement.undecided;
      else if (error.lower > allowed) ++judgement.outside;
      else note(judgement, computed, error, allowed, budget);
      return;
    }
  }

 private:
  bool has_exact_support(const Budget& budget) const {
    return normalizer_.exact_support && (budget.arithmetic == nullptr || !has_threshold(normalizer_));
  }

  // Whose ulp errors are measured in.
  long double magnitude(const Budget& budget) const {
    return std::max(magnitude_, allowances_.least_magnitude(budget, position_));
  }

  // What cancels in a weight of a class: a height over a computed threshold. The largest weight has that size.
  double of_threshold(const Budget& budget) const {
    const bool cancels = budget.arithmetic != nullptr && has_threshold(normalizer_) && !normalizer_.derivative;
    return cancels ? truth_.screen(allowances_.largest()) : 0;
  }

  // The room that was left, relative to the entry (where terms cancel, to their sizes), where it is a normal number.
  void note(Judgement& judgement, double computed, const UlpError& error, double allowed, const Budget& budget) const {
    if (!(std::abs(computed) >= smallest_normal(format_)) || std::isinf(computed)) return;
    const int unit = std::max(ulp_exponent(computed, ulps(format_)), ulp_exponent(magnitude(budget), ulps(format_)));
    const long double size = std::max<long double>({std::abs(computed), magnitude_, of_threshold(budget)});
    const long double room = std::ldexp(static_cast<long double>(allowed - error.lower), unit);
    judgement.vacuity.add(static_cast<double>(room / size));
  }

  const Normalizer& normalizer_;
  RowTruth& truth_;
  const Format& format_;
  const Allowances& allowances_;
  std::size_t position_;
  Interval first_;
  long double magnitude_;  // after the first value, whose exponentials it may use
};

}  // namespace

Precision first_precision(const Format& format) { return {format.digits > 24 ? 128 : 64}; }

void judge_row(const Normalizer& normalizer, const LogitRow& row, RowTruth& truth, const Format& format,
               std::span<const std::size_t> positions, std::span<Judged> judged) {
  const Allowances allowances(normalizer, row, format);
  for (const std::size_t position : positions) {
    if (!row.present(position)) {
      for (Judged& one : judged) judge_absent(one.judgement, position, one.computed[position], normalizer.absent);
      continue;
    }
    Entry entry(normalizer, truth, format, allowances, position);
    for (Judged& one : judged) entry.judge(one.judgement, one.computed[position], *one.budget);
  }
}

Judgement judge_row(const Normalizer& normalizer, const LogitRow& row, RowTruth& truth, const Format& format,
                    std::span<const double> computed, const Budget& budget) {
  std::vector<std::size_t> all(computed.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  Judged one{computed, &budget};
  judge_row(normalizer, row, truth, format, all, {&one, 1});
  return one.judgement;
}

std::vector<std::size_t> chosen_positions(const LogitRow& row, RowTruth& truth, std::span<const Judged> judged,
                                          std::size_t about) {
  const std::size_t length = row.logits.size(), share = about / 4;
  std::vector<std::size_t> chosen(length);
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  if (length <= about) return chosen;
  const auto leading = [&](const std::vector<double>& keys, std::size_t count) {
    std::vector<std::size_t> order(length);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(count);
    std::partial_sort(order.begin(), end, order.end(),
                      [&](std::size_t a, std::size_t b) { return keys[a] != keys[b] ? keys[a] > keys[b] : a < b; });
    order.resize(count);
    return order;
  };
  std::vector<double> suspicion(length), logits(length, -infinity);
  for (std::size_t i = 0; i < length; ++i) {
    if (!row.present(i)) continue;
    logits[i] = row.logits[i];
    const double screen = truth.screen(i);
    for (const Judged& one : judged) suspicion[i] = std::max(suspicion[i], suspicion_of(one.computed[i], screen));
  }
  chosen = leading(suspicion, share);
  const auto largest = leading(logits, share / 4);
  chosen.insert(chosen.end(), largest.begin(), largest.end());
  for (std::size_t k = 0; k < share; ++k)  // share <= length / 4: every index is inside
    for (const std::size_t position : {k / 2, length - 1 - k, k * (length - 1) / share}) chosen.push_back(position);
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

}  // namespace attncert
