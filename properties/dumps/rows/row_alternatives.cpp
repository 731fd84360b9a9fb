#include "properties/dumps/rows/row_alternatives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace attncert {
namespace {

using Edit = std::function<bool(LogitRow&)>;

Edit tempered(double (*change)(double T)) {
  return [change](LogitRow& row) {
    const double other = change(row.temperature);
    return std::exchange(row.temperature, other) != other;
  };
}

Edit scaled_upstream(double (*factor)(double T)) {
  return [factor](LogitRow& row) {
    const double by = factor(row.temperature);
    for (double& entry : row.upstream) entry *= by;
    return !row.upstream.empty() && by != 1;
  };
}

bool unmasked(LogitRow& row) { return !std::exchange(row.mask, std::vector<std::uint8_t>{}).empty(); }

// A masked NaN or infinity stays out: a row with it has no weights to compare.
bool numbers_unmasked(LogitRow& row) {
  bool changed = false;
  for (std::size_t i = 0; i < row.mask.size(); ++i) {
    const bool shown = row.mask[i] == 0 && std::isfinite(row.logits[i]);
    changed = changed || shown;
    if (shown) row.mask[i] = 1;
  }
  return changed;
}

bool inverted_mask(LogitRow& row) {
  for (std::uint8_t& kept : row.mask) kept = kept == 0;
  return !row.mask.empty();
}

// The parameter of its neighbours: what stands beside it in lists that people choose from.
void add_parameters(const Subject& asked, const RowParameters& p, std::vector<RowAlternative>& result) {
  const auto add = [&](std::string name, RowParameters other) {
    result.push_back({std::move(name), nullptr, [other](LogitRow& row) {
                        row.parameters = other;
                        return true;
                      }});
  };
  RowParameters other = p;
  if (asked.parameter == ReadsParameter::alpha)
    for (const auto& [above, below] :
         {std::pair<std::uint64_t, std::uint64_t>{5, 4}, {4, 3}, {3, 2}, {5, 3}, {7, 4}, {2, 1}, {5, 2}, {3, 1}}) {
      if (above * p.alpha_denominator == below * p.alpha_numerator) continue;
      other.alpha_numerator = above;
      other.alpha_denominator = below;
      add(fmt::format("alpha is {}/{}", above, below), other);
    }
  if (asked.parameter == ReadsParameter::k)
    for (const std::uint64_t k : {p.k - 1, p.k + 1}) {
      if (k == 0) continue;
      other.k = k;
      add(fmt::format("k is {}", k), other);
    }
  if (asked.parameter == ReadsParameter::order)
    for (const std::uint32_t order : {p.order - 2, p.order + 2}) {
      if (order == 0) continue;
      other.order = order;
      add(fmt::format("the order is {}", order), other);
    }
}

}  // namespace

std::vector<RowAlternative> row_alternatives(const Subject& asked, const RowParameters& parameters) {
  std::vector<RowAlternative> result{
      {"logits are multiplied by the temperature", nullptr,
       tempered([](double T) { return std::min(1 / T, std::numeric_limits<double>::max()); })},
      {"the temperature is not read", nullptr, tempered([](double) { return 1.0; })},
      {"2^ stands for e^", nullptr, tempered([](double T) { return T / std::numbers::ln2; })},
      {"log2(e) is applied twice", nullptr, tempered([](double T) { return T * std::numbers::ln2; })},
      {"the gradient lacks the factor 1/T", nullptr, scaled_upstream([](double T) { return T; })},
      {"the gradient has the factor 1/T twice", nullptr, scaled_upstream([](double T) { return 1 / T; })},
      {"the gradient has the other sign", nullptr, scaled_upstream([](double) { return -1.0; })},
      {"the mask is not read", nullptr, unmasked},
      {"the mask is applied behind the normalizer", nullptr, numbers_unmasked, true},
      {"the mask is inverted", nullptr, inverted_mask}};
  for (const Subject* subject : subjects())
    if (subject->derivative == asked.derivative && subject != &asked)
      result.push_back({fmt::format("it is {}", subject->name), subject, [](LogitRow&) { return true; }});
  add_parameters(asked, parameters, result);
  return result;
}

}  // namespace attncert
