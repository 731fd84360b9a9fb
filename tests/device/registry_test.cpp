// Every kernel of a device behind its descriptor: the bits of the sequential program, narrowed where memory has halves,
// in batches with strides and masks. The campaign and the laws judge the same kernels (accuracy/softmax, laws).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "src/kernel/dtype.hpp"
#include "src/kernel/kernel.hpp"
#include "tests/device/rows.hpp"
#include "tests/device/sequential.hpp"
#include "tests/one_in.hpp"

namespace attncert {
namespace {

constexpr double untouched_value = -7;

std::vector<char> stored_as(attncert_dtype dtype, const std::vector<double>& values) {
  std::vector<char> bytes(values.size() * format(dtype).bytes);
  store_elements(dtype, bytes.data(), 0, values);
  return bytes;
}

bool same_number(double x, double y) {
  return (std::isnan(x) && std::isnan(y)) || (x == y && std::signbit(x) == std::signbit(y));
}

void expect_sequential(const attncert_kernel& kernel, const DeviceRows& rows, double temperature) {
  const attncert_dtype dtype = kernel.dtype_in;
  const std::vector<char> input = stored_as(dtype, {rows.logits.begin(), rows.logits.end()});
  std::vector<char> output = stored_as(dtype, std::vector<double>(rows.rows * rows.output_stride, untouched_value));
  attncert_arguments a{};
  a.size = sizeof a;
  a.rows = rows.rows, a.length = rows.length;
  a.input_stride = rows.input_stride, a.output_stride = rows.output_stride, a.mask_stride = rows.mask_stride;
  a.input = input.data(), a.output = output.data(), a.mask = rows.mask.empty() ? nullptr : rows.mask.data();
  a.temperature = temperature;
  const std::vector<char> upstream = stored_as(dtype, {rows.upstream.begin(), rows.upstream.end()});
  if (std::string_view(kernel.normalizer).ends_with("-vjp"))
    a.upstream = upstream.data(), a.upstream_stride = rows.upstream_stride;
  ASSERT_EQ(kernel.run(&a), ATTNCERT_OK);
  const auto list = device_programs();
  const auto one = std::find_if(list.begin(), list.end(),
                                [&](const auto& k) { return std::string_view(k.normalizer) == kernel.normalizer; });
  const DeviceProgram program = one->program(temperature, ATTNCERT_DEFAULT_PARAMETERS);
  for (std::size_t r = 0; r < rows.rows; ++r) {
    const std::vector<float> right =
        sequential_of(kernel.normalizer)(kept(rows, r), upstream_of(rows, r), program, rows.length <= 16384);
    for (std::size_t i = 0; i < rows.output_stride; ++i) {
      const double found = load_element(dtype, output.data(), r * rows.output_stride + i);
      const double wanted = i < rows.length ? rounded(dtype, static_cast<double>(right[i])) : untouched_value;
      ASSERT_TRUE(same_number(found, wanted)) << kernel.name << ", T = " << temperature << ", length " << rows.length
                                              << ", row " << r << ", " << i << ": " << found << ", not " << wanted;
    }
  }
}

// Building the programs of all anew takes PoCL two minutes.
TEST(SameBits, DescriptorsHaveThoseOfTheSequentialProgram) {
  if (!device_name()) GTEST_SKIP() << device_name().error().message;
  const bool interpreted = device_name()->find("Oclgrind") != std::string::npos;
  std::size_t half_kernels = 0, number = 0;
  for (const attncert_kernel* kernel : device_kernels()) {
    if (!is_taken(number++)) continue;
    const bool softmax = kernel->normalizer == std::string_view("softmax"), half = kernel->dtype_in != ATTNCERT_F32;
    if (interpreted && !std::string_view(kernel->normalizer).starts_with("softmax")) continue;
    // Halves of others than softmax, whose loads and stores are the same: short rows, f16 and bf16 by turns.
    if (half && !softmax && half_kernels++ % 4 % 3 != 0) continue;
    for (const auto& [length, temperature] :
         {std::pair<std::size_t, double>{5, 1}, {5, 0.7}, {300, 0.7}, {16390, 0.7}}) {  // programs to build: no more
      if (interpreted && length > 5) continue;                                          // minutes
      if (length == 300 && (half || !softmax)) continue;  // in a shape of which no other test has a program
      if (half && !softmax && (length > 5 || temperature == 1)) continue;
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
  output.assign(logits.size(), untouched_value);
  a.input = logits.data(), a.output = output.data(), a.temperature = 0.7, a.parameters = &parameters;
  if (std::string_view(kernel.normalizer).ends_with("-vjp")) a.upstream = upstream.data(), a.upstream_stride = 4;
  const attncert_status status = kernel.run(&a);
  if (status != ATTNCERT_OK) return status;
  const auto list = device_programs();
  const auto one = std::find_if(list.begin(), list.end(),
                                [&](const auto& k) { return std::string_view(k.normalizer) == kernel.normalizer; });
  EXPECT_EQ(output, sequential_of(kernel.normalizer)(logits, upstream, one->program(0.7, parameters), true))
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
    ++kernels;
    std::vector<float> output;
    const std::vector<float> untouched(4, untouched_value);
    for (const auto& [numerator, denominator] : {std::pair{most, std::uint64_t{1}}, {3 * most, 3}, {fine + 1, fine}})
      EXPECT_EQ(run_at(*kernel, numerator, denominator, output), ATTNCERT_OK) << kernel->name << " " << numerator;
    for (const auto& [numerator, denominator] :
         {std::pair{most + 1, std::uint64_t{1}}, {3 * most + 1, 3}, {1, 1}, {fine, fine}, {fine - 1, fine}, {5, 0}}) {
      EXPECT_EQ(run_at(*kernel, numerator, denominator, output), ATTNCERT_BAD_PARAMETER)
          << kernel->name << " " << numerator;
      EXPECT_EQ(output, untouched) << kernel->name << " " << numerator;
    }
  }
  EXPECT_EQ(kernels, 2u);
}

}  // namespace
}  // namespace attncert
