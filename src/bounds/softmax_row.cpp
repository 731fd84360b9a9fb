#include "src/bounds/softmax_row.hpp"

#include <limits>

#include "src/bounds/normalizer_weights.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert::bounds {

double softmax_row(std::span<const double> logits, double temperature, std::vector<double>& weights) {
  static const attncert_kernel& kernel = *find_kernel("softmax", ATTNCERT_F64);
  weights.resize(logits.size());
  if (run<double>(kernel, logits, weights, 1, logits.size(), temperature) != ATTNCERT_OK)
    return std::numeric_limits<double>::infinity();
  return proved_error(kernel, temperature);
}

}  // namespace attncert::bounds
