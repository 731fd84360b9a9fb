#include "properties/conformance/faults/exponential_steps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace attncert::plain {
namespace {

Steps completed(Steps s) {
  if (!s.reference) s.reference = largest_present;
  if (!s.exponent) s.exponent = scaled_difference;
  if (!s.exponential) s.exponential = [](Real x) { return std::exp(x); };
  if (!s.counts) s.counts = [](const Row& row, std::size_t i) { return row.present(i); };
  if (!s.sum) s.sum = [](const Row&, std::span<const Real> terms) { return sum_of(terms); };
  if (!s.weight) s.weight = [](const Row&, Real term, Real sum) { return term / sum; };
  return s;
}

void log_row(Row& row, const LogSteps& steps) {
  const Steps s = completed(steps.steps);
  const Real reference = s.reference(row);
  Reals rest;
  bool apart = false;
  for (std::size_t i = 0; i < row.length(); ++i) {
    if (!s.counts(row, i)) continue;
    const Real x = s.exponent(row, i, reference);
    if (!apart && x == 0) apart = true;
    else rest.push_back(s.exponential(x));
  }
  // If no exponent is 0 (the reference is wrong), the logarithm of the whole sum is taken.
  const Real sum = s.sum(row, rest) - (apart ? 0 : 1);
  for (std::size_t i = 0; i < row.length(); ++i) {
    if (!row.present(i)) continue;
    const Real x = s.exponent(row, i, reference);
    row.out[i] = steps.entry ? steps.entry(row, x, sum) : x - std::log1p(sum);
  }
}

}  // namespace

Real largest_present(const Row& row) {
  Real largest = -std::numeric_limits<Real>::infinity();
  for (std::size_t i = 0; i < row.length(); ++i)
    if (row.present(i)) largest = std::max(largest, row.z(i));
  return largest;
}

Real smallest_present(const Row& row) {
  Real smallest = std::numeric_limits<Real>::infinity();
  for (std::size_t i = 0; i < row.length(); ++i)
    if (row.present(i)) smallest = std::min(smallest, row.z(i));
  return smallest;
}

std::size_t count_present(const Row& row) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < row.length(); ++i) count += row.present(i);
  return count;
}

// Two roundings of 2^-64 give an exponential of depth d the error d 2^-63: visible in f64 from depth 100 on, never in
// f32.
Real scaled_difference(const Row& row, std::size_t i, Real reference) { return (row.z(i) - reference) / row.t(); }

Real sum_of(std::span<const Real> terms) {  // Neumaier's variant of Kahan's sum
  Real sum = 0, lost = 0;
  for (const Real term : terms) {
    const Real next = sum + term;
    lost += std::abs(sum) >= std::abs(term) ? (sum - next) + term : (term - next) + sum;
    sum = next;
  }
  return std::isfinite(lost) ? sum + lost : sum;
}

std::function<Real(const Row&, std::span<const Real>)> running(std::function<Real(Real, Real)> add) {
  return [add = std::move(add)](const Row&, std::span<const Real> terms) {
    Real sum = 0;
    for (const Real term : terms) sum = add(sum, term);
    return sum;
  };
}

Reals softmax_weights(const Row& row, const Steps& given) {
  const Steps s = completed(given);
  const Real reference = s.reference(row), scale = s.scale ? s.scale(row) : 1;
  Reals terms, own(row.length(), 0);
  if (s.sink) terms.push_back(s.sink(row, reference));
  for (std::size_t i = 0; i < row.length(); ++i) {
    const bool counts = s.counts(row, i);
    if (!counts && !row.present(i)) continue;
    own[i] = s.exponential(scale * s.exponent(row, i, reference));
    if (counts) terms.push_back(own[i]);
  }
  const Real sum = s.sum(row, terms);
  return at_present(row, [&](std::size_t i) { return s.weight(row, own[i], sum); });
}

RowFunction softmax(Steps steps, Contract contract) {
  return guarded(std::move(contract), [steps = std::move(steps)](Row& row) { row.out = softmax_weights(row, steps); });
}

RowFunction log_softmax(LogSteps steps, Contract contract) {
  return guarded(std::move(contract), [steps = std::move(steps)](Row& row) { log_row(row, steps); });
}

}  // namespace attncert::plain
