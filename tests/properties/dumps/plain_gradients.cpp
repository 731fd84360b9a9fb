#include "tests/properties/dumps/plain_gradients.hpp"

#include <bit>
#include <cmath>
#include <random>

namespace attncert {
namespace {

float to_bf16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>((bits + 0x7fffu + (bits >> 16 & 1)) & 0xffff0000u);
}

class Backward {
 public:
  Backward(const PlainInputs& inputs, const BackwardFaults& faults, WrittenDump& dump)
      : in_(inputs),
        how_(faults),
        s_(inputs.shape),
        o_(dump.tensors["o"].numbers),
        lse_(dump.tensors["lse"].numbers),
        dO_(dump.tensors["do"].numbers),
        dq_(in_.q.size()),
        dk_(in_.k.size()),
        dv_(in_.v.size()),
        dsinks_(in_.sinks.size()) {
    for (std::size_t b = 0; b < s_.batches; ++b)
      for (std::size_t h = 0; h < s_.heads; ++h)
        for (std::size_t i = 0; i < s_.queries; ++i) row(b, h, i);
    dump.tensors["dq"] = {{s_.batches, s_.heads, s_.queries, s_.size}, dq_, {}};
    dump.tensors["dk"] = {{s_.batches, s_.kv_heads, s_.keys, s_.size}, dk_, {}};
    dump.tensors["dv"] = {{s_.batches, s_.kv_heads, s_.keys, s_.value_size}, dv_, {}};
    if (!dsinks_.empty()) dump.tensors["dsinks"] = {{s_.heads}, dsinks_, {}};
  }

 private:
  struct Key {
    std::size_t j;
    float x, slope, p, dP;
  };

  float stored(float value) const { return how_.narrow ? to_bf16(value) : value; }
  std::size_t kv(std::size_t b, std::size_t h) const { return b * s_.kv_heads + h / (s_.heads / s_.kv_heads); }
  std::size_t at(std::size_t b, std::size_t h, std::size_t i) const { return (b * s_.heads + h) * s_.queries + i; }

  bool keeps(std::size_t b, std::size_t i, std::size_t j) const {
    const int key = static_cast<int>(j);
    const int corner = how_.top_left ? 0 : static_cast<int>(s_.keys) - static_cast<int>(s_.queries);
    const int diagonal = static_cast<int>(i) + corner;
    if (!in_.lengths.empty() && how_.lengths && static_cast<float>(j) >= in_.lengths[b]) return false;
    if (in_.causal && how_.causal && key > diagonal) return false;
    if (in_.window > 0 && how_.window && key <= diagonal - in_.window) return false;
    return in_.mask.empty() || !how_.mask || in_.mask[i * s_.keys + j] != 0;
  }

  Key scored(std::size_t b, std::size_t h, std::size_t i, std::size_t j) const {
    float product = 0, dP = 0;
    for (std::size_t e = 0; e < s_.size; ++e)
      product += in_.q[at(b, h, i) * s_.size + e] * in_.k[(kv(b, h) * s_.keys + j) * s_.size + e];
    for (std::size_t c = 0; c < s_.value_size; ++c)
      dP += dO_[at(b, h, i) * s_.value_size + c] * in_.v[(kv(b, h) * s_.keys + j) * s_.value_size + c];
    float x = in_.scale * product, slope = 1;
    if (in_.softcap > 0) {
      const float t = std::tanh(x / in_.softcap);
      if (how_.slope) slope = 1 - t * t;
      if (how_.softcap) x = in_.softcap * t;
      else slope = 1;
    }
    if (!in_.bias.empty() && how_.bias) x += in_.bias[(h * s_.queries + i) * s_.keys + j];
    const float distance = static_cast<float>(static_cast<int>(j) - static_cast<int>(i) -
                                              (static_cast<int>(s_.keys) - static_cast<int>(s_.queries)));
    if (!in_.slopes.empty() && how_.slopes) x += in_.slopes[h] * (in_.causal ? distance : -std::abs(distance));
    return {j, x, slope, 0, dP};
  }

  // p of each key, by the stored LSE or by a softmax of its own. Returns that of the sink.
  float weigh(std::vector<Key>& keys, std::size_t b, std::size_t h, std::size_t i) const {
    const float lse = how_.lse * lse_[how_.first_lse ? at(b, h - h % (s_.heads / s_.kv_heads), 0) : at(b, h, i)];
    const bool sink = !in_.sinks.empty() && how_.sink;
    const bool own = how_.unfused || (!in_.sinks.empty() && !how_.sink);
    float maximum = sink ? in_.sinks[h] : -INFINITY, total = 0;
    for (const Key& key : keys) maximum = std::max(maximum, key.x);
    if (sink) total = std::exp(in_.sinks[h] - maximum);
    for (const Key& key : keys) total += std::exp(key.x - maximum);
    for (Key& key : keys) key.p = own ? std::exp(key.x - maximum) / total : std::exp(key.x - lse);
    if (how_.unfused)
      for (Key& key : keys) key.p = stored(key.p);
    if (!sink) return 0;
    return how_.unfused ? stored(std::exp(in_.sinks[h] - maximum) / total) : std::exp(in_.sinks[h] - lse);
  }

  float fused_D(std::size_t row) const {
    float D = 0;
    for (std::size_t c = 0; c < s_.value_size; ++c) D += o_[row * s_.value_size + c] * dO_[row * s_.value_size + c];
    return D;
  }

  float D_of(const std::vector<Key>& keys, std::size_t b, std::size_t h, std::size_t i) const {
    float own = 0;
    for (const Key& key : keys) own += key.p * key.dP;
    const bool sink_missing = !in_.sinks.empty() && !how_.sink;
    const float D = how_.unfused || sink_missing ? own : fused_D(at(b, h, i));
    switch (how_.D) {
      case FormOfD::right:
        break;
      case FormOfD::none:
        return 0;
      case FormOfD::added:
        return -D;
      case FormOfD::scaled:
        return D * in_.scale;
      case FormOfD::of_row_before:
        return fused_D(at(b, h, i == 0 ? 0 : i - 1));
      case FormOfD::of_first_row:
        return fused_D(at(b, h, 0));
    }
    return D;
  }

  bool counts(std::size_t h, std::size_t i) const {
    const std::size_t group = s_.heads / s_.kv_heads, place = h % group;
    if (how_.heads == GroupSum::first_head && place != 0) return false;
    if (how_.heads == GroupSum::last_head && place != group - 1) return false;
    const int query = static_cast<int>(i);
    return query >= how_.skipped_first && query < static_cast<int>(s_.queries) - how_.skipped_last;
  }

  void row(std::size_t b, std::size_t h, std::size_t i) {
    std::vector<Key> keys;
    for (std::size_t j = 0; j < s_.keys; ++j)
      if (keeps(b, i, j)) keys.push_back(scored(b, h, i, j));
    if (keys.empty()) return;
    const float sink = weigh(keys, b, h, i);
    const float D = D_of(keys, b, h, i);
    if (!dsinks_.empty()) dsinks_[h] -= how_.dsinks * (how_.unfused ? stored(sink * D) : sink * D);
    const float share =
        how_.heads == GroupSum::mean ? static_cast<float>(s_.kv_heads) / static_cast<float>(s_.heads) : 1;
    for (const Key& key : keys) {
      const float dS = stored(key.p * (key.dP - D) * key.slope);
      const std::size_t k = (kv(b, h) * s_.keys + key.j) * s_.size, v = (kv(b, h) * s_.keys + key.j) * s_.value_size;
      for (std::size_t e = 0; e < s_.size; ++e) {
        dq_[at(b, h, i) * s_.size + e] += how_.dq * in_.scale * (dS * in_.k[k + e]);
        if (counts(h, i) || how_.skip_only_in_dv)
          dk_[k + e] += share * how_.dk * in_.scale * (dS * in_.q[at(b, h, i) * s_.size + e]);
      }
      const float p = how_.unfused ? key.p : stored(key.p);
      for (std::size_t c = 0; c < s_.value_size && counts(h, i); ++c)
        dv_[v + c] += share * how_.dv * (p * dO_[at(b, h, i) * s_.value_size + c]);
    }
  }

  const PlainInputs& in_;
  const BackwardFaults& how_;
  const PlainShape& s_;
  const std::vector<float>&o_, &lse_, &dO_;
  std::vector<float> dq_, dk_, dv_, dsinks_;
};

void add_output_gradient(WrittenDump& dump, std::uint64_t seed) {
  std::mt19937_64 engine(seed + 1000);
  std::normal_distribution<float> normal;
  WrittenTensor gradient{dump.tensors["o"].shape, {}, {}};
  for (std::size_t n = 0; n < dump.tensors["o"].numbers.size(); ++n) gradient.numbers.push_back(normal(engine));
  dump.tensors["do"] = gradient;
}

}  // namespace

WrittenDump plain_gradient_dump(const PlainInputs& inputs, std::uint64_t seed, const BackwardFaults& faults) {
  WrittenDump dump = plain_dump(inputs);
  add_output_gradient(dump, seed);
  Backward(inputs, faults, dump);
  return dump;
}

WrittenDump half_gradient_dump(PlainInputs inputs, std::uint64_t seed, BackwardFaults faults) {
  faults.narrow = true;
  for (auto* const numbers : {&inputs.q, &inputs.k, &inputs.v})
    for (float& number : *numbers) number = to_bf16(number);
  Conventions narrow;
  narrow.narrow_weights = true;
  WrittenDump dump = plain_dump(inputs, narrow);
  add_output_gradient(dump, seed);
  const auto store = [&](std::initializer_list<const char*> names) {
    for (const char* const name : names) {
      for (float& number : dump.tensors[name].numbers) number = to_bf16(number);
      dump.tensors[name].half = true;
    }
  };
  store({"q", "k", "v", "o", "do"});
  Backward(inputs, faults, dump);
  store({"dq", "dk", "dv"});
  return dump;
}

}  // namespace attncert
