// The door to a device: what goes wrong is an error that names the call, nothing leaks, and a device is believed only
// as long as its arithmetic is right.
#include "src/device/device.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "src/device/facts.hpp"
#include "src/device/forwarded.hpp"
#include "src/device/kernel_texts.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert {
namespace {

using device::Argument;
using device::Device;
using device::MemoryPointer;

constexpr const char* doubled = R"(
#if defined(__OPENCL_VERSION__)
kernel void doubled(global float* x) { x[get_global_id(0)] = 2.0f * x[get_global_id(0)]; }
#else
extern "C" __global__ void doubled(float* x) { x[threadIdx.x] = 2.0f * x[threadIdx.x]; }
#endif
)";
constexpr const char* undeclared = R"(
#if !defined(__OPENCL_VERSION__)
__device__
#endif
int f() { return undeclared; }
)";

class OnDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (!device::device()) GTEST_SKIP() << device::device().error().message;
  }
  static const Device& device() { return **device::device(); }
  static MemoryPointer copied(const std::vector<float>& values) {
    const auto memory = device().copied(values.data(), values.size() * sizeof(float));
    EXPECT_TRUE(memory) << memory.error().message;
    return *memory;
  }
  static std::string error_of(std::string_view text, const char* kernel, std::vector<Argument> arguments,
                              std::size_t group = 64) {
    const device::Launch launch{{std::string(text), ""}, kernel, 1, group, std::move(arguments)};
    const Result<Done> done = device().launch(launch);
    return done ? "" : done.error().message;
  }
};

TEST_F(OnDevice, EveryErrorNamesItsCall) {
  const MemoryPointer memory = copied(std::vector<float>(64));
  const auto names = [](const std::string& error, const char* call) { return error.find(call) != std::string::npos; };
  const bool cuda = device().name().find("NVRTC") != std::string::npos;
  EXPECT_EQ(error_of(doubled, "doubled", {memory}), "");
  EXPECT_TRUE(names(error_of(undeclared, "f", {}), cuda ? "nvrtcCompileProgram" : "clBuildProgram"));
  EXPECT_TRUE(names(error_of(undeclared, "f", {}), "undeclared")) << "the compiler's own words";
  EXPECT_TRUE(names(error_of(doubled, "tripled", {memory}), cuda ? "cuModuleGetFunction" : "clCreateKernel"));
  const auto huge = device().allocate(std::size_t{1} << 60);
  ASSERT_FALSE(huge);
  EXPECT_TRUE(names(huge.error().message, cuda ? "cuMemAlloc_v2" : "clCreateBuffer")) << huge.error().message;
  EXPECT_TRUE(names(error_of(doubled, "doubled", {memory, memory}), cuda ? "cuFuncGetParamInfo" : "clSetKernelArg"));
  EXPECT_TRUE(names(error_of(doubled, "doubled", {Argument(1)}), cuda ? "cuLaunchKernel" : "clSetKernelArg"));
  const char* launch = cuda ? "cuLaunchKernel" : "clEnqueueNDRangeKernel";
  EXPECT_TRUE(names(error_of(doubled, "doubled", {}), launch));
  EXPECT_TRUE(names(error_of(doubled, "doubled", {memory}, std::size_t{1} << 20), launch)) << "threads of a group";
}

std::size_t resident_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) return std::stoul(line.substr(6));
  return 0;
}

TEST_F(OnDevice, TenThousandLaunchesLeaveNothing) {
  const auto launches = [&](int count) {
    for (int i = 0; i < count; ++i) {
      const MemoryPointer memory = copied(std::vector<float>(64, 1));
      ASSERT_EQ(error_of(doubled, "doubled", {memory}), "");
    }
  };
  if (device().interprets()) GTEST_SKIP() << "an interpreter takes minutes";
  launches(1000);
  const std::size_t before = resident_kilobytes();
  launches(10000);
  EXPECT_LT(resident_kilobytes(), before + 1024);  // 100 bytes a launch
}

// The device, but for one word of what is read from it, or for the text of what it runs.
class Altered final : public device::ForwardedDevice {
 public:
  using ForwardedDevice::ForwardedDevice;
  std::size_t wrong = std::numeric_limits<std::size_t>::max();  // the number of the word
  std::string text;                                             // empty: as it is

  std::string name() const override { return "an altered one"; }
  Result<Done> read(void* to, const device::Memory& from, std::size_t bytes) const override {
    Result<Done> done = to_.read(to, from, bytes);
    if (wrong < bytes / sizeof(std::uint32_t)) static_cast<std::uint32_t*>(to)[wrong] ^= 1;
    return done;
  }
  Result<Done> launch(const device::Launch& launch) const override {
    device::Launch altered = launch;
    if (!text.empty()) altered.build.text = text;
    return to_.launch(altered);
  }
};

constexpr std::size_t triples = 1024;

TEST_F(OnDevice, IsRefusedByTheNameOfTheFactThatFails) {
  Altered altered(device());
  EXPECT_TRUE(device::check_facts(altered, triples));
  const char* names[] = {"a * b",      "a + c", "fma(a, b, c)", "without contraction", "fmax",      "u32 to f32",
                         "i64 to f32", "clz",   "f32 to f16",   "f16 to f32",          "upper half"};
  for (std::size_t f = 0; f < std::size(names); ++f) {
    altered.wrong = f * triples + 5;
    const Result<Done> asked = device::check_facts(altered, triples);
    ASSERT_FALSE(asked) << names[f];
    EXPECT_NE(asked.error().message.find("an altered one is refused: its "), std::string::npos);
    EXPECT_NE(asked.error().message.find(names[f]), std::string::npos) << asked.error().message;
  }
}

TEST_F(OnDevice, TheFactsSeeContractionLostSubnormalsAndLostCarries) {
  for (const auto& [from, to] :
       {std::pair{"a[i] * b[i] + c[i]", "fma(a[i], b[i], c[i])"},
        {"bits_of(product)", "(fabs(product) < 0x1p-126f ? 0 : bits_of(product))"},
        {"high_product(wide, ((u64)bits_of(c[i]) << 32) | bits_of(b[i]))", "(wide >> 32) * bits_of(c[i])"}}) {
    Altered altered(device());
    altered.text = device::facts_text;
    const std::size_t at = altered.text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    altered.text.replace(at, std::strlen(from), to);
    EXPECT_FALSE(device::check_facts(altered, triples)) << to;
  }
}

TEST_F(OnDevice, IsRefusedByTheNameOfTheFactOfF64ThatFails) {
  if (!device::f64_device()) GTEST_SKIP() << device::f64_device().error().message;
  Altered altered(device());
  EXPECT_TRUE(device::check_f64_facts(altered, triples));
  const char* names[] = {"a * b of f64",        "a + c of f64", "fma(a, b, c) of f64",
                         "without contraction", "a > b of f64", "f32 as f64"};
  for (std::size_t f = 0; f < std::size(names); ++f) {
    altered.wrong = 2 * (f * triples + 5);  // two words each
    const Result<Done> asked = device::check_f64_facts(altered, triples);
    ASSERT_FALSE(asked) << names[f];
    EXPECT_NE(asked.error().message.find("an altered one is refused: its "), std::string::npos);
    EXPECT_NE(asked.error().message.find(names[f]), std::string::npos) << asked.error().message;
  }
  altered.wrong = std::numeric_limits<std::size_t>::max();
  for (const auto& [from, to] :
       {std::pair{"bits64_of(a[i] * b[i] + c[i])", "bits64_of(fused64(a[i], b[i], c[i]))"},
        {"bits64_of(a[i] * b[i])", "(fabs(a[i] * b[i]) < 0x1p-1022 ? 0ul : bits64_of(a[i] * b[i]))"},
        {"bits64_of((f64)float_of((u32)bits64_of(a[i])))",
         "(((u32)bits64_of(a[i]) & 0x7f800000u) == 0u ? 0ul : bits64_of((f64)float_of((u32)bits64_of(a[i]))))"},
        {"typedef double f64", "typedef float f64"}}) {
    altered.text = device::facts_f64_text;
    const std::size_t at = altered.text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    altered.text.replace(at, std::strlen(from), to);
    EXPECT_FALSE(device::check_f64_facts(altered, triples)) << to;
  }
}

// Tests are skipped where there is no device; where one is refused they would be too, and this one fails.
TEST(DeviceThatIsThere, IsBelieved) {
  if (device::device()) return;
  const std::string& why = device::device().error().message;
  if (!why.starts_with("none")) FAIL() << why;
  GTEST_SKIP() << why;
}

// The ctest device/none has this run with ATTNCERT_DEVICE=none.
TEST(NoDevice, KernelsAreListedAndWriteNothing) {
  if (device_name()) GTEST_SKIP() << "there is one";
  EXPECT_FALSE(device_name().error().message.empty());
  ASSERT_FALSE(device_kernels().empty());
  const std::vector<float> input(4, 1);
  for (const attncert_kernel* kernel : device_kernels()) {
    std::vector<float> output(4, -7);
    attncert_arguments call{};
    call.size = sizeof call;
    call.rows = 1;
    call.length = call.input_stride = call.output_stride = call.upstream_stride = 4;
    call.input = call.upstream = input.data();  // a derivative has one
    if (std::string_view(kernel->name).find("-vjp") == std::string_view::npos) call.upstream = nullptr;
    call.output = output.data();
    call.temperature = 1;
    EXPECT_EQ(kernel->run(&call), ATTNCERT_NO_RESOURCES) << kernel->name;
    EXPECT_EQ(output, std::vector<float>(4, -7)) << kernel->name;
  }
}

}  // namespace
}  // namespace attncert
