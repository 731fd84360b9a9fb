// Sides that one exact number makes, and the tests of equality that go with them.
#pragma once

#include "properties/claims/claim.hpp"

namespace attncert::sides {

using Exact = Rational (*)(const Instance&);

template <long numerator, unsigned long denominator = 1>
Interval constant(const Instance&, Precision precision) {
  return {ratio(numerator, denominator), precision};
}
template <long numerator, unsigned long denominator>
Interval constant_over_temperature(const Instance& instance, Precision precision) {
  return {Rational(ratio(numerator, denominator) / *instance.temperature), precision};
}
inline Interval root_of_two(const Instance&, Precision precision) { return sqrt(Interval(2.0, precision)); }

template <Exact number>
Interval enclosed(const Instance& instance, Precision precision) {
  return {number(instance), precision};
}
template <Exact square>
Interval root(const Instance& instance, Precision precision) {
  return sqrt(Interval(square(instance), precision));
}

// Whether a number is a constant, and whether two numbers are one.
template <Exact number, long constant>
bool is(const Instance& instance) {
  return number(instance) == constant;
}
template <Exact left, Exact right>
bool equal(const Instance& instance) {
  return left(instance) == right(instance);
}

}  // namespace attncert::sides
