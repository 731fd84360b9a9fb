// A backward pass of attention as a program of an adversary, over the rows of one group.
#pragma once

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
  std::vector<Id> dK, dV;  // all before the output's rounding

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

  void add_row(const reference::GradientRow& row, std::size_t d) {
    const reference::AttentionRow& given = row.row;
    MemberScores scores(program, given, k.common);
    std::vector<Id> sums(d, program.number(0));
    const Id D = dot(row.output_gradient, row.output);
    const Id lse = program.number(row.lse, 2 * k.common.single.relative);  // in another base: a constant and a product
    for (const std::size_t j : reference::kept_keys(given)) {
      const Id x = scores.score(j), argument = apply(Op::subtract, x, lse);
      const auto& e = k.common.exponential;
      const Id weight = program.apply(Op::exponential, argument, argument, {e.relative, 0, e.per_unit});
      const Id dP =
          rounded(dot(row.output_gradient, given.values.subspan(j * given.value_size, given.value_size)), k.dP);
      Id dS = apply(Op::multiply, weight, apply(Op::subtract, dP, D));
      if (scores.tanh) {
        const Id square = apply(Op::multiply, *scores.tanh, *scores.tanh);
        dS = apply(Op::multiply, dS, apply(Op::subtract, program.number(1), square));
      }
      dS = rounded(dS, k.dS);
      for (std::size_t i = 0; i < d; ++i) {
        add_product(sums[i], dS, program.number(given.key(j)[i]));
        add_product(dK[j * d + i], dS, program.number(given.query[i]));
      }
      const Id used = rounded(weight, k.common.weights);
      for (std::size_t c = 0; c < given.value_size; ++c)
        add_product(dV[j * given.value_size + c], used, program.number(row.output_gradient[c]));
    }
    for (Id& each : sums) each = scaled(each, given.scale);
    dQ.push_back(sums);
  }

  const reference::GradientRounding& k;
};

}  // namespace attncert
