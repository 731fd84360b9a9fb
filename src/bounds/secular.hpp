// The largest eigenvalue mu of M = diag w - w w^T / (v + sum w), w, v >= 0: the root of 1/mu = 1/w_1 + 1/k(mu),
// k(x) = v + sum over j >= 2 of w_j x / (x - w_j), between w_2 and w_1 (Golub 1973 for the equation; docs/bounds.md has
// this form and the proofs). M / sum w is softmax's Jacobian (v = 0), M / (1 + sum w) softmax1's, M itself entmax's.
#pragma once

#include <cstddef>
#include <span>

#include "src/bounds/certified.hpp"
#include "src/bounds/secular_sums.hpp"

namespace attncert::bounds {

// The weights, and v, in units of 2^exponent: the largest weight is first * 2^lead, and `rest` holds the others, padded
// with zeros.
struct Spectrum {
  double first = 0;  // in [1, 2)
  int lead = 0;      // >= 0
  int exponent = 0;  // of the unit in the weights' own: w = 2^exponent (...)
  // The larger of v and second is in [1, 2), unless both are 0, or v >= 2 and the unit is that of first.
  double v = 0;                            // known to a relative 2^-52
  double second = 0;                       // the largest of the rest
  double sum = 0, squares = 0, cubes = 0;  // of the rest
  double sum_error = 0;                    // relative, of each of the three, and of any such sum of nonnegative terms
  std::span<const double> rest;
};

// weights: false unless all are finite, >= 0 and one is > 0. v >= 0, finite; what is computed below wants v < 2^400 in
// the spectrum's units. The spectrum lives until the thread's next call.
template <class T>
bool spectrum_of(std::span<const T> weights, Spectrum& out, double v = 0);

// value = mantissa * 2^exponent, off by at most relative * value.
struct Scaled {
  double mantissa = 0;
  int exponent = 0;
  double relative = 0;
};

struct SecularRoot {
  double value = 0, relative = 0;  // in the spectrum's units
  int passes = 0;                  // evaluations of k
};

// The search for it, which asks for the sums of the equation at one x after the other; whoever adds them up says how
// exact they are. The spectrum must outlive it.
class SecularSearch {
 public:
  SecularSearch(const Spectrum& spectrum, double sum_error);  // relative, of each sum that is taken
  bool done() const { return done_; }
  double at() const { return x_; }  // above every weight but the largest
  void take(PoleSums sums);
  const SecularRoot& best() const { return best_; }

 private:
  void next();

  const Spectrum& s_;
  double inverse_first_ = 0, gap_ = 0, noise_ = 0, above_ = 0;
  double low_ = 0, high_ = 0, x_ = 0, y_ = 0;
  int pass_ = 0;
  bool halve_ = false, done_ = false;
  SecularRoot best_;
};

SecularRoot largest_root(const Spectrum& spectrum);
Scaled eigenvalue_of(const SecularRoot& root);
Scaled largest_eigenvalue(const Spectrum& spectrum);  // of M, in the spectrum's units
Scaled frobenius_norm(const Spectrum& spectrum);      // of M, likewise
Scaled total(const Spectrum& spectrum);               // v + sum w, likewise

Scaled ratio(const Scaled& numerator, const Scaled& denominator);

// scaled / temperature; `inputs`: relative change that errors of the inputs may have made; `floor`: absolute, before
// the division. A number too large for a double is `unknown`.
Certified over_temperature(const Scaled& scaled, double temperature, double inputs, double floor = 0);

// (1 - relative_error)^-degree - 1, rounded up: how far a quantity of that logarithmic degree in the weights may be
// off.
double input_error(double relative_error, int degree);

}  // namespace attncert::bounds
