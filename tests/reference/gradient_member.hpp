// A backward pass of attention as a program of an adversary, over the rows of one group.
#pragma once

#include <optional>
#include <span>
#include <utility>

#include "reference/attention/gradient.hpp"
#include "tests/reference/attention_member.hpp"

namespace attncert {

class GradientMember {
 public:
  using Id = Adversary::Id;
  using Op = Adversary::Operation;

  GradientMember(std::span<const reference::GradientRow> rows, const reference::GradientRounding& declared)
      : k(declared) {
    const reference::AttentionRow& first = rows[0].row;
    const Id zero = program.number(0);
    dK.assign(first.keys.size(), zero);
    dV.assign(first.values.size(), zero);
    for (const reference::GradientRow& row : rows) add_row(row, first.query.size());
    for (Id& each : dK) each = scaled(each, first.scale);
  }

  Adversary program;
  std::vector<std::vector<Id>> dQ;
  std::vector<Id> dK, dV;
  Id dsink = program.number(0);  // all before the output's rounding

 private:
  Id apply(Op op, Id a, Id b) { return program.apply(op, a, b, {k.common.single.relative}); }
  Id rounded(Id a, reference::Rounding rounding) { return program.apply(Op::rounded, a, a, {rounding.relative}); }
  Id scaled(Id a, double scale) {
    return apply(Op::multiply, a,
                 program.number(scale, static_cast<double>(k.common.constants) * k.common.single.relative));
  }
  void add_product(Id& sum, Id a, Id b) { sum = apply(Op::add, sum, apply(Op::multiply, a, b)); }
  Id dot(std::span<const double> a, std::span<const double> b) {
    Id sum = program.number(0);
    for (std::size_t c = 0; c < a.size(); ++c) add_product(sum, program.number(a[c]), program.number(b[c]));
    return sum;
  }

  // e^(x - lse); of an unfused kernel its own softmax, in three passes.
  std::vector<Id> weights(const reference::GradientRow& row, const std::vector<Id>& scores) {
    std::vector<Id> result;
    const auto& e = k.common.exponential;
    const auto exponential = [&](Id argument) {
      return program.apply(Op::exponential, argument, argument, {e.relative, 0, e.per_unit});
    };
    if (!k.unfused) {  // lse in another base is a constant and a product
      const Id lse = program.number(row.lse, 2 * k.common.single.relative);
      for (const Id x : scores) result.push_back(exponential(apply(Op::subtract, x, lse)));
      return result;
    }
    Id pivot = scores[0], sum = program.number(0);
    for (const Id x : scores) pivot = program.apply(Op::larger, pivot, x);
    for (const Id x : scores) {
      result.push_back(exponential(apply(Op::subtract, x, pivot)));
      sum = apply(Op::add, sum, result.back());
    }
    for (Id& weight : result) weight = rounded(apply(Op::divide, weight, sum), k.common.weights);
    return result;
  }

  void add_row(const reference::GradientRow& row, std::size_t d) {
    const reference::AttentionRow& given = row.row;
    MemberScores member(program, given, k.common);
    const std::vector<std::size_t> keys = reference::kept_keys(given);
    std::vector<Id> scores, dP;
    std::vector<std::optional<Id>> tanh;
    for (const std::size_t j : keys) {
      scores.push_back(member.score(j));
      tanh.push_back(member.tanh);
      dP.push_back(
          rounded(dot(row.output_gradient, given.values.subspan(j * given.value_size, given.value_size)), k.dP));
    }
    if (given.sink) scores.push_back(program.number(*given.sink));
    std::vector<Id> sums(d, program.number(0));
    if (!scores.empty()) add_terms(row, keys, weights(row, scores), dP, tanh, sums);
    for (Id& each : sums) each = scaled(each, given.scale);
    dQ.push_back(sums);
  }

  void add_terms(const reference::GradientRow& row, const std::vector<std::size_t>& keys, const std::vector<Id>& weight,
                 const std::vector<Id>& dP, const std::vector<std::optional<Id>>& tanh, std::vector<Id>& sums) {
    const reference::AttentionRow& given = row.row;
    Id D = k.unfused ? program.number(0) : dot(row.output_gradient, row.output);
    for (std::size_t n = 0; n < keys.size() && k.unfused; ++n) add_product(D, weight[n], dP[n]);
    if (given.sink) {
      const Id part = apply(Op::multiply, weight.back(), D);
      dsink = apply(Op::subtract, dsink, k.unfused ? rounded(part, k.dS) : part);
    }
    for (std::size_t n = 0; n < keys.size(); ++n) {
      const std::size_t j = keys[n];
      Id dS = apply(Op::multiply, weight[n], apply(Op::subtract, dP[n], D));
      if (tanh[n]) {
        const Id square = apply(Op::multiply, *tanh[n], *tanh[n]);
        dS = apply(Op::multiply, dS, apply(Op::subtract, program.number(1), square));
      }
      dS = rounded(dS, k.dS);
      for (std::size_t i = 0; i < sums.size(); ++i) {
        add_product(sums[i], dS, program.number(given.key(j)[i]));
        add_product(dK[j * sums.size() + i], dS, program.number(given.query[i]));
      }
      const Id used = k.unfused ? weight[n] : rounded(weight[n], k.common.weights);
      for (std::size_t c = 0; c < given.value_size; ++c)
        add_product(dV[j * given.value_size + c], used, program.number(row.output_gradient[c]));
    }
  }

  const reference::GradientRounding& k;
};

}  // namespace attncert
