// Attention with the weights of a registered normalizer, against sums by definition in doubles. How far it may be off:
//   a score's error delta_j <= (d + 2) u sum |scale q_e k_je|, whatever the order of its products and their sum;
//   a weight's: sparsemax is a projection, and the Jacobian of 1.5-entmax is diag(s) - s s^T / sum s with 0 <= s <= 1
//   (Peters, Niculae and Martins 2019): neither moves weights farther than scores move, by Euclid; their kernels round
//   them to within 4 units;
//   a sum of n products: (n + 1) u sum w |v|.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "src/attention/row_weights.hpp"
#include "src/gpt2/normalizer.hpp"

namespace attncert {
namespace {

constexpr std::size_t size = 16, value_size = 5;
constexpr double unit = 0x1p-24, more = 1.001;  // of what is of higher order

// Weights of x that fall with t: halves the interval in which they sum to 1.
template <class WeightAt>
std::vector<double> by_bisection(const std::vector<double>& x, WeightAt weight_at) {
  const double largest = *std::max_element(x.begin(), x.end());
  double low = largest - 2, high = largest;
  std::vector<double> weights(x.size());
  for (int n = 0; n < 100; ++n) {
    const double t = low / 2 + high / 2;
    double sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j) sum += weights[j] = weight_at(x[j] - t);
    (sum > 1 ? low : high) = t;
  }
  return weights;
}

std::vector<double> sparsemax(const std::vector<double>& x) {
  return by_bisection(x, [](double above) { return std::max(0.0, above); });
}

std::vector<double> entmax(const std::vector<double>& x) {
  return by_bisection(x, [](double above) { return above > 0 ? above * above / 4 : 0; });
}

struct Call {
  Call(std::size_t queries, std::size_t keys, float spread)
      : q(queries * size), k(keys * size), v(keys * value_size), o(queries * value_size) {
    std::mt19937 engine(20261129);
    const auto fill = [&](std::vector<float>& numbers, float by) {
      for (float& number : numbers) number = by * (static_cast<float>(engine() % 20001) / 10000 - 1);
    };
    fill(q, spread), fill(k, 1), fill(v, 1);
    a.size = sizeof a;
    a.batches = a.heads = a.kv_heads = 1;
    a.queries = queries, a.keys = keys;
    a.head_size = size, a.value_size = value_size;
    a.q = {q.data(), 0, 0, size}, a.k = {k.data(), 0, 0, size};
    a.v = {v.data(), 0, 0, value_size}, a.o = {o.data(), 0, 0, value_size};
    a.scale = 0.25F;
  }
  std::vector<float> q, k, v, o;
  attncert_attention_arguments a{};
};

// The largest share of what it may be off.
double off(const Call& call, std::vector<double> (*weights_of)(const std::vector<double>&)) {
  double most = 0;
  const std::size_t keys = call.a.keys;
  for (std::size_t i = 0; i < call.a.queries; ++i) {
    std::vector<double> x(keys);
    double moved = 0;
    for (std::size_t j = 0; j < keys; ++j) {
      double magnitude = 0;
      for (std::size_t e = 0; e < size; ++e) {
        const double product =
            0.25 * static_cast<double>(call.q[i * size + e]) * static_cast<double>(call.k[j * size + e]);
        x[j] += product, magnitude += std::abs(product);
      }
      moved += std::pow(static_cast<double>(size + 2) * unit * more * magnitude, 2);
    }
    const std::vector<double> weights = weights_of(x);
    for (std::size_t c = 0; c < value_size; ++c) {
      double exact = 0, magnitude = 0, squares = 0;
      for (std::size_t j = 0; j < keys; ++j) {
        const auto v = static_cast<double>(call.v[j * value_size + c]);
        exact += weights[j] * v, magnitude += weights[j] * std::abs(v), squares += v * v;
      }
      const double bound =
          more * (std::sqrt(moved * squares) + (static_cast<double>(keys) + 9) * unit * magnitude) + 0x1p-50;
      most = std::max(most, std::abs(static_cast<double>(call.o[i * value_size + c]) - exact) / bound);
    }
  }
  return most;
}

TEST(OtherWeights, OfRegisteredNormalizersAreThoseOfTheirDefinitions) {
  using WeightsOf = std::vector<double> (*)(const std::vector<double>&);
  for (const auto& [name, weights_of] :
       {std::pair<const char*, WeightsOf>{"sparsemax", sparsemax}, {"entmax-1.5", entmax}})
    for (const auto& [queries, keys, spread] :
         {std::tuple(3, 1, 1.0F), {7, 64, 4.0F}, {65, 131, 1.0F}, {3, 1000, 9.0F}}) {
      Call call(queries, keys, spread);
      ASSERT_EQ(attention_with(call.a, ATTNCERT_F32, *normalizer_named(name, 1, nullptr)), ATTNCERT_ATTENTION_OK);
      EXPECT_LE(off(call, weights_of), 1) << name << " " << keys;
      EXPECT_GT(off(call, weights_of == sparsemax ? entmax : sparsemax), keys == 1 ? -1 : 10) << name << " " << keys;
    }
}

}  // namespace
}  // namespace attncert
