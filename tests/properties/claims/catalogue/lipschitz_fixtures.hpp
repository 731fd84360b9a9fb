// Pairs of rows, rows of weights and the numbers of rules, for the tests of the Lipschitz claims.
#pragma once

#include <utility>
#include <vector>

#include "properties/claims/certify/judge.hpp"
#include "properties/claims/instances/instances.hpp"
#include "tests/properties/claims/catalogue/claim_fixtures.hpp"

namespace attncert::fixtures {

using Row = std::vector<Rational>;

inline Row numbers(const Rational& scale, const Rational& bias, unsigned long kept) {
  return {scale, bias, Rational(kept)};
}

inline Instance pair(Row row, Row other, const Rational& temperature = 1, Row parameters = numbers(1, 0, 2)) {
  Instance instance = logits(std::move(row), temperature);
  instance.other_logits = std::move(other);
  instance.parameters = std::move(parameters);
  return instance;
}

inline Instance weights(Row values) {
  Instance instance;
  instance.length = values.size();
  instance.weights = std::move(values);
  return instance;
}

inline Row heavy(const Rational& first, std::size_t others) {  // and equal ones
  Row row(others + 1, Rational((1 - first) / static_cast<unsigned long>(others)));
  row.front() = first;
  return row;
}

inline Interval left(const char* id, std::string_view name, const Instance& instance) {
  return part(id, name).lhs(instance, precision);
}
inline Interval right(const char* id, std::string_view name, const Instance& instance) {
  return part(id, name).rhs(instance, precision);
}

}  // namespace attncert::fixtures
