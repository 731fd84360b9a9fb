// What the files of classes share: a row in long double, terms with their errors, and sums of them. Errors are in u
// relative to their term unless a name says otherwise. Private to properties/conformance/budget_classes.
#pragma once

#include <functional>
#include <vector>

#include "properties/conformance/budget_classes/arithmetic.hpp"
#include "reference/normalizers/normalizer.hpp"

namespace attncert::classes {

using Real = long double;
using Reals = std::vector<Real>;

struct Row {
  const LogitRow& given;
  const Arithmetic& arithmetic;
  std::size_t present = 0;
  Real largest, smallest;  // logit present
  Row(const LogitRow& row, const Arithmetic& by);

  std::size_t length() const { return given.logits.size(); }
  Real z(std::size_t i) const { return given.logits[i]; }
  Real g(std::size_t i) const { return given.upstream[i]; }
  Real t() const { return given.temperature; }
  Real of_temperature() const { return given.temperature == 1 ? 0 : 2; }  // roundings that bring T in
  Real additions() const { return arithmetic.additions(length(), present); }
  // An exponential below the smallest normal number errs by its ulp of that range, and the next step rounds once more.
  Real floor() const { return (arithmetic.exponential + 1) * arithmetic.smallest; }
};

// f(i) where something is present, else 0.
Reals at_present(const Row& row, const std::function<Real(std::size_t)>& f);

struct Terms {
  Reals value, error;  // 0 where nothing is present
};
struct Total {
  Real value, error;
};
// Of positive terms: their errors are averaged.
Total sum_of(const Row& row, const Terms& terms);
// terms / their sum: by a division, or a product with the rounded inverse.
Terms shares(const Row& row, Terms terms);

// (1 + u)^error - 1 and more: what products of many roundings, in numerator and denominator, come to.
Real grown(Real error, Real u);
// error u size for every entry, grown, plus floor(i).
Reals absolute(const Row& row, const Terms& terms, const std::function<Real(std::size_t)>& floor);

// exponential.cpp: depths below the reference that is subtracted, the terms, and the weights of each normalizer.
Terms exponentials(const Row& row);                             // of softmax: 1 at the largest
Terms weights_of(std::string_view normalizer, const Row& row);  // softmax, softmax1, ssmax, top-k-softmax
Real logistic(Real x);
Reals softmax(std::string_view normalizer, const Row& row);
Reals log_softmax(std::string_view normalizer, const Row& row);

// separable.cpp
struct Argument {
  Real value, error;  // z / T + b, error absolute in u, of every order
};
Argument argument_of(const Row& row, std::size_t i, Real bias);
Real logistic_error(const Row& row, std::size_t i, Real bias);  // of 1 / (1 + e^-argument), absolute
Terms logistic_terms(const Row& row);
Terms positive_terms(const Row& row);
Terms taylor_terms(const Row& row, std::uint32_t order,
                   bool of_slope);                           // of F_order / its largest, or F_(order-1) beside it
Terms factors(std::string_view normalizer, const Row& row);  // self-adjusted
Reals separable(std::string_view normalizer, const Row& row);
Reals sigmoid(std::string_view normalizer, const Row& row);
Reals self_adjusted(std::string_view normalizer, const Row& row);

// sparse.cpp: the height of an entry over the threshold and what it may be off by, absolute.
struct Heights {
  Reals value, error;
  Real power;  // of the heights: 1 / (alpha - 1)
};
Heights heights_of(std::string_view normalizer, const Row& row);
Reals sparse(std::string_view normalizer, const Row& row);

// derivatives.cpp
Reals derivative(std::string_view normalizer, const Row& row);
Reals log_softmax_derivative(std::string_view normalizer, const Row& row);
Reals sigmoid_derivative(std::string_view normalizer, const Row& row);
Reals sparse_derivative(std::string_view normalizer, const Row& row);
Reals self_adjusted_derivative(std::string_view normalizer, const Row& row);

}  // namespace attncert::classes
