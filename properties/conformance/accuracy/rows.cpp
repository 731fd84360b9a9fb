#include "properties/conformance/accuracy/rows.hpp"

#include <cmath>
#include <limits>
#include <span>

#include "src/core/counter.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {
namespace {

struct Alpha {
  std::uint64_t numerator, denominator;
};

// The values that a parameter takes.
struct ParameterValues {
  std::span<const Alpha> alphas;
  std::span<const std::uint64_t> ks;
  std::span<const std::uint32_t> orders;
  std::span<const double> scales, biases;
};

constexpr Alpha alphas[] = {{3, 2}, {5, 4}, {7, 4}, {2, 1}, {4, 3}, {9, 8}, {3, 1}, {5, 2}};
constexpr std::uint64_t ks[] = {8, 1, 2, 3, 5, 16, 64, 100000};
constexpr std::uint32_t orders[] = {2, 4, 6, 8};
constexpr double scales[] = {1, 0.5, -1, 2, 0, 0.1, 0.43}, biases[] = {0, -1, -6.93, 0.1, 3.5, -100, 1e-9};

constexpr Alpha bad_alphas[] = {{1, 1}, {1, 2}, {3, 0}, {0, 1}};  // alpha = p / q > 1
constexpr std::uint64_t bad_ks[] = {0};
constexpr std::uint32_t bad_orders[] = {0, 1, 3, 7};
constexpr double bad_reals[] = {HUGE_VAL, -HUGE_VAL, std::numeric_limits<double>::quiet_NaN()};

// One of the values for what the normalizer reads; false when it reads nothing.
bool draw_parameter(Choices& choices, ReadsParameter reads, const ParameterValues& values, RowParameters& parameters) {
  if (reads == ReadsParameter::alpha) {
    const Alpha& alpha = choices.pick(values.alphas);
    parameters.alpha_numerator = alpha.numerator;
    parameters.alpha_denominator = alpha.denominator;
  }
  if (reads == ReadsParameter::k) parameters.k = choices.pick(values.ks);
  if (reads == ReadsParameter::order) parameters.order = choices.pick(values.orders);
  if (reads == ReadsParameter::scale) parameters.scale = choices.pick(values.scales);
  if (reads == ReadsParameter::bias) parameters.bias = choices.pick(values.biases);
  return reads != ReadsParameter::none;
}

template <class T>
std::vector<double> widened(const std::vector<T>& values, attncert_dtype dtype) {
  std::vector<double> row(values.begin(), values.end());
  if (format(dtype).bytes == 2)
    for (double& value : row) value = rounded(dtype, value);
  return row;
}

// The regimes that live at a format's ends and spacing, for the half types; the others round what f32 has.
double half_element(const LogitRecipe& recipe, const Format& f, std::size_t i) {
  const std::uint64_t word = random_word(recipe.seed, i), kind = word % 8;
  const double sign = word >> 63 == 0 ? 1 : -1;
  if (recipe.regime == Regime::subnormal)
    return kind == 0 ? 0
                     : sign * std::ldexp(static_cast<double>((word >> 8) % (1u << (f.digits - 1))),
                                         f.min_exponent - f.digits);
  if (recipe.regime == Regime::ulp_neighbours) {
    const double base = std::ldexp(std::abs(random_normal(recipe.seed, ~0u)) + 0.5, static_cast<int>(recipe.scale % 6));
    const double unit = std::ldexp(1.0, std::ilogb(base) - f.digits + 1);
    return (std::floor(base / unit) + static_cast<double>(word % 9) - 4) * unit;
  }
  const double largest = std::ldexp(2 - std::ldexp(1.0, 1 - f.digits), f.max_exponent - 1);  // extremes
  if (kind < 2) return sign * largest;
  const int exponent =
      f.min_exponent + static_cast<int>((word >> 8) % static_cast<std::uint64_t>(f.max_exponent - f.min_exponent));
  return sign * std::ldexp(1 + static_cast<double>((word >> 32) & 0x7F) / 128, exponent - 1);
}

}  // namespace

std::vector<double> expand(const LogitRecipe& recipe, attncert_dtype dtype) {
  if (dtype == ATTNCERT_F64) return expand<double>(recipe);
  std::vector<double> row = widened(expand<float>(recipe), dtype);
  const bool own = recipe.regime == Regime::subnormal || recipe.regime == Regime::ulp_neighbours ||
                   recipe.regime == Regime::extremes;
  if (format(dtype).bytes != 2 || !own) return row;
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = rounded(dtype, half_element(recipe, format(dtype), i));
  return row;
}

std::vector<double> normal_logits(attncert_dtype dtype, std::uint64_t seed, std::size_t length, double s,
                                  std::size_t pool) {
  if (dtype == ATTNCERT_F64) return normal_logits<double>(seed, length, s, pool);
  return widened(normal_logits<float>(seed, length, s, pool), dtype);
}

RowParameters draw_parameters(Choices& choices, const Normalizer& normalizer) {
  RowParameters parameters;
  draw_parameter(choices, normalizer.parameter, {alphas, ks, orders, scales, biases}, parameters);
  return parameters;
}

bool draw_invalid_parameter(Choices& choices, const Normalizer& normalizer, RowParameters& parameters) {
  return draw_parameter(choices, normalizer.parameter, {bad_alphas, bad_ks, bad_orders, bad_reals, bad_reals},
                        parameters);
}

std::vector<double> draw_upstream(Choices& choices, attncert_dtype dtype, std::size_t length) {
  const std::uint64_t kind = choices.below(8), seed = choices.below(std::uint64_t{1} << 32);
  std::vector<double> g(length, 0.0);
  if (kind == 7) return g;
  if (kind == 6) g[random_below(seed, length, length)] = 1;
  for (std::size_t i = 0; i < length && kind != 6; ++i) {
    const double normal = random_normal(seed, i);
    const int exponent = static_cast<int>(random_below(seed ^ 1, i, 24)) - 12;
    g[i] = kind == 4 ? 1 : kind == 5 ? std::ldexp(normal, exponent) : normal;
    g[i] = rounded(dtype, g[i]);
  }
  return g;
}

}  // namespace attncert
