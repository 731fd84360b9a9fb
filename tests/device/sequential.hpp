// The kernels of src/device/kernels without groups: their formulas, one element after the other, the sums in a row's
// order. A kernel's constants and options are those of its program.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "src/normalizers/device/program.hpp"
#include "tests/device/rows.hpp"

namespace attncert {

// What the program makes of `row`, -infinity where it is masked; `upstream` is for derivatives. held: in a shape that
// holds the row (the sums of softmax have other units then).
using SequentialRow = std::vector<float>(std::span<const float> row, std::span<const float> upstream,
                                         const DeviceProgram& program, bool held);

SequentialRow sequential_softmax, sequential_log_softmax, sequential_sparsemax, sequential_entmax15,
    sequential_relu_normalized, sequential_ssmax, sequential_sigmoid, sequential_sigmoid_normalized,
    sequential_self_adjusted, sequential_softmax_vjp, sequential_sparsemax_vjp, sequential_relu_normalized_vjp,
    sequential_taylor_softmax, sequential_taylor_softmax_vjp, sequential_entmax15_vjp, sequential_self_adjusted_vjp,
    sequential_entmax, sequential_entmax_vjp;

// Those of every test: the defaults, an order of more pairs of roots than one, and an alpha whose
// power is no square.
inline constexpr attncert_parameters test_parameters = [] {
  attncert_parameters parameters = ATTNCERT_DEFAULT_PARAMETERS;
  parameters.order = 6;
  parameters.alpha_numerator = 5, parameters.alpha_denominator = 2;
  return parameters;
}();

// That of a normalizer; every kernel of a device has one.
SequentialRow* sequential_of(std::string_view normalizer);

bool has_nan(std::span<const float> row);
// Whether a logit that is there is not finite, or the gradient beside it.
bool is_bad(std::span<const float> row, std::span<const float> upstream);
// -infinity for all but the k largest, of equal ones the first.
std::vector<float> largest_kept(std::span<const float> row, std::size_t k);

// The program's constants as the kernel's type of them.
template <class Constants>
Constants constants_of(const DeviceProgram& program) {
  Constants constants;
  std::memcpy(&constants, program.constants.bytes().data(), sizeof constants);
  return constants;
}

// Whether the kernels' three words of softmax's sum have the reciprocal of what they are together, 2^59 at least.
bool same_reciprocal(std::uint64_t coarse, std::int64_t fine, std::int64_t finest);

// Whether sparsemax's mean of a sum, the n-th of many, is the quotient rounded down, with every digit in its range.
bool mean_is_right(std::uint64_t n);

}  // namespace attncert
