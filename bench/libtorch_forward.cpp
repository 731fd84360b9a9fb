// Operator by operator: addmm for a Conv1D, views of split heads, a mask by where, GELU from elementwise operators.
#include "bench/libtorch_forward.hpp"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

namespace attncert::bench {
namespace {

using at::Tensor;

std::int64_t whole(std::size_t n) { return static_cast<std::int64_t>(n); }

Tensor tensor(const std::vector<float>& values, std::initializer_list<std::int64_t> sizes) {
  return at::from_blob(const_cast<float*>(values.data()), sizes, at::kFloat);
}

Tensor layer_norm(const Tensor& x, const LayerNorm& layer, float epsilon) {
  const std::int64_t width = whole(layer.gain.size());
  return at::layer_norm(x, {width}, tensor(layer.gain, {width}), tensor(layer.bias, {width}),
                        static_cast<double>(epsilon));
}

Tensor conv1d(const Tensor& x, const Linear& layer) {
  const std::int64_t out = whole(layer.bias.size()), in = whole(layer.weight.size()) / out;
  return at::addmm(tensor(layer.bias, {out}), x.view({-1, in}), tensor(layer.weight, {in, out})).view({1, -1, out});
}

Tensor gelu_new(const Tensor& x) {
  return 0.5 * x * (1.0 + at::tanh(std::sqrt(2.0 / 3.14159265358979323846) * (x + 0.044715 * at::pow(x, 3.0))));
}

Tensor attention(const Tensor& x, const Shape& shape, const Block& block, const Tensor& causal) {
  const std::int64_t T = x.size(1), heads = whole(shape.NH), size = whole(shape.head_size());
  const auto parts = conv1d(x, block.qkv).split(whole(shape.C), 2);
  const auto split = [&](const Tensor& part) { return part.view({1, T, heads, size}).permute({0, 2, 1, 3}); };
  const Tensor query = split(parts[0]), key = split(parts[1]), value = split(parts[2]);
  Tensor weights = at::matmul(query, key.transpose(-1, -2));
  weights = weights / at::full({}, std::sqrt(static_cast<double>(size)), at::kFloat);
  weights = at::where(causal, weights, at::full({}, std::numeric_limits<float>::lowest(), at::kFloat));
  weights = at::softmax(weights, -1);
  const Tensor mixed = at::matmul(weights, value).permute({0, 2, 1, 3}).contiguous().view({1, T, whole(shape.C)});
  return conv1d(mixed, block.projection);
}

}  // namespace

std::vector<float> libtorch_forward(const Shape& shape, const Checkpoint& checkpoint,
                                    const std::vector<float>& embedded) {
  at::set_num_threads(1);
  const at::InferenceMode no_gradients;
  const std::int64_t T = whole(embedded.size() / shape.C);
  const Tensor causal = at::tril(at::ones({T, T}, at::kByte)).to(at::kBool).view({1, 1, T, T});
  Tensor x = tensor(embedded, {1, T, whole(shape.C)});
  for (const Block& block : checkpoint.blocks) {
    x = attention(layer_norm(x, block.ln_1, shape.layer_norm_epsilon), shape, block, causal) + x;
    const Tensor wide = gelu_new(conv1d(layer_norm(x, block.ln_2, shape.layer_norm_epsilon), block.expand));
    x = x + conv1d(wide, block.contract);
  }
  x = layer_norm(x, checkpoint.ln_f, shape.layer_norm_epsilon).contiguous();
  return {x.data_ptr<float>(), x.data_ptr<float>() + x.numel()};
}

}  // namespace attncert::bench
