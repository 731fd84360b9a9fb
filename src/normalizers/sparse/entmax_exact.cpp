#include "src/normalizers/sparse/entmax_exact.hpp"

#include <atomic>
#include <cmath>

namespace attncert {
namespace {

struct Counters {
  std::atomic<std::uint64_t> rows{0}, supports{0}, gaps{0}, undecided{0};
};
Counters counters[3];

Counters& of(SparseFamily family) noexcept { return counters[static_cast<int>(family)]; }

void add(std::atomic<std::uint64_t>& counter, std::uint64_t more) noexcept {
  if (more > 0) counter.fetch_add(more, std::memory_order_relaxed);
}

// Over the logits from `lowest` on. b = 1: distance is sum (z_j - x) - T. b = 2: square is sum (z_j - x)^2 - 4 T^2.
struct Excess {
  ExactSum distance;  // b = 2: sum (z_j - x)
  ExactProducts square;
  std::int64_t count = 0;
};

template <class T>
Excess excess(bool squares, const T* logits, std::size_t length, double temperature, double x, T lowest) noexcept {
  Excess sums;
  for (std::size_t i = 0; i < length; ++i) {
    if (!(logits[i] >= lowest)) continue;
    const double z = static_cast<double>(logits[i]);
    ++sums.count;
    sums.distance.add(z);
    if (!squares) continue;
    sums.square.add_product(z, z);
    sums.square.add_product(z, x, -2);
  }
  sums.distance.add(x, -sums.count);
  sums.square.add_product(x, x, squares ? sums.count : 0);
  sums.square.add_product(temperature, temperature, squares ? -4 : 0);
  if (!squares) sums.distance.add(temperature, -1);
  return sums;
}

// The sign of sum over z_j >= x of (z_j - x)^b - (b T)^b: negative iff x is in the support.
template <class T>
bool inside(bool squares, const T* logits, std::size_t length, double temperature, T x) noexcept {
  const Excess sums = excess(squares, logits, length, temperature, static_cast<double>(x), x);
  return (squares ? sums.square.sign() : sums.distance.sign()) < 0;
}

}  // namespace

SupportCounts support_counts(SparseFamily family) noexcept {
  const Counters& c = of(family);
  return {c.rows.load(std::memory_order_relaxed), c.supports.load(std::memory_order_relaxed),
          c.gaps.load(std::memory_order_relaxed), c.undecided.load(std::memory_order_relaxed)};
}

void add_counts(SparseFamily family, const SupportCounts& more) noexcept {
  Counters& c = of(family);
  add(c.rows, more.rows);
  add(c.supports, more.exact_supports);
  add(c.gaps, more.exact_gaps);
  add(c.undecided, more.undecided);
}

template <class T>
T exact_lowest(SparseFamily family, const T* logits, std::size_t length, double temperature, T outside,
               T lowest) noexcept {
  add_counts(family, {0, 1, 0, 0});
  const bool squares = family == SparseFamily::entmax15;
  for (std::size_t i = 0; i < length; ++i) {  // the test is monotone in the logit: few of them are made
    const T x = logits[i];
    if (x >= lowest || x <= outside) continue;
    (inside(squares, logits, length, temperature, x) ? lowest : outside) = x;
  }
  return lowest;
}

// b = 1: k n = T - sum (z_j - r). b = 2: k n^2 + 2 n D = 4 T^2 - sum (z_j - r)^2 with D = sum (z_j - r); the root is
// taken without cancellation.
template <class T>
long double exact_gap(SparseFamily family, const T* logits, std::size_t length, double temperature, T lowest) noexcept {
  add_counts(family, {0, 0, 1, 0});
  const bool squares = family == SparseFamily::entmax15;
  const Excess sums = excess(squares, logits, length, temperature, static_cast<double>(lowest), lowest);
  const long double count = static_cast<long double>(sums.count);
  if (!squares) return sums.distance.magnitude() / count;
  const long double room = sums.square.magnitude(), distance = sums.distance.magnitude();
  return room / (distance + std::sqrt(distance * distance + count * room));
}

template float exact_lowest<float>(SparseFamily, const float*, std::size_t, double, float, float) noexcept;
template double exact_lowest<double>(SparseFamily, const double*, std::size_t, double, double, double) noexcept;
template long double exact_gap<float>(SparseFamily, const float*, std::size_t, double, float) noexcept;
template long double exact_gap<double>(SparseFamily, const double*, std::size_t, double, double) noexcept;

}  // namespace attncert
