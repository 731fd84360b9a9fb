#include "properties/claims/catalogue/sides/norms.hpp"

#include <set>

namespace attncert::sides {
namespace {

struct Fraction {  // 1/p
  long numerator;
  unsigned long denominator;
};
Fraction inverse(Exponent p) {
  constexpr Fraction inverses[] = {{1, 1}, {4, 5}, {2, 3}, {1, 2}, {1, 3}, {1, 4}, {0, 1}};
  return inverses[static_cast<int>(p)];
}

Interval power(const Interval& size, Exponent p) {  // roots of order 2 and 4 are cheap
  switch (p) {
    case Exponent::five_quarters:
      return size * sqrt(sqrt(size));
    case Exponent::three_halves:
      return size * sqrt(size);
    case Exponent::two:
      return square(size);
    case Exponent::three:
      return size * square(size);
    case Exponent::four:
      return square(square(size));
    default:
      return size;
  }
}

Interval root(const Interval& sum, Exponent p) {
  if (p == Exponent::one || p == Exponent::infinity) return sum;
  if (p == Exponent::two) return sqrt(sum);
  if (p == Exponent::four) return sqrt(sqrt(sum));
  return pow(sum, inverse(p).numerator, inverse(p).denominator);
}

}  // namespace

std::string_view text(Exponent p) {
  constexpr std::string_view texts[] = {"1", "5/4", "3/2", "2", "3", "4", "inf"};
  return texts[static_cast<int>(p)];
}

std::string norm_text(std::string_view vector, Exponent p) {
  const std::string subscript(text(p));
  const bool fraction = subscript.find('/') != std::string::npos;
  return "||" + std::string(vector) + "||_" + (fraction ? "(" + subscript + ")" : subscript);
}

std::string_view lasting(std::string text) {
  static std::set<std::string> kept;
  return *kept.insert(std::move(text)).first;
}

Interval norm(std::span<const Interval> values, Exponent p, Precision precision) {
  Interval total(0.0, precision);
  for (const Interval& value : values) {
    const Interval size = abs(value);
    if (p == Exponent::infinity) total = max(total, size);
    else total += power(size, p);
  }
  return root(total, p);
}

namespace {

Fraction rest(Exponent p) {  // 1 - 1/p
  const auto [numerator, denominator] = inverse(p);
  return {static_cast<long>(denominator) - numerator, denominator};
}

std::string power_of_two_text(const Fraction& power) {
  if (power.numerator == 0) return "";
  if (power.denominator == 1) return "2 ";
  return "2^(" + std::to_string(power.numerator) + "/" + std::to_string(power.denominator) + ") ";
}

}  // namespace

std::string two_to_inverse_text(Exponent p) { return power_of_two_text(inverse(p)); }
std::string two_to_rest_text(Exponent p) { return power_of_two_text(rest(p)); }

Interval two_to_inverse(Exponent p, Precision precision) {
  const Fraction of = inverse(p);
  return pow(Interval(2.0, precision), of.numerator, of.denominator);
}

Interval two_to_rest(Exponent p, Precision precision) {
  const Fraction of = rest(p);
  return pow(Interval(2.0, precision), of.numerator, of.denominator);
}

}  // namespace attncert::sides
