#include "properties/claims/instances/captured.hpp"

#include <algorithm>

#include "properties/claims/instances/embeddings.hpp"
#include "properties/claims/instances/weights.hpp"

namespace attncert {

CapturedTokenSet exact_tokens(const CapturedTokens& captured, std::size_t length, TokenScale scale) {
  ATTNCERT_ASSERT(length <= captured.length);
  CapturedTokenSet result;
  std::vector<Rational> values;
  values.reserve(length * captured.width);
  for (std::size_t i = 0; i < length; ++i) {
    const float* x = captured.values.data() + i * captured.width;
    if (scale == TokenScale::raw) {
      for (std::size_t k = 0; k < captured.width; ++k) values.push_back(exact(x[k]));
    } else if (std::all_of(x, x + captured.width, [](float value) { return value == 0; })) {
      values.insert(values.end(), captured.width, Rational(0));  // on no sphere: the hypothesis says so, and is counted
    } else {
      double rounding = 0;
      for (Rational& y : nearest_unit_vector({x, x + captured.width}, rounding)) values.push_back(std::move(y));
      result.largest_rounding = std::max(result.largest_rounding, rounding);
    }
  }
  result.tokens = std::make_shared<TokenSet>(length, captured.width, std::move(values));
  return result;
}

Instance captured_selection(const CapturedRow& row, std::shared_ptr<const TokenSet> tokens, std::size_t n, bool& tie) {
  Instance instance;
  instance.length = row.weights.size();
  std::vector<Rational> parts;
  for (const float w : row.weights) parts.push_back(exact(w));
  instance.weights = normalized(std::move(parts));
  instance.tokens = std::move(tokens);
  tie = instance.select_top(n);
  return instance;
}

Instance captured_logits(const CapturedRow& row) {
  Instance instance;
  instance.length = row.logits.size();
  instance.temperature = 1;
  for (const float z : row.logits) instance.logits.push_back(exact(z));
  return instance;
}

std::vector<std::size_t> planned_counts(std::size_t length) {
  std::vector<std::size_t> counts{1, 5, (length + 7) / 8, length / 2};
  std::erase_if(counts, [&](std::size_t n) { return n < 1 || n > length; });
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

std::string row_name(const CapturedRow& row) {
  return "real:w" + std::to_string(row.window) + ":l" + std::to_string(row.layer) + ":h" + std::to_string(row.head) +
         ":q" + std::to_string(row.query);
}

}  // namespace attncert
