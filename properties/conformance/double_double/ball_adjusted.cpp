// Gradients of self-adjusted softmax. Sums are of differences from the upstream of a logit of the row, so that equal
// upstreams leave nothing.
#include "properties/conformance/double_double/balls.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "properties/conformance/double_double/ball_adjusted.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <cmath>

#include "properties/conformance/double_double/ball_gradient-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attncert::double_double::HWY_NAMESPACE {

// A number, and the same with its terms counted as positive.
struct Sized {
  Ball value, size;
};

class AdjustedTerms {
 public:
  explicit HWY_INLINE AdjustedTerms(const AdjustedGradient& gradient)
      : g_(gradient),
        upstream_(gradient.upstream),
        inverse_(Ball::exact(1) / Ball::all(gradient.unit)),
        peak_(at_height(set(gradient.top))),
        mean_(about(
            gradient.origin, [&](std::size_t i) HWY_ATTR { return share(i); }, 1 / ball_unit)),
        depths_(products(1 / ball_unit, [&](std::size_t i) HWY_ATTR { return share(i) * depth(i); })),
        factors_(gradient.plain_magnitudes
                     ? products(1 / ball_unit, [&](std::size_t i) HWY_ATTR { return share(i) * at_height(logit(i)); })
                     : Sized{Ball::exact(0), Ball::exact(0)}),
        low_(end(gradient.low)),
        high_(end(gradient.high)) {}

  // T times the first part over p_i.
  HWY_INLINE Sized inner(std::size_t i) const {
    const Ball g = upstream_(i), c = (g - Ball::exact(g_.origin * upstream_unit)) - mean_.value, e = depth(i);
    const Ball value = peak_ * c - e * g + depths_.value;
    if (g_.plain_magnitudes) return {value, absolute(at_height(logit(i)) * g) + factors_.size};
    return {value, absolute(peak_) * (absolute(c) + mean_.size) + e * absolute(g) + depths_.size};
  }

  // d_i.
  HWY_INLINE Sized ended(std::size_t i) const {
    const Ball g = upstream_(i), p = share(i);
    Sized d{p * g, p * absolute(g)};
    at_end(g_.low, low_, i, d);
    at_end(g_.high, high_, i, d);
    return d;
  }

  HWY_INLINE Ball share(std::size_t i) const { return load(g_.shares, i); }
  HWY_INLINE Ball over_unit() const { return times_power_of_two(inverse_, g_.power); }

 private:
  struct End {
    Sized mean, others;
  };

  // Of what takes no part, whose share is 0, the largest logit stands in.
  HWY_INLINE BallVector logit(std::size_t i) const {
    const BallVector z = hn::LoadU(BallTag(), g_.row.logits + i);
    return hn::IfThenElse(hn::Eq(z, set(-HUGE_VAL)), set(g_.top), z);
  }
  HWY_INLINE Ball depth(std::size_t i) const { return (Ball::exact(g_.top) - Ball::exact(logit(i))) * inverse_; }
  HWY_INLINE Ball at_height(BallVector z) const { return (Ball::exact(z) - Ball::exact(g_.low.logit)) * inverse_; }
  HWY_INLINE auto is_at(const AdjustedEnd& end, std::size_t i) const {
    return hn::Eq(hn::LoadU(BallTag(), g_.row.logits + i), set(end.logit));
  }

  // The mean of g less the origin by weights whose sum is `over`, and of how far g lies from it.
  template <class Weight>
  HWY_INLINE Sized about(double origin, const Weight& weight, double over) const {
    const Ball from = Ball::exact(origin * upstream_unit);
    const auto sum = [&](const auto& term) HWY_ATTR {
      return times_power_of_two(
          sum_of(g_.row.length, [&](std::size_t i) HWY_ATTR { return weight(i) * term(upstream_(i) - from); }), over);
    };
    const Ball mean = sum([](const Ball& difference) HWY_ATTR { return difference; });
    return {mean, sum([&](const Ball& difference) HWY_ATTR { return absolute(difference - mean); })};
  }
  // The sum of weights times g.
  template <class Weight>
  HWY_INLINE Sized products(double unit, const Weight& weight) const {
    const auto sum = [&](const auto& term) HWY_ATTR {
      return times_power_of_two(
          sum_of(g_.row.length, [&](std::size_t i) HWY_ATTR { return term(weight(i) * upstream_(i)); }), unit);
    };
    return {sum([](const Ball& product) HWY_ATTR { return product; }),
            sum([](const Ball& product) HWY_ATTR { return absolute(product); })};
  }

  HWY_INLINE End end(const AdjustedEnd& end) const {
    const Ball zero = Ball::exact(0);
    if (end.count == 0) return {{zero, zero}, {zero, zero}};
    const Ball part = Ball::exact(1) / Ball::exact(static_cast<double>(end.count));
    const bool is_low = &end == &g_.low;
    const auto weight = [&](std::size_t i) HWY_ATTR {
      if (!g_.over_range) return share(i);
      const Ball z = Ball::exact(logit(i)), low = Ball::exact(g_.low.logit), high = Ball::exact(g_.high.logit);
      return share(i) * ((is_low ? high - z : z - low) * inverse_);
    };
    return {
        about(
            end.origin, [&](std::size_t i) HWY_ATTR { return if_then_else(is_at(end, i), part, Ball::exact(0)); }, 1),
        products(
            1, [&](std::size_t i) HWY_ATTR { return if_then_else(is_at(end, i), Ball::exact(0), weight(i) * part); })};
  }
  HWY_INLINE void at_end(const AdjustedEnd& end, const End& sums, std::size_t i, Sized& d) const {
    if (end.count == 0) return;
    const Ball c = (upstream_(i) - Ball::exact(end.origin * upstream_unit)) - sums.mean.value, p = share(i);
    d.value = if_then_else(is_at(end, i), p * c - sums.others.value, d.value);
    d.size = if_then_else(is_at(end, i), p * (absolute(c) + sums.mean.size) + sums.others.size, d.size);
  }

  const AdjustedGradient& g_;
  const Upstream upstream_;
  const Ball inverse_, peak_;
  const Sized mean_, depths_, factors_;
  const End low_, high_;
};

void differentiate_adjusted_row(const AdjustedGradient& gradient, Balls& to, std::vector<double>& sizes) {
  const std::size_t length = gradient.row.length;
  const AdjustedTerms terms(gradient);
  const Ball rate = Ball::all(gradient.rate), over_unit = terms.over_unit();
  to.resize(length);
  sizes.resize(padded_to_vectors(length));
  each_vector(length, [&](std::size_t i) HWY_ATTR {
    const Ball p = terms.share(i);
    const Sized inner = terms.inner(i), ended = terms.ended(i);
    const auto both = [&](const Ball& a, const Ball& b)
                          HWY_ATTR { return in_upstream_units(p * a) * rate + in_upstream_units(b) * over_unit; };
    store_gradient(both(inner.value, ended.value), both(inner.size, ended.size), gradient.negligible, i, to, sizes);
  });
}

}  // namespace attncert::double_double::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert::double_double {

HWY_EXPORT(differentiate_adjusted_row);

void differentiate_adjusted(const AdjustedGradient& gradient, Balls& to, std::vector<double>& magnitude) {
  HWY_DYNAMIC_DISPATCH(differentiate_adjusted_row)(gradient, to, magnitude);
}

}  // namespace attncert::double_double
#endif  // HWY_ONCE
