// The ways in which attention kernels sum the weights of a row, or their products with one channel of the values.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "tests/reference/adversary.hpp"

namespace attncert {

// In f32 but for what is subnormal there, which is lost in double beside any number of ordinary size.
inline Adversary::Error error_of(reference::Rounding rounding) {
  return {rounding.relative, rounding.absolute > reference::f32_underflow ? rounding.absolute : 0};
}

enum class Summing {
  running,      // each term meets the sum
  chunks,       // so many terms of a block are summed apart, as the class has it, then meet the sum
  lanes,        // four sums that run on, and meet at the end: the threads of FlashAttention
  block_lanes,  // four sums of a block, which meet at its end
  matrix_unit   // sixteen exact products and the sum, aligned to the largest of them and cut
};

struct MemberTerm {
  Adversary::Id weight, value;
};

class MemberSum {
 public:
  using Id = Adversary::Id;
  using Op = Adversary::Operation;

  // chunk: of the class, 0 for any order. narrow: of fewer digits than what it is rescaled by.
  MemberSum(Adversary& shared, Summing form, Adversary::Error each_operation, std::size_t chunk, bool narrow = false)
      : program(shared),
        how(form),
        error(each_operation),
        terms_apart(chunk),
        rounds_factors(narrow && form != Summing::matrix_unit),
        zero(shared.number(0)),
        sums(form == Summing::lanes ? lanes : 1, zero) {}

  // What a matrix unit adds to is rescaled in f32.
  void rescale(Id factor) {
    const Adversary::Error own = how == Summing::matrix_unit ? Adversary::Error{} : error;
    Adversary::Error of_factor = own;
    of_factor.digits = 1;  // a factor of 1 is 1 in every format
    if (rounds_factors) factor = program.apply(Op::rounded, factor, factor, of_factor);
    for (Id& sum : sums) sum = program.apply(Op::multiply, sum, factor, own);
  }

  void add_block(std::span<const MemberTerm> terms) {
    switch (how) {
      case Summing::running:
        return add_terms(terms, sums[0]);
      case Summing::lanes:
        for (std::size_t n = 0; n < terms.size(); ++n) add_terms(terms.subspan(n, 1), sums[n % lanes]);
        return;
      case Summing::chunks:
        return each(terms, terms_apart, [&](auto some) { sums[0] = add(sums[0], apart(some, 1)); });
      case Summing::block_lanes:
        sums[0] = add(sums[0], apart(terms, lanes));
        return;
      case Summing::matrix_unit:
        return each(terms, unit_products, [&](auto some) { add_at_once(some); });
    }
  }

  Id total() { return met(sums); }

  // A sum in a unit that keeps 23 bits below the largest of its operands: each of k products is off by 2^-23 of that,
  // and so is the result; of a class with an order the unit is what it declares of sixteen.
  void add_at_once(std::span<const MemberTerm> terms) {
    Id sum = sums[0], largest = program.apply(Op::larger_magnitude, sum, sum, {});
    std::size_t products = 0;
    for (const MemberTerm& term : terms) {
      const Id product = program.apply(Op::multiply, term.weight, term.value, {0});
      if (program.value(product) == 0) continue;
      ++products;
      sum = program.apply(Op::add, sum, product, {0});
      largest = program.apply(Op::larger_magnitude, largest, product, {});
    }
    Adversary::Error cut = error;
    if (terms_apart == 0) cut.relative = static_cast<double>(products + 1) * 0x1p-23;
    if (products != 0) sums[0] = program.apply(Op::cut, sum, largest, cut);
  }

 private:
  static constexpr std::size_t lanes = 4, unit_products = 16;

  Id add(Id a, Id b) { return program.apply(Op::add, a, b, error); }

  void add_terms(std::span<const MemberTerm> terms, Id& sum) {
    for (const MemberTerm& term : terms) sum = add(sum, program.apply(Op::multiply, term.weight, term.value, error));
  }

  Id apart(std::span<const MemberTerm> terms, std::size_t count) {
    std::vector<Id> some(count, zero);
    for (std::size_t n = 0; n < terms.size(); ++n) add_terms(terms.subspan(n, 1), some[n % count]);
    return met(some);
  }

  Id met(const std::vector<Id>& some) {
    Id sum = some[0];
    for (std::size_t n = 1; n < some.size(); ++n) sum = add(sum, some[n]);
    return sum;
  }

  template <class Visit>
  static void each(std::span<const MemberTerm> terms, std::size_t count, Visit visit) {
    for (; !terms.empty(); terms = terms.subspan(std::min(count, terms.size())))
      visit(terms.first(std::min(count, terms.size())));
  }

  Adversary& program;
  Summing how;
  Adversary::Error error;
  std::size_t terms_apart;
  bool rounds_factors;
  Id zero;
  std::vector<Id> sums;
};

}  // namespace attncert
