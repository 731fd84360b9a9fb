// Where the large logits stand: the ends, the vectors' tail, blocks.
#include <bit>
#include <cmath>

#include "properties/conformance/inputs/class_lists.hpp"

namespace attncert {
namespace {

using Facts = RowFacts;

constexpr std::size_t several = 2 * vector_entries;  // vectors, and a tail
// The largest blocks whose maxima come late: 2^14, an eighth of the longest rows around a power of two.
constexpr std::size_t largest_block = 14;

template <class Condition>
InputClass place(std::string name, Condition condition) {
  return {"place", std::move(name), [=](const Facts& f) { return ordinary(f) && condition(f); }, {}, several};
}

bool alone(const Facts& f) { return f.tops == 1 && f.range > 1; }

// Within two steps of the format, and not equal.
bool near(const Facts& f) {
  const double a = f.body_top, b = f.tail_top, smaller = std::min(std::abs(a), std::abs(b));
  if (!f.has_tail() || a == b || std::isinf(a) || std::isinf(b)) return false;
  const int unit = std::max(smaller == 0 ? f.format.min_exponent : std::ilogb(smaller), f.format.min_exponent - 1);
  return std::abs(a / 4 - b / 4) <= std::ldexp(0.5, unit - f.format.digits + 1);
}

}  // namespace

std::vector<InputClass> place_classes() {
  std::vector<InputClass> list{
      place("largest first", [](const Facts& f) { return alone(f) && f.first_top == 0; }),
      place("largest last", [](const Facts& f) { return alone(f) && f.first_top == f.length - 1; }),
      place("largest in the middle",
            [](const Facts& f) { return alone(f) && f.first_top >= f.length / 4 && f.first_top < f.length / 4 * 3; }),
      place("largest in the tail", [](const Facts& f) { return alone(f) && f.has_tail() && f.first_top >= f.tail; }),
      place("tail above the rest by 20 T",
            [](const Facts& f) {
              return f.has_tail() && std::isfinite(f.body_top) && std::isfinite(f.tail_top) &&
                     (static_cast<long double>(f.tail_top) - f.body_top) / f.row.temperature >= 20;
            }),
      place("rest above the tail by 20 T",
            [](const Facts& f) {
              return f.has_tail() && std::isfinite(f.body_top) && std::isfinite(f.tail_top) &&
                     (static_cast<long double>(f.body_top) - f.tail_top) / f.row.temperature >= 20;
            }),
      place("tie at the top across body and tail",
            [](const Facts& f) { return f.has_tail() && f.body_top == f.tail_top && f.range > 0; }),
      place("neighbours at the top across body and tail", near)};
  for (std::size_t octave = 1; octave <= largest_block; ++octave) {
    const std::size_t block = std::size_t{1} << octave;
    const auto late = [block](const Facts& f) {
      return ordinary(f) && f.range > 0 && f.longest_wait > block / 2 && f.longest_wait <= block;
    };
    list.push_back({"place", "each block of " + std::to_string(block) + " raises the maximum", late, {}, 3 * block});
  }
  return list;
}

}  // namespace attncert
