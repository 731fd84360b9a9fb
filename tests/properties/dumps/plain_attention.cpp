#include "tests/properties/dumps/plain_attention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

namespace attncert {
namespace {

class Kernel {
 public:
  Kernel(const PlainInputs& inputs, const Conventions& conventions)
      : in_(inputs), how_(conventions), s_(inputs.shape) {}

  void row(std::size_t b, std::size_t h, std::size_t i, std::vector<float>& o, std::vector<float>& lse) const {
    std::vector<std::pair<float, std::size_t>> scores;
    for (std::size_t j = 0; j < s_.keys; ++j) {
      if (keeps(b, i, j)) scores.emplace_back(score(b, h, i, j), j);
      else if (how_.of_masked != nullptr && static_cast<int>(j) < count(b))
        scores.emplace_back(how_.of_masked(score(b, h, i, j)), j);
    }
    float maximum = -INFINITY, total = 0;
    const bool sinks = !in_.sinks.empty() && how_.sink != Sink::none;
    const float sink = sinks ? sink_of(h) : 0;
    if (sinks) maximum = sink;
    for (const auto& score : scores) maximum = std::max(maximum, score.first);
    if (sinks) total = (how_.sink == Sink::twice ? 2.0f : 1.0f) * std::exp(sink - maximum);
    for (auto& score : scores) total += score.first = std::exp(score.first - maximum);
    for (std::size_t c = 0; c < s_.value_size; ++c) {
      float sum = 0;
      for (const auto& [weight, j] : scores) sum += stored(weight) * value(b, h, j, c);
      o.push_back(sum / total);
    }
    lse.push_back(lse_of(maximum, total, sinks ? std::exp(sink - maximum) : 0));
  }

 private:
  // In bf16, where weights are narrow: the upper half of an f32, rounded to the nearest.
  float stored(float weight) const {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(weight);
    return how_.narrow_weights ? std::bit_cast<float>((bits + 0x8000u) & 0xffff0000u) : weight;
  }

  int count(std::size_t b) const {
    return in_.lengths.empty() || !how_.lengths ? static_cast<int>(s_.keys) : static_cast<int>(in_.lengths[b]);
  }

  int corner() const { return how_.top_left ? 0 : static_cast<int>(s_.keys) - static_cast<int>(s_.queries); }

  bool keeps(std::size_t b, std::size_t i, std::size_t j) const {
    const int key = static_cast<int>(j), count = this->count(b);
    const int diagonal = static_cast<int>(i) + corner() + how_.diagonal;
    if (key >= count || key < how_.skipped_first || key >= count - how_.skipped_last) return false;
    if (how_.only_first > 0 && key >= how_.only_first) return false;
    if (how_.whole_tiles > 0 && key >= count / how_.whole_tiles * how_.whole_tiles) return false;
    if ((how_.part == 1 && key >= count / 2) || (how_.part == 2 && key < count / 2)) return false;
    if (in_.causal && how_.causal && key > diagonal) return false;
    if (in_.window > 0 && how_.window && key <= diagonal - in_.window - how_.longer_window) return false;
    if (in_.mask.empty() || !how_.mask) return true;
    return (in_.mask[i * s_.keys + j] != 0) != how_.inverted;
  }

  std::size_t kv_head(std::size_t b, std::size_t h) const {
    const std::size_t batch = how_.first_batch ? 0 : b;
    std::size_t head = h / (s_.heads / s_.kv_heads);
    if (how_.heads == Heads::in_turn) head = h % s_.kv_heads;
    if (how_.heads == Heads::first) head = 0;
    return batch * s_.kv_heads + head;
  }

  float capped(float x) const { return in_.softcap > 0 ? in_.softcap * std::tanh(x / in_.softcap) : x; }

  float score(std::size_t b, std::size_t h, std::size_t i, std::size_t j) const {
    const float* const q = &in_.q[((b * s_.heads + h) * s_.queries + i) * s_.size];
    const float* const k = &in_.k[(kv_head(b, h) * s_.keys + j) * s_.size];
    float product = 0;
    for (std::size_t e = 0; e < s_.size; ++e) product += q[e] * k[e];
    const float scale = in_.scale * how_.scale_factor;
    float bias = in_.bias.empty() ? 0 : in_.bias[(h * s_.queries + i) * s_.keys + j];
    if (how_.bias == Bias::none) bias = 0;
    if (how_.bias == Bias::before_scale) bias *= scale;
    if (how_.bias == Bias::in_base_2) bias *= 0.6931471805599453f;
    if (how_.bias == Bias::subtracted) bias = -bias;
    float x = scale * product;
    if (how_.cap == Cap::right) x = capped(x);
    if (how_.cap == Cap::before_scale) x = scale * capped(product);
    if (how_.cap == Cap::not_multiplied) x = capped(x) / in_.softcap;
    x = how_.cap == Cap::after_bias ? capped(x + bias) : x + bias;
    if (in_.slopes.empty()) return x;
    const float distance = static_cast<float>(static_cast<int>(j) - static_cast<int>(i) - corner());
    return x + how_.slope_sign * in_.slopes[h] * (in_.causal ? distance : -std::abs(distance));
  }

  float value(std::size_t b, std::size_t h, std::size_t j, std::size_t c) const {
    const std::size_t key = how_.late_values ? (j + s_.keys - 1) % s_.keys : j;
    const auto& from = how_.keys_for_values ? in_.k : in_.v;
    return from[(kv_head(b, h) * s_.keys + key) * s_.value_size + c];
  }

  float sink_of(std::size_t h) const {
    if (how_.sink == Sink::zero) return 0;
    return in_.sinks[h] * (how_.sink == Sink::scaled ? in_.scale : 1);
  }

  float lse_of(float maximum, float total, float sink) const {
    switch (how_.lse) {
      case Lse::right:
        break;
      case Lse::base_2:
        return (maximum + std::log(total)) * 1.4426950408889634f;
      case Lse::without_maximum:
        return std::log(total);
      case Lse::maximum:
        return maximum;
      case Lse::sum:
        return total;
      case Lse::negative:
        return -(maximum + std::log(total));
      case Lse::mixed:
        return maximum + std::log2(total);
      case Lse::unscaled_maximum:
        return maximum / in_.scale + std::log(total);
      case Lse::without_sink:
        return maximum + std::log(total - sink);
    }
    return maximum + std::log(total);
  }

  const PlainInputs& in_;
  const Conventions& how_;
  const PlainShape& s_;
};

}  // namespace

PlainInputs plain_inputs(std::uint64_t seed, PlainShape shape) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<float> normal;
  const auto numbers = [&](std::size_t count) {
    std::vector<float> result(count);
    for (float& number : result) number = normal(engine);
    return result;
  };
  PlainInputs in;
  in.shape = shape;
  in.q = numbers(shape.batches * shape.heads * shape.queries * shape.size);
  in.k = numbers(shape.batches * shape.kv_heads * shape.keys * shape.size);
  in.v = numbers(shape.batches * shape.kv_heads * shape.keys * shape.value_size);
  in.bias = numbers(shape.heads * shape.queries * shape.keys);
  in.sinks = numbers(shape.heads);
  for (std::size_t n = 0; n < shape.queries * shape.keys; ++n) in.mask.push_back(engine() % 8 != 0);
  for (std::size_t b = 0; b < shape.batches; ++b)
    in.lengths.push_back(static_cast<float>(shape.keys - b * shape.keys / 5));
  in.scale = 1 / std::sqrt(static_cast<float>(shape.size));
  in.softcap = 3;
  in.causal = true;
  in.window = 28;
  return in;
}

WrittenDump plain_dump(const PlainInputs& in, const Conventions& conventions) {
  const PlainShape& s = in.shape;
  const Kernel kernel(in, conventions);
  std::vector<float> o, lse;
  for (std::size_t b = 0; b < s.batches; ++b)
    for (std::size_t h = 0; h < s.heads; ++h)
      for (std::size_t i = 0; i < s.queries; ++i) kernel.row(b, h, i, o, lse);
  WrittenDump dump;
  dump.tensors = {{"q", {{s.batches, s.heads, s.queries, s.size}, in.q, {}}},
                  {"k", {{s.batches, s.kv_heads, s.keys, s.size}, in.k, {}}},
                  {"v", {{s.batches, s.kv_heads, s.keys, s.value_size}, in.v, {}}},
                  {"o", {{s.batches, s.heads, s.queries, s.value_size}, o, {}}},
                  {"lse", {{s.batches, s.heads, s.queries}, lse, {}}}};
  if (!in.bias.empty()) dump.tensors["bias"] = {{1, s.heads, s.queries, s.keys}, in.bias, {}};
  if (!in.mask.empty()) dump.tensors["mask"] = {{s.queries, s.keys}, {}, in.mask};
  if (!in.sinks.empty()) dump.tensors["sinks"] = {{s.heads}, in.sinks, {}};
  if (!in.slopes.empty()) dump.tensors["slopes"] = {{s.heads}, in.slopes, {}};
  if (!in.lengths.empty()) dump.tensors["lengths"] = {{s.batches}, in.lengths, {}};
  dump.metadata = {{"scale", fmt::format("{}", static_cast<double>(in.scale))}};
  if (in.causal) dump.metadata["causal"] = "bottom-right";
  if (in.softcap > 0) dump.metadata["softcap"] = std::to_string(in.softcap);
  if (in.window > 0) dump.metadata["window"] = std::to_string(in.window);
  return dump;
}

}  // namespace attncert
