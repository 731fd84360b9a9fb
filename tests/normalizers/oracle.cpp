#include "tests/normalizers/oracle.hpp"

#include <gmpxx.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "tests/arb.hpp"
#include "tests/normalizers/ball.hpp"

namespace attncert::oracle {
namespace {

constexpr slong kPrecisionBits = 192;

template <class T>
void note_ball(Worst& worst, std::size_t index, T computed, const Ball& exact) {
  const double error = error_in_ulp(computed, exact);
  if (!(error <= worst.ulp)) {
    worst.ulp = error;
    worst.index = index;
  }
  worst.flushed += computed == 0 && exponent_of(exact) >= std::numeric_limits<T>::min_exponent - 1;
}

// (z_i - max) / T for every logit, the differences exact; an infinite one is left 0 and skipped by all.
template <class T>
std::vector<Ball> shifted(std::span<const T> logits, double temperature) {
  const T largest = *std::max_element(logits.begin(), logits.end());
  const Ball peak(static_cast<double>(largest)), divisor(temperature);
  std::vector<Ball> out(logits.size());
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (std::isinf(logits[i])) continue;
    arb_set_d(out[i].get(), static_cast<double>(logits[i]));
    arb_sub(out[i].get(), out[i].get(), peak.get(), kExact);
    arb_div(out[i].get(), out[i].get(), divisor.get(), kPrecisionBits);
  }
  return out;
}

template <class T>
Ball sum_of_exponentials(std::span<const T> logits, std::vector<Ball>& terms) {
  Ball sum;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (std::isinf(logits[i])) {
      arb_zero(terms[i].get());
      continue;
    }
    arb_exp(terms[i].get(), terms[i].get(), kPrecisionBits);
    arb_add(sum.get(), sum.get(), terms[i].get(), kExact);  // a peaked row: 1 + tiny must keep the tiny
  }
  return sum;
}

Ball enclosed(const mpq_class& value) {
  fmpq_t rational;
  fmpq_init(rational);
  fmpq_set_mpq(rational, value.get_mpq_t());
  Ball ball;
  arb_set_fmpq(ball.get(), rational, kPrecisionBits);
  fmpq_clear(rational);
  return ball;
}

mpq_class dyadic(double value) { return mpq_class(value); }

}  // namespace

template <class T>
Worst softmax(std::span<const T> logits, std::span<const T> weights, double temperature) {
  std::vector<Ball> terms = shifted(logits, temperature);
  const Ball sum = sum_of_exponentials(logits, terms);
  Worst worst;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    arb_div(terms[i].get(), terms[i].get(), sum.get(), kPrecisionBits);
    note_ball(worst, i, weights[i], terms[i]);
  }
  return worst;
}

template <class T>
Worst softmax1(std::span<const T> logits, std::span<const T> weights, double temperature) {
  std::vector<T> longer(logits.begin(), logits.end());
  longer.push_back(T(0));
  std::vector<Ball> terms = shifted<T>(longer, temperature);
  const Ball sum = sum_of_exponentials<T>(longer, terms);
  Worst worst;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    arb_div(terms[i].get(), terms[i].get(), sum.get(), kPrecisionBits);
    note_ball(worst, i, weights[i], terms[i]);
  }
  return worst;
}

template <class T>
Worst ssmax(std::span<const T> logits, std::span<const T> weights, double temperature, double s) {
  std::size_t present = 0;
  for (const T z : logits) present += std::isinf(z) ? 0 : 1;
  Ball factor, rate(s);
  arb_log_ui(factor.get(), present, kPrecisionBits);
  arb_mul(factor.get(), factor.get(), rate.get(), kPrecisionBits);
  std::vector<Ball> terms =
      shifted(logits, temperature);  // not yet below 0 where s is negative: Arb's range does not care
  for (Ball& term : terms) arb_mul(term.get(), term.get(), factor.get(), kPrecisionBits);
  const Ball sum = sum_of_exponentials(logits, terms);
  Worst worst;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    arb_div(terms[i].get(), terms[i].get(), sum.get(), kPrecisionBits);
    note_ball(worst, i, weights[i], terms[i]);
  }
  return worst;
}

template <class T>
Worst log_softmax(std::span<const T> logits, std::span<const T> values, double temperature) {
  const std::vector<Ball> differences = shifted(logits, temperature);
  std::vector<Ball> terms = differences;
  Ball log = sum_of_exponentials(logits, terms);
  arb_sub_ui(log.get(), log.get(), 1, kExact);
  arb_log1p(log.get(), log.get(), kPrecisionBits);
  Worst worst;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (std::isinf(logits[i])) {
      if (values[i] != logits[i]) worst.ulp = std::numeric_limits<double>::infinity();
      continue;
    }
    Ball exact = differences[i];
    arb_sub(exact.get(), exact.get(), log.get(), kPrecisionBits);
    note_ball(worst, i, values[i], exact);
  }
  return worst;
}

template <class T>
Worst sparsemax(std::span<const T> logits, std::span<const T> weights, double temperature) {
  std::vector<double> sorted(logits.begin(), logits.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  mpq_class sum = -dyadic(temperature), threshold;  // in units of z
  for (std::size_t k = 0; k < sorted.size() && !std::isinf(sorted[k]); ++k) {
    const mpq_class logit = dyadic(sorted[k]);
    if (k > 0 && logit <= threshold) break;
    sum += logit;
    threshold = sum / static_cast<unsigned long>(k + 1);
  }
  Worst worst;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const bool inside = !std::isinf(logits[i]) && dyadic(static_cast<double>(logits[i])) > threshold;
    worst.same_support &= inside == (weights[i] > 0) && (inside || weights[i] == 0);
    if (!inside) continue;
    const mpq_class weight = (dyadic(static_cast<double>(logits[i])) - threshold) / dyadic(temperature);
    const Ball exact = enclosed(weight);
    note_ball(worst, i, weights[i], exact);
  }
  return worst;
}

template <class T>
std::vector<T> normal_logits(std::size_t count, double sigma, unsigned long long seed) {
  const auto mixed = [](unsigned long long z) {
    z += 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  };
  std::vector<T> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double u = (static_cast<double>(mixed(seed * 0x10000000ull + 2 * i) >> 11) + 1) * 0x1p-53;
    const double v = static_cast<double>(mixed(seed * 0x10000000ull + 2 * i + 1) >> 11) * 0x1p-53;
    out[i] = static_cast<T>(sigma * std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v));
  }
  return out;
}

#define ATTNCERT_ORACLE_OF(T)                                                      \
  template Worst softmax<T>(std::span<const T>, std::span<const T>, double);       \
  template Worst softmax1<T>(std::span<const T>, std::span<const T>, double);      \
  template Worst ssmax<T>(std::span<const T>, std::span<const T>, double, double); \
  template Worst log_softmax<T>(std::span<const T>, std::span<const T>, double);   \
  template Worst sparsemax<T>(std::span<const T>, std::span<const T>, double);     \
  template std::vector<T> normal_logits<T>(std::size_t, double, unsigned long long);
ATTNCERT_ORACLE_OF(float)
ATTNCERT_ORACLE_OF(double)

}  // namespace attncert::oracle
