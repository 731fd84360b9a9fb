// Instances in exact numbers and comparisons with exact values, for the tests of the claims' sides.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "properties/claims/certify/judge.hpp"
#include "properties/claims/claim.hpp"

namespace attncert::fixtures {

inline constexpr Precision precision{128};

inline Instance selection(std::vector<Rational> weights, std::size_t dimension, std::vector<Rational> tokens,
                          std::size_t n) {
  Instance instance;
  instance.length = weights.size();
  instance.weights = std::move(weights);
  instance.tokens = std::make_shared<TokenSet>(instance.length, dimension, std::move(tokens));
  instance.select_top(n);
  return instance;
}

inline Instance logits(std::vector<Rational> values, const Rational& temperature) {
  Instance instance;
  instance.length = values.size();
  instance.logits = std::move(values);
  instance.temperature = temperature;
  return instance;
}

inline Instance separable(std::vector<Rational> F, std::vector<Rational> dF) {
  Instance instance;
  instance.length = F.size();
  instance.F = std::move(F);
  instance.dF = std::move(dF);
  return instance;
}

inline const Statement& statement(const char* id) { return find_claim(id)->statement; }

inline Decision decision(const char* id, const Instance& instance) { return judge(statement(id), instance).decision; }

// A claim's only part, or the one of the name.
inline std::size_t index_of(const char* id, std::string_view name) {
  const std::vector<Part>& parts = statement(id).sided()->parts;
  for (std::size_t p = 0; p < parts.size(); ++p)
    if (parts[p].name == name) return p;
  ADD_FAILURE() << id << " has no part \"" << name << "\"";
  return 0;
}
inline const Part& part(const char* id, std::string_view name = {}) {
  return statement(id).sided()->parts[index_of(id, name)];
}
inline Decision decision(const char* id, std::string_view name, const Instance& instance) {
  return judge_part(statement(id), index_of(id, name), instance).decision;
}

// Left over right: of the part, and the largest of all.
inline Interval quotient(const char* id, std::string_view name, const Instance& instance) {
  return part(id, name).lhs(instance, precision) / part(id, name).rhs(instance, precision);
}
inline Interval largest_quotient(const char* id, const Instance& instance) {
  Interval largest(0.0, precision);
  for (const Part& part : statement(id).sided()->parts)
    largest = max(largest, part.lhs(instance, precision) / part.rhs(instance, precision));
  return largest;
}

inline void expect_value(const Interval& enclosure, const Rational& exact) {
  EXPECT_TRUE(enclosure.contains(exact)) << enclosure.text() << " does not contain " << to_text(exact);
  EXPECT_LT(enclosure.width(), 1e-30);
}

// The exact value is the square root of a rational.
inline void expect_root(const Interval& enclosure, const Rational& square_of_exact) {
  expect_value(square(enclosure), square_of_exact);
}

// 30 decimals of a number that is known exactly: the enclosure meets [digits - 1, digits + 1] in units of the last one,
// and is narrow.
inline void expect_decimals(const Interval& enclosure, const char* thirty_decimals) {
  const Rational digits(mpz_class(thirty_decimals), mpz_class("1000000000000000000000000000000"));
  const Interval unit(1e-30, precision), center(digits, precision);
  EXPECT_EQ(less(center - unit, enclosure), Truth::yes) << enclosure.text();
  EXPECT_EQ(less(enclosure, center + unit), Truth::yes) << enclosure.text();
}

}  // namespace attncert::fixtures
