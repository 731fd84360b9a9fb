#include "tests/normalizers/vjp_call.hpp"

#include <cstdio>

namespace attncert {

template <class T>
Gradient<T> derive(const oracle::Derivative& what, const std::vector<T>& logits, const std::vector<T>& upstream,
                   const std::vector<std::uint8_t>& mask) {
  const attncert_kernel& kernel = *find_kernel(what.normalizer, kDtype<T>);
  Gradient<T> gradient{ATTNCERT_OK, std::vector<T>(logits.size(), static_cast<T>(kGuard))};
  attncert_arguments arguments{};
  arguments.size = sizeof arguments;
  arguments.rows = 1;
  arguments.length = arguments.input_stride = arguments.output_stride = arguments.mask_stride =
      arguments.upstream_stride = logits.size();
  arguments.input = logits.data();
  arguments.output = gradient.values.data();
  arguments.mask = mask.empty() ? nullptr : mask.data();
  arguments.temperature = what.temperature;
  arguments.parameters = &what.parameters;
  arguments.upstream = upstream.data();
  arguments.scratch_bytes = kernel.scratch_needed != nullptr ? kernel.scratch_needed(&arguments) : 0;
  struct alignas(64) Line {
    unsigned char bytes[64];
  };
  std::vector<Line> scratch(arguments.scratch_bytes / sizeof(Line) + 1);
  arguments.scratch = scratch.data();
  gradient.status = kernel.run(&arguments);
  return gradient;
}

const std::vector<oracle::Derivative>& derivatives() {
  static const std::vector<oracle::Derivative> all = [] {
    std::vector<oracle::Derivative> made;
    for (const char* name :
         {"softmax-vjp", "log-softmax-vjp", "sparsemax-vjp", "entmax-1.5-vjp", "softmax1-vjp", "ssmax-vjp",
          "top-k-softmax-vjp", "relu-normalized-vjp", "sigmoid-normalized-vjp", "sigmoid-vjp", "sa-softmax-v0-vjp",
          "sa-softmax-v1-vjp", "sa-softmax-v2-vjp", "sa-softmax-v3-vjp"})
      made.push_back({.normalizer = name});
    for (const double scale : {-0.4, 0.0, 1e300}) {
      made.push_back({.normalizer = "ssmax-vjp"});
      made.back().parameters.scale = scale;
    }
    for (const double bias : {-4.6, 700.0, -1e30, 1e-300}) {
      made.push_back({.normalizer = "sigmoid-vjp"});
      made.back().parameters.bias = bias;
    }
    for (const std::uint64_t k : {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{1} << 40}) {
      made.push_back({.normalizer = "top-k-softmax-vjp"});
      made.back().parameters.k = k;
    }
    constexpr std::uint64_t alphas[][2] = {{3, 2}, {2, 1}, {5, 4}, {9, 8}, {7, 4}, {5, 2}, {3, 1}};
    for (const auto& alpha : alphas) {
      made.push_back({.normalizer = "entmax-vjp"});
      made.back().parameters.alpha_numerator = alpha[0];
      made.back().parameters.alpha_denominator = alpha[1];
    }
    for (const std::uint32_t order : {2u, 4u, 8u, 48u}) {
      made.push_back({.normalizer = "taylor-softmax-vjp"});
      made.back().parameters.order = order;
    }
    return made;
  }();
  return all;
}

std::string described(const oracle::Derivative& what) {
  const attncert_parameters& p = what.parameters;
  return what.normalizer + " k " + std::to_string(p.k) + " s " + std::to_string(p.scale) + " b " +
         std::to_string(p.bias) + " alpha " + std::to_string(p.alpha_numerator) + "/" +
         std::to_string(p.alpha_denominator) + " n " + std::to_string(p.order) + " T " + [](double t) {
           char text[32];
           std::snprintf(text, sizeof text, "%g", t);
           return std::string(text);
         }(what.temperature);
}

template Gradient<float> derive<float>(const oracle::Derivative&, const std::vector<float>&, const std::vector<float>&,
                                       const std::vector<std::uint8_t>&);
template Gradient<double> derive<double>(const oracle::Derivative&, const std::vector<double>&,
                                         const std::vector<double>&, const std::vector<std::uint8_t>&);

}  // namespace attncert
