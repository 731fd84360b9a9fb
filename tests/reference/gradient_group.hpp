// Rows of attention that share keys, with what the backward pass is given of them.
#pragma once

#include <cmath>
#include <vector>

#include "reference/attention/gradient.hpp"
#include "tests/reference/random_attention.hpp"

namespace attncert {

inline constexpr Precision gradient_precision{128};

// Rows of one group: queries and gradients of their own over the keys of the first.
struct GradientGroup {
  std::vector<AttentionCase> cases;
  std::vector<std::vector<double>> outputs, output_gradients;
  std::vector<reference::GradientRow> rows;

  explicit GradientGroup(Choices& choices) : GradientGroup(random_attention(choices), choices) {}
  GradientGroup(const AttentionCase& first, Choices& choices) {
    cases.push_back(first);
    for (std::size_t more = choices.below(3); more > 0; --more) {
      cases.push_back(cases[0]);
      cases.back().query = random_entries(choices, cases[0].query.size(), 2);
      cases.back().position += static_cast<std::int64_t>(choices.below(3));
      if (!cases.back().sink) cases.back().sink = 0;
    }
    for (const AttentionCase& c : cases) {
      output_gradients.push_back(random_entries(choices, c.value_size, 3));
      const auto truth = reference::attention_truth(c.row(), gradient_precision);
      outputs.emplace_back();
      for (const Interval& o : truth.output) outputs.back().push_back(static_cast<float>(o.midpoint()));
      rows.push_back({c.row(), {}, {}, static_cast<float>(truth.lse.midpoint()), std::ldexp(1.0, -30)});
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i].output = outputs[i], rows[i].output_gradient = output_gradients[i];
  }

  // The rows point to the numbers here.
  GradientGroup(const GradientGroup&) = delete;
  GradientGroup& operator=(const GradientGroup&) = delete;

  std::vector<reference::GradientRow> with_sinks() const {
    std::vector<reference::GradientRow> some;
    for (const reference::GradientRow& row : rows)
      if (row.row.sink) some.push_back(row);
    return some;
  }
};

template <class Number>
std::vector<Number> flat(const std::vector<std::vector<Number>>& vectors) {
  std::vector<Number> all;
  for (const auto& each : vectors) all.insert(all.end(), each.begin(), each.end());
  return all;
}

}  // namespace attncert
