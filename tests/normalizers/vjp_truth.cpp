// How far computed gradients are from the oracle's, in ulp of the magnitude of their terms.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tests/normalizers/vjp_oracle.hpp"
#include "tests/normalizers/vjp_terms.hpp"

namespace attncert::oracle {
namespace {

// An entry's value and the exponent of its magnitude's ulp.
struct Entry {
  std::size_t place;
  Real value;
  int ulp;
};

template <class T>
Entry entry_of(const Term& term, std::size_t place) {
  using Limits = std::numeric_limits<T>;
  long exponent = Limits::min_exponent - 1;
  if (term.magnitude != 0) exponent = std::max(exponent, static_cast<long>(ilogb(term.magnitude)));
  return {place, term.value, static_cast<int>(exponent - Limits::digits + 1)};
}

template <class T>
double entry_error(T computed, const Entry& entry) {
  using Limits = std::numeric_limits<T>;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (std::isnan(computed)) return infinity;
  if (std::isinf(computed)) {  // as far off as the nearest number that rounds to infinity
    const Real end = ldexp(Real(1), Limits::max_exponent) * (1 - ldexp(Real(1), -Limits::digits - 1));
    const Real missing = std::signbit(computed) ? Real(end + entry.value) : Real(end - entry.value);
    return std::max(0.0, static_cast<double>(ldexp(missing, -entry.ulp)));
  }
  return static_cast<double>(abs(ldexp(Real(entry.value - static_cast<double>(computed)), -entry.ulp)));
}

}  // namespace

template <class T>
struct VjpTruth<T>::Entries {
  std::vector<Entry> present;
  std::vector<std::size_t> absent;
};

template <class T>
VjpTruth<T>::VjpTruth(const Derivative& what, std::span<const T> logits, std::span<const T> upstream) {
  Reals z, g;
  std::vector<std::size_t> places;
  Entries entries;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (std::isinf(logits[i])) {
      entries.absent.push_back(i);
      continue;
    }
    z.emplace_back(static_cast<double>(logits[i]));
    g.emplace_back(static_cast<double>(upstream[i]));
    places.push_back(i);
  }
  const std::vector<Term> terms = gradient_of(what, z, g);
  for (std::size_t k = 0; k < places.size(); ++k) entries.present.push_back(entry_of<T>(terms[k], places[k]));
  entries_ = std::make_unique<const Entries>(std::move(entries));
}

template <class T>
VjpTruth<T>::VjpTruth(VjpTruth&&) noexcept = default;

template <class T>
VjpTruth<T>::~VjpTruth() = default;

template <class T>
VjpWorst VjpTruth<T>::worst(std::span<const T> gradient) const {
  VjpWorst worst;
  const auto note = [&](double error, std::size_t i) {
    if (!(error <= worst.ulp)) worst = {error, i};
  };
  for (const std::size_t i : entries_->absent) note(gradient[i] == 0 ? 0 : std::numeric_limits<double>::infinity(), i);
  for (const Entry& entry : entries_->present) note(entry_error(gradient[entry.place], entry), entry.place);
  return worst;
}

template class VjpTruth<float>;
template class VjpTruth<double>;

}  // namespace attncert::oracle
