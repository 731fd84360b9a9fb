// Attention kernels as programs of an adversary: members of rounding classes, in the forms that such kernels have.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "reference/attention/truth.hpp"
#include "tests/reference/member_scores.hpp"

namespace attncert {

struct MemberForm {
  Summing weights = Summing::running, outputs = Summing::running;
  bool unit_scores = false;    // by a matrix unit
  bool rounded_pivot = false;  // e^(x - fl(m)), as FMA forms have it
  bool sink_first = false;
  bool last_to_first = false;    // of a class of any order; one that descends always is
  bool weighs_by_whole = false;  // parts by e^(lse_s - lse), without a division
};

class AttentionMember {
 public:
  using Id = Adversary::Id;
  using Op = Adversary::Operation;

  AttentionMember(const reference::AttentionRow& given, const reference::RoundingClass& declared, MemberForm shape)
      : row(given), k(declared), form(shape) {
    const std::vector<Item> all = items();
    const State whole = k.parts == 1 ? run(all) : split(all, k.levels);
    output = whole.output, lse = whole.lse;
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
    Id lse = 0;
    std::vector<Id> output;
  };

  Id apply(Op op, Id a, Id b) { return program.apply(op, a, b, {k.single.relative}); }
  Id rounded(Id a, Adversary::Error error) { return program.apply(Op::rounded, a, a, error); }
  Id exponential(Id a) {
    const auto& e = k.exponential;
    return program.apply(Op::exponential, a, a, {e.relative, 0, e.per_unit, e.range});
  }

  // In the order in which they are summed.
  std::vector<Item> items() {
    MemberScores scores(program, row, k, form.unit_scores);
    std::vector<Item> result;
    for (const std::size_t j : reference::kept_keys(row)) result.push_back({scores.score(j), j, j / k.block});
    if (form.last_to_first || k.order == reference::BlockOrder::descending)
      std::ranges::stable_sort(result, [](const Item& a, const Item& b) { return a.block > b.block; });
    if (row.sink) {
      const Item sink{scores.sink(), std::nullopt, row.key_count()};
      result.insert(form.sink_first ? result.begin() : result.end(), sink);
    }
    return result;
  }

  // A pivot that lags behind is raised to the maximum where it must be: a little before, so that what errors do to
  // scores does not matter; always where it would, as of scores of -1e9; and in some blocks as if other rows decided.
  Id raised(Id pivot, Id largest, std::size_t block) {
    constexpr double margin = 0.05, operations = 32;
    if (k.lazy > 0 && block % 3 == 2) return program.larger(pivot, largest);
    const double size = std::max(std::abs(program.value(pivot)), std::abs(program.value(largest)));
    if (k.lazy == 0 || operations * k.single.relative * size > margin) return program.larger(pivot, largest);
    return program.value(largest) > program.value(pivot) + k.lazy - margin ? largest : pivot;
  }

  // One state over blocks as they come, or one pass where the maximum is known.
  State run(std::span<const Item> some) {
    MemberSum sum(program, form.weights, error_of(k.single), k.sum_chunk);
    const bool narrow = k.output_sum.relative > k.single.relative;
    std::vector sums(row.value_size, MemberSum(program, form.outputs, error_of(k.output_sum), k.output_chunk, narrow));
    std::optional<Id> pivot, running;
    for (std::size_t begin = 0, end = 0; begin < some.size(); begin = end) {
      while (end < some.size() && (k.three_pass || some[end].block == some[begin].block)) ++end;
      const std::span<const Item> block = some.subspan(begin, end - begin);
      Id largest = running.value_or(block[0].score);
      for (const Item& item : block) largest = program.larger(largest, item.score);
      running = largest;
      if (pivot) {
        const Id before = *pivot;
        pivot = raised(before, largest, block[0].block);
        const Id after = k.fma_rescale ? rounded(*pivot, {k.single.relative}) : *pivot;
        const Id factor = exponential(apply(Op::subtract, before, after));
        sum.rescale(factor);
        for (MemberSum& each : sums) each.rescale(factor);
      } else {
        pivot = largest;
      }
      add_block(block, *pivot, sum, sums);
    }
    return finished(*pivot, sum.total(), sums);
  }

  void add_block(std::span<const Item> block, Id pivot, MemberSum& sum, std::vector<MemberSum>& sums) {
    if (form.rounded_pivot) pivot = rounded(pivot, {k.single.relative});
    std::vector<Id> weights;
    std::vector<MemberTerm> summed;
    for (const Item& item : block) {
      weights.push_back(exponential(apply(Op::subtract, item.score, pivot)));
      const Id narrow = k.sum_of_rounded ? rounded(weights.back(), error_of(k.weights)) : weights.back();
      if (k.sum_of_rounded) weights.back() = narrow;
      summed.push_back({narrow, program.number(1)});
    }
    sum.add_block(summed);
    const Id all = sum.total();
    for (Id& weight : weights) {
      if (k.normalised) weight = quotient(weight, all, error_of(k.single));
      if (!k.sum_of_rounded) weight = rounded(weight, error_of(k.weights));
    }
    for (std::size_t c = 0; c < row.value_size; ++c) {
      std::vector<MemberTerm> terms;
      for (std::size_t n = 0; n < block.size(); ++n)
        if (block[n].key) terms.push_back({weights[n], value(*block[n].key, c)});
      sums[c].add_block(terms);
    }
  }

  Id value(std::size_t j, std::size_t channel) { return program.number(row.value(j, channel), error_of(k.values)); }

  // An approximate reciprocal of two units, and the product with it.
  Id quotient(Id a, Id b, Adversary::Error error) {
    const Id reciprocal = program.apply(Op::divide, program.number(1), b, {2 * error.relative});
    return program.apply(Op::multiply, a, reciprocal, error);
  }

  // lse: a product with the pivot, ln 2 and its product with the logarithm, the sum.
  State finished(Id pivot, Id sum, std::vector<MemberSum>& sums) {
    State state;
    for (MemberSum& each : sums)
      state.output.push_back(k.normalised ? each.total() : quotient(each.total(), sum, error_of(k.output_sum)));
    state.lse = log_sum(pivot, sum);
    return state;
  }
  Id log_sum(Id pivot, Id sum) {
    const Id logarithm = program.apply(Op::logarithm, sum, sum, {k.logarithm.relative, k.logarithm.absolute});
    const Id based = apply(Op::multiply, logarithm, program.number(1, k.single.relative));
    return apply(Op::add, rounded(pivot, {k.single.relative}), based);
  }

  // Parts of a split, each a split of its own where there are levels left, merged by their LSEs.
  State split(std::span<const Item> some, std::size_t levels) {
    if (levels == 0) return run(some);
    std::vector<State> parts;
    for (std::size_t part = 0; part < k.parts; ++part) {
      const std::size_t begin = part * some.size() / k.parts, end = (part + 1) * some.size() / k.parts;
      if (begin < end) parts.push_back(split(some.subspan(begin, end - begin), levels - 1));
    }
    return merged(parts);
  }

  State merged(std::vector<State>& parts) {
    for (State& part : parts) {
      part.lse = rounded(part.lse, {2 * k.single.relative});  // its base changes twice
      for (Id& each : part.output) each = rounded(each, error_of(k.part_output));
    }
    Id top = parts[0].lse, total = program.number(0);
    for (const State& part : parts) top = program.larger(top, part.lse);
    State state{0, std::vector<Id>(row.value_size, total)};
    const auto apply_to_output = [&](Op op, Id a, Id b) { return program.apply(op, a, b, error_of(k.output_sum)); };
    const auto add = [&](const State& part, Id weight) {
      for (std::size_t c = 0; c < row.value_size; ++c)
        state.output[c] =
            apply_to_output(Op::add, state.output[c], apply_to_output(Op::multiply, weight, part.output[c]));
    };
    for (const State& part : parts) {
      const Id weight = exponential(apply(Op::subtract, part.lse, top));
      total = apply(Op::add, total, weight);
      if (!form.weighs_by_whole) add(part, weight);
    }
    state.lse = log_sum(top, total);
    if (form.weighs_by_whole) {  // e^(lse_s - lse), whose sum is 1 but for roundings
      const Id whole = rounded(state.lse, {2 * k.single.relative});
      for (const State& part : parts) add(part, exponential(apply(Op::subtract, part.lse, whole)));
    } else {
      for (Id& each : state.output) each = quotient(each, total, error_of(k.output_sum));
    }
    return state;
  }

  const reference::AttentionRow& row;
  const reference::RoundingClass& k;
  MemberForm form;
};

}  // namespace attncert
