// Instance: one choice of everything that a claim quantifies, in exact rational numbers. A generator fills it; from
// then on it is read only, and enclosures that several claims need are computed once per precision.
#pragma once

#include <any>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "properties/claims/instances/tokens.hpp"
#include "reference/bounds/selection.hpp"
#include "reference/bounds/softmax_jacobian.hpp"
#include "reference/interval.hpp"
#include "src/core/rational.hpp"
#include "src/core/witness.hpp"

namespace attncert {

// Softmax of the logits and what its Jacobian's bounds are made of.
struct SoftmaxRow {
  std::vector<Interval> weights;
  reference::TopWeights top;
  Interval eigenvalue;  // lambda_1(diag p - p p^T)
};

class Instance {
 public:
  std::size_t length = 0;  // L
  std::size_t count = 0;   // N; 0 when nothing is selected
  std::optional<Rational> temperature;
  std::vector<Rational> logits, weights, F, dF;                // length L, or empty
  std::vector<Rational> other_logits, other_weights, other_F;  // a second row to compare with; length L, or empty
  std::vector<Rational> parameters;                            // of the rule, in the order that the claim says
  std::shared_ptr<const TokenSet> tokens;                      // at least L tokens, or null
  std::vector<std::size_t> selected;  // N increasing indices: the top N by weight, ties by lowest index

  std::size_t dimension() const { return tokens ? tokens->dimension() : 0; }

  // Chooses `selected` as the top N by weight, ties by the lowest index; returns whether a tie was broken that way.
  bool select_top(std::size_t n);
  std::vector<std::size_t> unselected() const;
  Rational selected_mass() const;  // A_I, exact
  std::vector<Rational> selected_weights() const;

  const reference::Selection& selection(Precision precision) const;
  const SoftmaxRow& softmax(Precision precision) const;               // of logits / temperature
  const Interval& squared_separation(Precision precision) const;      // delta^2, the smallest squared distance; L >= 2
  const Interval& largest_cross_distance(Precision precision) const;  // d1; 0 when nothing is unselected

  // How many selected i have f_i <= r. What enclosures do not decide is settled in rationals on short rows, and stays
  // open on long ones (more bits decide it). Needs N <= L - 1.
  struct Separable {
    std::size_t certain = 0, possible = 0;
    bool is(std::size_t n) const { return certain == n && possible == n; }
  };
  Separable separable(Precision precision) const;

  const std::vector<Rational>& context() const;  // s = sum of the selected a_i x_i, exactly

  std::vector<Rational> token_values() const;  // of the L tokens in turn; nothing without tokens

  // What `compute(instance)` or `compute(instance, precision)` gives, computed once: what several sides share.
  template <auto compute>
  const auto& once() const {
    std::any& slot = kept(&key<compute>, Precision{0});
    return value(slot, [this] { return compute(*this); });
  }
  template <auto compute>
  const auto& once(Precision precision) const {
    std::any& slot = kept(&key<compute>, precision);
    return value(slot, [this, precision] { return compute(*this, precision); });
  }

  Instance fresh() const;  // a copy that shares nothing of what this one keeps
  ExactInstance exact() const;
  std::size_t bits() const;       // total bits of numerators and denominators
  std::string size_text() const;  // "L=3 d=1 bits=40"

 private:
  struct Derived {
    std::optional<reference::Selection> selection;
    std::optional<SoftmaxRow> softmax;
    std::optional<Interval> squared_separation, largest_cross_distance;
    std::optional<Separable> separable;
    std::map<const void*, std::any> once;
  };
  Derived& derived(Precision precision) const;
  template <auto compute>
  static inline char key = 0;  // its address stands for the function
  std::any& kept(const void* function, Precision precision) const { return derived(precision).once[function]; }
  template <class Compute>
  static const auto& value(std::any& slot, Compute compute) {
    using Value = decltype(compute());
    if (!slot.has_value()) slot = compute();
    return *std::any_cast<Value>(&slot);
  }
  mutable std::shared_ptr<std::map<Precision, Derived>> derived_;
  mutable std::shared_ptr<std::vector<Rational>> context_;
};

// Everything that has one number for every token, here and in a witness file.
struct RowOfNumbers {
  std::vector<Rational> Instance::*numbers;
  Runs<Rational> ExactInstance::*runs;
};
inline constexpr RowOfNumbers rows_of_numbers[] = {{&Instance::logits, &ExactInstance::logits},
                                                   {&Instance::weights, &ExactInstance::weights},
                                                   {&Instance::F, &ExactInstance::F},
                                                   {&Instance::dF, &ExactInstance::dF},
                                                   {&Instance::other_logits, &ExactInstance::other_logits},
                                                   {&Instance::other_weights, &ExactInstance::other_weights},
                                                   {&Instance::other_F, &ExactInstance::other_F}};

// The instance of a witness file (not of a family). Sizes were checked by the reader.
Instance from_exact(const ExactInstance& exact);

// Largest and next largest logit by index (ties by lowest index); second = first when L = 1.
std::pair<std::size_t, std::size_t> two_largest(const std::vector<Rational>& values);

// Squared ||a_i x_i - s|| as an exact rational: what settles comparisons that enclosures cannot. The threshold is r^2,
// the smallest of the unselected ones; needs N <= L - 1.
Rational exact_squared_distance_to_context(const Instance& instance, std::size_t i);
Rational exact_squared_threshold(const Instance& instance);

}  // namespace attncert
