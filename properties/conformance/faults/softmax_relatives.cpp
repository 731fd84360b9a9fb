// The relatives of softmax by their definitions (claims of the papers, restated in the reference): scalable softmax,
// softmax1, top-k and self-adjusted softmax.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "properties/conformance/faults/exponential_steps.hpp"

namespace attncert::plain {

Steps scaled_steps(std::function<Real(const Row&)> scale) {
  Steps s;
  s.scale = scale ? std::move(scale) : [](const Row& row) {
    return static_cast<Real>(row.parameters.scale) * std::log(static_cast<Real>(count_present(row)));
  };
  s.reference = [scale = s.scale](const Row& row) {
    return scale(row) < 0 ? smallest_present(row) : largest_present(row);
  };
  return s;
}

RowFunction ssmax(Steps steps, Contract contract) { return softmax(std::move(steps), std::move(contract)); }

Steps sink_steps() {
  return {.reference = [](const Row& row) { return std::max(Real{0}, largest_present(row)); },
          .sink = [](const Row& row, Real reference) { return std::exp((0 - reference) / row.t()); }};
}

RowFunction softmax1(Steps steps, Contract contract) { return softmax(std::move(steps), std::move(contract)); }

Row only(const Row& row, const std::vector<std::uint8_t>& chosen) {
  Row rest = row;
  rest.mask = chosen;
  return rest;
}

std::vector<std::uint8_t> k_largest(const Row& row) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < row.length(); ++i)
    if (row.present(i)) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return row.logits[a] > row.logits[b]; });
  std::vector<std::uint8_t> chosen(row.length(), 0);
  for (std::size_t n = 0; n < std::min<std::uint64_t>(order.size(), row.parameters.k); ++n) chosen[order[n]] = 1;
  return chosen;
}

RowFunction top_k(std::function<std::vector<std::uint8_t>(const Row&)> choose, Steps steps) {
  return guarded(default_contract("top-k-softmax"), [choose = std::move(choose), steps = std::move(steps)](Row& row) {
    row.out = softmax_weights(only(row, choose(row)), steps);
  });
}

Factors adjustment(int variant) {
  return [variant](const Row& row) {
    const Real low = smallest_present(row), high = largest_present(row);
    const Real from = variant == 3 ? std::min(low, Real{0}) : low, to = variant == 3 ? std::max(high, Real{0}) : high;
    Reals factors(row.length(), 0);
    for (std::size_t i = 0; i < row.length(); ++i) {
      if (variant == 0) factors[i] = row.z(i) / row.t();
      else if (variant == 1) factors[i] = (row.z(i) - low) / row.t();
      else if (to != from) factors[i] = (row.z(i) - from) / (to - from);
    }
    return factors;
  };
}

RowFunction self_adjusted(Factors factors, Steps steps, Contract contract) {
  return guarded(std::move(contract), [factors = std::move(factors), steps = std::move(steps)](Row& row) {
    const Reals weights = softmax_weights(row, steps), factor = factors(row);
    row.out = at_present(row, [&](std::size_t i) { return factor[i] * weights[i]; });
  });
}

}  // namespace attncert::plain
