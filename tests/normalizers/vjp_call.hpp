// Calls a derivative on one dense row, with scratch and poisoned output.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/normalizers/call.hpp"
#include "tests/normalizers/vjp_oracle.hpp"

namespace attncert {

template <class T>
struct Gradient {
  attncert_status status;
  std::vector<T> values;
};

template <class T>
Gradient<T> derive(const oracle::Derivative& what, const std::vector<T>& logits, const std::vector<T>& upstream,
                   const std::vector<std::uint8_t>& mask = {});
extern template Gradient<float> derive<float>(const oracle::Derivative&, const std::vector<float>&,
                                              const std::vector<float>&, const std::vector<std::uint8_t>&);
extern template Gradient<double> derive<double>(const oracle::Derivative&, const std::vector<double>&,
                                                const std::vector<double>&, const std::vector<std::uint8_t>&);

// The derivatives under test, each with every set of parameters that it is tested with.
const std::vector<oracle::Derivative>& derivatives();
std::string described(const oracle::Derivative& what);

}  // namespace attncert
