// Tokens as doubles with everything the theorems ask of their geometry: norms, and all distances, computed once.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace attncert {

class TokenGeometry {
 public:
  // `values`: count x width, row-major; `unit` scales every token to length 1.
  TokenGeometry(std::vector<double> values, std::size_t width, bool unit);

  std::size_t count() const { return norms_.size(); }
  std::size_t width() const { return width_; }
  const double* token(std::size_t i) const { return values_.data() + i * width_; }
  double norm(std::size_t i) const { return norms_[i]; }
  double distance(std::size_t i, std::size_t j) const;  // i != j
  double largest_norm(std::size_t visible) const;       // among the first tokens
  double smallest_distance(std::size_t visible) const;  // between two of the first tokens; visible >= 2

 private:
  std::size_t width_;
  std::vector<double> values_, norms_;
  std::vector<double> distances_;  // i > j at i (i - 1) / 2 + j
  std::vector<double> smallest_;   // of pairs whose larger index is i
};

// Tokens of the first window as the expected files name them: x is embed, hidden, ln1 or value; norm is raw or unit.
// `head` counts for value only.
TokenGeometry window0_tokens(std::size_t layer, std::size_t head, const std::string& x, const std::string& norm);

// What a token set depends on: embed is the same in all layers, and only value differs between heads.
std::string token_geometry_name(std::size_t layer, std::size_t head, const std::string& x, const std::string& norm);

}  // namespace attncert
