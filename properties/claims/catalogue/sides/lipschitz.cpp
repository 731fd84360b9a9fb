#include "properties/claims/catalogue/sides/lipschitz.hpp"

#include <algorithm>

#include "properties/claims/instances/instances.hpp"
#include "reference/exact_rows.hpp"
#include "reference/normalizers/softmax.hpp"

namespace attncert::sides {
namespace {

Truth two_rows(const Instance& instance) {
  return truth(instance.length >= 1 && instance.logits.size() == instance.length &&
               instance.other_logits.size() == instance.length);
}
Truth rows_differ(const Instance& instance) { return truth(instance.logits != instance.other_logits); }

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

std::vector<Rational> exact_step(const Instance& instance) {
  return difference(instance.logits, instance.other_logits);
}

Values step(const Instance& instance, Precision precision) {
  return enclosures(instance.once<exact_step>(), precision);
}

Interval step_norm(const Instance& instance, Exponent p, Precision precision) {
  return norm(instance.once<step>(precision), p, precision);
}

Part lipschitz_part(Exponent p, const Constant& constant) {
  const std::string where = constant.where.empty() ? "" : ", " + std::string(constant.where);
  Part part{.name = lasting("l_" + std::string(text(p))),
            .left = lasting(norm_text("f(l) - f(l')", p)),
            .right = lasting(std::string(constant.text) + " " + norm_text("l - l'", p) + where)};
  part.rhs = [p, factor = constant.value](const Instance& instance, Precision precision) {
    return factor(instance, precision) * step_norm(instance, p, precision);
  };
  return part;
}

Rational squared_norm(std::span<const Rational> v, Exponent p) {
  if (p == Exponent::two) return sum_of_squares(v);
  Rational total = 0;
  for (const Rational& entry : v)
    total = p == Exponent::one ? Rational(total + abs(entry)) : std::max<Rational>(total, abs(entry));
  return total * total;
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

namespace {

// The range is convex and piecewise linear along the segment: tangents from both sides meet below the minimum, and on
// it after finitely many steps.
Rational smallest_range_between(const Logits& from, const Logits& by) {
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

}  // namespace

Rational smallest_range(const Instance& instance) {
  return smallest_range_between(instance.logits, difference(instance.other_logits, instance.logits));
}

Rational smallest_range_with_zero(const Instance& instance) {
  Logits from = instance.logits, by = difference(instance.other_logits, instance.logits);
  from.emplace_back(0);
  by.emplace_back(0);
  return smallest_range_between(from, by);
}

}  // namespace attncert::sides
