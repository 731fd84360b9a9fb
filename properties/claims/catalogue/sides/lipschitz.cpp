#include "properties/claims/catalogue/sides/lipschitz.hpp"

#include <algorithm>

#include "properties/claims/instances/instances.hpp"
#include "reference/exact_rows.hpp"
#include "reference/normalizers/softmax.hpp"

namespace attncert::sides {
namespace {

std::vector<Rational> step_of(const Instance& instance) { return difference(instance.logits, instance.other_logits); }
ExactNorms step(const Instance& instance) { return norms(step_of(instance)); }

Truth two_rows(const Instance& instance) {
  return truth(instance.length >= 1 && instance.logits.size() == instance.length &&
               instance.other_logits.size() == instance.length);
}
Truth rows_differ(const Instance& instance) { return truth(instance.logits != instance.other_logits); }

std::vector<Interval> quotients(const std::vector<Interval>& moved, const Instance& instance, Precision precision) {
  std::vector<Interval> result = half_means(moved, precision);
  const std::vector<Interval> by = half_means(enclosures(step_of(instance), precision), precision);
  for (std::size_t k = 0; k < result.size(); ++k) result[k] /= by[k];
  return result;
}

// The range at a point of the segment and a slope of a line through it that lies below the range everywhere: that of
// the highest line less that of the lowest, ties as they go on to the right.
struct Tangent {
  Rational at, value, slope;
};

Tangent tangent(const Logits& from, const Logits& by, const Rational& at) {
  Rational top, top_slope, bottom, bottom_slope;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Rational value = from[i] + at * by[i];
    if (i == 0 || value > top || (value == top && by[i] > top_slope)) {
      top = value;
      top_slope = by[i];
    }
    if (i == 0 || value < bottom || (value == bottom && by[i] < bottom_slope)) {
      bottom = value;
      bottom_slope = by[i];
    }
  }
  return {at, top - bottom, top_slope - bottom_slope};
}

}  // namespace

Hypotheses pair_hypotheses(Hypotheses more) {
  more.insert(more.begin(),
              {hypotheses::positive_temperature, {"two rows of L logits", two_rows}, {"l != l'", rows_differ}});
  return more;
}

Truth has_numbers(const Instance& instance) { return truth(instance.parameters.size() == parameter::count); }

ExactNorms norms(const std::vector<Rational>& v) {
  ExactNorms result;
  for (const Rational& entry : v) {
    const Rational size = abs(entry);
    result.one += size;
    result.squared_two += size * size;
    result.infinity = std::max(result.infinity, size);
  }
  return result;
}

Stretch stretch(const Instance& instance, Rule rule, Precision precision) {
  const ExactNorms h = step(instance);
  const Values other = rule(instance, instance.other_logits, precision);
  Values moved = rule(instance, instance.logits, precision);
  Interval one(0.0, precision), infinity(0.0, precision);
  for (std::size_t i = 0; i < moved.size(); ++i) {
    moved[i] -= other[i];
    one += abs(moved[i]);
    infinity = max(infinity, abs(moved[i]));
  }
  return {one / Interval(h.one, precision), sqrt(sum_of_squares(moved, precision) / Interval(h.squared_two, precision)),
          infinity / Interval(h.infinity, precision)};
}

std::vector<Interval> stretches(const Instance& instance, Rule rule, Precision precision) {
  const Values other = rule(instance, instance.other_logits, precision);
  Values moved = rule(instance, instance.logits, precision);
  for (std::size_t i = 0; i < moved.size(); ++i) moved[i] -= other[i];
  return quotients(moved, instance, precision);
}

std::vector<Interval> stretches(const Instance& instance, ExactRule rule, Precision precision) {
  const auto moved = difference(rule(instance, instance.logits), rule(instance, instance.other_logits));
  return quotients(enclosures(moved, precision), instance, precision);
}

ExactNorms exact_stretch(const Instance& instance, ExactRule rule) {
  const ExactNorms h = step(instance);
  const ExactNorms moved = norms(difference(rule(instance, instance.logits), rule(instance, instance.other_logits)));
  return {moved.one / h.one, moved.squared_two / h.squared_two, moved.infinity / h.infinity};
}

Stretch stretch(const Instance& instance, ExactRule rule, Precision precision) {
  const ExactNorms exact = exact_stretch(instance, rule);
  return {Interval(exact.one, precision), sqrt(Interval(exact.squared_two, precision)),
          Interval(exact.infinity, precision)};
}

Values softmax(const Instance& instance, const Logits& logits, Precision precision) {
  return reference::softmax(logits, *instance.temperature, precision);
}

Values shares(const Values& exponents, Precision precision) {
  Values result;
  for (const Interval& x : exponents) result.push_back(exp(x));
  const Interval total = sum(result, precision);
  for (Interval& share : result) share /= total;
  return result;
}

Values self_adjusted(const Instance& instance, const Logits& logits, const Rational& low, const Rational& unit,
                     Precision precision) {
  Values result = softmax(instance, logits, precision);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] *= Interval(Rational((logits[i] - low) / unit), precision);
  return result;
}

// The range is convex and piecewise linear along the segment: tangents from both sides meet below the minimum, and on
// it after finitely many steps.
Rational smallest_range_between(const Instance& instance, bool with_zero) {
  Logits from = instance.logits, by = difference(instance.other_logits, instance.logits);
  if (with_zero) {
    from.emplace_back(0);
    by.emplace_back(0);
  }
  Tangent left = tangent(from, by, Rational(0)), right = tangent(from, by, Rational(1));
  while (true) {
    if (sgn(left.slope) >= 0) return left.value;
    if (sgn(right.slope) <= 0) return right.value;
    const Rational gap = right.value - right.slope * right.at - left.value + left.slope * left.at;
    const Rational meeting = gap / (left.slope - right.slope);
    const Tangent middle = tangent(from, by, meeting);
    if (middle.value == left.value + left.slope * (meeting - left.at)) return middle.value;
    (sgn(middle.slope) < 0 ? left : right) = middle;
  }
}

}  // namespace attncert::sides
