// The forward pass of GPT-2 by its definition, in double, one number after the other: what the fast pass is held to on
// shapes for which nobody has expected values.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "src/gpt2/gpt2.hpp"

namespace attncert {

using PlainRow = std::vector<double>;
using PlainNormalizer = std::function<PlainRow(const PlainRow& logits)>;

PlainRow plain_softmax_row(const PlainRow& logits);

struct PlainPass {
  std::vector<PlainRow> logits, weights;   // by (layer, head, query)
  std::vector<double> hidden;              // LN_f of the last residual stream, tokens x C
  std::vector<std::vector<PlainRow>> qkv;  // by layer and token: queries, keys and values, 3 x C
};
PlainPass plain_forward(const Gpt2& model, std::span<const TokenId> tokens, const PlainNormalizer& normalizer);

}  // namespace attncert
