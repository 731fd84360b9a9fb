// One pass per window; only the planned rows are copied out of it.
#include "src/gpt2/capture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>

#include "src/gpt2/files/split.hpp"
#include "src/gpt2/finite.hpp"
#include "src/gpt2/forward.hpp"

namespace attncert {
namespace {

// Runs one window; false when a captured number is not finite.
bool capture_window(const Gpt2& model, std::span<const TokenId> tokens, const std::vector<std::size_t>& queries,
                    const RowNormalizer& normalizer, CapturedAttention& captured) {
  const std::size_t window = captured.windows++;
  bool all_finite = true;
  Watch watch;
  watch.attention_only = true;
  watch.block = [&](std::size_t layer, std::span<const float> input, auto, auto) {
    CapturedTokens block{window, layer, tokens.size(), model.shape.C, {input.begin(), input.end()}};
    all_finite = all_finite && finite(input);
    captured.tokens.push_back(std::make_shared<const CapturedTokens>(std::move(block)));
  };
  watch.queries = queries;
  watch.row = [&](std::size_t layer, std::size_t head, std::size_t query, auto logits, auto weights) {
    all_finite = all_finite && finite(logits) && finite(weights);
    captured.rows.push_back({window,
                             layer,
                             head,
                             query,
                             {logits.begin(), logits.end()},
                             {weights.begin(), weights.end()},
                             captured.tokens.back()});
  };
  forward(model, tokens, normalizer, watch);
  return all_finite;
}

Result<CapturedAttention> capture_text(const Gpt2& model, std::string_view text, const CapturePlan& plan,
                                       const std::string& where, const RowNormalizer& normalizer) {
  const std::size_t T = model.shape.T;
  std::vector<std::size_t> queries = plan.queries;
  std::sort(queries.begin(), queries.end());
  queries.erase(std::unique(queries.begin(), queries.end()), queries.end());
  if (queries.empty() || plan.windows == 0)
    return Error{"capture: the plan has no query or no window; ask for at least one of each"};
  if (queries.back() >= T)
    return Error{fmt::format("capture: query {} is beyond the model's window of {} tokens; ask for queries below {}",
                             queries.back(), T, T)};
  const Result<std::vector<TokenId>> encoded = window_tokens(model, text, where);
  if (!encoded) return encoded.error();
  const std::vector<TokenId>& tokens = *encoded;
  CapturedAttention captured;
  captured.dropped_tokens = tokens.size() % T;
  for (std::size_t window = 0; window < std::min(plan.windows, tokens.size() / T); ++window)
    if (!capture_window(model, std::span(tokens).subspan(window * T, T), queries, normalizer, captured))
      return Error{fmt::format(
          "{}: the model's attention is not finite in window {}; use a checkpoint that runs in f32", where, window)};
  return captured;
}

}  // namespace

Result<std::vector<TokenId>> window_tokens(const Gpt2& model, std::string_view text, const std::string& where) {
  if (const auto offset = first_ill_formed(text))
    return Error{fmt::format("{}: is not UTF-8 from byte {} on; save the text as UTF-8", where, *offset)};
  std::vector<TokenId> tokens = model.tokenizer.encode(text);
  if (tokens.size() < model.shape.T)
    return Error{fmt::format("{}: has {} tokens where one window of this model needs {}; give a longer text", where,
                             tokens.size(), model.shape.T)};
  return tokens;
}

Result<CapturedAttention> capture(const Gpt2& model, std::string_view text, const CapturePlan& plan,
                                  const std::string& where, const RowNormalizer& normalizer) {
  try {
    return capture_text(model, text, plan, where, normalizer);
  } catch (const std::bad_alloc&) {
    return Error{fmt::format("{}: capturing does not fit into memory; plan fewer windows or queries", where)};
  }
}

}  // namespace attncert
