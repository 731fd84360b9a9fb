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
  static const std::vector<oracle::Derivative> all = {
      {.normalizer = "softmax-vjp"}, {.normalizer = "log-softmax-vjp"}, {.normalizer = "sparsemax-vjp"}};
  return all;
}

std::string described(const oracle::Derivative& what) {
  return what.normalizer + " T " + [](double t) {
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
