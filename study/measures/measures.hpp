// Captured rows become lines of the tables (study/attention_lines.hpp) by the bound kernels: every number has a proved
// error.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "attncert/kernel.h"
#include "src/bounds/distance.hpp"
#include "src/bounds/jacobian.hpp"
#include "src/bounds/separability.hpp"
#include "study/attention_lines.hpp"
#include "study/measures/measure_plan.hpp"

namespace attncert {

struct WindowLines {
  std::vector<HeadLine> heads;
  std::vector<SelectionLine> selections;
  std::vector<JacobianLine> jacobian;
  std::vector<AlternativeLine> alternatives;
  std::vector<GeometryLine> geometry;
};

// What made the weights of the rows from their logits.
struct Weighting {
  std::string normalizer = "softmax";
  double temperature = 1;
  attncert_parameters parameters = ATTNCERT_DEFAULT_PARAMETERS;
};

RowKey key(const CapturedRow& row);
HeadLine head_line(const CapturedRow& row);

// At the weighting's own temperature; of the longest row at those of the plan too. Difference quotients and the bounds
// where the normalizer is softmax, else nan.
class RandomDirections {  // of difference quotients: the same for all rows of a length, made once
 public:
  RandomDirections(std::size_t count, std::uint64_t seed) : count_(count), seed_(seed) {}
  const std::vector<std::vector<double>>& of(std::size_t length);

 private:
  std::size_t count_;
  std::uint64_t seed_;
  std::map<std::size_t, std::vector<std::vector<double>>> by_length_;
};
void measure_jacobian(const CapturedRow& row, const Weighting& weighting, const MeasurePlan& plan, bool longest,
                      RandomDirections& random, std::vector<JacobianLine>& lines);

// Vectors that all rows of a head see, the first q + 1 of them by query q.
struct TokenVectors {
  TokenKind kind = TokenKind::hidden;
  TokenScale scale = TokenScale::raw;
  std::size_t count = 0, width = 0;
  std::vector<float> raw;    // as the model computed them
  std::vector<double> unit;  // radius x / ||x||, empty unless scale says so; 0 stays 0
  double radius = 1;
};
TokenVectors token_vectors(TokenKind kind, TokenScale scale, std::vector<float> values, std::size_t width,
                           double radius);

// Sees what the lines are made from, with its errors; each may be empty. Called in the order of the lines.
struct Onlooker {
  std::function<void(const CapturedRow& row)> row;
  std::function<void(const CapturedRow& row, const TokenVectors& tokens, const bounds::DistanceCurves& distance,
                     const bounds::SeparabilityCurves& separability)>
      selections;
  double unit_token_error =
      0;  // that unit tokens' separability curves are to cover beside their own rounding (separability.hpp)
};

// The inner products of a set, shared by the rows of all heads.
class MeasuredTokens {
 public:
  explicit MeasuredTokens(const TokenVectors& tokens);
  ~MeasuredTokens();
  MeasuredTokens(MeasuredTokens&&) noexcept;
  const TokenVectors& tokens() const { return *tokens_; }

  // One line for every N of `counts`, each at most L.
  void measure(const CapturedRow& row, std::span<const std::size_t> counts, const Onlooker& onlooker,
               std::vector<SelectionLine>& lines) const;
  bounds::Count separable(std::span<const double> weights, std::size_t N) const;  // N_s; scale unit only

 private:
  struct Matrices;
  const TokenVectors* tokens_;
  std::unique_ptr<Matrices> matrices_;
};

// The same logits through sparsemax, 1.5-entmax and SSMax, beside softmax itself, at the pass's temperature.
// `reference`: the row of the same head at about an eighth of the length, whose entropy SSMax is fitted to keep; not
// fitted where it is the row itself.
void measure_alternatives(const CapturedRow& row, const CapturedRow& reference, double temperature,
                          const MeasuredTokens& tokens, std::vector<AlternativeLine>& lines);

// Where a_i x_i lies as seen from s of the five largest weights: Figure 1. tokens: unit.
void measure_geometry(const CapturedRow& row, const TokenVectors& tokens, std::vector<GeometryLine>& lines);

}  // namespace attncert
