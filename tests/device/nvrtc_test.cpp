// The kernels as CUDA C++, by NVRTC where it is installed; no GPU is needed.
#include "src/device/nvrtc.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "src/device/kernel_texts.hpp"
#include "src/device/shapes.hpp"
#include "src/normalizers/device/program.hpp"
#include "tests/device/sequential.hpp"
#include "tests/one_in.hpp"

namespace attncert {
namespace {

// A cubin is an ELF file with the name of its kernel.
bool has(const std::string& cubin, const std::string& kernel) {
  return cubin.starts_with("\177ELF") && cubin.find(kernel) != std::string::npos;
}

// In one shape, storage and temperature. Normalizers share programs: each is compiled once.
void expect_all_compile(const device::Shape& shape, attncert_dtype storage, double T) {
  const Result<device::Nvrtc> nvrtc = device::Nvrtc::load();
  if (!nvrtc) GTEST_SKIP() << nvrtc.error().message;
  std::set<device::Build> done;
  std::size_t number = 0;
  for (const DeviceKernel& kernel : device_programs()) {
    const DeviceProgram program = kernel.program(T, test_parameters);
    const device::Build build = launch_of(program, shape, storage, 1, {}).build;
    if (!done.insert(build).second || !is_taken(number++)) continue;
    const auto code = nvrtc->compiled(build, "sm_90");
    ASSERT_TRUE(code) << kernel.normalizer << shape.options() << ": " << code.error().message;
    EXPECT_TRUE(has(*code, program.kernel)) << kernel.normalizer << shape.options();
  }
}

TEST(Nvrtc, CompilesTheFacts) {
  const Result<device::Nvrtc> nvrtc = device::Nvrtc::load();
  if (!nvrtc) GTEST_SKIP() << nvrtc.error().message;
  const auto facts = nvrtc->compiled({std::string(device::facts_text), ""}, "sm_90");
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_TRUE(has(*facts, "facts"));
}

TEST(Nvrtc, CompilesEveryKernel) { expect_all_compile(device::held_shapes[0], ATTNCERT_F16, 0.7); }
TEST(NvrtcOtherShapes, CompilesEveryKernelThatHoldsItsRows) {
  expect_all_compile(std::end(device::held_shapes)[-1], ATTNCERT_F32, 1);
}
TEST(NvrtcOtherShapes, CompilesEveryKernelOfLongRows) { expect_all_compile(device::long_shape, ATTNCERT_BF16, 0.7); }

TEST(Nvrtc, CompilesTheKernelsOfF64) {
  const Result<device::Nvrtc> nvrtc = device::Nvrtc::load();
  if (!nvrtc) GTEST_SKIP() << nvrtc.error().message;
  for (const auto& [text, kernel] : {std::pair{device::gram_text, "gram"},
                                     {device::own_products_text, "own_products"},
                                     {device::rest_text, "rest"},
                                     {device::within_text, "within"},
                                     {device::head_text, "head"},
                                     {device::poles_text, "poles"},
                                     {device::inertia_text, "inertia"},
                                     {device::truths_text, "truths"},
                                     {device::judge_text, "judge"},
                                     {device::facts_f64_text, "facts_f64"}}) {
    const auto code = nvrtc->compiled({std::string(text), "-DTHREADS=256 -DEACH=1"}, "sm_90");
    ASSERT_TRUE(code) << kernel << ": " << code.error().message;
    EXPECT_TRUE(has(*code, kernel)) << kernel;
  }
}

TEST(Nvrtc, ErrorsNameTheCallAndWhatItSays) {
  const Result<device::Nvrtc> nvrtc = device::Nvrtc::load();
  if (!nvrtc) GTEST_SKIP() << nvrtc.error().message;
  const auto wrong = nvrtc->compiled({"__global__ void f() { undeclared(); }", ""}, "sm_90");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("nvrtcCompileProgram"), std::string::npos) << wrong.error().message;
  EXPECT_NE(wrong.error().message.find("undeclared"), std::string::npos) << wrong.error().message;
  EXPECT_FALSE(nvrtc->compiled({std::string(device::facts_text), ""}, "sm_1"));
}

}  // namespace
}  // namespace attncert
