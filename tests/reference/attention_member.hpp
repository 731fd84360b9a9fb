// Attention kernels as programs of an adversary: members of rounding classes, in the forms that such kernels have.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "reference/attention/truth.hpp"
#include "tests/reference/adversary.hpp"

namespace attncert {

class MemberScores {
 public:
  using Id = Adversary::Id;
  using Op = Adversary::Operation;

  MemberScores(Adversary& shared, const reference::AttentionRow& given, const reference::RoundingClass& declared)
      : program(shared), row(given), k(declared) {}

  Id score(std::size_t j) {
    const Adversary::Error dot{k.score_unit, 0, 0, true};
    std::optional<Id> sum;
    for (std::size_t i = 0; i < row.query.size(); ++i) {
      const Id product = program.apply(Op::multiply, program.number(row.query[i]), program.number(row.key(j)[i]), dot);
      sum = sum ? program.apply(Op::add, *sum, product, dot) : product;
    }
    // One constant for all scores; its adjoint gathers all of them.
    if (!constant_) constant_ = program.number(row.scale, static_cast<double>(k.constants) * k.single.relative);
    Id x = apply(Op::multiply, *sum, *constant_);
    if (row.softcap != 0) {
      const Id cap = program.number(row.softcap), argument = apply(Op::divide, x, cap);
      tanh = program.apply(Op::tanh, argument, argument, {k.tanh.relative, k.tanh.absolute});
      x = apply(Op::multiply, *tanh, cap);
    }
    if (!row.bias.empty()) x = apply(Op::add, x, program.number(row.bias[j]));
    if (row.slope) {
      const Id near = apply(Op::multiply, program.number(*row.slope), program.number(static_cast<double>(j)));
      const double start = static_cast<double>(row.position + row.offset);
      const Id far = apply(Op::multiply, program.number(*row.slope), program.number(start));
      const Id distance = apply(Op::subtract, near, far);
      const bool after = !row.causal && static_cast<double>(j) > start;  // -slope |j - start| without a causal mask
      x = apply(after ? Op::subtract : Op::add, x, distance);
    }
    return x;
  }

  std::optional<Id> tanh;  // of the last score, under a softcap

 private:
  Id apply(Op op, Id a, Id b) { return program.apply(op, a, b, {k.single.relative}); }

  Adversary& program;
  const reference::AttentionRow& row;
  const reference::RoundingClass& k;
  std::optional<Id> constant_;
};

struct MemberForm {
  bool rounded_pivot = false;  // e^(x - fl(m)), as FMA forms have it
  bool sink_first = false;
};

class AttentionMember {
 public:
  using Id = Adversary::Id;
  using Op = Adversary::Operation;

  AttentionMember(const reference::AttentionRow& given, const reference::RoundingClass& declared, MemberForm shape)
      : row(given), k(declared), form(shape) {
    const std::vector<std::size_t> keys = reference::kept_keys(row);
    MemberScores scores(program, row, k);
    std::vector<Item> items;
    for (const std::size_t j : keys) items.push_back({scores.score(j), j, j / k.block});
    if (row.sink) {
      const Item sink{program.number(*row.sink), std::nullopt, form.sink_first ? row.key_count() + 1 : row.key_count()};
      items.insert(form.sink_first ? items.begin() : items.end(), sink);
    }
    std::vector<State> parts;
    for (std::size_t part = 0; part < k.parts; ++part) {
      const std::size_t begin = part * items.size() / k.parts, end = (part + 1) * items.size() / k.parts;
      if (begin < end)
        parts.push_back(run(
            {items.begin() + static_cast<std::ptrdiff_t>(begin), items.begin() + static_cast<std::ptrdiff_t>(end)}));
    }
    if (k.parts == 1) output = parts[0].output, lse = parts[0].lse;
    else merge(parts);
  }

  Adversary program;
  std::vector<Id> output;  // before the output's rounding
  Id lse = 0;

 private:
  struct Item {
    Id score;
    std::optional<std::size_t> key;  // none: the sink
    std::size_t block;
  };
  struct State {
    Id pivot = 0, sum = 0, lse = 0;
    std::vector<Id> output;
  };

  Id apply(Op op, Id a, Id b) { return program.apply(op, a, b, {k.single.relative}); }
  Id exponential(Id a) {
    return program.apply(Op::exponential, a, a, {k.exponential.relative, 0, k.exponential.per_unit});
  }
  Id logarithm(Id a) { return program.apply(Op::logarithm, a, a, {k.logarithm.relative, k.logarithm.absolute}); }

  // One state over blocks as they come, or one pass where the maximum is known.
  State run(const std::vector<Item>& items) {
    State state;
    const Id zero = program.number(0);
    std::vector<Id> numerator(row.value_size, zero);
    state.sum = zero;
    bool started = false;
    for (std::size_t begin = 0, end = 0; begin < items.size(); begin = end) {
      while (end < items.size() && (k.three_pass || items[end].block == items[begin].block)) ++end;
      Id pivot = items[begin].score;
      for (std::size_t n = begin; n < end; ++n) pivot = program.apply(Op::larger, pivot, items[n].score);
      if (started) {
        pivot = program.apply(Op::larger, state.pivot, pivot);
        const Id rescale = exponential(apply(Op::subtract, state.pivot, pivot));
        state.sum = apply(Op::multiply, state.sum, rescale);
        for (Id& each : numerator) each = apply(Op::multiply, each, rescale);
      }
      started = true;
      state.pivot = pivot;
      add_block({items.begin() + static_cast<std::ptrdiff_t>(begin), items.begin() + static_cast<std::ptrdiff_t>(end)},
                state, numerator);
    }
    for (const Id each : numerator) {  // an approximate reciprocal of two units, and the product with it
      const Id reciprocal = program.apply(Op::divide, program.number(1), state.sum, {2 * k.single.relative});
      state.output.push_back(apply(Op::multiply, each, reciprocal));
    }
    state.lse = apply(Op::add, state.pivot, logarithm(state.sum));
    return state;
  }

  void add_block(const std::vector<Item>& items, State& state, std::vector<Id>& numerator) {
    const bool apart = k.sum_chunk >= k.block && !k.three_pass;  // the block's own sums first
    const Id pivot = form.rounded_pivot ? apply(Op::rounded, state.pivot, state.pivot) : state.pivot;
    const Id zero = program.number(0);
    Id sum = apart ? zero : state.sum;
    std::vector<Id> sums = apart ? std::vector<Id>(row.value_size, zero) : numerator;
    for (const Item& item : items) {
      const Id weight = exponential(apply(Op::subtract, item.score, pivot));
      const Id rounded = program.apply(Op::rounded, weight, weight, {k.weights.relative});
      sum = apply(Op::add, sum, k.sum_of_rounded ? rounded : weight);
      if (!item.key) continue;
      for (std::size_t c = 0; c < row.value_size; ++c)
        sums[c] = apply(Op::add, sums[c], apply(Op::multiply, rounded, program.number(row.value(*item.key, c))));
    }
    state.sum = apart ? apply(Op::add, state.sum, sum) : sum;
    for (std::size_t c = 0; c < row.value_size; ++c)
      numerator[c] = apart ? apply(Op::add, numerator[c], sums[c]) : sums[c];
  }

  void merge(const std::vector<State>& parts) {
    Id top = parts[0].lse, total = program.number(0);
    for (const State& part : parts) top = program.apply(Op::larger, top, part.lse);
    std::vector<Id> sums(row.value_size, total);
    for (const State& part : parts) {
      const Id weight = exponential(apply(Op::subtract, part.lse, top));
      total = apply(Op::add, total, weight);
      for (std::size_t c = 0; c < row.value_size; ++c)
        sums[c] = apply(Op::add, sums[c], apply(Op::multiply, weight, part.output[c]));
    }
    for (const Id sum : sums) output.push_back(apply(Op::divide, sum, total));
    lse = apply(Op::add, top, logarithm(total));
  }

  const reference::AttentionRow& row;
  const reference::RoundingClass& k;
  MemberForm form;
};

// How far the adversary moves the target from the truth, as a share of the bound.
inline double share(Adversary& program, Adversary::Id target, const Interval& truth, const Interval& bound) {
  double most = 0;
  for (const double direction : {1.0, -1.0}) {
    const double error = std::abs(program.worst(target, direction) - truth.midpoint());
    if (error != 0) most = std::max(most, error / bound.upper());
  }
  return most;
}

}  // namespace attncert
