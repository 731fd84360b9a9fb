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
#include "src/core/result.hpp"
#include "src/device/device.hpp"
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

// One line a row. device: adds the sums of the bounds up, one with f64 (device::f64_device); null: the processor does.
// What a device cannot do is an Error, here and below.
Result<Done> measure_heads(std::span<const CapturedRow> rows, const device::Device* device,
                           std::vector<HeadLine>& lines);

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
struct AskedJacobian {
  const CapturedRow* row = nullptr;
  bool longest = false;
};
Result<Done> measure_jacobians(std::span<const AskedJacobian> asked, const Weighting& weighting,
                               const MeasurePlan& plan, const device::Device* device, RandomDirections& random,
                               std::vector<JacobianLine>& lines);

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

struct AskedSelections {
  const CapturedRow* row = nullptr;
  std::vector<std::size_t> counts;  // N, ascending, each at most L
};

// The inner products of a set, shared by the rows of all heads: on the processor, or on a device, one with f64
// (device::f64_device). What a device cannot do is an Error.
class MeasuredTokens {
 public:
  static Result<MeasuredTokens> of(const TokenVectors& tokens, const device::Device* device);  // null: none
  ~MeasuredTokens();
  MeasuredTokens(MeasuredTokens&&) noexcept;
  const TokenVectors& tokens() const { return *tokens_; }

  // One line for every N of every row.
  Result<Done> measure(std::span<const AskedSelections> asked, const Onlooker& onlooker,
                       std::vector<SelectionLine>& lines) const;
  Result<bounds::Count> separable(std::span<const double> weights, std::size_t N) const;  // N_s; scale unit only

 private:
  struct Matrices;
  explicit MeasuredTokens(const TokenVectors& tokens);
  Result<Done> measure_on_device(std::span<const AskedSelections> asked, const Onlooker& onlooker,
                                 std::vector<SelectionLine>& lines) const;
  double token_error(const Onlooker& onlooker) const;  // of a unit token as it is rounded

  const TokenVectors* tokens_;
  std::unique_ptr<Matrices> matrices_;
};

// The same logits through sparsemax, 1.5-entmax and SSMax, beside softmax itself, at the pass's temperature.
// `reference`: the row of the same head at about an eighth of the length, whose entropy SSMax is fitted to keep; not
// fitted where it is the row itself.
Result<Done> measure_alternatives(const CapturedRow& row, const CapturedRow& reference, double temperature,
                                  const MeasuredTokens& tokens, std::vector<AlternativeLine>& lines);

// Where a_i x_i lies as seen from s of the five largest weights: Figure 1. tokens: unit.
void measure_geometry(const CapturedRow& row, const TokenVectors& tokens, std::vector<GeometryLine>& lines);

}  // namespace attncert
