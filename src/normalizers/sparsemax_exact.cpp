#include "src/normalizers/sparsemax_exact.hpp"

#include <atomic>
#include <limits>

namespace attncert {
namespace {

std::atomic<std::uint64_t> rows_seen{0}, supports_exact{0}, weights_exact{0};

template <class T>
std::int64_t add_support(ExactSum& sum, const T* logits, std::size_t length, T lowest) noexcept {
  std::int64_t support = 0;
  for (std::size_t i = 0; i < length; ++i) {
    if (!(logits[i] >= lowest)) continue;
    sum.add(static_cast<double>(logits[i]));
    ++support;
  }
  return support;
}

// k x > A?
bool inside(const ExactSum& excess, std::int64_t support, double x) noexcept {
  ExactSum difference = excess;
  difference.add(x, -support);
  return difference.sign() < 0;
}

}  // namespace

SparsemaxCounts sparsemax_counts() noexcept {
  return {rows_seen.load(std::memory_order_relaxed), supports_exact.load(std::memory_order_relaxed),
          weights_exact.load(std::memory_order_relaxed)};
}

void count_sparsemax_rows(std::uint64_t rows) noexcept { rows_seen.fetch_add(rows, std::memory_order_relaxed); }

// Michelot's iteration with exact comparisons: what lies outside for a superset of the support lies outside it.
template <class T>
T exact_lowest(const T* logits, std::size_t length, double temperature, T lowest) noexcept {
  supports_exact.fetch_add(1, std::memory_order_relaxed);
  for (;;) {
    ExactSum excess;
    excess.add(temperature, -1);
    const std::int64_t support = add_support(excess, logits, length, lowest);
    T in = std::numeric_limits<T>::infinity(), out = -std::numeric_limits<T>::infinity();
    for (std::size_t i = 0; i < length; ++i) {  // the test is monotone in the logit: few of them are made
      const T x = logits[i];
      if (!(x >= lowest) || x >= in || x <= out) continue;
      (inside(excess, support, static_cast<double>(x)) ? in : out) = x;
    }
    if (in == lowest) return lowest;
    if (out < lowest) return in;
    lowest = in;
  }
}

template <class T>
long double ExactWeights::of(T logit, const T* logits, std::size_t length, double temperature, T lowest) noexcept {
  weights_exact.fetch_add(1, std::memory_order_relaxed);
  if (!ready_) {
    excess_.add(temperature, -1);
    support_ = add_support(excess_, logits, length, lowest);
    ready_ = true;
  }
  ExactSum numerator = excess_;
  numerator.add(static_cast<double>(logit), -support_);
  return numerator.magnitude() / (static_cast<long double>(support_) * static_cast<long double>(temperature));
}

template float exact_lowest<float>(const float*, std::size_t, double, float) noexcept;
template double exact_lowest<double>(const double*, std::size_t, double, double) noexcept;
template long double ExactWeights::of<float>(float, const float*, std::size_t, double, float) noexcept;
template long double ExactWeights::of<double>(double, const double*, std::size_t, double, double) noexcept;

}  // namespace attncert
