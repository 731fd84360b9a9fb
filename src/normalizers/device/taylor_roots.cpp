#include "src/normalizers/device/taylor_roots.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <mutex>
#include <numbers>

#include "src/normalizers/separable/taylor_order.hpp"

namespace attncert {
namespace {

using Complex = std::complex<long double>;

Complex value_at(std::size_t order, Complex x) {  // by Horner's scheme
  Complex value = 1;
  for (std::size_t k = order; k > 0; --k) value = value * x / static_cast<long double>(k) + 1.0L;
  return value;
}

// Aberth's iteration: Newton's steps of all roots at a time, each pushed away by the others. It begins on a circle
// about 0, symmetric about the real axis, as the roots are; for order 48 20 of the 40 steps are enough.
std::vector<Complex> rough_roots(std::size_t order) {
  const auto n = static_cast<long double>(order);
  std::vector<Complex> roots;
  for (std::size_t k = 0; k < order; ++k)
    roots.push_back(std::polar(0.7L * n, std::numbers::pi_v<long double> * static_cast<long double>(2 * k + 1) / n));
  for (int step = 0; step < 40; ++step)
    for (Complex& root : roots) {
      const Complex newton = value_at(order, root) / value_at(order - 1, root);
      Complex others = 0;
      for (const Complex& other : roots)
        if (&other != &root) others += 1.0L / (root - other);
      root -= newton / (1.0L - newton * others);
    }
  return roots;
}

LongPair negative(const LongPair& a) { return {-a.high, -a.low}; }

// With pairs of long doubles, as the terms cancel to 2^-43 of their sizes at the leftmost roots of order 48.
Complex exact_value_at(std::size_t order, const RootPair& x) {
  RootPair value{{1, 0}, {0, 0}};
  for (std::size_t k = order; k > 0; --k) {
    const auto divisor = static_cast<long double>(k);
    const LongPair real = add(multiply(value.real, x.real), negative(multiply(value.imaginary, x.imaginary)));
    const LongPair imaginary = add(multiply(value.real, x.imaginary), multiply(value.imaginary, x.real));
    value = {add(over(real, divisor), {1, 0}), over(imaginary, divisor)};
  }
  return {value.real.high, value.imaginary.high};
}

// Newton's steps square what is left: 2^-20, 2^-40, 2^-75.
RootPair refined(std::size_t order, Complex rough) {
  RootPair root{{rough.real(), 0}, {rough.imag(), 0}};
  for (int step = 0; step < 4; ++step) {
    const Complex left = exact_value_at(order, root) / exact_value_at(order - 1, root);
    root.real = add(root.real, {-left.real(), 0});
    root.imaginary = add(root.imaginary, {-left.imag(), 0});
  }
  return root;
}

TaylorRoots roots_of(std::size_t order) {
  constexpr long double nearest = 0.5L;  // to the real axis: 0.71 at order 48, which those of lower orders exceed
  TaylorRoots found;
  for (const Complex& rough : rough_roots(order)) {
    if (rough.imag() > nearest) found.pairs.push_back(refined(order, rough));
    if (std::abs(rough.imag()) <= nearest) found.real = refined(order, rough.real()).real;
  }
  std::sort(found.pairs.begin(), found.pairs.end(),
            [](const RootPair& a, const RootPair& b) { return a.real.high < b.real.high; });
  return found;
}

}  // namespace

const TaylorRoots& taylor_roots(std::size_t order) {
  static std::array<std::once_flag, kLargestTaylorOrder + 1> asked;
  static std::array<TaylorRoots, kLargestTaylorOrder + 1> all;
  std::call_once(asked[order], [&] { all[order] = roots_of(order); });
  return all[order];
}

}  // namespace attncert
