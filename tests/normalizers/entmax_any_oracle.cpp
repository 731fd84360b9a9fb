// p_i = (a (z_i - r + n))^b over the support {z >= r}, a = (alpha - 1) / T, b = 1 / (alpha - 1). z_k is in it iff
// sum over z_j > z_k of (a (z_j - z_k))^b < 1.
#include <arb.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "tests/normalizers/entmax_oracle.hpp"

namespace attncert::oracle {
namespace {

constexpr slong kBits = 640;

class Real {
 public:
  Real() { arb_init(value_); }
  explicit Real(double exact) : Real() { arb_set_d(value_, exact); }
  Real(const Real& other) : Real() { arb_set(value_, other.value_); }
  Real& operator=(const Real& other) {
    arb_set(value_, other.value_);
    return *this;
  }
  ~Real() { arb_clear(value_); }
  arb_ptr get() { return value_; }
  arb_srcptr get() const { return value_; }

 private:
  arb_t value_;
};

Real operator-(const Real& a, const Real& b) {  // exact
  Real c;
  arb_sub(c.get(), a.get(), b.get(), 5000);
  return c;
}
Real operator+(const Real& a, const Real& b) {
  Real c;
  arb_add(c.get(), a.get(), b.get(), kBits);
  return c;
}
Real operator*(const Real& a, const Real& b) {
  Real c;
  arb_mul(c.get(), a.get(), b.get(), kBits);
  return c;
}
Real operator/(const Real& a, const Real& b) {
  Real c;
  arb_div(c.get(), a.get(), b.get(), kBits);
  return c;
}
Real power(const Real& base, const Real& exponent) {
  Real c;
  if (arb_is_zero(base.get()) == 0) arb_pow(c.get(), base.get(), exponent.get(), kBits);
  return c;
}
Real middle(const Real& a) {
  Real c;
  arb_get_mid_arb(c.get(), a.get());
  return c;
}

long exponent_of(const Real& value) {
  arf_t size;
  arf_init(size);
  arb_get_abs_ubound_arf(size, value.get(), 60);
  const long exponent = arf_is_zero(size) ? std::numeric_limits<int>::min() : arf_abs_bound_lt_2exp_si(size) - 1;
  arf_clear(size);
  return exponent;
}

struct Problem {
  std::vector<Real> sorted;
  Real rate, exponent, step;

  Real sum_above(std::size_t k) const {
    Real sum;
    for (std::size_t j = 0; j < k; ++j) sum = sum + power(rate * (sorted[j] - sorted[k]), exponent);
    return sum;
  }
  bool inside(std::size_t k) const {
    const Real one(1);
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
  Real smallest(std::size_t size, bool& good) const {
    const Real count(static_cast<double>(size));
    const bool convex = arb_ge(exponent.get(), Real(1).get()) != 0;
    Real v = power(Real(1) / count, step);
    for (int i = 0; i < 2000; ++i) {
      Real sum, slope;
      for (std::size_t j = 0; j < size; ++j) {
        const Real w = v + rate * (sorted[j] - sorted[size - 1]), p = power(w, exponent);
        sum = sum + p;
        slope = slope + exponent * p / w;
      }
      const Real over = middle(sum - Real(1)), move = middle(over / slope);
      good = exponent_of(move) < exponent_of(v) - 150;
      if (good) break;
      const Real y = power(v, exponent);
      Real next = middle(convex ? v - move : y - over * exponent * y / (slope * v));
      if (arb_is_positive(next.get()) == 0) next = middle((convex ? v : y) * Real(0x1p-8));
      v = convex ? next : middle(power(next, step));
    }
    return v;
  }
};

template <class T>
double error_in_ulp(T computed, const Real& exact) {
  const long lowest = std::numeric_limits<T>::min_exponent - 1;
  Real error = Real(static_cast<double>(computed)) - exact;
  arb_mul_2exp_si(error.get(), error.get(),
                  -(std::max(exponent_of(exact), lowest) - std::numeric_limits<T>::digits + 1));
  arf_t bound;
  arf_init(bound);
  arb_get_abs_ubound_arf(bound, error.get(), 60);
  const double ulp = arf_get_d(bound, ARF_RND_UP);
  arf_clear(bound);
  return std::isfinite(computed) ? ulp : std::numeric_limits<double>::infinity();
}

}  // namespace

template <class T>
Worst entmax(std::span<const T> logits, std::span<const T> weights, double temperature, unsigned long numerator,
             unsigned long denominator) {
  std::vector<T> order(logits.begin(), logits.end());
  std::sort(order.begin(), order.end(), std::greater<>());
  while (std::isinf(order.back())) order.pop_back();
  Problem problem;
  for (const T z : order) problem.sorted.emplace_back(static_cast<double>(z));
  problem.step = Real(static_cast<double>(numerator - denominator)) / Real(static_cast<double>(denominator));
  problem.exponent = Real(static_cast<double>(denominator)) / Real(static_cast<double>(numerator - denominator));
  problem.rate = problem.step / Real(temperature);
  const std::size_t size = problem.support();
  Worst worst;
  bool good = false;
  const Real v = problem.smallest(size, good), last = problem.sorted[size - 1];
  if (!good) worst.ulp = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const bool inside = logits[i] >= order[size - 1];
    Real exact;
    if (inside) {
      exact = power(v + problem.rate * (Real(static_cast<double>(logits[i])) - last), problem.exponent);
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

template Worst entmax<float>(std::span<const float>, std::span<const float>, double, unsigned long, unsigned long);
template Worst entmax<double>(std::span<const double>, std::span<const double>, double, unsigned long, unsigned long);

}  // namespace attncert::oracle
