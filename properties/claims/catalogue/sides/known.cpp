#include "properties/claims/catalogue/sides/known.hpp"

#include "properties/claims/instances/instances.hpp"

namespace attncert::known {

Row repeated(const Rational& first, const Rational& other, std::size_t length) {
  Row row(length, other);
  row.front() = first;
  return row;
}

Row above_rest(Row first, const Rational& other, std::size_t length) {
  first.resize(length, other);
  return first;
}

Row heavy(const Rational& first, std::size_t length) {
  return repeated(first, (1 - first) / static_cast<unsigned long>(length - 1), length);
}

Instance selection(Row weights, std::size_t dimension, Row tokens, std::size_t n) {
  Instance instance;
  instance.length = weights.size();
  instance.weights = std::move(weights);
  instance.tokens = std::make_shared<TokenSet>(instance.length, dimension, std::move(tokens));
  instance.select_top(n);
  return instance;
}

Instance orthonormal(Row weights, std::size_t n) {
  const std::size_t length = weights.size();
  Row tokens(length * length, Rational(0));
  for (std::size_t i = 0; i < length; ++i) tokens[i * length + i] = 1;
  return selection(std::move(weights), length, std::move(tokens), n);
}

Instance on_a_circle(Row weights, Row tokens, std::size_t n, std::size_t length) {
  for (long k = 1; weights.size() < length; ++k) {
    const Rational t = 2 + ratio(k, 64), square = t * t + 1;
    weights.emplace_back(0);
    tokens.emplace_back((1 - t * t) / square);
    tokens.emplace_back(-2 * t / square);
  }
  return selection(std::move(weights), 2, std::move(tokens), n);
}

Instance logits(Row values, const Rational& temperature) {
  Instance instance;
  instance.length = values.size();
  instance.logits = std::move(values);
  instance.temperature = temperature;
  return instance;
}

Instance raised(const Rational& a, const Rational& e, std::size_t length) {
  Row row(length, Rational(0));
  row[length - 2] = a;
  row[length - 1] = a + e;
  return logits(std::move(row));
}

Instance pair(Row row, Row other, const Rational& temperature, Row parameters) {
  Instance instance = logits(std::move(row), temperature);
  instance.other_logits = std::move(other);
  instance.parameters = std::move(parameters);
  return instance;
}

Instance separable(Row F, Row dF) {
  Instance instance;
  instance.length = F.size();
  instance.F = std::move(F);
  instance.dF = std::move(dF);
  return instance;
}

Instances single_slopes() {
  Instances all;
  for (const std::size_t length : {2, 24, 4096, 65536})
    all.push_back(separable(Row(length, 1), repeated(1, 0, length)));
  return all;
}

Instance separable_pair(Row logits, Row F, Row other_logits, Row other_F) {
  Instance instance = separable(std::move(F), {});
  instance.logits = std::move(logits);
  instance.other_logits = std::move(other_logits);
  instance.other_F = std::move(other_F);
  return instance;
}

Instance weights(Row values) {
  Instance instance;
  instance.length = values.size();
  instance.weights = std::move(values);
  return instance;
}

Instance around(const Row& center, const Row& step, const Rational& size, Row parameters) {
  Row row = center, other = center;
  for (std::size_t i = 0; i < center.size(); ++i) {
    row[i] += step[i] * size;
    other[i] -= step[i] * size;
  }
  return pair(std::move(row), std::move(other), 1, std::move(parameters));
}

Row numbers(const Rational& scale, const Rational& bias, unsigned long kept) {
  Row result(parameter::count);
  result[parameter::scale] = scale;
  result[parameter::bias] = bias;
  result[parameter::kept] = kept;
  return result;
}

}  // namespace attncert::known
