// A call of the suite's own attention in f32: one batch of two heads that share a KV head, drawn.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "src/attention/attention.hpp"
#include "src/core/tape.hpp"

namespace attncert {

struct DrawnCall {
  DrawnCall(std::size_t queries, std::size_t keys) {
    const Tape tape = random_tape(20261128, "own-attention", queries * 1000 + keys, 1 << 20);
    Choices choices(tape);
    const auto fill = [&](std::vector<float>& numbers, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i)
        numbers.push_back(std::ldexp(static_cast<float>(choices.between(-(1 << 20), 1 << 20)), -19));
    };
    fill(q, heads * queries * size);
    fill(k, keys * size);
    fill(v, keys * value_size);
    fill(bias, heads * queries * keys);
    o.assign(heads * queries * value_size, -7);
    lse.assign(heads * queries, -7);
    a.size = sizeof a;
    a.batches = a.kv_heads = 1;
    a.heads = heads;
    a.queries = queries;
    a.keys = keys;
    a.head_size = size;
    a.value_size = value_size;
    a.q = {q.data(), 0, queries * size, size};
    a.k = {k.data(), 0, 0, size};
    a.v = {v.data(), 0, 0, value_size};
    a.o = {o.data(), 0, queries * value_size, value_size};
    a.lse = lse.data();
    a.scale = 0.25F;
  }
  attncert_attention_status run() { return attention(a, ATTNCERT_F32); }

  // Query i of a causal call alone, with that call's q, k, v and bias.
  void takes_query(DrawnCall& all, std::size_t i) {
    a = all.a;
    a.queries = 1;
    a.q.data = all.q.data() + i * size;
    a.bias.data = all.bias.data() + i * a.keys;
    a.causal_offset += static_cast<std::int64_t>(i);
    a.o = {o.data(), 0, value_size, value_size};
    a.lse = lse.data();
  }

  static constexpr std::size_t heads = 2, size = 19, value_size = 21;
  std::vector<float> q, k, v, bias, o, lse;
  attncert_attention_arguments a{};
};

// Room for the gradients of a call, and a dO.
struct DrawnGradients {
  explicit DrawnGradients(const DrawnCall& call)
      : d_o(call.o.size()), dq(call.q.size(), -7), dk(call.k.size(), -7), dv(call.v.size(), -7) {
    for (std::size_t n = 0; n < d_o.size(); ++n) d_o[n] = static_cast<float>(n % 7) - 3;
    g.size = sizeof g;
    const std::size_t queries = call.a.queries;
    g.d_o = {d_o.data(), 0, queries * DrawnCall::value_size, DrawnCall::value_size};
    g.dq = {dq.data(), 0, queries * DrawnCall::size, DrawnCall::size};
    g.dk = {dk.data(), 0, 0, DrawnCall::size};
    g.dv = {dv.data(), 0, 0, DrawnCall::value_size};
  }
  std::vector<float> d_o, dq, dk, dv;
  float dsinks[DrawnCall::heads] = {};
  attncert_attention_gradients g{};
};

}  // namespace attncert
