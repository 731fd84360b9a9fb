// Logits of the vocabulary are made in blocks of rows: for GPT-2's 50,257 tokens a whole window would be 206 MB.
#include "src/gpt2/forward.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "src/core/assert.hpp"
#include "src/gpt2/attention.hpp"
#include "src/gpt2/layers.hpp"

namespace attncert {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
Eigen::Index index(std::size_t n) { return static_cast<Eigen::Index>(n); }

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

void attend(const Gpt2& model, std::size_t layer, const Normalizer& normalizer, const Watch& watch,
            std::span<float> x) {
  const Shape& shape = model.shape;
  const Block& block = model.checkpoint.blocks[layer];
  std::vector<float> normed(x.size()), qkv(3 * x.size()), heads(x.size());
  layer_norm(x, block.ln_1, shape.layer_norm_epsilon, normed);
  linear(normed, block.qkv, qkv);
  if (watch.block) watch.block(layer, x, normed, qkv);
  RowWatch rows;
  if (watch.row)
    rows = [&](std::size_t head, std::size_t query, auto logits, auto weights) {
      watch.row(layer, head, query, logits, weights);
    };
  causal_attention(shape, qkv, normalizer, rows, heads);
  linear(heads, block.projection, normed);
  add(normed, x);
}

void feed_forward(const Gpt2& model, std::size_t layer, std::span<float> x) {
  const Block& block = model.checkpoint.blocks[layer];
  std::vector<float> narrow(x.size()), wide(x.size() / model.shape.C * model.shape.F);
  layer_norm(x, block.ln_2, model.shape.layer_norm_epsilon, narrow);
  linear(narrow, block.expand, wide);
  gelu_new(wide);
  linear(wide, block.contract, narrow);
  add(narrow, x);
}

double log_sum_exp(const Eigen::Ref<const Eigen::RowVectorXf>& logits) {
  const double top = static_cast<double>(logits.maxCoeff());
  double sum = 0;
  for (Eigen::Index i = 0; i < logits.size(); ++i) sum += std::exp(static_cast<double>(logits[i]) - top);
  return top + std::log(sum);
}

}  // namespace

std::vector<float> forward(const Gpt2& model, std::span<const TokenId> tokens, const Normalizer& normalizer,
                           const Watch& watch) {
  ATTNCERT_ASSERT(!tokens.empty() && tokens.size() <= model.shape.T);
  std::vector<float> x = embed(model, tokens);
  for (std::size_t layer = 0; layer < model.shape.L; ++layer) {
    attend(model, layer, normalizer, watch, x);
    feed_forward(model, layer, x);
  }
  std::vector<float> hidden(x.size());
  layer_norm(x, model.checkpoint.ln_f, model.shape.layer_norm_epsilon, hidden);
  return hidden;
}

std::vector<NextToken> next_tokens(const Gpt2& model, std::span<const float> hidden, std::span<const TokenId> tokens) {
  constexpr std::size_t block_rows = 64;
  const Shape& shape = model.shape;
  ATTNCERT_ASSERT(!tokens.empty() && hidden.size() == tokens.size() * shape.C);
  const auto& head = model.checkpoint.lm_head.empty() ? model.checkpoint.wte : model.checkpoint.lm_head;
  const Eigen::Map<const Matrix> output(head.data(), index(shape.V), index(shape.C));
  const Eigen::Map<const Matrix> x(hidden.data(), index(tokens.size()), index(shape.C));
  std::vector<NextToken> next;
  Matrix logits;
  for (std::size_t first = 0; first + 1 < tokens.size(); first += block_rows) {
    const std::size_t rows = std::min(block_rows, tokens.size() - 1 - first);
    logits.noalias() = x.middleRows(index(first), index(rows)) * output.transpose();
    for (std::size_t r = 0; r < rows; ++r) {
      const TokenId token = tokens[first + r + 1];
      Eigen::Index likeliest = 0;
      logits.row(index(r)).maxCoeff(&likeliest);
      const double came = static_cast<double>(logits(index(r), index(token)));
      next.push_back({token, came - log_sum_exp(logits.row(index(r))), static_cast<TokenId>(likeliest)});
    }
  }
  return next;
}

}  // namespace attncert
