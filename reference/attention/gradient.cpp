#include "reference/attention/gradient.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>

#include "reference/attention/gamma.hpp"
#include "reference/attention/gradient_row.hpp"
#include "src/core/assert.hpp"

namespace attncert::reference {
namespace {

// What is wanted of a group, and where in the result it goes.
template <class Number>
class Group {
 public:
  Group(std::span<const GradientRow> rows, const Wanted& wanted, bool unfused, PrecisionOf<Number> precision)
      : rows_(rows), wanted_(wanted), place_(rows[0].row.key_count(), not_wanted), precision_(precision) {
    for (std::size_t n = 0; n < wanted.keys.size(); ++n) place_.at(wanted.keys[n]) = n;
    // What a fused kernel makes of one key depends on no other.
    if (!wanted.queries && !unfused) {
      only_.assign(place_.size(), 0);
      for (const std::size_t key : wanted.keys) only_[key] = 1;
    }
  }

  Gradients<Number> zeros() const {
    const AttentionRow& first = rows_[0].row;
    const Number zero(0.0, precision_);
    const auto of = [&](std::size_t count, std::size_t size) { return std::vector(count, std::vector(size, zero)); };
    return {of(wanted_.queries ? rows_.size() : 0, first.query.size()), of(wanted_.keys.size(), first.query.size()),
            of(wanted_.keys.size(), first.value_size)};
  }

  std::optional<std::size_t> place(std::size_t key) const {
    return place_[key] == not_wanted ? std::nullopt : std::optional(place_[key]);
  }

  // visit(i, row) with the rows as they are to be read.
  template <class Visit>
  void each_row(Visit visit) const {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      GradientRow row = rows_[i];
      std::vector<std::uint8_t> kept = only_;
      for (std::size_t j = 0; j < kept.size() && !row.row.mask.empty(); ++j) kept[j] &= row.row.mask[j] != 0;
      if (!kept.empty()) row.row.mask = kept;
      visit(i, row);
    }
  }

  // How many rows keep each key.
  std::vector<std::size_t> rows_of_keys() const {
    std::vector<std::size_t> count(place_.size(), 0);
    each_row([&](std::size_t, const GradientRow& row) {
      for (const std::size_t j : kept_keys(row.row)) ++count[j];
    });
    return count;
  }

 private:
  static constexpr std::size_t not_wanted = SIZE_MAX;
  std::span<const GradientRow> rows_;
  const Wanted& wanted_;
  std::vector<std::size_t> place_;
  std::vector<std::uint8_t> only_;
  PrecisionOf<Number> precision_;
};

// How a sum of terms errs: each term's own error, then all that it passes.
template <class Number>
class Sums {
 public:
  Sums(const GradientRounding& rounding, PrecisionOf<Number> precision) : class_(rounding), precision_(precision) {}
  Number number(double value) const { return {value, precision_}; }

  // One term of a sum of `count` times a factor f: it errs by slope |f| + flush.
  struct Term {
    Number slope, flush;
    void add_to(std::vector<Number>& totals, std::span<const double> sizes) const {
      add_multiples(totals, slope, sizes);
      for (Number& total : totals) total += flush;
    }
  };
  // dS k or dS q, its factor's flush included.
  Term score_term(const Number& size, const Number& error, std::size_t count) const {
    const Number factors = number(class_.factors), one = number(1), most = size + error;
    const Number sums = gamma(count + 1 + class_.common.constants);
    return {error + (sums * (one + factors) + factors) * most, number(2) * underflow() * most * (one + sums)};
  }
  // p dO
  Term weight_term(const Number& most, const Number& error, std::size_t count) const {
    // The weights of an unfused kernel are stored before, and have that error already.
    const Rounding& stored = class_.unfused ? Rounding{} : class_.common.weights;
    const Number relative = number(stored.relative), absolute = number(stored.absolute);
    const Number one = number(1), sums = gamma(count + 1 + class_.common.constants);
    const Number used = most * (one + relative) + absolute;
    return {error + relative * most + absolute + sums * used, number(2) * underflow() * used * (one + sums)};
  }

  // Of one of a group's heads, whose part is stored before it is summed; `error`: of all heads together, no less.
  Number stored(const Number& part, const Number& error) const {
    const Rounding& format = class_.common.output;
    const Number relative = number(format.relative) + gamma(heads_summed) * number(1 + format.relative);
    return relative * (abs(part) + error) + number(format.absolute);
  }

  // The products' and sums' own underflow, and the result's format, in which it may be stored before it is scaled.
  Number finished(const Number& error, const Number& truth, std::optional<double> scale, std::size_t count) const {
    const std::size_t steps = count + 1 + class_.common.constants;
    const Number one = number(1), size = number(scale ? std::abs(*scale) : 1);
    const Number total =
        error + number(2 * static_cast<double>(steps)) * (size + one) * underflow() * (one + gamma(steps));
    Number factor = one + number(class_.common.output.relative), absolute = number(class_.common.output.absolute);
    if (scale && class_.root_of_scale) {
      factor *= factor * (one + number(*class_.root_of_scale));
      absolute += absolute * max(one, size) * factor;
    }
    return total + (factor - one) * (abs(truth) + total) + absolute;
  }

 private:
  static constexpr std::size_t heads_summed = 1024;  // no group has more, in any order
  Number gamma(std::size_t n) const { return Gamma<Number>(class_.common.output_sum.relative, precision_)(n); }
  Number underflow() const {
    return number(std::max(class_.common.single.absolute, class_.common.output_sum.absolute));
  }
  const GradientRounding& class_;
  PrecisionOf<Number> precision_;
};

template <class Number>
Gradients<Number> truth_of(std::span<const GradientRow> rows, bool unfused, const Wanted& wanted,
                           PrecisionOf<Number> precision) {
  ATTNCERT_ASSERT(!rows.empty());
  const Group<Number> group(rows, wanted, unfused, precision);
  Gradients<Number> total = group.zeros();
  group.each_row([&](std::size_t i, const GradientRow& given) {
    const AttentionRow& row = given.row;
    const GradientTerms<Number> terms = gradient_terms<Number>(given, unfused, precision);
    for (std::size_t k = 0; k < terms.keys.size(); ++k) {
      const std::size_t j = terms.keys[k];
      const Number scaled = Number(row.scale, precision) * terms.dS[k];
      if (wanted.queries) add_multiples(total.dQ[i], scaled, row.key(j));
      const auto place = group.place(j);
      if (!place) continue;
      add_multiples(total.dK[*place], scaled, row.query);
      add_multiples(total.dV[*place], terms.weight[k], given.output_gradient);
    }
  });
  return total;
}

// What storing each query head's part of dK and dV costs.
template <class Number>
void add_stored_heads(std::span<const GradientRow> rows, const GradientRounding& rounding, const Wanted& wanted,
                      const Sums<Number>& sums, Gradients<Number>& total, PrecisionOf<Number> precision) {
  std::map<std::size_t, std::vector<GradientRow>> heads;
  for (const GradientRow& row : rows) heads[row.head].push_back(row);
  const Gradients<Number> errors = total;
  const auto add = [&](std::vector<std::vector<Number>>& to, const std::vector<std::vector<Number>>& parts,
                       const std::vector<std::vector<Number>>& of_all) {
    for (std::size_t n = 0; n < to.size(); ++n)
      for (std::size_t c = 0; c < to[n].size(); ++c) to[n][c] += sums.stored(parts[n][c], of_all[n][c]);
  };
  for (const auto& [head, own] : heads) {
    const Gradients<Number> parts = truth_of<Number>(own, rounding.unfused, {false, wanted.keys}, precision);
    add(total.dK, parts.dK, errors.dK), add(total.dV, parts.dV, errors.dV);
  }
}

template <class Number>
Gradients<Number> bound_of(std::span<const GradientRow> rows, const Gradients<Number>& truth,
                           const GradientRounding& rounding, const Wanted& wanted, PrecisionOf<Number> precision) {
  ATTNCERT_ASSERT(!rows.empty());
  const Group<Number> group(rows, wanted, rounding.unfused, precision);
  Gradients<Number> total = group.zeros();
  using Term = typename Sums<Number>::Term;
  const Sums<Number> sums(rounding, precision);
  const auto count = group.rows_of_keys();
  const double scale = rows[0].row.scale;
  const auto finish = [&](std::vector<Number>& errors, const std::vector<Number>& truths, std::optional<double> scaled,
                          std::size_t terms) {
    for (std::size_t n = 0; n < errors.size(); ++n) errors[n] = sums.finished(errors[n], truths[n], scaled, terms);
  };
  group.each_row([&](std::size_t i, const GradientRow& given) {
    const AttentionRow& row = given.row;
    const GradientErrors<Number> errors = gradient_errors<Number>(given, rounding, precision);
    const Number factor(std::abs(scale), precision), one(1.0, precision);
    // A factor may be flushed before it is scaled or after.
    const auto scaled = [&](const Term& term) { return Term{factor * term.slope, max(factor, one) * term.flush}; };
    const std::vector<double> query = magnitudes(row.query), gradient = magnitudes(given.output_gradient);
    const std::size_t kept = errors.terms.keys.size();
    for (std::size_t k = 0; k < kept; ++k) {
      const std::size_t j = errors.terms.keys[k];
      const Number size = abs(errors.terms.dS[k]);
      if (wanted.queries) scaled(sums.score_term(size, errors.dS[k], kept)).add_to(total.dQ[i], magnitudes(row.key(j)));
      const auto place = group.place(j);
      if (!place) continue;
      scaled(sums.score_term(size, errors.dS[k], count[j])).add_to(total.dK[*place], query);
      sums.weight_term(errors.most[k], errors.weight[k], count[j]).add_to(total.dV[*place], gradient);
    }
    if (wanted.queries) finish(total.dQ[i], truth.dQ[i], scale, kept);
  });
  if (rounding.common.heads_stored) add_stored_heads(rows, rounding, wanted, sums, total, precision);
  for (std::size_t n = 0; n < wanted.keys.size(); ++n) {
    finish(total.dK[n], truth.dK[n], scale, count[wanted.keys[n]]);
    finish(total.dV[n], truth.dV[n], std::nullopt, count[wanted.keys[n]]);
  }
  return total;
}

}  // namespace

Gradients<Interval> gradient_truth(std::span<const GradientRow> rows, bool unfused, const Wanted& wanted,
                                   Precision precision) {
  return truth_of<Interval>(rows, unfused, wanted, precision);
}
Gradients<DoubleInterval> gradient_truth(std::span<const GradientRow> rows, bool unfused, const Wanted& wanted,
                                         DoublePrecision precision) {
  return truth_of<DoubleInterval>(rows, unfused, wanted, precision);
}
Gradients<Interval> gradient_bound(std::span<const GradientRow> rows, const Gradients<Interval>& truth,
                                   const GradientRounding& rounding, const Wanted& wanted, Precision precision) {
  return bound_of(rows, truth, rounding, wanted, precision);
}
Gradients<DoubleInterval> gradient_bound(std::span<const GradientRow> rows, const Gradients<DoubleInterval>& truth,
                                         const GradientRounding& rounding, const Wanted& wanted,
                                         DoublePrecision precision) {
  return bound_of(rows, truth, rounding, wanted, precision);
}

Wanted everything(std::span<const GradientRow> rows) {
  Wanted wanted{true, std::vector<std::size_t>(rows[0].row.key_count())};
  std::iota(wanted.keys.begin(), wanted.keys.end(), std::size_t{0});
  return wanted;
}

}  // namespace attncert::reference
