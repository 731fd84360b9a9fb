// Capture: real attention rows for the claims. The text runs in consecutive windows of T tokens; the last partial
// window is dropped and counted. x_i is the block's input: wte + wpe in layer 0, the residual stream after
// (docs/specification.md#captured).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "src/core/attention.hpp"
#include "src/core/result.hpp"
#include "src/gpt2/gpt2.hpp"
#include "src/gpt2/normalizer.hpp"

namespace attncert {

// The tokens of a text that fills at least one window. `where` names the text in an Error: it is not UTF-8, or too
// short.
Result<std::vector<TokenId>> window_tokens(const Gpt2& model, std::string_view text, const std::string& where);

struct CapturePlan {
  std::size_t windows = 2;                                // at most; fewer when the text is shorter
  std::vector<std::size_t> queries = {7, 31, 127, 1023};  // positions in a window, of every layer and head
};

// An Error as of window_tokens(), or for a model whose logits are not finite on the text.
Result<CapturedAttention> capture(const Gpt2& model, std::string_view text, const CapturePlan& plan,
                                  const std::string& where, const RowNormalizer& normalizer = built_in_softmax());

}  // namespace attncert
