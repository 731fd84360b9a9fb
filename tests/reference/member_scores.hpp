// The scores of an attention kernel's row as a program of an adversary.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "reference/attention/row.hpp"
#include "tests/reference/member_sum.hpp"

namespace attncert {

class MemberScores {
 public:
  using Id = Adversary::Id;
  using Op = Adversary::Operation;

  MemberScores(Adversary& shared, const reference::AttentionRow& given, const reference::RoundingClass& declared,
               bool on_matrix_unit = false)
      : program(shared),
        row(given),
        k(declared),
        by_unit(on_matrix_unit),
        root(shared.number(1, operand().relative)),
        constant(shared.number(given.scale, static_cast<double>(declared.constants) * declared.single.relative)),
        base(shared.number(1, declared.single.relative)) {
    for (const double entry : row.query) query.push_back(scaled_operand(entry));
  }

  Id score(std::size_t j) {
    Id x = apply(Op::multiply, product(j), constant);
    if (row.softcap != 0) {
      const Id cap = program.number(row.softcap), argument = stored(apply(Op::divide, stored(x), cap));
      tanh = stored(program.apply(Op::tanh, argument, argument, {k.tanh.relative, k.tanh.absolute}));
      x = apply(Op::multiply, *tanh, cap);
    }
    x = stored(x);
    if (row.bias.empty() && !row.slope) return x;
    if (!row.bias.empty()) x = apply(Op::add, x, program.number(row.bias[j]));
    if (row.slope) x = with_slope(x, j);
    x = apply(Op::multiply, x, base);
    return k.scores_stored >= 2 ? program.apply(Op::rounded, x, x, error_of(k.stored_scores)) : x;
  }

  // A logit that is neither scaled nor capped, in another base.
  Id sink() { return stored(apply(Op::multiply, program.number(*row.sink), base)); }

  std::optional<Id> tanh;  // of the last score, under a softcap

 private:
  Id apply(Op op, Id a, Id b) { return program.apply(op, a, b, {k.single.relative}); }

  Id stored(Id x) { return k.scores_stored >= 1 ? program.apply(Op::rounded, x, x, error_of(k.stored_scores)) : x; }

  // What the class allows to q and k together is four roundings: of both, and of a root of the scale in both.
  Adversary::Error operand() const {
    return error_of({std::pow(1 + k.operands.relative, 0.25) - 1, k.operands.absolute});
  }
  Id scaled_operand(double entry) {
    if (k.operands.relative == 0) return program.number(entry);
    return program.apply(Op::multiply, program.number(entry), root, operand());
  }

  Id product(std::size_t j) {
    Adversary::Error dot{k.score_unit};
    dot.digits = static_cast<int>(-std::log2(k.score_unit));
    if (by_unit) return product_by_unit(j, dot);
    std::optional<Id> sum;
    for (std::size_t i = 0; i < row.query.size(); ++i) {
      const Id product = program.apply(Op::multiply, query[i], scaled_operand(row.key(j)[i]), dot);
      sum = sum ? program.apply(Op::add, *sum, product, dot) : product;
    }
    return *sum;
  }

  Id product_by_unit(std::size_t j, Adversary::Error dot) {
    MemberSum sum(program, Summing::matrix_unit, dot, 0);
    std::vector<MemberTerm> terms;
    for (std::size_t i = 0; i < row.query.size(); ++i) terms.push_back({query[i], scaled_operand(row.key(j)[i])});
    sum.add_block(terms);
    return sum.total();
  }

  Id with_slope(Id x, std::size_t j) {
    const Id near = apply(Op::multiply, program.number(*row.slope), program.number(static_cast<double>(j)));
    const double start = static_cast<double>(row.position + row.offset);
    const Id far = apply(Op::multiply, program.number(*row.slope), program.number(start));
    const Id distance = apply(Op::subtract, near, far);
    const bool after = !row.causal && static_cast<double>(j) > start;  // -slope |j - start| without a causal mask
    return apply(after ? Op::subtract : Op::add, x, distance);
  }

  Adversary& program;
  const reference::AttentionRow& row;
  const reference::RoundingClass& k;
  bool by_unit;
  Id root;
  Id constant, base;  // one of each for all scores; an adjoint gathers all of them. base: log2 e
  std::vector<Id> query;
};

}  // namespace attncert
