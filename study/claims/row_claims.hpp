// Claims on measured rows: every claim that has a screen (screens.hpp) is decided by the bound kernels with their
// proved errors; what they leave open is judged by Interval on the exact instance (instances/captured.hpp,
// certify/judge.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "properties/claims/certify/judge.hpp"
#include "properties/claims/instances/captured.hpp"
#include "src/bounds/distance.hpp"
#include "src/bounds/separability.hpp"
#include "src/core/attention.hpp"
#include "src/core/tally.hpp"
#include "study/attention_lines.hpp"
#include "study/claims/selection_sides.hpp"

namespace attncert {

struct ScreenTally {
  Counts counts;
  std::uint64_t by_interval = 0;
};

// One window's tallies; not shared between threads.
class RowClaims {
 public:
  // The tokens of the row, asked for only where Interval is.
  using TokensOf = std::function<const CapturedTokens&()>;

  // One row and one choice of tokens: the curves of src/bounds at the same N, on weights divided by their sum; of unit
  // tokens with token_error = unit_token_error, and of at most widest_tokens numbers. No N = 0. Rows whose weights have
  // signs or are all 0 fail the hypothesis on weights. zero_token: one of the row's tokens has length 0.
  void selections(const CapturedRow& row, TokenKind kind, TokenScale scale, const bounds::DistanceCurves& distance,
                  const bounds::SeparabilityCurves& separability, bool zero_token, const TokensOf& tokens);

  // softmax(logits / temperature) of the row's logits; 2^-100 <= temperature <= 2^100.
  void logits(const CapturedRow& row, double temperature);

  std::vector<ClaimLine> lines(std::size_t window) const;

 private:
  // Exact tokens of one set at a time; null where they would take more memory than is kept for them.
  std::shared_ptr<const TokenSet> exact_tokens(const CapturedRow& row, TokenKind kind, TokenScale scale,
                                               const TokensOf& tokens);

  std::map<std::pair<std::string, std::string_view>, ScreenTally> tallies_;  // by what was asked, and by claim
  std::string exact_name_;                                                   // whose tokens the set is of
  std::shared_ptr<const TokenSet> exact_set_;
};

}  // namespace attncert
