#include "properties/conformance/bounds/rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "src/core/counter.hpp"

namespace attncert::bound_subject {

double draw_uniform(Choices& choices, double low, double high) {
  return low + (high - low) * static_cast<double>(choices.word() >> 11) * 0x1p-53;
}

double draw_normal(Choices& choices) {
  const std::uint64_t word = choices.word();
  return word == 0 ? 0 : normal_of(word);
}

double draw_distinct_normal(Choices& choices, std::size_t i) { return normal_of(choices.word() ^ mixed(i)); }

bool draw_one_in(Choices& choices, std::uint64_t n) { return choices.below(n) == n - 1; }

double as(attncert_dtype dtype, double value) {
  return dtype == ATTNCERT_F32 ? static_cast<double>(static_cast<float>(value)) : value;
}

namespace {

constexpr std::size_t longest_small = 64, longest_large = 1024, most_dimensions = 64;

}  // namespace

std::size_t draw_length(Choices& choices, RowSize size) {
  const std::uint64_t kind = choices.below(20);
  if (kind < 14) return 1 + choices.below(8);
  if (kind < 19 || size == RowSize::small) return 1 + choices.below(longest_small);
  return longest_small + 1 + choices.below(longest_large - longest_small);
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

double weight_of(WeightShape shape, Choices& choices, std::size_t i, std::size_t length, std::size_t hot,
                 double small) {
  switch (shape) {
    case WeightShape::uniform:
      return 1.0 / static_cast<double>(length);
    case WeightShape::one_hot:
      return i == hot ? 1 : 0;
    case WeightShape::two_halves:
      return i == hot || i == (hot + 1) % length ? 0.5 : 0;
    case WeightShape::sparse:
      return draw_one_in(choices, 3) ? draw_uniform(choices, 0, 1) : 0;
    case WeightShape::dirichlet:
      return -std::log(draw_uniform(choices, 0x1p-40, 1));
    case WeightShape::wide:
      return std::exp(4 * draw_normal(choices));
    case WeightShape::halving:
      return std::ldexp(1.0, -static_cast<int>(i % 100));
    case WeightShape::pairs:
      return 1.0 / static_cast<double>(1 + i / 2);
    case WeightShape::spike:
      return i == hot ? 1 : small;
    case WeightShape::real:
      return std::exp(2 * draw_normal(choices) + (i == 0 ? 6 : 0));
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

double token_entry(TokenShape shape, Choices& choices, std::size_t i, std::size_t k, std::size_t d,
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
      return draw_normal(choices);
    case TokenShape::shifted:
      return 5 + draw_normal(choices);
    case TokenShape::cap:
      return base[k] + 0.01 * draw_normal(choices);
    case TokenShape::near:
      return base[k] * (1 + (i % 3 == 0 ? 0 : 1e-7 * draw_normal(choices)));
  }
  return 0;
}

// Each of many equal distances would have to be enclosed: such shapes stay short.
bool has_many_ties(TokenShape shape) {
  return shape == TokenShape::antipodal || shape == TokenShape::orthonormal || shape == TokenShape::simplex;
}

double draw_scale(BoundRow& row, Choices& choices) {
  const std::uint64_t kind = choices.below(12);
  if (kind < 6) return 1;
  if (kind < 11) return std::pow(10, draw_uniform(choices, -9, 7));
  row.ordinary = false;
  const double most = row.dtype == ATTNCERT_F32 ? 30 : 120;  // fourth powers of f64 still in range
  return std::pow(10, draw_uniform(choices, -most, most));
}

}  // namespace

std::vector<double> draw_weights(Choices& choices, std::size_t length, attncert_dtype dtype) {
  const auto shape = static_cast<WeightShape>(choices.below(weight_shapes));
  const std::size_t hot = choices.below(length);
  const double small = std::pow(10, draw_uniform(choices, -20, -1));
  std::vector<double> weights;
  double sum = 0;
  for (std::size_t i = 0; i < length; ++i)
    sum += weights.emplace_back(weight_of(shape, choices, i, length, hot, small));
  if (sum == 0) weights[hot] = sum = 1;
  if (draw_one_in(choices, 4)) sum = 1;  // some rows far from a sum of 1
  for (double& weight : weights) weight = as(dtype, weight / sum);
  return weights;
}

std::vector<double> draw_signed_weights(Choices& choices, std::size_t length, attncert_dtype dtype) {
  std::vector<double> weights = draw_weights(choices, length, dtype);
  for (double& weight : weights) weight = as(dtype, weight * draw_normal(choices));
  return weights;
}

std::vector<double> draw_logits(Choices& choices, std::size_t length, attncert_dtype dtype) {
  const std::uint64_t kind = choices.below(6);
  const double spread = kind == 5 ? 40 : kind == 4 ? 10 : 2;
  std::vector<double> logits;
  for (std::size_t i = 0; i < length; ++i)
    logits.push_back(as(dtype, kind == 0   ? 0.0
                               : kind == 1 ? static_cast<double>(choices.below(3))
                                           : spread * draw_normal(choices)));
  if (kind == 2) logits[0] = as(dtype, logits[0] + 20);
  if (kind == 3)
    for (double& logit : logits) logit = as(dtype, logit + 1000);
  return logits;
}

double draw_temperature(Choices& choices) {
  switch (choices.below(4)) {
    case 0:
      return 1;
    case 1:
      return 0.1;
    default:
      return std::pow(10, draw_uniform(choices, -2, 1));
  }
}

void draw_weighted_tokens(BoundRow& row, Choices& choices, RowSize size) {
  std::size_t length = draw_length(choices, size);
  const auto shape = static_cast<TokenShape>(choices.below(token_shapes));
  if (has_many_ties(shape)) length = 1 + (length - 1) % longest_small;
  const std::size_t dimensions[] = {1, 2, 3, std::max<std::size_t>(length, 2) - 1, length, length + 1, most_dimensions};
  row.dimension = std::min(dimensions[choices.below(7)], most_dimensions);
  row.divided = !draw_one_in(choices, 4);
  row.weights =
      row.divided ? draw_weights(choices, length, row.dtype) : draw_signed_weights(choices, length, row.dtype);
  const double scale = draw_scale(row, choices);
  std::vector<double> base;
  for (std::size_t k = 0; k < row.dimension; ++k) base.push_back(draw_normal(choices));
  row.tokens.reserve(length * row.dimension);
  for (std::size_t i = 0; i < length; ++i) {
    const double along = draw_normal(choices);
    for (std::size_t k = 0; k < row.dimension; ++k)
      row.tokens.push_back(as(row.dtype, scale * token_entry(shape, choices, i, k, row.dimension, base, along)));
  }
  // Zero has no scale that an error could be small against.
  row.ordinary &= std::any_of(row.tokens.begin(), row.tokens.end(), [](double entry) { return entry != 0; });
  row.shares_gram = !draw_one_in(choices, 3);
  if (draw_one_in(choices, 3)) row.tolerance = 1e-10;  // nearly every point from the vectors, in f32
  if (length <= 16) {
    row.points.resize(length + 1);
    std::iota(row.points.begin(), row.points.end(), std::size_t{0});
  } else {
    row.points = {0, 1, 2, length / 3, length - 1, length};
    for (int more = 0; more < 2; ++more) row.points.push_back(choices.below(length + 1));
    std::sort(row.points.begin(), row.points.end());
    row.points.erase(std::unique(row.points.begin(), row.points.end()), row.points.end());
  }
}

namespace {

double special_value(double value, const std::vector<double>& others, Choices& choices) {
  switch (choices.below(6)) {
    case 0:
      return 0;
    case 1:
      return others[choices.below(others.size())];  // a tie
    case 2:
      return std::nextafter(value, 0);
    case 3:
      return std::nextafter(value, 2 * value);
    case 4:
      return std::ldexp(value, static_cast<int>(choices.between(-24, 24)));
    default:
      return value * choices.unit();
  }
}

}  // namespace

void draw_special_values(BoundRow& row, Choices& choices) {
  const std::uint64_t kind = choices.below(8);  // 0 .. 4: none, 5 .. 7: one to three
  for (std::uint64_t n = 4; n < kind; ++n) {
    std::vector<double>* const lists[] = {&row.weights, &row.tokens, &row.logits, &row.slopes};
    std::vector<double>& list = *choices.pick(lists);
    const bool fixed = &list == &row.weights ? !row.meant.empty() : !row.normalizer.empty();
    if (list.empty() || fixed) continue;
    double& value = list[choices.below(list.size())];
    const double old = value;
    value = as(ATTNCERT_F32, special_value(value, list, choices));  // of both types
    const bool none_left = std::all_of(row.weights.begin(), row.weights.end(), [](double w) { return w == 0; });
    if (!std::isfinite(value) || (none_left && !row.weights.empty())) value = old;
    row.ordinary = false;
  }
}

std::size_t tape_length(RowSize size) {
  constexpr std::size_t word = 8, beside = 64;  // words of a row that are of no token
  const std::size_t tokens = size == RowSize::small ? longest_small : longest_large;
  return word * (tokens * (most_dimensions + 4) + beside);  // a token's entries and position, a weight, its sign
}

}  // namespace attncert::bound_subject
