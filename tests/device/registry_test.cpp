// Every kernel of a device behind its descriptor: the bits of the sequential program, narrowed where memory has halves,
// in batches with strides and masks. The campaign and the laws judge the same kernels (accuracy/device).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "src/kernel/dtype.hpp"
#include "src/kernel/kernel.hpp"
#include "tests/device/launched.hpp"
#include "tests/device/rows.hpp"
#include "tests/device/sequential.hpp"
#include "tests/one_in.hpp"

namespace attncert {
namespace {

bool same_number(double x, double y) {
  return (std::isnan(x) && std::isnan(y)) || (x == y && std::signbit(x) == std::signbit(y));
}

void expect_sequential(const attncert_kernel& kernel, const DeviceRows& rows, double temperature) {
  const std::vector<float> output = called(kernel, rows, temperature, test_parameters);
  const DeviceProgram program = device_kernel(kernel.normalizer).program(temperature, test_parameters);
  for (std::size_t r = 0; r < rows.rows; ++r) {
    const std::vector<float> right =
        sequential_of(kernel.normalizer)(kept(rows, r), upstream_of(rows, r), program, rows.length <= 16384);
    for (std::size_t i = 0; i < rows.output_stride; ++i) {
      const float found = output[r * rows.output_stride + i], wanted = i < rows.length ? right[i] : untouched;
      const double rounded_one = rounded(kernel.dtype_in, static_cast<double>(wanted));
      ASSERT_TRUE(same_number(static_cast<double>(found), rounded_one))
          << kernel.name << ", T = " << temperature << ", length " << rows.length << ", row " << r << ", " << i << ": "
          << found << ", not " << rounded_one;
    }
  }
}

// Building the programs of all anew takes PoCL two minutes.
TEST(SameBits, DescriptorsHaveThoseOfTheSequentialProgram) {
  if (!device_name()) GTEST_SKIP() << device_name().error().message;
  const bool interpreted = device_name()->find("Oclgrind") != std::string::npos;
  std::size_t number = 1;  // from 1 on the few are softmax of f16 and log-softmax-vjp, which PoCL builds in a second
  for (const attncert_kernel* kernel : device_kernels()) {
    if (!is_taken(number++)) continue;
    const bool softmax = kernel->normalizer == std::string_view("softmax"), half = kernel->dtype_in != ATTNCERT_F32;
    if (interpreted && !std::string_view(kernel->normalizer).starts_with("softmax")) continue;
    if (half && !softmax) continue;  // halves_test.cpp
    for (const auto& [length, temperature] :
         {std::pair<std::size_t, double>{5, 1}, {5, 0.7}, {300, 0.7}, {16390, 0.7}}) {  // programs to build: no more
      if (interpreted && length > 5) continue;                                          // minutes
      if (length == 300 && (half || !softmax || one_in() > 1)) continue;  // in a shape that no other test has
      if (temperature == 1 && one_in() > 1) continue;                     // accuracy/device has T = 1 too
      for (const bool masked : {false, true})
        if (masked || softmax || length == 5)
          expect_sequential(*kernel, rounded_rows(length, masked, kernel->dtype_in), temperature);
    }
  }
}

// Rows of four logits, the gradient 1 of the first, -2 of the others.
attncert_status run_at(const attncert_kernel& kernel, std::uint64_t numerator, std::uint64_t denominator,
                       std::vector<float>& output) {
  const std::vector<float> logits{1, 0.5, 1, -2}, upstream{1, -2, -2, -2};
  attncert_parameters parameters = ATTNCERT_DEFAULT_PARAMETERS;
  parameters.alpha_numerator = numerator, parameters.alpha_denominator = denominator;
  attncert_arguments a{};
  a.size = sizeof a;
  a.rows = 1, a.length = a.input_stride = a.output_stride = logits.size();
  output.assign(logits.size(), untouched);
  a.input = logits.data(), a.output = output.data(), a.temperature = 0.7, a.parameters = &parameters;
  if (std::string_view(kernel.normalizer).ends_with("-vjp")) a.upstream = upstream.data(), a.upstream_stride = 4;
  const attncert_status status = kernel.run(&a);
  if (status != ATTNCERT_OK) return status;
  const DeviceProgram program = device_kernel(kernel.normalizer).program(0.7, parameters);
  EXPECT_EQ(output, sequential_of(kernel.normalizer)(logits, upstream, program, true))
      << kernel.name << ", alpha " << numerator << "/" << denominator;
  return status;
}

TEST(AlphaOnDevice, IsServedFromAboveOneTo2To20AndOne) {
  if (!device_name()) GTEST_SKIP() << device_name().error().message;
  if (device_name()->find("Oclgrind") != std::string::npos) GTEST_SKIP() << "minutes";
  constexpr std::uint64_t most = (1 << 20) + 1, fine = std::uint64_t{1} << 40;
  std::size_t kernels = 0;
  for (const attncert_kernel* kernel : device_kernels()) {
    if (!std::string_view(kernel->name).starts_with("entmax.device.f32") &&
        !std::string_view(kernel->name).starts_with("entmax-vjp.device.f32"))
      continue;
    if (!is_taken(kernels++)) continue;
    std::vector<float> output;
    const std::vector<float> before(4, untouched);
    for (const auto& [numerator, denominator] :
         {std::pair{most, std::uint64_t{1}}, {3 * most, 3}, {fine + 1, fine}, {3, 2}})
      EXPECT_EQ(run_at(*kernel, numerator, denominator, output), ATTNCERT_OK) << kernel->name << " " << numerator;
    for (const auto& [numerator, denominator] :
         {std::pair{most + 1, std::uint64_t{1}}, {3 * most + 1, 3}, {1, 1}, {fine, fine}, {fine - 1, fine}, {5, 0}}) {
      EXPECT_EQ(run_at(*kernel, numerator, denominator, output), ATTNCERT_BAD_PARAMETER)
          << kernel->name << " " << numerator;
      EXPECT_EQ(output, before) << kernel->name << " " << numerator;
    }
  }
  EXPECT_EQ(kernels, 2u);
}

}  // namespace
}  // namespace attncert
