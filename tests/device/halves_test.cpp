// What every kernel of a device leaves in f16 and bf16, by the plain sequential program: rows as the format has them,
// in f32, and the weights narrowed. The hashes are what another device, in another place, is compared with;
// registry_test.cpp compares this machine's.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "src/kernel/dtype.hpp"
#include "tests/device/row_hash.hpp"
#include "tests/device/rows.hpp"
#include "tests/device/sequential.hpp"

namespace attncert {
namespace {

struct StoredHalves {
  std::string_view normalizer;
  std::uint64_t f16, bf16;
};
constexpr StoredHalves stored_halves[] = {
    {"ssmax", 0xc504ead6ade026ffu, 0xd7f80cf72ae82bacu},
    {"sigmoid-normalized", 0x85bb85a8e4ba5271u, 0x779c98c8dee23c08u},
    {"sigmoid-normalized-vjp", 0xc4a015a6fd0f7722u, 0x5594d4da0575df82u},
    {"relu-normalized", 0x49a9dc323bd1be99u, 0x1174a00e8286fafu},
    {"relu-normalized-vjp", 0x2c40424497a2c477u, 0xbdeecb8a804e0813u},
    {"sa-softmax-v0", 0xb48fe769c6900dabu, 0x431993510c2f1d09u},
    {"sa-softmax-v1", 0x866e4dfdb9fc7099u, 0x2202276f01d85a69u},
    {"sa-softmax-v2", 0x377f941384c5f89cu, 0x702035118fd1365bu},
    {"sa-softmax-v3", 0xe8d3814959dd3192u, 0x715ff49632ecf6f3u},
    {"sa-softmax-v0-vjp", 0x73e8f7ccf51b0a75u, 0x9ce8a4cf3140b93bu},
    {"sa-softmax-v1-vjp", 0xe649a048427724b9u, 0xd7f2db539d488aa2u},
    {"sa-softmax-v2-vjp", 0x6c9fdee3d5498bdfu, 0x6223fb6dda0ddccdu},
    {"sa-softmax-v3-vjp", 0x6c9fdee3d5498bdfu, 0xa143379f72a9b877u},
    {"sigmoid", 0x14fbc17ff6222256u, 0x7c699d05d07d6963u},
    {"sigmoid-vjp", 0x987501e44fa40dccu, 0x5d0023d81cd1c320u},
    {"softmax", 0xc1b0138ab4b87620u, 0x892f3ba6887c7b7eu},
    {"softmax1", 0x7a6225e168311307u, 0x4f972ac9990698aau},
    {"top-k-softmax", 0x63018e1c0848da2au, 0xbda2e63ec72f735u},
    {"log-softmax", 0xa74e0f4e0c84f9dbu, 0x813a2c97116e30b1u},
    {"softmax-vjp", 0x16c7630d129b67d1u, 0x4092d6db68df00a0u},
    {"softmax1-vjp", 0x6e0b37c96bd5af0cu, 0xbde9362424edf0bu},
    {"top-k-softmax-vjp", 0xc8f1f7d75ed1ab66u, 0x45340c8d417b96f6u},
    {"ssmax-vjp", 0xbd157ad91af9f3d0u, 0x9ee53a9c9e785f95u},
    {"log-softmax-vjp", 0xcabf256edc63cf26u, 0x94d6b71e1285da5eu},
    {"sparsemax", 0x2ec3d4b82f7bd68bu, 0xfd3933977af9e7c6u},
    {"sparsemax-vjp", 0x3a3c262251872fc7u, 0x488ef8fb786862b3u},
    {"entmax-1.5", 0x129a343a09af7b47u, 0xfc9adcfd8c96a248u},
    {"entmax-1.5-vjp", 0xca10a2b5978c16f6u, 0x9828d44c906088b0u},
    {"entmax", 0xec012fd7c1b31e79u, 0xa8e8849320622b3eu},
    {"entmax-vjp", 0xf7c46375c904f3dfu, 0xa0ceb0b756d7c57au},
    {"taylor-softmax", 0x10c81d585f2fe98cu, 0x84199ba3bab42806u},
    {"taylor-softmax-vjp", 0xadecabbc5a304ceau, 0x6cabf789f55b4b23u},
};

std::uint64_t hash_of_halves(const DeviceKernel& kernel, attncert_dtype dtype) {
  RowHash hash;
  for (const std::size_t length : {7u, 65u})
    for (const double temperature : {1.0, 0.7})
      for (const bool masked : {false, true}) {
        const DeviceRows rows = rounded_rows(length, masked, dtype);
        const DeviceProgram program = kernel.program(temperature, test_parameters);
        for (std::size_t r = 0; r < rows.rows; ++r) {
          auto row = sequential_of(kernel.normalizer)(kept(rows, r), upstream_of(rows, r), program, true);
          for (float& x : row) x = static_cast<float>(rounded(dtype, static_cast<double>(x)));
          hash.add(row);
        }
      }
  return hash.value();
}

TEST(SameBits, TheSequentialProgramsHalvesHaveTheStoredOnes) {
  for (const DeviceKernel& kernel : device_programs()) {
    const auto* const one = std::find_if(std::begin(stored_halves), std::end(stored_halves),
                                         [&](const StoredHalves& s) { return s.normalizer == kernel.normalizer; });
    const std::uint64_t f16 = hash_of_halves(kernel, ATTNCERT_F16), bf16 = hash_of_halves(kernel, ATTNCERT_BF16);
    EXPECT_TRUE(one != std::end(stored_halves) && one->f16 == f16 && one->bf16 == bf16)
        << kernel.normalizer << ": " << std::hex << f16 << ", " << bf16;
  }
}

}  // namespace
}  // namespace attncert
