#include "properties/claims/instances/instances.hpp"

#include <algorithm>
#include <numeric>

#include "properties/claims/instances/embeddings.hpp"
#include "properties/claims/instances/rationals.hpp"
#include "properties/claims/instances/weights.hpp"

namespace attncert {
namespace {

std::size_t generate_length(Choices& choices) {
  return choices.below(10) < 9 ? 1 + choices.below(8) : 1 + choices.below(24);
}

// 1, 2, L - 1 and L more often than the rest
std::size_t generate_count(Choices& choices, std::size_t most) {
  switch (choices.below(4)) {
    case 0:
      return 1;
    case 1:
      return std::min<std::size_t>(2, most);
    case 2:
      return std::max<std::size_t>(1, most - choices.below(2));
    default:
      return 1 + choices.below(most);
  }
}

std::vector<Rational> generate_logits(Choices& choices, std::size_t length) {
  std::vector<Rational> logits(length, Rational(0));
  const auto regime = choices.below(8);
  Rational base = 0, step = 0;
  if (regime == 4) {
    base = power_of_ten(static_cast<int>(choices.between(0, 30)));
    base *= small_rational(choices);
  }
  if (regime == 5) step = power_of_two(-static_cast<int>(choices.between(20, 1074)));
  for (std::size_t i = 0; i < length; ++i) {
    if (regime == 1) logits[i] = static_cast<long>(choices.below(2));                      // ties at two levels
    else if (regime == 2) logits[i] = i < 2 ? 0 : -static_cast<long>(choices.below(256));  // a pair on top
    else if (regime == 3) logits[i] = small_rational(choices) * 50;                        // spread
    else if (regime == 4) logits[i] = base + small_rational(choices);                      // huge offset
    else if (regime == 5) logits[i] = 1 + step * static_cast<long>(choices.below(5));  // neighbours, subnormal steps
    else if (regime == 6) logits[i] = any_rational(choices);
    else logits[i] = small_rational(choices);  // integers and fractions
  }
  return logits;
}

}  // namespace

Instance free_selection(Choices& choices) {
  Instance instance;
  instance.length = generate_length(choices);
  const std::size_t n = generate_count(choices, instance.length);
  const std::size_t dimension = 1 + choices.below(4);
  instance.weights = generate_weights(choices, instance.length);
  instance.tokens = generate_tokens(choices, instance.length, dimension);
  instance.select_top(n);
  return instance;
}

Instance any_selection(Choices& choices) {
  Instance instance = free_selection(choices);
  if (!choices.flip()) return instance;
  std::vector<std::size_t> order(instance.length);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t k = 0; k < instance.count; ++k) std::swap(order[k], order[k + choices.below(order.size() - k)]);
  instance.selected.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(instance.count));
  std::sort(instance.selected.begin(), instance.selected.end());
  return instance;
}

Instance unnormalized_selection(Choices& choices) {
  Instance instance = any_selection(choices);
  if (!choices.flip()) return instance;
  const Rational scale = positive_rational(choices);
  for (Rational& weight : instance.weights) weight *= scale;
  return instance;
}

Instance spherical_selection(Choices& choices) {
  Instance instance;
  const std::size_t wanted = 1 + generate_length(choices);
  const std::size_t dimension = 1 + choices.below(6);
  const std::uint64_t count_choice = choices.below(256);
  instance.tokens = generate_sphere(choices, wanted, dimension);
  instance.length = instance.tokens->length();
  const std::size_t most = std::max<std::size_t>(1, instance.length - 1);
  instance.weights = generate_weights(choices, instance.length);
  instance.select_top(1 + static_cast<std::size_t>(count_choice) % most);
  return instance;
}

Instance equiangular_selection(Choices& choices) {
  if (choices.below(4) == 3) return spherical_selection(choices);
  Instance instance;
  instance.length = 2 + choices.below(7);
  instance.tokens = generate_equiangular(choices, instance.length);
  const std::size_t n = generate_count(choices, instance.length - 1);
  instance.weights = generate_weights(choices, instance.length);
  instance.select_top(n);
  return instance;
}

Instance axial_selection(Choices& choices) {
  if (choices.below(4) == 3) return equiangular_selection(choices);
  Instance instance;
  instance.length = 3 + choices.below(4);
  instance.tokens = generate_axial(choices, instance.length);
  const std::size_t n = generate_count(choices, instance.length - 1);
  std::vector<Rational> parts(instance.length, Rational(1));
  switch (choices.below(3)) {
    case 0:  // N heavy ones, the rest lighter
      for (std::size_t i = 0; i < parts.size(); ++i)
        parts[i] = static_cast<unsigned long>((i < n ? 5 : 1) + choices.below(i < n ? 16 : 4));
      break;
    case 1:  // N alike, the rest alike and lighter
      std::fill_n(parts.begin(), n, Rational(static_cast<unsigned long>(1 + choices.below(16))));
      break;
    default:
      parts = generate_weights(choices, instance.length);
  }
  instance.weights = normalized(std::move(parts));
  instance.select_top(n);
  return instance;
}

Instance logit_row(Choices& choices) {
  Instance instance;
  instance.length = generate_length(choices);
  instance.temperature = temperature_rational(choices);
  instance.logits = generate_logits(choices, instance.length);
  return instance;
}

Instance logit_pair(Choices& choices) {
  Instance instance = logit_row(choices);
  const std::size_t length = instance.length;
  const auto kind = choices.below(6);
  Rational scale = 1;  // of the difference
  if (choices.below(3) == 2) scale = power_of_two(-static_cast<int>(choices.between(1, 60)));
  std::vector<Rational> step(length, Rational(0));
  for (std::size_t i = 0; i < length; ++i)
    if (kind == 0 || kind == 5) step[i] = small_rational(choices);          // anywhere
  if (kind == 1) step[choices.below(length)] = positive_rational(choices);  // one coordinate
  if (kind == 2) {                                                          // against each other on two coordinates
    const std::size_t i = choices.below(length), j = choices.below(length);
    step[i] = positive_rational(choices);
    step[j] = -step[i];
  }
  if (kind == 3)  // one up, all others down
    for (std::size_t i = 0; i < length; ++i) step[i] = i == 0 ? 1 : -1;
  instance.other_logits = instance.logits;
  if (kind == 4) std::reverse(instance.other_logits.begin(), instance.other_logits.end());
  for (std::size_t i = 0; i < length; ++i) {
    instance.other_logits[i] += step[i] * scale;
    if (kind >= 1 && kind <= 3) instance.logits[i] -= step[i] * scale;  // symmetric about the row that was drawn
  }
  return instance;
}

Instance ruled_pair(Choices& choices) {
  Instance instance = logit_pair(choices);
  std::vector<Rational>& numbers = instance.parameters;
  numbers.resize(parameter::count);
  const auto sign = choices.below(8);  // 0: positive
  numbers[parameter::scale] = sign == 7 ? Rational(0) : Rational(positive_rational(choices) * (sign > 4 ? -1 : 1));
  numbers[parameter::bias] = small_rational(choices);
  numbers[parameter::kept] = static_cast<unsigned long>(1 + choices.below(8));
  return instance;
}

Instance weight_row(Choices& choices) {
  Instance instance;
  instance.length = generate_length(choices);
  if (choices.below(8) < 6) {
    instance.weights = generate_weights(choices, instance.length);
    return instance;
  }
  if (choices.below(8) == 7) instance.length = 1 + choices.below(1024);
  const auto part = static_cast<long>(1 + choices.below(32));  // the first token has part/33 of all
  const Rational first = ratio(part, 33);
  const auto rest = static_cast<unsigned long>(std::max<std::size_t>(1, instance.length - 1));
  instance.weights.assign(instance.length, Rational((1 - first) / rest));
  instance.weights.front() = instance.length == 1 ? Rational(1) : first;
  return instance;
}

Instance separable_row(Choices& choices) {
  Instance instance;
  instance.length = generate_length(choices);
  const auto values = choices.below(3), slopes = choices.below(4);
  const Rational common = positive_rational(choices);
  for (std::size_t i = 0; i < instance.length; ++i) {
    // F: one value and exceptions, all different, or one extreme against the rest
    const bool exception = values == 2 ? i == 0 : choices.below(4) == 3;
    instance.F.push_back(values == 1 || exception ? positive_rational(choices) : common);
  }
  for (std::size_t i = 0; i < instance.length; ++i) {
    Rational& slope = instance.dF.emplace_back();
    if (slopes == 0) slope = small_rational(choices);
    if (slopes == 1) slope = instance.F[i] * (choices.flip() ? -1 : 1);         // |F'/F| constant: softmax's shape
    if (slopes == 3 || (slopes == 2 && i == 0)) slope = any_rational(choices);  // on one token, or on all
  }
  return instance;
}

namespace {

// A function F > 0 on a few rising logits: exponential on a lattice, arbitrary, or nearly constant.
struct Table {
  std::vector<Rational> logits, values;
};
Table generate_table(Choices& choices) {
  const auto shape = choices.below(3);
  const std::size_t size = 2 + choices.below(5);
  const Rational base = static_cast<long>(2 + choices.below(4));
  const Rational grain = power_of_two(-static_cast<int>(choices.between(8, 60)));
  Table table{{0}, {1}};
  for (std::size_t k = 1; k < size; ++k) {
    table.logits.emplace_back(table.logits.back() + (shape == 0 ? Rational(1) : positive_rational(choices)));
    if (shape == 0) table.values.emplace_back(table.values.back() * base);
    if (shape == 1) table.values.push_back(positive_rational(choices));
    if (shape == 2) table.values.emplace_back(1 + grain * static_cast<unsigned long>(choices.below(9)));
  }
  return table;
}

}  // namespace

Instance separable_pair(Choices& choices) {
  Instance instance;
  instance.length = generate_length(choices);
  const Table table = generate_table(choices);
  const std::size_t size = table.logits.size();
  const auto move = choices.below(4);
  std::vector<std::size_t> at, to;
  for (std::size_t i = 0; i < instance.length; ++i) at.push_back(choices.below(size));
  to = at;
  if (move == 0) std::reverse(to.begin(), to.end());
  if (move == 1) to[choices.below(to.size())] = choices.below(size);
  if (move == 2)  // anywhere
    for (std::size_t& index : to) index = choices.below(size);
  if (move == 3) {  // one up and all others down, by one step, from points that the two share
    const std::size_t first = choices.below(size - 1), others = 1 + choices.below(size - 1);
    for (std::size_t i = 0; i < to.size(); ++i) {
      at[i] = i == 0 ? first : others;
      to[i] = i == 0 ? first + 1 : others - 1;
    }
  }
  for (std::size_t i = 0; i < instance.length; ++i) {
    instance.logits.push_back(table.logits[at[i]]);
    instance.F.push_back(table.values[at[i]]);
    instance.other_logits.push_back(table.logits[to[i]]);
    instance.other_F.push_back(table.values[to[i]]);
  }
  return instance;
}

Instance weight_pair(Choices& choices) {
  Instance instance;
  instance.length = generate_length(choices);
  instance.weights = generate_weights(choices, instance.length);
  if (choices.flip()) {
    instance.other_weights = instance.weights;
    std::reverse(instance.other_weights.begin(), instance.other_weights.end());
  } else {
    instance.other_weights = generate_weights(choices, instance.length);
  }
  return instance;
}

Instance raised_row(Choices& choices) {
  Instance instance;
  instance.length = choices.below(10) < 9 ? 2 + choices.below(7) : 2 + choices.below(23);
  instance.temperature = temperature_rational(choices);
  instance.logits.assign(instance.length, Rational(0));
  Rational a = 0, e = positive_rational(choices);
  const auto place = choices.below(6);
  if (place == 4) {
    a = choices.flip() ? 50 : 1;
    a *= small_rational(choices);
  }
  if (place == 5) a = any_rational(choices);
  if (choices.below(4) == 3) e *= power_of_two(-static_cast<int>(choices.between(1, 60)));
  if (choices.below(6) == 5) e = -e;
  instance.logits[instance.length - 2] = a;
  instance.logits[instance.length - 1] = a + e;
  return instance;
}

}  // namespace attncert
