// What a captured attention row is. The forward pass of GPT-2 fills it, and the generators turn it into exact
// instances. Field letters: L tokens visible to the query, C the width of a token.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace attncert {

// Which vectors the paper's x_i are: wte + wpe, the block's input, LN1 of it, the head's own values. It does not say.
enum class TokenKind : std::uint8_t { embed, hidden, ln1, value };
inline constexpr std::array<TokenKind, 4> token_kinds = {TokenKind::embed, TokenKind::hidden, TokenKind::ln1,
                                                         TokenKind::value};
inline const char* name(TokenKind kind) {
  constexpr const char* names[] = {"embed", "hidden", "ln1", "value"};
  return names[static_cast<int>(kind)];
}

enum class TokenScale : std::uint8_t { raw, unit };  // as they are, or each divided by its length
inline const char* name(TokenScale scale) { return scale == TokenScale::raw ? "raw" : "unit"; }

// The tokens x_1..x_T of one layer of one window, as the model computed them (block input), row-major T x C, f32.
// A row of query q sees the first q + 1 of them.
struct CapturedTokens {
  std::size_t window = 0, layer = 0;
  std::size_t length = 0, width = 0;
  std::vector<float> values;
};

// One head's attention from one query: f32 logits (already scaled by 1/sqrt(head size)) and the f32 weights that
// the built-in softmax kernel gave for them. Both have length L = query + 1; finite.
struct CapturedRow {
  std::size_t window = 0, layer = 0, head = 0, query = 0;
  std::vector<float> logits, weights;
  std::shared_ptr<const CapturedTokens> tokens;
};

struct CapturedAttention {
  std::vector<std::shared_ptr<const CapturedTokens>> tokens;  // ordered by (window, layer)
  std::vector<CapturedRow> rows;                              // ordered by (window, layer, head, query)
  std::size_t windows = 0, dropped_tokens = 0;                // whole windows run; tokens of the last partial window
};

}  // namespace attncert
