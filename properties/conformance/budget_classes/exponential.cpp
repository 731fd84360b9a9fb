// softmax, softmax1, ssmax, top-k and log-softmax: exponentials of differences, their sum, and a quotient.
#include <algorithm>
#include <cmath>

#include "properties/conformance/budget_classes/row_terms.hpp"
#include "reference/normalizers/ssmax.hpp"
#include "reference/normalizers/top_k_softmax.hpp"

namespace attncert::classes {
namespace {

// Where the maximum need not be subtracted: no exponential and no sum of 2^30 leaves the format.
Real reach(const Row& row) { return row.arithmetic.u < 0x1p-30L ? 600 : 60; }

// How far exponents may lie from 0 beyond their depth, where the maximum is not subtracted.
Real unshifted(const Row& row) {
  const Real distance = std::abs(row.largest) / row.t();
  return row.arithmetic.shifted || distance > reach(row) ? 0 : distance;
}

// exp(-depth) of depths below `reference`, which is subtracted; `roundings` of an exponent.
Terms exponentials(const Row& row, Real reference, Real factor, Real roundings) {
  const Real E = row.arithmetic.exponential_error(), away = unshifted(row);
  Terms terms{Reals(row.length(), 0), Reals(row.length(), 0)};
  for (std::size_t i = 0; i < row.length(); ++i) {
    if (!row.given.present(i)) continue;
    const Real depth = (reference - row.z(i)) * factor / row.t();
    terms.value[i] = std::exp(-depth);
    terms.error[i] = roundings * (depth + away) + E;
  }
  return terms;
}

// s log n is a logarithm within an ulp and two products more.
constexpr Real of_scale = 4;

Reals weights_off(const Row& row, const Terms& weights) {
  // Not shifted, exponentials are scaled by exp(max): where that is small they meet the end of the format earlier.
  const Real lifted = row.largest < 0 ? std::exp(unshifted(row)) : 1;
  return absolute(row, weights, [&](std::size_t) { return row.floor() * lifted; });
}

}  // namespace

Real logistic(Real x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }

Terms exponentials(const Row& row) {
  return exponentials(row, row.largest, 1, row.arithmetic.roundings_of_exponent(row.given.temperature));
}

Terms weights_of(std::string_view normalizer, const Row& row) {
  const Real roundings = row.arithmetic.roundings_of_exponent(row.given.temperature);
  if (normalizer.starts_with("ssmax")) {
    const LogitRow oriented = reference::ssmax_oriented(row.given);
    const Row turned(oriented, row.arithmetic);
    const Real factor =
        std::abs(static_cast<Real>(row.given.parameters.scale)) * std::log(static_cast<Real>(row.present));
    return shares(turned, exponentials(turned, turned.largest, factor, roundings + of_scale));
  }
  if (normalizer.starts_with("top-k")) {
    const LogitRow cell = reference::top_k_cell(row.given);
    Row chosen(cell, row.arithmetic);
    return shares(chosen, exponentials(chosen, chosen.largest, 1, roundings));
  }
  if (!normalizer.starts_with("softmax1")) return shares(row, exponentials(row));
  // The added logit of 0 is one term more.
  const Real reference = std::max<Real>(row.largest, 0), depth = reference / row.t();
  Terms terms = exponentials(row, reference, 1, roundings);
  terms.value.push_back(std::exp(-depth));
  terms.error.push_back(roundings * depth + row.arithmetic.exponential_error());
  terms = shares(row, std::move(terms));
  for (Real& error : terms.error) error += 1;  // its addition
  return terms;
}

// Outside of its cell top-k is 0 exactly: the choice is made of comparisons.
Reals softmax(std::string_view normalizer, const Row& row) {
  if (!normalizer.starts_with("top-k")) return weights_off(row, weights_of(normalizer, row));
  const LogitRow cell = reference::top_k_cell(row.given);
  return weights_off(Row(cell, row.arithmetic), weights_of("softmax", Row(cell, row.arithmetic)));
}

// y = a - log S, all terms <= 0. Plain, log S is off by S's own error, however small it is.
Reals log_softmax(std::string_view, const Row& row) {
  const Arithmetic& by = row.arithmetic;
  Terms terms = exponentials(row);
  const Real roundings = by.roundings_of_exponent(row.given.temperature), log_error = by.exponential_error();
  Real log_sum = std::log(sum_of(row, terms).value), off = sum_of(row, terms).error + log_error * log_sum;
  if (by.log1p) {  // the largest term apart
    for (std::size_t i = 0; i < row.length(); ++i) {
      if (!row.given.present(i) || row.z(i) != row.largest) continue;
      terms.value[i] = 0;
      break;
    }
    const Total rest = sum_of(row, terms);
    log_sum = std::log1p(rest.value);
    off = (rest.error + log_error) * log_sum;
  }
  // Not shifted, z / T and the logarithm of the sum are far apart from what is left of them.
  const Real away = (roundings + 2) * unshifted(row);
  const Real floor = static_cast<Real>(row.present + 1) * row.floor();
  return at_present(row, [&](std::size_t i) {
    const Real depth = (row.largest - row.z(i)) / row.t();
    return (roundings * depth + off + away + (depth + log_sum)) * (1 + grown(off, by.u)) * by.u + floor;
  });
}

}  // namespace attncert::classes
