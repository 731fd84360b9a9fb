// A backward pass of attention as a program of an adversary, over the rows of one group.
#pragma once

#include <algorithm>
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
    for (Id& each : dK) each = finished(each, first.scale);
    for (Id& each : dV) each = rounded(each, k.common.output);
    dsink = rounded(dsink, k.common.output);
  }

  Adversary program;
  std::vector<std::vector<Id>> dQ;
  std::vector<Id> dK, dV;
  Id dsink = program.number(0);

 private:
  Id apply(Op op, Id a, Id b) { return program.apply(op, a, b, {k.common.single.relative}); }
  Id rounded(Id a, reference::Rounding rounding) { return program.apply(Op::rounded, a, a, error_of(rounding)); }
  // A term of dQ, dK or dV.
  void add_product(Id& sum, Id a, Id b) {
    const Adversary::Error error = error_of(k.common.output_sum);
    sum = program.apply(Op::add, sum, program.apply(Op::multiply, a, b, error), error);
  }
  Id dot(std::span<const double> a, std::span<const double> b, double unit, std::optional<Id> start = {}) {
    Id sum = start ? *start : program.number(0);
    for (std::size_t c = 0; c < a.size(); ++c)
      sum = program.apply(Op::add, sum, program.apply(Op::multiply, program.number(a[c]), program.number(b[c]), {unit}),
                          {unit});
    return sum;
  }
  // The product with the scale and its constants, and the output's format, in which it is stored before a root of the
  // scale meets it where the class has one.
  Id finished(Id sum, double scale) {
    const double unit = k.common.output_sum.relative;
    Id result =
        program.apply(Op::multiply, sum, program.number(scale, static_cast<double>(k.common.constants) * unit), {unit});
    result = rounded(result, k.common.output);
    if (!k.root_of_scale) return result;
    result = program.apply(Op::multiply, result, program.number(1, *k.root_of_scale), {0});
    return rounded(result, k.common.output);
  }

  // e^(x - lse); of an unfused kernel its own softmax, in three passes.
  std::vector<Id> weights(const reference::GradientRow& row, const std::vector<Id>& scores) {
    std::vector<Id> result;
    const auto& e = k.common.exponential;
    const auto exponential = [&](Id argument) {
      return program.apply(Op::exponential, argument, argument, {e.relative, 0, e.per_unit, e.range});
    };
    if (!k.unfused) {  // lse as it is read; in another base it is a constant and a product
      const Id lse = program.number(row.lse, Adversary::Error{2 * k.common.single.relative, row.lse_error});
      for (const Id x : scores) result.push_back(exponential(apply(Op::subtract, x, lse)));
      return result;
    }
    Id pivot = scores[0], sum = program.number(0);
    for (const Id x : scores) pivot = program.larger(pivot, x);
    for (const Id x : scores) {
      result.push_back(exponential(apply(Op::subtract, x, pivot)));
      sum = apply(Op::add, sum, result.back());
    }
    const Id reciprocal = program.apply(Op::divide, program.number(1), sum, {2 * k.common.single.relative});
    for (Id& weight : result) weight = rounded(apply(Op::multiply, weight, reciprocal), k.common.weights);
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
      const auto value = given.values.subspan(j * given.value_size, given.value_size);
      dP.push_back(rounded(dot(row.output_gradient, value, k.common.score_unit), k.dP));
    }
    if (given.sink) scores.push_back(member.sink());
    std::vector<Id> sums(d, program.number(0));
    if (!scores.empty()) add_terms(row, keys, weights(row, scores), dP, tanh, sums);
    for (Id& each : sums) each = finished(each, given.scale);
    dQ.push_back(sums);
  }

  // D, of dO and O or of the weights and dP.
  Id product_of_gradients(const reference::GradientRow& row, const std::vector<Id>& weight, const std::vector<Id>& dP) {
    if (!k.unfused) return dot(row.output_gradient, row.output, k.common.single.relative);
    Id D = program.number(0);
    for (std::size_t n = 0; n < dP.size(); ++n)
      D = apply(Op::add, D, rounded(apply(Op::multiply, weight[n], dP[n]), k.products));
    return D;
  }

  Id dP_from(const reference::GradientRow& row, std::size_t j, Id D) {
    const auto value = row.row.values.subspan(j * row.row.value_size, row.row.value_size);
    const Id start = program.apply(Op::subtract, program.number(0), D, {0});
    return rounded(dot(row.output_gradient, value, k.common.score_unit, start), k.dP);
  }

  void add_terms(const reference::GradientRow& row, const std::vector<std::size_t>& keys, const std::vector<Id>& weight,
                 const std::vector<Id>& dP, const std::vector<std::optional<Id>>& tanh, std::vector<Id>& sums) {
    const reference::AttentionRow& given = row.row;
    const Id D = product_of_gradients(row, weight, dP);
    if (given.sink) {
      const Id part = apply(Op::multiply, weight.back(), D);
      const double unit = std::max(k.common.single.relative, k.common.output_sum.relative);
      dsink = program.apply(Op::subtract, dsink, k.unfused ? rounded(part, k.dS) : part, {unit});
    }
    for (std::size_t n = 0; n < keys.size(); ++n) {
      const std::size_t j = keys[n];
      const Id used = k.unfused ? weight[n] : rounded(weight[n], k.common.weights);
      const Id taken = n % 3 == 2 ? used : weight[n];  // those stored for dV may serve dS
      const bool apart = n % 2 == 1;                   // p dP - p D, of a p dP that may be a tensor of its own
      const bool after = !k.unfused && k.dP.relative == 0 && n % 4 == 2;  // a sum that starts at -D
      Id dS = apart ? apply(Op::subtract, rounded(apply(Op::multiply, taken, dP[n]), k.products),
                            apply(Op::multiply, taken, D))
                    : apply(Op::multiply, taken, after ? dP_from(row, j, D) : apply(Op::subtract, dP[n], D));
      if (tanh[n]) {
        const Id square = apply(Op::multiply, *tanh[n], *tanh[n]);
        const Id slope = apply(Op::subtract, program.number(1), square), cap = program.number(given.softcap);
        const bool stored = k.common.scores_stored >= 1;
        if (stored) dS = rounded(apply(Op::multiply, rounded(dS, k.dS), cap), k.dS);
        dS = apply(Op::multiply, dS, slope);
        if (stored) dS = apply(Op::divide, rounded(dS, k.dS), cap);
      }
      dS = rounded(dS, k.dS);
      for (std::size_t i = 0; i < sums.size(); ++i) {
        add_product(sums[i], dS, program.number(given.key(j)[i], k.factors));
        add_product(dK[j * sums.size() + i], dS, program.number(given.query[i], k.factors));
      }
      for (std::size_t c = 0; c < given.value_size; ++c)
        add_product(dV[j * given.value_size + c], used, program.number(row.output_gradient[c]));
    }
  }

  const reference::GradientRounding& k;
};

}  // namespace attncert
