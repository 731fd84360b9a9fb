// The normalizers beside softmax, log-softmax and sparsemax, with their parameters: calls and independent truth.
// Nothing is shared with the kernels, nor with reference/.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "attncert/kernel.h"
#include "src/kernel/kernel.hpp"
#include "tests/normalizers/number.hpp"

namespace attncert {

inline const attncert_parameters kDefaults = ATTNCERT_DEFAULT_PARAMETERS;

struct KernelVariant {
  std::string normalizer;
  attncert_parameters parameters = kDefaults;
  std::string label;
};

// Every normalizer of this family, some with several parameters.
const std::vector<KernelVariant>& variants();

KernelVariant taylor(std::uint32_t order);
KernelVariant top_k(std::uint64_t k);
KernelVariant sigmoid(double bias);

// One dense row; the status is checked to be ATTNCERT_OK.
template <class T>
std::vector<T> weigh(const KernelVariant& variant, const std::vector<T>& logits, double temperature = 1,
                     const std::vector<std::uint8_t>& mask = {});
extern template std::vector<float> weigh<float>(const KernelVariant&, const std::vector<float>&, double,
                                                const std::vector<std::uint8_t>&);
extern template std::vector<double> weigh<double>(const KernelVariant&, const std::vector<double>&, double,
                                                  const std::vector<std::uint8_t>&);

namespace oracle {

// Logits finite or -inf, at least one finite.
std::vector<Number> weights(const KernelVariant& variant, const std::vector<double>& logits, double temperature);

struct Error {
  double ulp = 0;
  std::size_t index = 0;
};
template <class T>
Error error(const KernelVariant& variant, const std::vector<T>& logits, const std::vector<T>& computed,
            double temperature) {
  const std::vector<double> wide(logits.begin(), logits.end());
  const std::vector<Number> exact = weights(variant, wide, temperature);
  Error worst;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double found = error_in_ulp(computed[i], exact[i]);
    if (found > worst.ulp) worst = {found, i};
  }
  return worst;
}

}  // namespace oracle
}  // namespace attncert
