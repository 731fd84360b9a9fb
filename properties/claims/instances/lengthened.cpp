#include "properties/claims/instances/lengthened.hpp"

#include <algorithm>
#include <set>
#include <span>

#include "properties/claims/instances/rationals.hpp"
#include "src/core/tape.hpp"

namespace attncert {
namespace {

// How often each token stands in the longer row.
std::vector<std::size_t> repetitions(std::size_t tokens, std::size_t length, Lengthening how) {
  std::vector<std::size_t> times(tokens, 1);
  if (how == Lengthening::first) times.front() = length - tokens + 1;
  if (how == Lengthening::last) times.back() = length - tokens + 1;
  if (how == Lengthening::all)
    for (std::size_t i = 0; i < tokens; ++i) times[i] = length / tokens + (i < length % tokens ? 1 : 0);
  return times;
}

Instance repeated(const Instance& instance, const std::vector<std::size_t>& times) {
  Instance result;
  result.temperature = instance.temperature;
  result.parameters = instance.parameters;
  std::vector<Rational> tokens;
  auto selected = instance.selected.begin();
  for (std::size_t i = 0; i < instance.length; ++i) {
    for (const auto& [row, runs] : rows_of_numbers) {
      if ((instance.*row).empty()) continue;
      const bool shared = row == &Instance::weights || row == &Instance::other_weights;
      const Rational value =
          shared ? Rational((instance.*row)[i] / static_cast<unsigned long>(times[i])) : (instance.*row)[i];
      (result.*row).insert((result.*row).end(), times[i], value);
    }
    for (std::size_t k = 0; instance.tokens && k < times[i]; ++k) {
      const auto token = instance.tokens->token(i);
      tokens.insert(tokens.end(), token.begin(), token.end());
    }
    if (selected != instance.selected.end() && *selected == i) {
      for (std::size_t k = 0; k < times[i]; ++k) result.selected.push_back(result.length + k);
      ++selected;
    }
    result.length += times[i];
  }
  result.count = result.selected.size();
  if (instance.tokens)
    result.tokens = std::make_shared<TokenSet>(result.length, instance.dimension(), std::move(tokens));
  return result;
}

// One more token, which hardly weighs. Far below means far enough for a slope of log F to be small, too.
Instance padded(const Instance& instance) {
  Instance result = instance.fresh();
  for (const auto& [row, runs] : rows_of_numbers)
    if (!(result.*row).empty()) (result.*row).emplace_back(0);
  if (!instance.logits.empty()) {
    std::vector<Rational> all = instance.logits;
    all.insert(all.end(), instance.other_logits.begin(), instance.other_logits.end());
    const auto [least, most] = std::minmax_element(all.begin(), all.end());
    const Rational unit = instance.F.empty() ? instance.temperature.value_or(Rational(1)) : power_of_two(200);
    result.logits.back() = *least - 1024 * (unit + *most - *least);
    if (!instance.other_logits.empty()) result.other_logits.back() = result.logits.back();
  }
  if (!instance.F.empty()) {
    std::vector<Rational> all = instance.F;
    all.insert(all.end(), instance.other_F.begin(), instance.other_F.end());
    result.F.back() = *std::min_element(all.begin(), all.end()) * power_of_two(-100);
    if (!instance.other_F.empty()) result.other_F.back() = result.F.back();
  }
  if (instance.parameters.size() == instance.length) result.parameters.emplace_back(0);  // one for every token
  ++result.length;
  if (instance.tokens) {
    std::vector<Rational> values = instance.token_values();
    values.resize(result.length * instance.dimension());
    result.tokens = std::make_shared<TokenSet>(result.length, instance.dimension(), std::move(values));
  }
  return result;
}

// The rational point of the sphere that token `i` is moved to by the rotation of angle 2 atan(t) in the plane of two of
// its coordinates.
std::vector<Rational> rotated(std::span<const Rational> token, std::size_t a, std::size_t b, const Rational& t) {
  const Rational square = 1 + t * t, cosine = (2 - square) / square, sine = 2 * t / square;
  std::vector<Rational> result(token.begin(), token.end());
  result[a] = cosine * token[a] - sine * token[b];
  result[b] = sine * token[a] + cosine * token[b];
  return result;
}

// Tokens of weight 0, each at a place of its own on the sphere of the others and opposite the context, so that the
// distances that count stay: around the point opposite the heaviest token, at most a quarter of a radian from it.
std::optional<Instance> padded_on_a_sphere(const Instance& instance, std::size_t length) {
  const std::size_t d = instance.dimension();
  if (d < 2 || instance.weights.empty()) return std::nullopt;
  const auto heaviest = std::max_element(instance.weights.begin(), instance.weights.end());
  const auto token = instance.tokens->token(static_cast<std::size_t>(heaviest - instance.weights.begin()));
  std::vector<Rational> opposite;
  for (const Rational& coordinate : token) opposite.push_back(-coordinate);
  std::size_t a = 0;
  while (token[a] == 0) ++a;  // a sphere's radius is positive
  const std::size_t b = a == 0 ? 1 : 0;
  std::size_t parts = 1;
  while (parts < length) parts *= 2;
  Instance result = instance.fresh();
  std::vector<Rational> values = instance.token_values();
  std::set<std::vector<Rational>> taken;
  for (std::size_t i = 0; i < instance.length; ++i) {
    const auto old = instance.tokens->token(i);
    taken.emplace(old.begin(), old.end());
  }
  for (long k = 1; result.length < length; ++k) {
    const long sign = k % 2 == 0 ? 1 : -1;
    const auto point = rotated(opposite, a, b, ratio(sign * (k + 1) / 2, 4 * static_cast<long>(parts)));
    if (taken.count(point) != 0) continue;
    values.insert(values.end(), point.begin(), point.end());
    for (const auto& [row, runs] : rows_of_numbers)
      if (!(instance.*row).empty()) (result.*row).emplace_back(0);
    ++result.length;
  }
  result.tokens = std::make_shared<TokenSet>(length, d, std::move(values));
  return result;
}

}  // namespace

std::optional<Instance> lengthened(const Instance& instance, std::size_t length, Lengthening how) {
  if (instance.length == 0 || length <= instance.length) return std::nullopt;
  if (how != Lengthening::padded) return repeated(instance, repetitions(instance.length, length, how));
  if (instance.tokens && instance.tokens->on_a_sphere(instance.length)) return padded_on_a_sphere(instance, length);
  const Instance one_more = padded(instance);
  Instance result = repeated(one_more, repetitions(one_more.length, length, Lengthening::last));
  if (instance.parameters.size() == instance.length) result.parameters.resize(length);
  return result;
}

std::vector<std::size_t> drawn_lengths(std::uint64_t seed, std::string_view claim) {
  const Tape tape = random_tape(seed, "lengths/" + std::string(claim), 0, 64);
  Choices choices(tape);
  std::vector<std::size_t> result;
  // The first octave begins where every generator's own rows but those of weights alone have ended.
  for (std::size_t first = 25, end = 32; end <= longest_length; first = end, end *= 2) {
    const std::size_t even = first + first % 2;
    const std::size_t odd = first + 1 - first % 2;
    result.push_back(even + 2 * choices.below((end - even) / 2));
    result.push_back(odd + 2 * choices.below((end - odd + 1) / 2));
    std::sort(result.end() - 2, result.end());
  }
  result.push_back(longest_length);
  return result;
}

}  // namespace attncert
