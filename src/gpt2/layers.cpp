// Mean and variance are summed in double: it costs nothing beside the products, and it brings the worst attention
// weight of the tiny model from 1.2e-6 to 0.7e-6 of the float64 one. Since (1 + tanh u) / 2 = 1 / (1 + exp(-2u)), GELU
// is one exponential and one division, and keeps its relative accuracy where the tanh form cancels.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/gpt2/layers.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "hwy/contrib/math/math-inl.h"
#include "src/core/assert.hpp"
#include "src/gpt2/layers.hpp"
#include "src/gpt2/products.hpp"

HWY_BEFORE_NAMESPACE();
namespace attncert::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Sum of term(x_i) in double; `term` takes a vector or a number.
template <class Term>
HWY_INLINE double sum(const float* HWY_RESTRICT x, std::size_t width, Term term) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> narrow;
  const std::size_t lanes = hn::Lanes(d);
  auto even = hn::Zero(d), odd = hn::Zero(d);
  std::size_t i = 0;
  for (; i + 2 * lanes <= width; i += 2 * lanes) {
    even = hn::Add(even, term(hn::PromoteTo(d, hn::LoadU(narrow, x + i))));
    odd = hn::Add(odd, term(hn::PromoteTo(d, hn::LoadU(narrow, x + i + lanes))));
  }
  double total = hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd)));
  for (; i < width; ++i) total += hn::GetLane(term(hn::Set(d, static_cast<double>(x[i]))));
  return total;
}

void normalize_row(const float* HWY_RESTRICT x, const LayerNorm& layer, double epsilon, float* HWY_RESTRICT y) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> narrow;
  const std::size_t width = layer.gain.size(), lanes = hn::Lanes(d);
  const auto n = static_cast<double>(width);
  const double mean = sum(x, width, [](auto v) { return v; }) / n;
  const auto centre = hn::Set(d, mean);
  const double variance =
      sum(x, width, [centre](auto v) { return hn::Mul(hn::Sub(v, centre), hn::Sub(v, centre)); }) / n;
  const double scale = 1 / std::sqrt(variance + epsilon);
  const float *gain = layer.gain.data(), *bias = layer.bias.data();
  std::size_t i = 0;
  for (; i + lanes <= width; i += lanes) {
    const auto wide = hn::Mul(hn::Sub(hn::PromoteTo(d, hn::LoadU(narrow, x + i)), centre), hn::Set(d, scale));
    const auto normal = hn::DemoteTo(narrow, wide);
    hn::StoreU(hn::Add(hn::Mul(normal, hn::LoadU(narrow, gain + i)), hn::LoadU(narrow, bias + i)), narrow, y + i);
  }
  for (; i < width; ++i) y[i] = static_cast<float>((static_cast<double>(x[i]) - mean) * scale) * gain[i] + bias[i];
}

// exp(100) is infinite in f32 and within the range of hn::Exp (to 104); x / infinity = -0.
template <class D, class V>
HWY_INLINE V gelu(D d, V x) {
  constexpr double factor = 2 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi;  // 2 sqrt(2 / pi)
  const V squared = hn::Mul(x, x);
  const V minus_2u = hn::Mul(x, hn::MulAdd(squared, hn::Set(d, static_cast<float>(-0.044715 * factor)),
                                           hn::Set(d, static_cast<float>(-factor))));
  const V e = hn::Exp(d, hn::Min(minus_2u, hn::Set(d, 100.0F)));
  return hn::Div(x, hn::Add(hn::Set(d, 1.0F), e));
}

void gelu_in_place(float* x, std::size_t size) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d), whole = size - size % lanes;
  for (std::size_t i = 0; i < whole; i += lanes) hn::StoreU(gelu(d, hn::LoadU(d, x + i)), d, x + i);
  HWY_ALIGN float rest[HWY_MAX_BYTES / sizeof(float)] = {};
  std::copy(x + whole, x + size, rest);
  hn::Store(gelu(d, hn::Load(d, rest)), d, rest);
  std::copy(rest, rest + (size - whole), x + whole);
}

}  // namespace attncert::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attncert {
namespace {

HWY_EXPORT(normalize_row);
HWY_EXPORT(gelu_in_place);

}  // namespace

void layer_norm(std::span<const float> input, const LayerNorm& layer, float epsilon, std::span<float> output) {
  const std::size_t width = layer.gain.size();
  ATTNCERT_ASSERT(input.size() % width == 0 && layer.bias.size() == width && output.size() == input.size());
  const auto row = HWY_DYNAMIC_DISPATCH(normalize_row);
  for (std::size_t i = 0; i < input.size(); i += width)
    row(input.data() + i, layer, static_cast<double>(epsilon), output.data() + i);
}

void linear(std::span<const float> input, const Linear& layer, std::span<float> output) {
  const std::size_t wide = layer.bias.size(), deep = layer.weight.size() / wide, rows = input.size() / deep;
  ATTNCERT_ASSERT(rows * deep == input.size() && output.size() == rows * wide);
  for (std::size_t r = 0; r < rows; ++r) std::copy(layer.bias.begin(), layer.bias.end(), output.data() + r * wide);
  multiply_add({input.data(), rows, deep, deep}, {layer.weight.data(), deep, wide, wide},
               {output.data(), rows, wide, wide});
}

void gelu_new(std::span<float> values) { HWY_DYNAMIC_DISPATCH(gelu_in_place)(values.data(), values.size()); }

void add(std::span<const float> what, std::span<float> to) {
  ATTNCERT_ASSERT(what.size() == to.size());
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += what[i];
}

}  // namespace attncert
#endif  // HWY_ONCE
