// Real attention as instances (docs/specification.md#captured): weights w_i / sum w of the captured f32 weights,
// exactly; logits as exact dyadics; tokens raw (f32 as they are) or unit (the rational sphere point within 2^-30 of x /
// ||x||).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "properties/claims/instances/instance.hpp"
#include "src/core/attention.hpp"

namespace attncert {

struct CapturedTokenSet {
  std::shared_ptr<const TokenSet> tokens;
  double largest_rounding = 0;  // unit: a bound of the largest distance between x / ||x|| and its rational point
};

// The first `length` captured tokens in exact numbers. A token 0 stays 0, so that its rows fail the sphere's
// hypothesis.
CapturedTokenSet exact_tokens(const CapturedTokens& captured, std::size_t length, TokenScale scale);

// Weights, tokens and the top `n`; `tie` receives whether the selection broke a tie.
Instance captured_selection(const CapturedRow& row, std::shared_ptr<const TokenSet> tokens, std::size_t n, bool& tie);

// Logits at T = 1 (the captured logits are already scaled).
Instance captured_logits(const CapturedRow& row);

// N in {1, 5, ceil(L/8), floor(L/2)} with 1 <= N <= L, increasing, without repetition.
std::vector<std::size_t> planned_counts(std::size_t length);

// "real:w0:l2:h1:q127" and, for selections, ":unit:n16".
std::string row_name(const CapturedRow& row);

}  // namespace attncert
