// Formulas: Radford et al. 2019; attention: Vaswani et al. 2017, equation 1; LayerNorm: Ba et al. 2016, equation 3.
#include "tests/gpt2/plain_forward.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace attncert {
namespace {

using Rows = std::vector<PlainRow>;

Rows layer_norm(const Rows& x, const LayerNorm& layer, float epsilon) {
  Rows y = x;
  for (PlainRow& row : y) {
    const auto width = static_cast<double>(row.size());
    double mean = 0, variance = 0;
    for (const double value : row) mean += value / width;
    for (const double value : row) variance += (value - mean) * (value - mean) / width;
    for (std::size_t i = 0; i < row.size(); ++i)
      row[i] =
          (row[i] - mean) / std::sqrt(variance + static_cast<double>(epsilon)) * static_cast<double>(layer.gain[i]) +
          static_cast<double>(layer.bias[i]);
  }
  return y;
}

Rows linear(const Rows& x, const Linear& layer) {
  const std::size_t out = layer.bias.size();
  Rows y;
  for (const PlainRow& row : x) {
    PlainRow sums(layer.bias.begin(), layer.bias.end());
    for (std::size_t i = 0; i < row.size(); ++i)
      for (std::size_t j = 0; j < out; ++j) sums[j] += row[i] * static_cast<double>(layer.weight[i * out + j]);
    y.push_back(std::move(sums));
  }
  return y;
}

void add(const Rows& what, Rows& to) {
  for (std::size_t t = 0; t < to.size(); ++t)
    for (std::size_t i = 0; i < to[t].size(); ++i) to[t][i] += what[t][i];
}

double gelu(double x) {
  return x / 2 * (1 + std::tanh(std::sqrt(2 * std::numbers::inv_pi) * (x + 0.044715 * x * x * x)));
}

Rows attention(const Shape& shape, const Rows& qkv, const PlainNormalizer& normalizer, PlainPass& pass) {
  const std::size_t size = shape.head_size();
  Rows mixed(qkv.size(), PlainRow(shape.C, 0.0));
  for (std::size_t head = 0; head < shape.NH; ++head)
    for (std::size_t q = 0; q < qkv.size(); ++q) {
      PlainRow logits(q + 1, 0.0);
      for (std::size_t k = 0; k <= q; ++k)
        for (std::size_t i = 0; i < size; ++i)
          logits[k] +=
              qkv[q][head * size + i] * qkv[k][shape.C + head * size + i] / std::sqrt(static_cast<double>(size));
      const PlainRow weights = normalizer(logits);
      for (std::size_t k = 0; k <= q; ++k)
        for (std::size_t i = 0; i < size; ++i)
          mixed[q][head * size + i] += weights[k] * qkv[k][2 * shape.C + head * size + i];
      pass.logits.push_back(std::move(logits));
      pass.weights.push_back(weights);
    }
  return mixed;
}

}  // namespace

PlainRow plain_softmax_row(const PlainRow& logits) {
  const double top = *std::max_element(logits.begin(), logits.end());
  PlainRow weights;
  double sum = 0;
  for (const double z : logits) sum += weights.emplace_back(std::exp(z - top));
  for (double& weight : weights) weight /= sum;
  return weights;
}

PlainPass plain_forward(const Gpt2& model, std::span<const TokenId> tokens, const PlainNormalizer& normalizer) {
  const Shape& shape = model.shape;
  const float epsilon = shape.layer_norm_epsilon;
  Rows x(tokens.size(), PlainRow(shape.C));
  for (std::size_t t = 0; t < tokens.size(); ++t)
    for (std::size_t i = 0; i < shape.C; ++i)
      x[t][i] = static_cast<double>(model.checkpoint.wte[tokens[t] * shape.C + i]) +
                static_cast<double>(model.checkpoint.wpe[t * shape.C + i]);
  PlainPass pass;
  for (const Block& block : model.checkpoint.blocks) {
    const Rows& qkv = pass.qkv.emplace_back(linear(layer_norm(x, block.ln_1, epsilon), block.qkv));
    add(linear(attention(shape, qkv, normalizer, pass), block.projection), x);
    Rows wide = linear(layer_norm(x, block.ln_2, epsilon), block.expand);
    for (PlainRow& row : wide) std::transform(row.begin(), row.end(), row.begin(), gelu);
    add(linear(wide, block.contract), x);
  }
  for (const PlainRow& row : layer_norm(x, model.checkpoint.ln_f, epsilon))
    pass.hidden.insert(pass.hidden.end(), row.begin(), row.end());
  return pass;
}

}  // namespace attncert
