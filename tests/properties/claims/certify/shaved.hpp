// Testing the tester: a statement of which one part is made false by a little.
#pragma once

#include <utility>

#include "properties/claims/claim.hpp"

namespace attncert {

// The right side of one part times a factor. What decided next to equality is not true of it any more; an equality is
// left where both sides are 0.
inline void shave(Statement& statement, std::size_t which, const Rational& factor) {
  Part& part = std::get<Sided>(statement.kind).parts[which];
  part.rhs = [rhs = std::move(part.rhs), factor](const Instance& instance, Precision precision) {
    return rhs(instance, precision) * Interval(factor, precision);
  };
  part.slack = nullptr;
  part.attained = nullptr;
  if (part.relation == Relation::equal)
    part.attained = [rhs = part.rhs](const Instance& instance) {
      const Interval right = rhs(instance, Precision{});
      return right.is_point() && right.contains(0);
    };
}

inline Statement shaved(const Statement& statement, std::size_t which, const Rational& factor) {
  Statement wrong = statement;
  shave(wrong, which, factor);
  return wrong;
}

}  // namespace attncert
