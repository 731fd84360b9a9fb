#include "tests/normalizers/variants.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace attncert {
namespace {

KernelVariant with(const std::string& normalizer, const std::string& label, attncert_parameters parameters) {
  return {normalizer, parameters, normalizer + label};
}

KernelVariant plain(const std::string& normalizer) { return with(normalizer, "", kDefaults); }

}  // namespace

KernelVariant taylor(std::uint32_t order) {
  attncert_parameters parameters = kDefaults;
  parameters.order = order;
  return with("taylor-softmax", " n " + std::to_string(order), parameters);
}

KernelVariant top_k(std::uint64_t k) {
  attncert_parameters parameters = kDefaults;
  parameters.k = k;
  return with("top-k-softmax", " k " + std::to_string(k), parameters);
}

KernelVariant sigmoid(double bias) {
  attncert_parameters parameters = kDefaults;
  parameters.bias = bias;
  return with("sigmoid", " b " + std::to_string(bias), parameters);
}

const std::vector<KernelVariant>& variants() {
  static const std::vector<KernelVariant> all = {sigmoid(0),
                                                 sigmoid(-6.9314718),
                                                 sigmoid(0.1),
                                                 plain("sigmoid-normalized"),
                                                 plain("relu-normalized"),
                                                 taylor(2),
                                                 taylor(4),
                                                 taylor(16),
                                                 taylor(48),
                                                 plain("sa-softmax-v0"),
                                                 plain("sa-softmax-v1"),
                                                 plain("sa-softmax-v2"),
                                                 plain("sa-softmax-v3"),
                                                 top_k(1),
                                                 top_k(8)};
  return all;
}

template <class T>
std::vector<T> weigh(const KernelVariant& variant, const std::vector<T>& logits, double temperature,
                     const std::vector<std::uint8_t>& mask) {
  const attncert_kernel* kernel = find_kernel(variant.normalizer, sizeof(T) == 4 ? ATTNCERT_F32 : ATTNCERT_F64);
  std::vector<T> out(logits.size(), T(-12345));
  if (kernel == nullptr) {
    ADD_FAILURE() << "no kernel for " << variant.normalizer;
    return out;
  }
  attncert_arguments arguments{};
  arguments.size = sizeof arguments;
  arguments.rows = 1;
  arguments.length = arguments.input_stride = arguments.output_stride = arguments.mask_stride = logits.size();
  arguments.input = logits.data();
  arguments.output = out.data();
  arguments.mask = mask.empty() ? nullptr : mask.data();
  arguments.temperature = temperature;
  arguments.parameters = &variant.parameters;
  arguments.scratch_bytes = kernel->scratch_needed != nullptr ? kernel->scratch_needed(&arguments) : 0;
  struct alignas(64) Line {
    unsigned char bytes[64];
  };
  std::vector<Line> scratch(arguments.scratch_bytes / sizeof(Line) + 1);
  arguments.scratch = scratch.data();
  EXPECT_EQ(kernel->run(&arguments), ATTNCERT_OK) << variant.label;
  return out;
}

template std::vector<float> weigh<float>(const KernelVariant&, const std::vector<float>&, double,
                                         const std::vector<std::uint8_t>&);
template std::vector<double> weigh<double>(const KernelVariant&, const std::vector<double>&, double,
                                           const std::vector<std::uint8_t>&);

namespace oracle {
namespace {

using Row = std::vector<double>;

std::vector<bool> present(const Row& z) {
  std::vector<bool> is(z.size());
  for (std::size_t i = 0; i < z.size(); ++i) is[i] = !std::isinf(z[i]);
  return is;
}

// The first k in the order of falling logits, the lowest index first among equals.
std::vector<bool> chosen(const Row& z, std::uint64_t k) {
  std::vector<std::size_t> order(z.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return z[a] > z[b]; });
  std::vector<bool> is(z.size());
  for (std::size_t place = 0; place < std::min<std::uint64_t>(k, z.size()); ++place) is[order[place]] = true;
  return is;
}

Number sigma(const Number& w) {
  if (certainly_less(0, w)) return Number(1) / (Number(1) + exp(Number(0) - w));
  const Number e = exp(w);
  return e / (Number(1) + e);
}

Number taylor_sum(const Number& z, std::uint32_t order) {
  Number sum = 1, term = 1;
  for (std::uint32_t k = 1; k <= order; ++k) {
    term = term * z / Number(k);
    sum = sum + term;
  }
  return sum;
}

// (z_i - c) / (what its variant divides by).
Number adjustment(char variant, const Row& z, const std::vector<bool>& is, std::size_t i, double temperature) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t j = 0; j < z.size(); ++j) {
    if (!is[j]) continue;
    low = std::min(low, z[j]);
    high = std::max(high, z[j]);
  }
  if (variant == '0') return Number(z[i]) / temperature;
  if (variant == '1') return (Number(z[i]) - low) / temperature;
  if (variant == '3') {
    low = std::min(low, 0.0);
    high = std::max(high, 0.0);
  }
  return low == high ? Number(0) : (Number(z[i]) - low) / (Number(high) - low);
}

}  // namespace

std::vector<Number> weights(const KernelVariant& variant, const std::vector<double>& z, double temperature) {
  const std::string& name = variant.normalizer;
  const std::vector<bool> is = name == "top-k-softmax" ? chosen(z, variant.parameters.k) : present(z);
  const double peak = *std::max_element(z.begin(), z.end());
  std::vector<Number> numerators(z.size());
  Number sum = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    if (!is[i] || std::isinf(z[i])) continue;
    const Number scaled = Number(z[i]) / temperature;
    Number weight;
    if (name == "sigmoid") {
      numerators[i] = sigma((Number(z[i]) + Number(variant.parameters.bias) * temperature) / temperature);
      continue;
    }
    if (name == "sigmoid-normalized") {  // up to the factor exp(peak / T) where all are negative
      const bool left = peak < 0;
      weight = left ? exp((Number(z[i]) - peak) / temperature) / (Number(1) + exp(scaled)) : sigma(scaled);
    }
    if (name == "relu-normalized") weight = std::max(z[i], 0.0);
    if (name == "taylor-softmax") weight = taylor_sum(scaled, variant.parameters.order);
    const bool exponential = name == "top-k-softmax" || name.rfind("sa-", 0) == 0;
    if (exponential) weight = exp((Number(z[i]) - peak) / temperature);
    sum = sum + weight;
    numerators[i] = name.rfind("sa-", 0) == 0 ? weight * adjustment(name.back(), z, is, i, temperature) : weight;
  }
  if (name == "sigmoid" || sum.zero()) return numerators;
  for (Number& number : numerators) number = number / sum;
  return numerators;
}

}  // namespace oracle
}  // namespace attncert
