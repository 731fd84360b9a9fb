#include "properties/claims/instances/instance.hpp"

#include <algorithm>
#include <numeric>

#include "reference/normalizers/softmax.hpp"

namespace attncert {

bool Instance::select_top(std::size_t n) {
  ATTNCERT_ASSERT(n <= weights.size());
  count = n;
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  const bool tie = n > 0 && n < order.size() && weights[order[n - 1]] == weights[order[n]];
  selected.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n));
  std::sort(selected.begin(), selected.end());
  return tie;
}

std::vector<std::size_t> Instance::unselected() const {
  std::vector<std::size_t> rest;
  auto next = selected.begin();
  for (std::size_t i = 0; i < length; ++i)
    if (next != selected.end() && *next == i) ++next;
    else rest.push_back(i);
  return rest;
}

std::vector<Rational> Instance::selected_weights() const {
  std::vector<Rational> result;
  for (const std::size_t i : selected) result.push_back(weights[i]);
  return result;
}

Rational Instance::selected_mass() const {
  Rational mass = 0;
  for (const std::size_t i : selected) mass += weights[i];
  return mass;
}

Instance::Derived& Instance::derived(Precision precision) const {
  if (!derived_) derived_ = std::make_shared<std::map<Precision, Derived>>();
  return (*derived_)[precision];
}

const reference::Selection& Instance::selection(Precision precision) const {
  auto& known = derived(precision).selection;
  if (!known) {
    std::vector<Interval> enclosed;
    for (const Rational& a : weights) enclosed.emplace_back(a, precision);
    std::vector<bool> is_selected(length, false);
    for (const std::size_t i : selected) is_selected[i] = true;
    known = reference::selection(tokens->enclosures(precision).first(length * dimension()), dimension(), enclosed,
                                 is_selected, precision);
  }
  return *known;
}

const SoftmaxRow& Instance::softmax(Precision precision) const {
  auto& known = derived(precision).softmax;
  if (!known) {
    std::vector<Interval> p = reference::softmax(logits, *temperature, precision);
    const auto [first, second] = two_largest(logits);
    reference::TopWeights top = reference::top_weights(p, first, second, precision);
    Interval eigenvalue = reference::largest_eigenvalue(p, top, second, precision);
    known = SoftmaxRow{std::move(p), std::move(top), std::move(eigenvalue)};
  }
  return *known;
}

const Interval& Instance::squared_separation(Precision precision) const {
  auto& known = derived(precision).squared_separation;
  if (!known) {
    const auto all = tokens->enclosures(precision);
    for (const auto& [i, j] : tokens->closest_candidates(length)) {
      const std::size_t d = dimension();
      const Interval distance = squared_distance(all.subspan(i * d, d), all.subspan(j * d, d), precision);
      known = known ? min(*known, distance) : distance;
    }
  }
  return *known;
}

const Interval& Instance::largest_cross_distance(Precision precision) const {
  auto& known = derived(precision).largest_cross_distance;
  if (!known) {
    Interval largest(0.0, precision);
    const auto all = tokens->enclosures(precision);
    const std::size_t d = dimension();
    for (const auto& [i, j] : tokens->farthest_candidates(unselected(), selected))
      largest = max(largest, squared_distance(all.subspan(i * d, d), all.subspan(j * d, d), precision));
    known = sqrt(largest);
  }
  return *known;
}

Instance::Separable Instance::separable(Precision precision) const {
  // Exact sums of tokens over many different denominators are slow beyond this; generated rows are shorter.
  constexpr std::size_t longest_exact = 32;
  auto& known = derived(precision).separable;
  if (known) return *known;
  const reference::Selection& geometry = selection(precision);
  ATTNCERT_ASSERT(geometry.smallest_excess.has_value());
  std::optional<Rational> exact_r;  // squared
  Separable found;
  for (const std::size_t i : selected) {
    Truth inside = less_equal(geometry.excess[i], *geometry.smallest_excess);
    if (inside == Truth::unknown && length <= longest_exact) {
      if (!exact_r) exact_r = exact_squared_threshold(*this);
      inside = truth(exact_squared_distance_to_context(*this, i) <= *exact_r);
    }
    found.certain += inside == Truth::yes ? 1 : 0;
    found.possible += inside == Truth::no ? 0 : 1;
  }
  known = found;
  return found;
}

const std::vector<Rational>& Instance::context() const {
  if (!context_) {
    context_ = std::make_shared<std::vector<Rational>>(dimension());
    for (std::size_t k = 0; k < dimension(); ++k)
      for (const std::size_t j : selected) (*context_)[k] += weights[j] * tokens->token(j)[k];
  }
  return *context_;
}

Rational exact_squared_distance_to_context(const Instance& instance, std::size_t i) {
  Rational total = 0;
  for (std::size_t k = 0; k < instance.dimension(); ++k) {
    const Rational difference = instance.weights[i] * instance.tokens->token(i)[k] - instance.context()[k];
    total += difference * difference;
  }
  return total;
}

Rational exact_squared_threshold(const Instance& instance) {
  std::optional<Rational> smallest;
  for (const std::size_t j : instance.unselected()) {
    const Rational square = exact_squared_distance_to_context(instance, j);
    if (!smallest || square < *smallest) smallest = square;
  }
  return *smallest;
}

std::pair<std::size_t, std::size_t> two_largest(const std::vector<Rational>& values) {
  std::size_t first = 0;
  for (std::size_t i = 1; i < values.size(); ++i)
    if (values[i] > values[first]) first = i;
  std::size_t second = first;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i != first && (second == first || values[i] > values[second])) second = i;
  return {first, second};
}

std::vector<Rational> Instance::token_values() const {
  std::vector<Rational> values;
  for (std::size_t i = 0; tokens && i < length; ++i)
    values.insert(values.end(), tokens->token(i).begin(), tokens->token(i).end());
  return values;
}

Instance Instance::fresh() const {
  Instance copy = *this;
  copy.derived_.reset();
  copy.context_.reset();
  return copy;
}

ExactInstance Instance::exact() const {
  ExactInstance result;
  result.length = length;
  result.dimension = dimension();
  result.count = count;
  result.temperature = temperature;
  for (const auto& [numbers, runs] : rows_of_numbers) result.*runs = run_length_coded(this->*numbers);
  result.parameters = parameters;
  if (tokens) {
    std::vector<std::vector<Rational>> vectors;
    for (std::size_t i = 0; i < length; ++i) vectors.emplace_back(tokens->token(i).begin(), tokens->token(i).end());
    result.tokens = run_length_coded(vectors);
  }
  result.selected = selected;
  return result;
}

Instance from_exact(const ExactInstance& exact) {
  Instance instance;
  instance.length = exact.length;
  instance.temperature = exact.temperature;
  for (const auto& [numbers, runs] : rows_of_numbers) instance.*numbers = expanded(exact.*runs);
  instance.parameters = exact.parameters;
  if (!exact.tokens.empty()) {
    std::vector<Rational> values;
    for (const std::vector<Rational>& token : expanded(exact.tokens))
      values.insert(values.end(), token.begin(), token.end());
    instance.tokens = std::make_shared<TokenSet>(exact.length, exact.dimension, std::move(values));
  }
  if (exact.count > 0 && !instance.weights.empty()) instance.select_top(exact.count);
  if (!exact.selected.empty()) instance.selected = exact.selected;
  return instance;
}

std::size_t Instance::bits() const {
  std::size_t total = temperature ? attncert::bits(*temperature) : 0;
  for (const auto* values : {&logits, &weights, &F, &dF, &other_logits, &other_weights, &other_F, &parameters})
    for (const Rational& value : *values) total += attncert::bits(value);
  for (std::size_t i = 0; tokens && i < length; ++i)
    for (const Rational& value : tokens->token(i)) total += attncert::bits(value);
  return total;
}

std::string Instance::size_text() const {
  return "L=" + std::to_string(length) + " d=" + std::to_string(dimension()) + " bits=" + std::to_string(bits());
}

}  // namespace attncert
