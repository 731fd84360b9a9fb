#include "properties/conformance/faults/strained_steps.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "properties/conformance/faults/exponential_steps.hpp"
#include "properties/conformance/faults/gradient_steps.hpp"
#include "properties/conformance/faults/separable_steps.hpp"
#include "properties/conformance/faults/sparse_steps.hpp"

namespace attncert::plain {
namespace {

Real of_power(Real b, const Strained& by) { return b == 1 ? 0 : b == 2 ? 1 : by.of_exponential(); }

// Roundings that bring T in.
Real temperature_roundings(const Row& row) { return row.temperature == 1 ? 0 : 2; }

// Down where a term makes out most of the sum, up where its own quotient is to grow beside it.
Real direction(Real depth) { return depth < 1 ? -1 : 1; }

// How far from 0 exponents may lie where the maximum is not subtracted.
Real unshifted(const Row& row, const Strained& by) {
  const Real distance = std::abs(largest_present(row)) / row.t(), reach = by.dtype == f64 ? 600 : 60;
  return by.shifted || distance > reach ? 0 : distance;
}

// exp(-factor depth) below `reference`, each off in the direction that `towards` gives for its depth.
Reals strained_exponentials(const Row& row, const Strained& by, Real reference, Real factor, Real roundings,
                            const std::function<Real(Real)>& towards) {
  const Real away = unshifted(row, by);
  return at_present(row, [&](std::size_t i) {
    const Real depth = (reference - row.z(i)) / row.t() * factor, to = towards(depth);
    return by.off(std::exp(-depth + to * roundings * (depth + away) * by.u()), to, by.of_exponential());
  });
}

}  // namespace

Reals strained_shares(const Strained& by, const Reals& terms, Real sink) {
  Reals all = terms;
  if (sink != 0) all.push_back(sink);
  const Real sum = by.total(std::move(all), -1);
  Reals result(terms.size(), 0);
  for (std::size_t i = 0; i < terms.size() && sum != 0; ++i) result[i] = by.off(terms[i] / sum, 1, 2);
  return result;
}

// softmax, softmax1, ssmax, top-k.
Reals strained_weights(std::string_view normalizer, const Row& row, const Strained& by) {
  const Real roundings = by.of_exponent(row);
  if (normalizer.starts_with("top-k")) return strained_weights("softmax", only(row, k_largest(row)), by);
  if (normalizer.starts_with("softmax1")) {
    const Real reference = std::max<Real>(0, largest_present(row)), depth = reference / row.t();
    const Real sink = std::exp(-depth) * (1 + direction(depth) * (roundings * depth + by.of_exponential()) * by.u());
    return strained_shares(by, strained_exponentials(row, by, reference, 1, roundings, direction), sink);
  }
  if (!normalizer.starts_with("ssmax"))
    return strained_shares(by, strained_exponentials(row, by, largest_present(row), 1, roundings, direction));
  const Real factor = static_cast<Real>(row.parameters.scale) * std::log(static_cast<Real>(count_present(row)));
  const Real reference = factor < 0 ? smallest_present(row) : largest_present(row);
  return strained_shares(by, strained_exponentials(row, by, reference, factor, roundings + 4, direction));
}

namespace {

void strained_logarithms(Row& row, const Strained& by) {
  const Real top = largest_present(row), roundings = by.of_exponent(row);
  Reals terms = strained_exponentials(row, by, top, 1, roundings, [](Real) -> Real { return 1; });
  for (std::size_t i = 0; i < row.length() && by.log1p; ++i)
    if (row.present(i) && row.z(i) == top) {
      terms[i] = 0;
      break;
    }
  const Real sum = by.total(std::move(terms), 1);
  const Real logarithm = by.off(by.log1p ? std::log1p(sum) : std::log(sum), 1, by.of_exponential());
  const Real away = (roundings + 2) * unshifted(row, by) * by.u();
  for (std::size_t i = 0; i < row.length(); ++i)
    if (row.present(i)) row.out[i] = -by.off(by.off((top - row.z(i)) / row.t(), 1, roundings) + away + logarithm, 1);
}

Reals strained_taylor(const Row& row, const Strained& by, std::uint32_t order) {
  const Reals values = taylor_values(row);
  const Real top = *std::max_element(values.begin(), values.end()), unit = taylor_unit(row);
  return at_present(row, [&](std::size_t i) {
    const Real x = row.z(i) / row.t(), to = values[i] < top / 2 ? 1 : -1;
    Real value = 1, one = 1;
    if (x < 0) return taylor(x, order, unit);  // which of its terms are to grow is not told by the sign
    for (std::uint32_t n = order; n >= 1; --n) {
      one /= unit;
      value = by.off(one + by.off(x / unit / static_cast<Real>(n) * value, to, 2 + temperature_roundings(row)), to);
    }
    return value;
  });
}

}  // namespace

Reals strained_terms(std::string_view normalizer, const Row& row, const Strained& by) {
  const Real top = largest_present(row);
  const auto to = [&](std::size_t i) -> Real { return row.z(i) < top ? 1 : -1; };
  if (normalizer.starts_with("taylor")) return strained_taylor(row, by, row.parameters.order);
  if (normalizer.starts_with("relu"))
    return at_present(row, [&](std::size_t i) { return by.off(std::max<Real>(row.z(i), 0), to(i)); });
  if (top / row.t() > -1)
    return at_present(row, [&](std::size_t i) { return strained_logistic(row, by, i, 0, to(i)); });
  return sigmoid_normalized_weights(row);  // where a row would vanish, without strain
}

namespace {

// Of sorting, in x = (alpha - 1) (z - max z) / T: the threshold falls by all that its sums may be off by.
Real strained_closed_form(const Reals& x, Real b, Real roundings, const Strained& by) {
  Reals sizes, squares;
  Real threshold = -1;
  for (std::size_t n = 0; n < x.size(); ++n) {
    sizes.push_back(by.off(-x[n], 1, roundings));
    squares.push_back(by.off(x[n] * x[n], -1, 1 + 2 * roundings));
    const Real k = static_cast<Real>(n + 1), size = by.total(sizes, 1);
    Real next = -by.off((size + 1) / k, 1, 2);
    if (b == 2) {
      const Real mean = size / k, spread = by.total(squares, -1) - k * mean * mean;
      next = -by.off(by.off(mean, 1) + std::sqrt(std::max<Real>(0, (1 - spread) / k)), 1, 2);
    }
    if (next > x[n]) break;
    threshold = next;
  }
  return threshold;
}

Real strained_halving(const Reals& x, Real b, Real roundings, const Strained& by) {
  const auto mass = [&](Real threshold) {
    Reals terms;
    for (const Real value : x)
      if (by.off(value, -1, -roundings) > threshold)
        terms.push_back(by.off(power(by.off(value, -1, -roundings) - threshold, b), -1, of_power(b, by) + b));
    return by.total(std::move(terms), -1);
  };
  // Middles are geometric: at alpha = 65 and n entries the threshold is as small as n^-64.
  Real low = -1.001L, high = -std::numeric_limits<Real>::min();
  const auto middle = [&] { return -std::sqrt(-low) * std::sqrt(-high); };
  for (int step = 0; step < 80; ++step) (mass(middle()) >= 1 ? low : high) = middle();
  return by.off(low, 1, 2);
}

}  // namespace

StrainedHeights strained_heights(std::string_view normalizer, const Row& row, const Strained& by) {
  const Real alpha = normalizer.starts_with("sparsemax") ? 2 : alpha_of(row), b = 1 / (alpha - 1);
  const Real roundings = by.of_exponent(row) + (alpha == 2 ? 0 : 2), top = largest_present(row);
  Reals x;
  for (const double z : descending(row))
    if (const Real at = (alpha - 1) * ((static_cast<Real>(z) - top) / row.t()); at > -1) x.push_back(at);
  const bool closed = normalizer.starts_with("sparsemax") || normalizer.starts_with("entmax-1.5");
  const Real threshold = by.threshold != 0 ? bisected(x, alpha).value() - by.threshold * by.strain
                         : closed          ? strained_closed_form(x, b, roundings, by)
                                           : strained_halving(x, b, roundings, by);
  StrainedHeights made{Reals(row.length(), 0), b};
  for (std::size_t i = 0; i < row.length(); ++i)
    if (row.present(i)) made.height[i] = by.off((alpha - 1) * ((row.z(i) - top) / row.t()), -1, roundings) - threshold;
  return made;
}

namespace {

void strained_sparse(std::string_view normalizer, Row& row, const Strained& by) {
  const StrainedHeights sparse = strained_heights(normalizer, row, by);
  const Real b = sparse.power;
  row.out = at_present(row, [&](std::size_t i) { return by.off(power(sparse.height[i], b), 1, of_power(b, by) + b); });
  if (by.threshold != 0) row.out = shares(row.out);
}

}  // namespace

Real Strained::total(Reals terms, Real direction) const {
  std::erase(terms, 0);  // to add them rounds nothing off
  if (terms.empty()) return 0;
  std::sort(terms.begin(), terms.end(), std::greater<>());
  if (sum == Sum::compensated)
    return off(sum_of(terms), direction, static_cast<Real>(std::min<std::size_t>(terms.size() - 1, 2)));
  const auto one_by_one = [&](std::size_t begin, std::size_t step, Real scaling) {
    Real value = terms[begin];
    for (std::size_t i = begin + step; i < terms.size(); i += step) value = off(value + terms[i], direction, scaling);
    return value;
  };
  if (sum == Sum::running) return one_by_one(0, 1, 1);
  if (sum == Sum::online) return one_by_one(0, 1, of_exponential() + 2);  // blocks of one: scaled, and added to
  const std::size_t lanes = sum == Sum::lanes ? std::min(width, terms.size()) : terms.size();
  Reals partial;
  for (std::size_t lane = 0; lane < lanes; ++lane) partial.push_back(one_by_one(lane, lanes, 1));
  for (; partial.size() > 1;) {
    Reals next;
    for (std::size_t i = 0; i < partial.size(); i += 2)
      next.push_back(i + 1 < partial.size() ? off(partial[i] + partial[i + 1], direction) : partial[i]);
    partial = std::move(next);
  }
  return partial[0];
}

Real strained_argument(const Row& row, const Strained& by, std::size_t i, Real bias, Real to) {
  // Beyond a movement by 1 what exceeds it by a little is not off by a little: there a fault moves as its class does.
  Strained steps = by;
  if ((std::abs(row.z(i) / row.t()) + std::abs(bias)) * by.u() > 0.25L) steps.strain = std::min<Real>(by.strain, 1);
  const auto moved = [&](Real value, Real roundings) { return steps.off(value, value < 0 ? -to : to, roundings); };
  const Real quotient = moved(row.z(i) / row.t(), temperature_roundings(row));
  return bias == 0 ? quotient : moved(quotient + moved(bias, 1), 1);
}

Real strained_logistic(const Row& row, const Strained& by, std::size_t i, Real bias, Real to) {
  const Real x = strained_argument(row, by, i, bias, to);
  return by.off(logistic(x), to, logistic(-x) * by.of_exponential() + 2);
}

RowFunction strained_forward(std::string_view normalizer, const Strained& by) {
  if (normalizer == "log-softmax") return [by](Row& row) { strained_logarithms(row, by); };
  if (normalizer == "sparsemax" || normalizer.starts_with("entmax"))
    return [normalizer, by](Row& row) { strained_sparse(normalizer, row, by); };
  if (normalizer == "sigmoid")
    return [by](Row& row) {
      const auto bias = static_cast<Real>(row.parameters.bias);
      row.out = at_present(row, [&](std::size_t i) { return strained_logistic(row, by, i, bias, 1); });
    };
  if (normalizer.starts_with("sa-softmax"))
    return [normalizer, by](Row& row) {
      const Reals factors = adjustment(normalizer.back() - '0')(row), weights = strained_weights("softmax", row, by);
      row.out = at_present(row, [&](std::size_t i) { return by.off(factors[i] * weights[i], 1, 4); });
    };
  if (normalizer.ends_with("normalized") || normalizer.starts_with("taylor"))
    return [normalizer, by](Row& row) { row.out = strained_shares(by, strained_terms(normalizer, row, by)); };
  return [normalizer, by](Row& row) {
    const Reals weights = strained_weights(normalizer, row, by);
    row.out = at_present(row, [&](std::size_t i) { return weights[i]; });
  };
}

RowFunction strained(std::string_view normalizer, const Strained& by) {
  const bool derivative = normalizer.ends_with("-vjp");
  const RowFunction steps = derivative ? strained_derivative(normalizer, by) : strained_forward(normalizer, by);
  return guarded(default_contract(normalizer), [steps, by](Row& row) {
    steps(row);
    for (Real& value : row.out) value = value / (1 + by.u());  // the last rounding is that of what is stored
  });
}

}  // namespace attncert::plain
