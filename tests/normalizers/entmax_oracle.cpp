// The definition, step by step down the sorted row: z_k is in the support iff tau of the first k lies below it, that is
// iff sum over the first k of (z_j - z_k)^2 < 4 T^2. Then tau = mean - sqrt((4 T^2 - sum of squared deviations) / k).
#include "tests/normalizers/entmax_oracle.hpp"

#include <gmpxx.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace attncert::oracle {
namespace {

constexpr mp_bitcnt_t kBits =
    9000;  // 4 T^2 against squares: the format spans 4,200 bits, and a root halves what is left

// log2 of |value|, rounded down.
long binary_exponent(const mpf_class& value) {
  long exponent = 0;
  mpf_get_d_2exp(&exponent, value.get_mpf_t());
  return exponent - 1;
}

template <class T>
double weight_error(T computed, const mpf_class& exact) {
  if (!std::isfinite(computed)) return std::numeric_limits<double>::infinity();
  const long lowest = std::numeric_limits<T>::min_exponent - 1;
  const long unit = std::max(binary_exponent(exact), lowest) - std::numeric_limits<T>::digits + 1;
  mpf_class error(static_cast<double>(computed), kBits);
  error = abs(error - exact);
  if (unit > 0) {
    mpf_div_2exp(error.get_mpf_t(), error.get_mpf_t(), static_cast<mp_bitcnt_t>(unit));
  } else {
    mpf_mul_2exp(error.get_mpf_t(), error.get_mpf_t(), static_cast<mp_bitcnt_t>(-unit));
  }
  return error.get_d();
}

// tau in units of z and the size of the support.
struct Threshold {
  mpf_class tau{0, kBits};
  std::size_t size = 0;
};

Threshold threshold(const std::vector<double>& sorted, double temperature) {
  const mpq_class whole = 4 * mpq_class(temperature) * mpq_class(temperature);
  mpq_class sum, squares;  // of z_1 - z_j
  Threshold found;
  for (std::size_t k = 0; k < sorted.size() && !std::isinf(sorted[k]); ++k) {
    const mpq_class depth = mpq_class(sorted[0]) - mpq_class(sorted[k]);
    const mpq_class size(static_cast<unsigned long>(k));
    if (squares - 2 * depth * sum + size * depth * depth >= whole) break;
    sum += depth;
    squares += depth * depth;
    found.size = k + 1;
  }
  const mpq_class size(static_cast<unsigned long>(found.size)), mean = sum / size;
  mpf_class root((whole - squares + mean * sum) / size, kBits);
  root = sqrt(root);
  found.tau = mpf_class(mpq_class(sorted[0]) - mean, kBits) - root;
  return found;
}

}  // namespace

template <class T>
Worst entmax15(std::span<const T> logits, std::span<const T> weights, double temperature) {
  std::vector<double> sorted(logits.begin(), logits.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  const Threshold found = threshold(sorted, temperature);
  Worst worst;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const bool inside = static_cast<double>(logits[i]) >= sorted[found.size - 1];
    mpf_class exact(0, kBits);
    if (inside) {
      const mpf_class share =
          (mpf_class(static_cast<double>(logits[i]), kBits) - found.tau) / (2 * mpf_class(temperature, kBits));
      exact = share * share;
    }
    const bool normal = inside && binary_exponent(exact) >= std::numeric_limits<T>::min_exponent - 1;
    worst.same_support &= inside ? weights[i] > 0 || !normal : weights[i] == 0;
    worst.flushed += normal && weights[i] == 0;
    const double error = inside ? weight_error(weights[i], exact) : 0;
    if (!(error <= worst.ulp)) {
      worst.ulp = error;
      worst.index = i;
    }
  }
  return worst;
}

template Worst entmax15<float>(std::span<const float>, std::span<const float>, double);
template Worst entmax15<double>(std::span<const double>, std::span<const double>, double);

}  // namespace attncert::oracle
