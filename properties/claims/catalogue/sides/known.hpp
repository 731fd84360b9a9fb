// Extremal instances that the claims name (Sided::known), in exact numbers.
#pragma once

#include <vector>

#include "properties/claims/instances/instance.hpp"

namespace attncert::known {

using Row = std::vector<Rational>;
using Instances = std::vector<Instance>;

Row repeated(const Rational& first, const Rational& other, std::size_t length);  // (first, other, .., other)
Row above_rest(Row first, const Rational& other, std::size_t length);            // (first.., other, .., other)
Row heavy(const Rational& first, std::size_t length);                            // weights: the others alike, of sum 1

Instance selection(Row weights, std::size_t dimension, Row tokens, std::size_t n);  // the top N
Instance orthonormal(Row weights, std::size_t n);                                   // x_i = e_i
// Tokens of the unit circle: those given, and more up to `length` that have no weight.
Instance on_a_circle(Row weights, Row tokens, std::size_t n, std::size_t length);
Instance logits(Row values, const Rational& temperature = 1);
Instance raised(const Rational& a, const Rational& e, std::size_t length);  // logits (0, .., 0, a, a + e)
Instance pair(Row row, Row other, const Rational& temperature = 1, Row parameters = {});
Instance separable(Row F, Row dF);
Instance separable_pair(Row logits, Row F, Row other_logits, Row other_F);
Instances single_slopes();  // F alike and F' of one token alone, at 2 to 65,536 tokens
Instance weights(Row values);

// Two rows about a third one, `size` times the step away on either side.
Instance around(const Row& center, const Row& step, const Rational& size, Row parameters = {});
// Numbers of a ruled_pair.
Row numbers(const Rational& scale, const Rational& bias, unsigned long kept);

inline const Rational small = ratio(1, 1048576);  // a step that is as good as a derivative

}  // namespace attncert::known
