// Norms of J = (I - a 1^T) diag(g), a = w / sum w: what separable_jacobian and the separable normalizers share. The
// sums over the row that the search for the spectral norm asks for are added here (largest_singular_value) or elsewhere
// (src/bounds/device).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "src/bounds/inertia_sums.hpp"
#include "src/bounds/secular.hpp"

namespace attncert::bounds {

enum class Side { below, above, unclear };  // is the largest eigenvalue of J^T J certainly <= x, >= x?

struct Located {
  Side side = Side::unclear;
  double determinant = 0;  // only steers the search
};

// A row made ready: weights and squared slopes in units of a power of two, and what is known without a search.
class SeparableRow {
 public:
  // Not `known` unless weights are >= 0 and finite, one > 0, and slopes finite.
  SeparableRow(std::span<const double> weights, std::span<const double> slopes);

  bool known() const { return known_; }
  bool zero() const { return !known_ || column_ == 0; }  // both norms, but for the floor
  Scaled frobenius() const;
  double floor() const;   // absolute: where slopes are so small that their squares underflow
  double growth() const;  // sqrt(L) ||a||: by how much relative errors of the weights may grow

  // What inertia_sums is asked with: the token of the largest slope is apart, and 0 here; a multiple of rest_padding.
  std::span<const double> weights() const { return weights_; }
  std::span<const double> squared_slopes() const { return squared_; }
  double shift() const { return top_weight_; }
  double sums_error() const { return error_; }  // of inertia_sums, relative to the sum of sizes

 private:
  friend class SeparableSearch;
  void sums();
  Located locate(double x, const InertiaSums& sums, double sum_error) const;

  std::size_t length_, top_ = 0, heaviest_ = 0;  // top: the largest slope
  int weight_exponent_ = 0, slope_exponent_ = 0;
  std::vector<double> weights_, squared_;              // padded; the top's own are kept apart, and zero here
  double top_weight_ = 0, steepest_ = 0, second_ = 0;  // largest and next g^2
  double total_ = 0, total_squares_ = 0;               // sum w, sum w^2
  double column_ = 0, frobenius_ = 0;                  // largest squared column, and their sum, times (sum w)^2
  double error_ = 0;                                   // of a sum of nonnegative terms
  double slack_ = 0;                                   // of the bracket that the search starts from
  bool known_ = false, faint_ = false;                 // faint: some square or weight underflowed
};

// The search for the largest eigenvalue, which asks for the sums at one x after the other; whoever adds them up says
// how exact they are. The row must outlive it.
class SeparableSearch {
 public:
  SeparableSearch(const SeparableRow& row, double sum_error);  // relative to the sum of sizes
  bool done() const { return done_; }
  double at() const { return x_; }  // above every squared slope but the largest
  void take(const InertiaSums& sums);
  Scaled spectral() const;

 private:
  enum class Phase { search, below, above };  // below and above: of a point where nothing could be told
  void propose();
  void widen();
  void narrow(Located located);

  const SeparableRow& row_;
  double error_;
  double low_ = 0, high_ = 0, x_ = 0;
  Phase phase_ = Phase::search;
  double at_low_ = 0, at_high_ = 0, centre_ = 0, width_ = 0;
  int step_ = 0, last_ = 0, widenings_ = 0;
  bool done_ = false;
};

Scaled largest_singular_value(const SeparableRow& row);

// Relative change of both norms when every weight is off by at most `weight`, every slope by at most `slope`
// (relative).
double separable_input_error(const SeparableRow& row, double weight, double slope);

}  // namespace attncert::bounds
