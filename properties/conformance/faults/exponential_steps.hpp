// The exponential family in plain arithmetic: softmax, log-softmax, ssmax, softmax1, top-k and self-adjusted softmax
// share the steps largest, exponent, exponential, sum, weight. A fault replaces one.
#pragma once

#include <functional>
#include <span>

#include "properties/conformance/faults/plain_contract.hpp"

namespace attncert::plain {

struct Steps {
  std::function<Real(const Row&)> scale{};      // factor of every exponent: 1; for ssmax s ln(n)
  std::function<Real(const Row&)> reference{};  // subtracted from every logit: the largest present one
  std::function<Real(const Row&, std::size_t i, Real reference)> exponent{};  // (z_i - reference) / T
  std::function<Real(Real)> exponential{};
  std::function<bool(const Row&, std::size_t i)> counts{};        // whether entry i is summed: if it is present
  std::function<Real(const Row&, Real reference)> sink{};         // one more term of the sum, for softmax1
  std::function<Real(const Row&, std::span<const Real>)> sum{};   // of the terms in the order of their index
  std::function<Real(const Row&, Real term, Real sum)> weight{};  // term / sum
};

// Steps that are not set are right.
Reals softmax_weights(const Row& row, const Steps& steps = {});  // 0 at absent entries

RowFunction softmax(Steps steps = {}, Contract contract = default_contract("softmax"));

struct LogSteps {
  Steps steps{};
  // The entry for exponent x: x - ln(1 + rest), where rest is the sum without one largest term, which is 1.
  std::function<Real(const Row&, Real x, Real rest)> entry{};
};
RowFunction log_softmax(LogSteps steps = {}, Contract contract = default_contract("log-softmax"));

// The single steps, for faults that change a detail of one.
Real largest_present(const Row& row);
Real smallest_present(const Row& row);
std::size_t count_present(const Row& row);
Real scaled_difference(const Row& row, std::size_t i, Real reference);
Real sum_of(std::span<const Real> terms);  // compensated

// A sum by `add` from left to right, as in a narrow accumulator.
std::function<Real(const Row&, std::span<const Real>)> running(std::function<Real(Real sum, Real term)> add);

// ssmax: scale s ln(n), and the reference at the largest of s z.
Steps scaled_steps(std::function<Real(const Row&)> scale = {});
RowFunction ssmax(Steps steps = scaled_steps(), Contract contract = default_contract("ssmax"));

Steps sink_steps();  // softmax1: reference max(0, z), sink exp(0 - reference)
RowFunction softmax1(Steps steps = sink_steps(), Contract contract = default_contract("softmax1"));

// The row with all but the chosen entries masked.
Row only(const Row& row, const std::vector<std::uint8_t>& chosen);
std::vector<std::uint8_t> k_largest(const Row& row);  // ties: the lowest index first
RowFunction top_k(std::function<std::vector<std::uint8_t>(const Row&)> choose = k_largest, Steps steps = {});

// Self-adjusted softmax, variants 0 to 3: factor_i(z) softmax(z)_i.
using Factors = std::function<Reals(const Row&)>;
Factors adjustment(int variant);
RowFunction self_adjusted(Factors factors, Steps steps = {}, Contract contract = default_contract("sa-softmax"));

}  // namespace attncert::plain
