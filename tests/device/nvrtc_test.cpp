// The kernels as CUDA C++, by NVRTC where it is installed; no GPU is needed.
#include "src/device/nvrtc.hpp"

#include <gtest/gtest.h>

#include <string>

#include "src/device/kernel_texts.hpp"
#include "src/device/shapes.hpp"

namespace attncert {
namespace {

// A cubin is an ELF file with the name of its kernel.
bool has(const std::string& cubin, const char* kernel) {
  return cubin.starts_with("\177ELF") && cubin.find(kernel) != std::string::npos;
}

TEST(Nvrtc, CompilesEveryKernelInEveryShape) {
  const Result<device::Nvrtc> nvrtc = device::Nvrtc::load();
  if (!nvrtc) GTEST_SKIP() << nvrtc.error().message;
  const auto facts = nvrtc->compiled({std::string(device::facts_text), ""}, "sm_90");
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_TRUE(has(*facts, "facts"));
  const auto expect = [&](const device::Shape& shape, const char* kernel, const std::string& options) {
    const auto code = nvrtc->compiled({std::string(device::softmax_text), shape.options() + " " + options}, "sm_90");
    ASSERT_TRUE(code) << shape.options() << options << ": " << code.error().message;
    EXPECT_TRUE(has(*code, kernel)) << shape.options() << options;
  };
  for (const device::Shape& shape : device::held_shapes) expect(shape, "softmax_held", "-DUNIT=1 -DZERO=0 -DSTORAGE=1");
  for (const char* storage : {"-DSTORAGE=1", "-DSTORAGE=3", "-DSTORAGE=4"}) {
    expect(device::held_shapes[0], "softmax_held", std::string("-DUNIT=0 -DZERO=1 ") + storage);
    expect(device::long_shape, "softmax_long", std::string("-DUNIT=0 -DZERO=0 ") + storage);
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
