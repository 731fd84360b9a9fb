#include "fuzz/normalizer_mutator.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "fuzz/normalizer_case.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// clang-format off
constexpr double special_values[] = {
    0, -0.0, 1, -1, infinity, -infinity, std::numeric_limits<double>::quiet_NaN(),
    // the ends of f16, f32 (and nearly bf16), f64
    0x1p-24, 0x1p-14, 65504, -65504, 0x1p-149, 0x1p-126, 0x1.fffffep127, -0x1.fffffep127,
    std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max(), -std::numeric_limits<double>::max(),
    // where exp leaves f16, f32, f64: their largest, smallest normal and half the smallest subnormal number
    11.089866, -9.704061, -17.328680, 88.722839, -87.336545, -103.972084, 709.782713, -708.396419, -745.133219,
};
// clang-format on
constexpr std::size_t randomness = 96;  // bytes that one mutation may draw; zeros after

double stepped(double value, Choices& random) {
  const Format& f = random.pick(formats);
  const double least = std::ldexp(1.0, f.min_exponent - 1), magnitude = std::max(std::abs(value), least);
  const double steps = static_cast<double>(1 + random.below(4)) * (random.flip() ? -1 : 1);
  if (!std::isfinite(value))
    return std::copysign(std::ldexp(2 - std::ldexp(1.0, 1 - f.digits), f.max_exponent - 1), value);
  return value + steps * std::ldexp(1.0, std::ilogb(magnitude) - f.digits + 1);
}

// By a power of two, or by a part of itself: what lies between the steps of an ulp and those is climbed, too.
double scaled(double value, Choices& random) {
  const int exponent = static_cast<int>(1 + random.below(random.flip() ? 64 : 4));
  const bool less = random.flip();
  if (random.flip()) return std::ldexp(value, less ? -exponent : exponent);
  const double part = std::ldexp(value, -static_cast<int>(1 + random.below(8)));
  return less ? value - part : value + part;
}

ReplacedElement& chosen(std::vector<ReplacedElement>& elements, Choices& random) {
  return elements[random.below(elements.size())];
}

// An element that the tape gives already, or one more that it gives from now on.
void change_element(const NormalizerCase& one, std::vector<ReplacedElement>& elements, std::span<const double> row,
                    Choices& random) {
  const bool one_more = elements.empty() || (elements.size() < most_elements && random.below(3) == 0);
  if (one_more) {
    const std::size_t position = random.below(one.recipe.length);
    elements.push_back({position, row[one.place(position)]});
  }
  ReplacedElement& element = one_more ? elements.back() : chosen(elements, random);
  element.value = mutated(element.value, row, random);
}

// Half of them past 16 bits, the others of any order of magnitude. Among short rows one is seldom long, and a long one
// seldom stays.
std::size_t drawn_longer(const NormalizerCase& one, Choices& random) {
  if (one.lengths == Lengths::short_ones) return 0;
  const bool all = one.lengths == Lengths::long_ones;
  if (one.longer != 0 && (random.below(8) == 0) != all) return one.longer;
  if (!all && (one.longer != 0 || random.below(256) != 0)) return 0;
  const std::size_t order = longest_row << (random.flip() ? 10 : random.below(10));
  return long_length(*one.subject, order + random.below(order));
}

// Another alpha: 1 + 1/b, 1 + b, or any.
void change_alpha(NormalizerCase& one, Choices& random) {
  const std::uint64_t kind = random.below(4), most = most_of_alpha >> random.below(12);
  one.alpha_above = kind == 0 ? 0 : kind == 1 ? 1 : 1 + random.below(most);
  one.alpha_below = kind == 0 ? 0 : kind == 2 ? 1 : 1 + random.below(most);
}

void change_floats(NormalizerCase& one, Choices& random) {
  if (one.subject->parameter == ReadsParameter::alpha && random.below(8) == 0) return change_alpha(one, random);
  std::vector<ReplacedElement>& list = one.subject->derivative && random.below(3) == 0 ? one.upstream : one.logits;
  const std::vector<double>& row = &list == &one.upstream ? one.row.upstream : one.row.logits;
  switch (random.below(8)) {
    case 0:
      if (list.size() > 1) std::swap(chosen(list, random).value, chosen(list, random).value);
      break;
    case 1:
      if (!list.empty()) list.erase(list.begin() + static_cast<std::ptrdiff_t>(random.below(list.size())));
      break;
    case 2:
      one.temperature = random.below(8) == 0 ? 0 : mutated(one.row.temperature, row, random);
      break;
    default:
      change_element(one, list, row, random);
  }
}

void change_choice(Tape& tape, const NormalizerCase& one, Choices& random) {
  if (random.below(8) == 0) {
    tape[one.subject_at] = static_cast<std::uint8_t>(random.below(subjects().size()));
    return;
  }
  std::uint8_t& byte = tape[1 + random.below(one.floats_at - 1)];
  const std::uint64_t how = random.below(6), any = random.below(256);
  byte = static_cast<std::uint8_t>(how == 0 ? byte + 1 : how == 1 ? byte - 1 : how == 2 ? any % 16 : any);
}

// All choices anew.
void draw_again(Tape& tape, std::uint64_t seed, const NormalizerCase& one) {
  const Tape fresh = random_tape(seed, "fresh", 0, one.floats_at - 1);
  std::copy(fresh.begin(), fresh.end(), tape.begin());
}

// Other choices may take more bytes or fewer, and the floats stand behind them: they are written anew, where they
// belong now.
Tape with_floats_of(const NormalizerCase& one, std::span<const std::uint8_t> choices) {
  NormalizerCase changed = draw_normalizer_case(choices);
  changed.temperature = one.temperature;
  changed.logits = one.logits;
  changed.upstream = one.upstream;
  for (std::vector<ReplacedElement>* const list : {&changed.logits, &changed.upstream})
    for (ReplacedElement& element : *list) element.position %= changed.recipe.length;
  changed.longer = one.longer == 0 ? 0 : long_length(*changed.subject, one.longer);
  if (changed.subject->parameter == one.subject->parameter) {
    changed.alpha_above = one.alpha_above;
    changed.alpha_below = one.alpha_below;
  }
  return with_floats(choices, changed);
}

}  // namespace

double mutated(double value, std::span<const double> others, Choices& random) {
  switch (random.below(8)) {
    case 0:
      return random.pick(special_values);
    case 1:
      return scaled(value, random);
    case 2:
      return -value;
    case 3:
      return others[random.below(others.size())];
    case 4:
      return stepped(others[random.below(others.size())], random);
    case 5:
      return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ (std::uint64_t{1} << random.below(64)));
    default:
      return stepped(value, random);
  }
}

Tape mutated(std::span<const std::uint8_t> tape, std::uint64_t seed, bool keeps_subject, Lengths lengths) {
  const Tape drawn = random_tape(seed, "mutator", 0, randomness);
  Choices random(drawn);
  NormalizerCase one = draw_normalizer_case(tape, lengths);
  const bool floats = random.below(2) == 0;
  if (floats) change_floats(one, random);
  one.longer = drawn_longer(one, random);
  if (floats) return with_floats(tape, one);
  Tape changed(tape.begin(), tape.end());
  changed.resize(std::max(changed.size(), one.floats_at));
  changed[0] = tape_version;
  if (random.below(8) == 0) draw_again(changed, seed, one);
  else
    for (std::uint64_t more = 1 + random.below(4); more > 0; --more) change_choice(changed, one, random);
  if (keeps_subject)
    changed = with_subject(changed,
                           static_cast<std::size_t>(std::ranges::find(subjects(), one.subject) - subjects().begin()));
  return with_floats_of(one, changed);
}

}  // namespace attncert
