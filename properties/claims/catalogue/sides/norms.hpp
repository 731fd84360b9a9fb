// The norms l_p in which the claims about differences of rows are tried, p in {1, 5/4, 3/2, 2, 3, 4, inf}, and what
// their parts are called.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "reference/interval.hpp"

namespace attncert::sides {

enum class Exponent { one, five_quarters, three_halves, two, three, four, infinity };
inline constexpr std::array all_exponents{Exponent::one,     Exponent::five_quarters, Exponent::three_halves,
                                          Exponent::two,     Exponent::three,         Exponent::four,
                                          Exponent::infinity};
inline constexpr std::array ends_and_two{Exponent::one, Exponent::two, Exponent::infinity};

std::string_view text(Exponent p);                           // "5/4"
std::string norm_text(std::string_view vector, Exponent p);  // "||vector||_(5/4)"
std::string_view lasting(std::string text);                  // kept until the program ends

Interval norm(std::span<const Interval> values, Exponent p, Precision precision);

// 2^(1/p) and 2^(1-1/p): a vector of sum 0 and l_1 norm 2 has an l_p norm of at most the one, and a range of 1 needs
// an l_p norm of at least 1 over the other.
Interval two_to_inverse(Exponent p, Precision precision);
Interval two_to_rest(Exponent p, Precision precision);
std::string two_to_inverse_text(Exponent p);  // "2^(4/5) "; nothing for 2^0
std::string two_to_rest_text(Exponent p);

}  // namespace attncert::sides
