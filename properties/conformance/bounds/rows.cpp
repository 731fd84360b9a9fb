#include "properties/conformance/bounds/rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "src/core/counter.hpp"

namespace attncert {

std::uint64_t Draw::below(std::uint64_t n) { return random_below(seed_, next_++, n); }
double Draw::uniform(double low, double high) {
  return low + (high - low) * static_cast<double>(random_word(seed_, next_++) >> 11) * 0x1p-53;
}
double Draw::normal() { return random_normal(seed_, next_++); }

double as(attncert_dtype dtype, double value) {
  return dtype == ATTNCERT_F32 ? static_cast<double>(static_cast<float>(value)) : value;
}

std::size_t draw_length(Draw& draw, RowSize size) {
  const std::uint64_t kind = draw.below(20);
  if (kind < 14) return 1 + draw.below(8);
  if (kind < 19 || size == RowSize::small) return 1 + draw.below(64);
  return 65 + draw.below(960);
}

namespace {

enum class WeightShape : std::uint8_t {
  uniform,
  one_hot,
  two_halves,
  sparse,
  dirichlet,
  wide,
  halving,
  pairs,
  spike,
  real
};
constexpr std::uint64_t weight_shapes = 10;

double weight_of(WeightShape shape, Draw& draw, std::size_t i, std::size_t length, std::size_t hot, double small) {
  switch (shape) {
    case WeightShape::uniform:
      return 1.0 / static_cast<double>(length);
    case WeightShape::one_hot:
      return i == hot ? 1 : 0;
    case WeightShape::two_halves:
      return i == hot || i == (hot + 1) % length ? 0.5 : 0;
    case WeightShape::sparse:
      return draw.one_in(3) ? draw.uniform(0, 1) : 0;
    case WeightShape::dirichlet:
      return -std::log(draw.uniform(0x1p-40, 1));
    case WeightShape::wide:
      return std::exp(4 * draw.normal());
    case WeightShape::halving:
      return std::ldexp(1.0, -static_cast<int>(i % 100));
    case WeightShape::pairs:
      return 1.0 / static_cast<double>(1 + i / 2);
    case WeightShape::spike:
      return i == hot ? 1 : small;
    case WeightShape::real:
      return std::exp(2 * draw.normal() + (i == 0 ? 6 : 0));
  }
  return 1;
}

enum class TokenShape : std::uint8_t {
  equal,
  zero,
  line,
  antipodal,
  orthonormal,
  simplex,
  centred,
  shifted,
  cap,
  near
};
constexpr std::uint64_t token_shapes = 10;

double token_entry(TokenShape shape, Draw& draw, std::size_t i, std::size_t k, std::size_t d,
                   const std::vector<double>& base, double along) {
  switch (shape) {
    case TokenShape::equal:
      return base[k];
    case TokenShape::zero:
      return 0;
    case TokenShape::line:
      return along * base[k];
    case TokenShape::antipodal:
      return i % 2 == 0 ? base[k] : -base[k];
    case TokenShape::orthonormal:
      return k == i % d ? 1 : 0;
    case TokenShape::simplex:
      return (k == i % d ? 1 : 0) - 1.0 / static_cast<double>(d);
    case TokenShape::centred:
      return draw.normal();
    case TokenShape::shifted:
      return 5 + draw.normal();
    case TokenShape::cap:
      return base[k] + 0.01 * draw.normal();
    case TokenShape::near:
      return base[k] * (1 + (i % 3 == 0 ? 0 : 1e-7 * draw.normal()));
  }
  return 0;
}

// Of many equal distances each would be enclosed: such shapes stay short.
bool has_many_ties(TokenShape shape) {
  return shape == TokenShape::antipodal || shape == TokenShape::orthonormal || shape == TokenShape::simplex;
}

double draw_scale(BoundRow& row, Draw& draw) {
  const std::uint64_t kind = draw.below(12);
  if (kind < 6) return 1;
  if (kind < 11) return std::pow(10, draw.uniform(-9, 7));
  row.ordinary = false;
  const double most = row.dtype == ATTNCERT_F32 ? 30 : 120;  // fourth powers of f64 still in range
  return std::pow(10, draw.uniform(-most, most));
}

}  // namespace

std::vector<double> draw_weights(Draw& draw, std::size_t length, attncert_dtype dtype) {
  const auto shape = static_cast<WeightShape>(draw.below(weight_shapes));
  const std::size_t hot = draw.below(length);
  const double small = std::pow(10, draw.uniform(-20, -1));
  std::vector<double> weights;
  double sum = 0;
  for (std::size_t i = 0; i < length; ++i) sum += weights.emplace_back(weight_of(shape, draw, i, length, hot, small));
  if (sum == 0) weights[hot] = sum = 1;
  if (draw.one_in(4)) sum = 1;  // some rows far from a sum of 1
  for (double& weight : weights) weight = as(dtype, weight / sum);
  return weights;
}

std::vector<double> draw_signed_weights(Draw& draw, std::size_t length, attncert_dtype dtype) {
  std::vector<double> weights = draw_weights(draw, length, dtype);
  for (double& weight : weights) weight = as(dtype, weight * draw.normal());
  return weights;
}

std::vector<double> draw_logits(Draw& draw, std::size_t length, attncert_dtype dtype) {
  const std::uint64_t kind = draw.below(6);
  const double spread = kind == 5 ? 40 : kind == 4 ? 10 : 2;
  std::vector<double> logits;
  for (std::size_t i = 0; i < length; ++i)
    logits.push_back(as(dtype, kind == 0   ? 0.0
                               : kind == 1 ? static_cast<double>(draw.below(3))
                                           : spread * draw.normal()));
  if (kind == 2) logits[0] = as(dtype, logits[0] + 20);
  if (kind == 3)
    for (double& logit : logits) logit = as(dtype, logit + 1000);
  return logits;
}

double draw_temperature(Draw& draw) {
  switch (draw.below(4)) {
    case 0:
      return 1;
    case 1:
      return 0.1;
    default:
      return std::pow(10, draw.uniform(-2, 1));
  }
}

void draw_weighted_tokens(BoundRow& row, Draw& draw, RowSize size) {
  std::size_t length = draw_length(draw, size);
  const auto shape = static_cast<TokenShape>(draw.below(token_shapes));
  if (has_many_ties(shape)) length = 1 + (length - 1) % 64;
  const std::size_t dimensions[] = {1, 2, 3, std::max<std::size_t>(length, 2) - 1, length, length + 1, 64};
  row.dimension = std::min<std::size_t>(dimensions[draw.below(7)], 64);
  row.divided = !draw.one_in(4);
  row.weights = row.divided ? draw_weights(draw, length, row.dtype) : draw_signed_weights(draw, length, row.dtype);
  const double scale = draw_scale(row, draw);
  std::vector<double> base;
  for (std::size_t k = 0; k < row.dimension; ++k) base.push_back(draw.normal());
  row.tokens.reserve(length * row.dimension);
  for (std::size_t i = 0; i < length; ++i) {
    const double along = draw.normal();
    for (std::size_t k = 0; k < row.dimension; ++k)
      row.tokens.push_back(as(row.dtype, scale * token_entry(shape, draw, i, k, row.dimension, base, along)));
  }
  // Zero has no scale that an error could be small against.
  row.ordinary &= std::any_of(row.tokens.begin(), row.tokens.end(), [](double entry) { return entry != 0; });
  row.shares_gram = !draw.one_in(3);
  if (draw.one_in(3)) row.tolerance = 1e-10;  // nearly every point from the vectors, in f32
  if (length <= 16) {
    row.points.resize(length + 1);
    std::iota(row.points.begin(), row.points.end(), std::size_t{0});
  } else {
    row.points = {0, 1, 2, length / 3, length - 1, length};
    for (int more = 0; more < 2; ++more) row.points.push_back(draw.below(length + 1));
    std::sort(row.points.begin(), row.points.end());
    row.points.erase(std::unique(row.points.begin(), row.points.end()), row.points.end());
  }
}

}  // namespace attncert
