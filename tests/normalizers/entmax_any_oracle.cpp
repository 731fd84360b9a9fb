// p_i = (a (z_i - r + n))^b over the support {z >= r}, a = (alpha - 1) / T, b = 1 / (alpha - 1). z_k is in it iff
// sum over z_j > z_k of (a (z_j - z_k))^b < 1.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "tests/arb.hpp"
#include "tests/normalizers/ball.hpp"
#include "tests/normalizers/entmax_oracle.hpp"

namespace attncert::oracle {
namespace {

slong bits = 640;  // of all that follows; entmax() sets it

Ball operator-(const Ball& a, const Ball& b) {  // exact
  Ball c;
  arb_sub(c.get(), a.get(), b.get(), kExact);
  return c;
}
Ball operator+(const Ball& a, const Ball& b) {
  Ball c;
  arb_add(c.get(), a.get(), b.get(), bits);
  return c;
}
Ball operator*(const Ball& a, const Ball& b) {
  Ball c;
  arb_mul(c.get(), a.get(), b.get(), bits);
  return c;
}
Ball operator/(const Ball& a, const Ball& b) {
  Ball c;
  arb_div(c.get(), a.get(), b.get(), bits);
  return c;
}
Ball power(const Ball& base, const Ball& exponent) {
  Ball c;
  if (arb_is_zero(base.get()) == 0) arb_pow(c.get(), base.get(), exponent.get(), bits);
  return c;
}
Ball middle(const Ball& a) {
  Ball c;
  arb_get_mid_arb(c.get(), a.get());
  return c;
}

struct Problem {
  std::vector<Ball> sorted;
  Ball rate, exponent, step;

  Ball sum_above(std::size_t k) const {
    Ball sum;
    for (std::size_t j = 0; j < k; ++j) sum = sum + power(rate * (sorted[j] - sorted[k]), exponent);
    return sum;
  }
  bool inside(std::size_t k) const {
    const Ball one(1);
    return k == 0 || arb_lt(sum_above(k).get(), one.get()) != 0;
  }
  std::size_t support() const {
    std::size_t in = 0, out = sorted.size();
    while (out - in > 1) {
      const std::size_t k = (in + out) / 2;
      (inside(k) ? in : out) = k;
    }
    return out;
  }
  // v = a n of the smallest logit of the support: sum (v + a e_j)^b = 1. Newton from above, in v where that is convex
  // (b >= 1), in y = v^b where that is; halving where it would leave the positive numbers.
  Ball smallest(std::size_t size, bool& good) const {
    const Ball count(static_cast<double>(size));
    const bool convex = arb_ge(exponent.get(), Ball(1).get()) != 0;
    Ball v = power(Ball(1) / count, step);
    for (int i = 0; i < 2000; ++i) {
      Ball sum, slope;
      for (std::size_t j = 0; j < size; ++j) {
        const Ball w = v + rate * (sorted[j] - sorted[size - 1]), p = power(w, exponent);
        sum = sum + p;
        slope = slope + exponent * p / w;
      }
      const Ball over = middle(sum - Ball(1)), move = middle(over / slope);
      good = exponent_of(move) < exponent_of(v) - 150;
      if (good) break;
      const Ball y = power(v, exponent);
      Ball next = middle(convex ? v - move : y - over * exponent * y / (slope * v));
      if (arb_is_positive(next.get()) == 0) next = middle((convex ? v : y) * Ball(0x1p-8));
      v = convex ? next : middle(power(next, step));
    }
    return v;
  }
};

}  // namespace

template <class T>
Worst entmax(std::span<const T> logits, std::span<const T> weights, double temperature, unsigned long numerator,
             unsigned long denominator, long precision) {
  bits = precision;
  std::vector<T> order(logits.begin(), logits.end());
  std::sort(order.begin(), order.end(), std::greater<>());
  while (std::isinf(order.back())) order.pop_back();
  Problem problem;
  for (const T z : order) problem.sorted.emplace_back(static_cast<double>(z));
  problem.step = Ball(static_cast<double>(numerator - denominator)) / Ball(static_cast<double>(denominator));
  problem.exponent = Ball(static_cast<double>(denominator)) / Ball(static_cast<double>(numerator - denominator));
  problem.rate = problem.step / Ball(temperature);
  const std::size_t size = problem.support();
  Worst worst;
  bool good = false;
  const Ball v = problem.smallest(size, good), last = problem.sorted[size - 1];
  if (!good) worst.ulp = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const bool inside = logits[i] >= order[size - 1];
    Ball exact;
    if (inside) {
      exact = power(v + problem.rate * (Ball(static_cast<double>(logits[i])) - last), problem.exponent);
    }
    const bool normal = inside && exponent_of(exact) >= std::numeric_limits<T>::min_exponent - 1;
    worst.same_support &= inside ? weights[i] > 0 || !normal : weights[i] == 0;
    worst.flushed += normal && weights[i] == 0;
    const double error = error_in_ulp(weights[i], exact);
    if (inside && !(error <= worst.ulp)) {
      worst.ulp = error;
      worst.index = i;
    }
  }
  return worst;
}

template Worst entmax<float>(std::span<const float>, std::span<const float>, double, unsigned long, unsigned long,
                             long);
template Worst entmax<double>(std::span<const double>, std::span<const double>, double, unsigned long, unsigned long,
                              long);

}  // namespace attncert::oracle
