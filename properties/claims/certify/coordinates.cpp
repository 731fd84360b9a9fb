#include "properties/claims/certify/coordinates.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "properties/claims/certify/judge.hpp"
#include "properties/claims/instances/hypotheses.hpp"
#include "properties/claims/instances/rationals.hpp"
#include "properties/claims/instances/weights.hpp"
#include "reference/exact_rows.hpp"

namespace attncert {
namespace {

// Numbers of 30 significant bits, or multiples of 2^-30: enough for a limit to be seen, short enough to compute with.
constexpr int point_bits = 30;

Rational with_few_bits(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return exact(std::nearbyint(std::ldexp(fraction, point_bits))) * power_of_two(exponent - point_bits);
}

Rational on_grid(double value) {
  return exact(std::nearbyint(std::ldexp(value, point_bits)) * std::ldexp(1.0, -point_bits));
}

// The power of two next to the largest magnitude: coordinates in its units are at most 2.
Rational scale_of(const std::vector<Rational>& values) {
  Rational largest = 0;
  for (const Rational& value : values) largest = std::max(largest, Rational(abs(value)));
  if (sgn(largest) == 0) return 1;
  const auto bits_of = [](const mpz_class& integer) {
    return static_cast<int>(mpz_sizeinbase(integer.get_mpz_t(), 2));
  };
  return power_of_two(bits_of(largest.get_num()) - bits_of(largest.get_den()));
}

// The token reflected to the direction of `target`: x - 2 (v.x)/(v.v) v with v near x - ||x|| target / ||target||. The
// norm is kept exactly whatever v is.
void reflect(std::span<Rational> token, const double* target) {
  double norm = 0, target_norm = 0;
  for (std::size_t k = 0; k < token.size(); ++k) {
    norm = std::hypot(norm, approximate(token[k]));
    target_norm = std::hypot(target_norm, target[k]);
  }
  if (!(target_norm > 0)) return;
  Rational along = 0, square = 0;
  std::vector<Rational> v(token.size());
  for (std::size_t k = 0; k < token.size(); ++k) {
    v[k] = on_grid(approximate(token[k]) / norm - target[k] / target_norm);
    along += v[k] * token[k];
    square += v[k] * v[k];
  }
  if (sgn(square) == 0) return;
  const Rational factor = 2 * along / square;
  for (std::size_t k = 0; k < token.size(); ++k) token[k] -= factor * v[k];
}

}  // namespace

Coordinates::Coordinates(const Statement& statement, const Instance& base) : base_(base.fresh()) {
  const std::vector<Hypothesis>& asked = std::get<Sided>(statement.kind).hypotheses;
  top_ = std::any_of(asked.begin(), asked.end(),
                     [](const Hypothesis& hypothesis) { return hypothesis.holds == hypotheses::top_selection.holds; });
  std::vector<Part> moving;
  for (const Part part : {Part::temperature, Part::logits, Part::weights, Part::F, Part::dF, Part::other_logits,
                          Part::other_weights, Part::other_F, Part::tokens, Part::rule})
    if (may_move(statement, part)) moving.push_back(part);
    else if (part == Part::tokens && may_move(statement, Part::sphere)) moving.push_back(Part::sphere);
  blocks_.clear();
  origin_.clear(), steps_.clear(), lowest_.clear(), highest_.clear();
  for (const Part part : moving) add(part);
}

// Moves the part alone by a thousandth of a step in four directions: an equation breaks in each of them.
bool Coordinates::may_move(const Statement& statement, Part part) {
  blocks_.clear();
  origin_.clear(), steps_.clear(), lowest_.clear(), highest_.clear();
  add(part);
  if (origin_.empty()) return false;
  for (std::uint64_t direction = 1; direction <= 4; ++direction) {
    const Tape signs = random_tape(direction, "coordinates", origin_.size(), origin_.size() + 1);
    std::vector<double> point = origin_;
    for (std::size_t i = 0; i < point.size(); ++i)
      point[i] = std::clamp(point[i] + steps_[i] * 1e-3 * (signs[i + 1] / 128.0 - 1), lowest_[i], highest_[i]);
    if (admissible(statement, at(point))) return true;
  }
  return false;
}

void Coordinates::add_logarithms(const std::vector<Rational>& values, double lowest, double highest) {
  for (const Rational& value : values) {
    origin_.push_back(sgn(value) > 0 ? std::clamp(std::log(approximate(value)), lowest, highest) : lowest);
    lowest_.push_back(lowest);
    highest_.push_back(highest);
    steps_.push_back(1);
  }
}

void Coordinates::add_plain(const std::vector<Rational>& values, const Rational& unit, double step) {
  constexpr double farthest = 1e4;  // in units; doubles of 30 bits after the point reach it
  for (const Rational& value : values) {
    origin_.push_back(std::clamp(approximate(value / unit), -farthest, farthest));
    lowest_.push_back(-farthest);
    highest_.push_back(farthest);
    steps_.push_back(step);
  }
}

void Coordinates::add(Part part) {
  constexpr double never = -60, large = 60;  // e^60 = 1e26: beyond it a limit is as good as reached
  const Rational temperature = base_.temperature.value_or(Rational(1));
  const bool divided = sgn(temperature) > 0;
  const std::size_t offset = origin_.size();
  if (part == Part::temperature && base_.temperature && divided) add_logarithms({temperature}, -large, large);
  if (part == Part::logits && divided) add_plain(base_.logits, temperature, 1);
  if (part == Part::weights) add_logarithms(base_.weights, never, 0);
  if (part == Part::F) add_logarithms(base_.F, -large, large);
  if (part == Part::dF) add_plain(base_.dF, slope_scale_ = scale_of(base_.dF), 0.5);
  if (part == Part::other_logits && base_.other_logits.size() == base_.logits.size()) {
    const std::vector<Rational> between = difference(base_.other_logits, base_.logits);
    add_plain(between, difference_scale_ = scale_of(between), 0.5);
  }
  if (part == Part::other_weights) add_logarithms(base_.other_weights, never, 0);
  if (part == Part::other_F) add_logarithms(base_.other_F, -large, large);
  if ((part == Part::tokens || part == Part::sphere) && base_.tokens) {
    if (part == Part::sphere && !base_.tokens->on_a_sphere(base_.length)) return;
    const std::vector<Rational> values = base_.token_values();
    add_plain(values, token_scale_ = scale_of(values), 0.5);
  }
  if (part == Part::rule)
    // A whole number is a count or names a case: it stays.
    for (const Rational& value : base_.parameters)
      if (value.get_den() != 1 && sgn(value) > 0) add_logarithms({value}, -large, large);
  if (origin_.size() > offset) blocks_.push_back({part, offset, origin_.size() - offset});
}

Instance Coordinates::at(const std::vector<double>& point) const {
  Instance instance = base_.fresh();
  for (const Block& block : blocks_) put(block, point.data() + block.offset, instance);
  const bool weights_moved =
      std::any_of(blocks_.begin(), blocks_.end(), [](const Block& block) { return block.part == Part::weights; });
  if (weights_moved && top_ && instance.count > 0) instance.select_top(instance.count);
  return instance;
}

void Coordinates::put(const Block& block, const double* x, Instance& instance) const {
  const auto exponentials = [&](std::vector<Rational>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = with_few_bits(std::exp(x[i]));
  };
  const auto plain = [&](std::vector<Rational>& values, const Rational& unit) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = unit * on_grid(x[i]);
  };
  const auto weights = [&](std::vector<Rational>& values) {
    exponentials(values);
    values = normalized(std::move(values));
  };
  if (block.part == Part::temperature) instance.temperature = with_few_bits(std::exp(x[0]));
  // the temperature stands before it
  if (block.part == Part::logits) plain(instance.logits, instance.temperature.value_or(Rational(1)));
  if (block.part == Part::weights) weights(instance.weights);
  if (block.part == Part::F) exponentials(instance.F);
  if (block.part == Part::dF) plain(instance.dF, slope_scale_);
  if (block.part == Part::other_logits) {
    plain(instance.other_logits, difference_scale_);
    for (std::size_t i = 0; i < instance.length; ++i) instance.other_logits[i] += instance.logits[i];
  }
  if (block.part == Part::other_weights) weights(instance.other_weights);
  if (block.part == Part::other_F) exponentials(instance.other_F);
  if (block.part == Part::tokens || block.part == Part::sphere) {
    std::vector<Rational> values = base_.token_values();
    const std::size_t d = base_.dimension();
    if (block.part == Part::tokens) plain(values, token_scale_);
    for (std::size_t i = 0; block.part == Part::sphere && i < base_.length; ++i)
      reflect(std::span(values).subspan(i * d, d), x + i * d);
    instance.tokens = std::make_shared<TokenSet>(base_.length, d, std::move(values));
  }
  if (block.part == Part::rule)
    for (Rational& value : instance.parameters)
      if (value.get_den() != 1 && sgn(value) > 0) value = with_few_bits(std::exp(*x++));
}

}  // namespace attncert
