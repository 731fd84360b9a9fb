// Coordinates: an instance as a point of R^n, for a search without derivatives, and back: every point becomes an exact
// instance (logits in units of T, weights and values by their logarithms, tokens by coordinates or along their sphere).
// Untrusted: what a point's instance is worth, its hypotheses and its two sides say.
#pragma once

#include <cstddef>
#include <vector>

#include "properties/claims/claim.hpp"

namespace attncert {

class Coordinates {
 public:
  // What the statement's hypotheses do not allow to move by itself stays as it is in `base`, an admissible instance.
  Coordinates(const Statement& statement, const Instance& base);

  std::size_t dimension() const { return origin_.size(); }
  const std::vector<double>& origin() const { return origin_; }  // of `base`, nearly
  const std::vector<double>& steps() const { return steps_; }    // what changes the instance noticeably
  const std::vector<double>& lowest() const { return lowest_; }  // bounds: where a limit is as good as reached
  const std::vector<double>& highest() const { return highest_; }

  Instance at(const std::vector<double>& point) const;

 private:
  enum class Part { temperature, logits, weights, F, dF, other_logits, other_weights, other_F, tokens, sphere, rule };
  struct Block {
    Part part;
    std::size_t offset, count;
  };
  bool may_move(const Statement& statement, Part part);
  void add(Part part);
  void add_logarithms(const std::vector<Rational>& values, double lowest, double highest);
  void add_plain(const std::vector<Rational>& values, const Rational& unit, double step);
  void put(const Block& block, const double* x, Instance& instance) const;

  const Instance base_;
  std::vector<Block> blocks_;
  std::vector<double> origin_, steps_, lowest_, highest_;
  Rational token_scale_ = 1, slope_scale_ = 1, difference_scale_ = 1;
  bool top_ = false;  // the statement asks for the largest weights
};

}  // namespace attncert
