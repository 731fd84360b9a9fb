#include "src/gpt2/forward.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "src/core/assert.hpp"
#include "src/gpt2/attention.hpp"
#include "src/gpt2/layers.hpp"
#include "src/gpt2/products.hpp"

namespace attncert {
namespace {

std::vector<float> embed(const Gpt2& model, std::span<const TokenId> tokens) {
  const std::size_t C = model.shape.C;
  std::vector<float> x(model.checkpoint.wpe.begin(),
                       model.checkpoint.wpe.begin() + static_cast<std::ptrdiff_t>(tokens.size() * C));
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    ATTNCERT_ASSERT(tokens[t] < model.shape.V);
    add(std::span(model.checkpoint.wte).subspan(tokens[t] * C, C), std::span(x).subspan(t * C, C));
  }
  return x;
}

// The residual stream and what a block makes of it; the memory is used again by the next block.
class Stream {
 public:
  Stream(const Gpt2& model, std::span<const TokenId> tokens, const Watch& watch)
      : model_(model),
        watch_(watch),
        watched_(watch.queries.value_or(std::vector<std::size_t>(tokens.size()))),
        x_(embed(model, tokens)),
        narrow_(x_.size()),
        qkv_(3 * x_.size()),
        heads_(x_.size()),
        wide_(tokens.size() * model.shape.F) {
    if (!watch.queries) std::iota(watched_.begin(), watched_.end(), std::size_t{0});
  }

  void attend(std::size_t layer, const RowNormalizer& normalizer, bool weights_only) {
    const Block& block = model_.checkpoint.blocks[layer];
    layer_norm(x_, block.ln_1, model_.shape.layer_norm_epsilon, narrow_);
    linear(narrow_, block.qkv, qkv_);
    if (watch_.block) watch_.block(layer, x_, narrow_, qkv_);
    RowWatch rows;
    if (watch_.row)
      rows = [&](std::size_t head, std::size_t query, auto logits, auto weights) {
        watch_.row(layer, head, query, logits, weights);
      };
    causal_attention(model_.shape, qkv_, normalizer, rows, watched_, weights_only ? std::span<float>() : heads_);
    if (weights_only) return;
    linear(heads_, block.projection, narrow_);
    add(narrow_, x_);
  }

  void feed_forward(std::size_t layer) {
    const Block& block = model_.checkpoint.blocks[layer];
    layer_norm(x_, block.ln_2, model_.shape.layer_norm_epsilon, narrow_);
    linear(narrow_, block.expand, wide_);
    gelu_new(wide_);
    linear(wide_, block.contract, narrow_);
    add(narrow_, x_);
  }

  std::vector<float> last_norm() {
    layer_norm(x_, model_.checkpoint.ln_f, model_.shape.layer_norm_epsilon, narrow_);
    return std::move(narrow_);
  }

 private:
  const Gpt2& model_;
  const Watch& watch_;
  std::vector<std::size_t> watched_;
  std::vector<float> x_, narrow_, qkv_, heads_, wide_;
};

}  // namespace

std::vector<float> forward(const Gpt2& model, std::span<const TokenId> tokens, const RowNormalizer& normalizer,
                           const Watch& watch) {
  ATTNCERT_ASSERT(!tokens.empty() && tokens.size() <= model.shape.T);
  Stream stream(model, tokens, watch);
  for (std::size_t layer = 0; layer < model.shape.L; ++layer) {
    const bool weights_only = watch.attention_only && layer + 1 == model.shape.L;
    stream.attend(layer, normalizer, weights_only);
    if (weights_only) return {};
    stream.feed_forward(layer);
  }
  return stream.last_norm();
}

}  // namespace attncert
