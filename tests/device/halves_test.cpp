// What every kernel of a device leaves in f16 and bf16, by the plain sequential program: rows as the format has them,
// in f32, and the weights narrowed. The hashes are what the kernels of any device are compared with.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

#include "src/kernel/dtype.hpp"
#include "src/kernel/kernel.hpp"
#include "tests/device/launched.hpp"
#include "tests/device/row_hash.hpp"
#include "tests/device/rows.hpp"
#include "tests/device/sequential.hpp"
#include "tests/one_in.hpp"

namespace attncert {
namespace {

constexpr double temperature = 0.7;

struct StoredHalves {
  std::string_view normalizer;
  std::uint64_t f16, bf16;
};
constexpr StoredHalves stored_halves[] = {
    {"ssmax", 0xb4c5db79e727e29fu, 0xd3691aeadc35735u},
    {"sigmoid-normalized", 0xb7ad78ccf4611e6cu, 0x1017e947121a1d8cu},
    {"sigmoid-normalized-vjp", 0x28811025c5d99cddu, 0x6a3742f8bbd1c2cdu},
    {"relu-normalized", 0x950641b26f746d0u, 0x106f9e97e172b3e6u},
    {"relu-normalized-vjp", 0x578c6274823cf4d8u, 0x4407872f7e000e8eu},
    {"sa-softmax-v0", 0xdf961061cee561ceu, 0xb8701a25b80d38c8u},
    {"sa-softmax-v1", 0x94a69bce8749bb75u, 0x27597c0e43d0e7a8u},
    {"sa-softmax-v2", 0x6a78df17ed41926au, 0x90120649fb5ffac8u},
    {"sa-softmax-v3", 0xcce8d9927561c3adu, 0x7421a15ad59d4939u},
    {"sa-softmax-v0-vjp", 0x84cc00357dc90a24u, 0xbaa3e29c14114e3du},
    {"sa-softmax-v1-vjp", 0x845df4e39dcba332u, 0x918c957c147da0e6u},
    {"sa-softmax-v2-vjp", 0xfa832d0cf0f0076fu, 0x327f4cfc035ee6b1u},
    {"sa-softmax-v3-vjp", 0xfa832d0cf0f0076fu, 0xf01a6112003fc685u},
    {"sigmoid", 0xfda6804948811667u, 0x2dad963f2dff46dau},
    {"sigmoid-vjp", 0xaf7debe16b63fdd7u, 0xb47f7cd152e9650fu},
    {"softmax", 0xd504ea4f3ff94a6du, 0x7b53ead5fa55ca13u},
    {"softmax1", 0xcb39c9378e0ff6dcu, 0xdd6476ab60c358f8u},
    {"top-k-softmax", 0xefab13d8b0571dcfu, 0x4c89344a7b5f9756u},
    {"log-softmax", 0x6bb3816b606ec85au, 0xdad93680fea452f7u},
    {"softmax-vjp", 0x18565721dada0f12u, 0xe7fcfb8adb53f2ebu},
    {"softmax1-vjp", 0x8a8606c21b4d5469u, 0xe24ad85886792128u},
    {"top-k-softmax-vjp", 0x69ac33ead9edfbbu, 0xb7a6f7d9f3f44b03u},
    {"ssmax-vjp", 0x73e079de7dcb5ae7u, 0xbce4cbfac504588au},
    {"log-softmax-vjp", 0x60ce507642f41ec7u, 0x7c453ac210a28e79u},
    {"sparsemax", 0xba5353d6b286890du, 0xf0fa42b541c7715u},
    {"sparsemax-vjp", 0x7e9874d0f43d22eeu, 0x2dcfa934876aef02u},
    {"entmax-1.5", 0xca3775458218755fu, 0x7af6506f602a2b24u},
    {"entmax-1.5-vjp", 0x5a97b171210df2eau, 0x67585c367398d9a0u},
    {"entmax", 0x8dd1f40a253a775au, 0x5c252b9c1f5dc7ecu},
    {"entmax-vjp", 0x574db65889b5d2eu, 0xe9e23f40f4e3cfdau},
    {"taylor-softmax", 0x9abec03768f76f44u, 0xf9ed8532dfd4658bu},
    {"taylor-softmax-vjp", 0xa4baf03447270669u, 0xc4eadd877105de0eu},
};

StoredHalves stored_of(std::string_view normalizer) {
  const auto* const one = std::find_if(std::begin(stored_halves), std::end(stored_halves),
                                       [&](const StoredHalves& s) { return s.normalizer == normalizer; });
  return one == std::end(stored_halves) ? StoredHalves{} : *one;
}

// of(rows): what is in the output, with its stride.
template <class Of>
std::uint64_t hash_of_halves(attncert_dtype dtype, const Of& of) {
  RowHash hash;
  for (const std::size_t length : {7u, 65u})
    for (const bool masked : {false, true}) {
      const DeviceRows rows = rounded_rows(length, masked, dtype);
      const std::vector<float> output = of(rows);
      for (std::size_t r = 0; r < rows.rows; ++r) {
        const auto row = std::span(output).subspan(r * rows.output_stride, rows.output_stride);
        hash.add(row.first(length));
        for (const float x : row.subspan(length)) EXPECT_EQ(x, untouched) << "beyond the row";
      }
    }
  return hash.value();
}

std::vector<float> sequential_halves(const DeviceKernel& kernel, attncert_dtype dtype, const DeviceRows& rows) {
  const DeviceProgram program = kernel.program(temperature, test_parameters);
  std::vector<float> output(rows.rows * rows.output_stride, untouched);
  for (std::size_t r = 0; r < rows.rows; ++r) {
    const auto row = sequential_of(kernel.normalizer)(kept(rows, r), upstream_of(rows, r), program, true);
    for (std::size_t i = 0; i < rows.length; ++i)
      output[r * rows.output_stride + i] = static_cast<float>(rounded(dtype, static_cast<double>(row[i])));
  }
  return output;
}

TEST(SameBits, TheSequentialProgramsHalvesHaveTheStoredOnes) {
  for (const DeviceKernel& kernel : device_programs()) {
    const auto hash = [&](attncert_dtype dtype) {
      return hash_of_halves(dtype, [&](const DeviceRows& rows) { return sequential_halves(kernel, dtype, rows); });
    };
    const StoredHalves one = stored_of(kernel.normalizer);
    const std::uint64_t f16 = hash(ATTNCERT_F16), bf16 = hash(ATTNCERT_BF16);
    EXPECT_TRUE(one.f16 == f16 && one.bf16 == bf16) << kernel.normalizer << ": " << std::hex << f16 << ", " << bf16;
  }
}

TEST(SameBits, HalvesOnTheDeviceHaveTheStoredOnes) {
  if (!device_name()) GTEST_SKIP() << device_name().error().message;
  const bool interpreted = device_name()->find("Oclgrind") != std::string::npos;
  std::size_t number = 0;
  for (const attncert_kernel* kernel : device_kernels()) {
    const attncert_dtype dtype = kernel->dtype_in;
    if (dtype == ATTNCERT_F32 || !is_taken(number++)) continue;
    if (interpreted && kernel->normalizer != std::string_view("softmax")) continue;  // minutes
    const StoredHalves one = stored_of(kernel->normalizer);
    const std::uint64_t hash = hash_of_halves(
        dtype, [&](const DeviceRows& rows) { return called(*kernel, rows, temperature, test_parameters); });
    EXPECT_EQ(hash, dtype == ATTNCERT_F16 ? one.f16 : one.bf16) << kernel->name;
  }
}

}  // namespace
}  // namespace attncert
