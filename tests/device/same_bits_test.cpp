// Every kernel of src/device/kernels gives the same bits on every device, in every shape, alone and in a batch, each
// time, and those are the bits of the plain sequential program. The hashes stored here are what another device, in
// another place, is compared with.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "src/core/mixer.hpp"
#include "src/device/device.hpp"
#include "tests/device/launched.hpp"
#include "tests/device/row_hash.hpp"
#include "tests/device/sequential.hpp"
#include "tests/one_in.hpp"

namespace attncert {
namespace {

using device::Shape;

constexpr double temperatures[] = {1, 0.7, 0x1p-100};

struct Stored {
  const char* normalizer;
  std::size_t length;
  bool held;
  std::uint64_t hash;
  std::uint64_t alpha_numerator = test_parameters.alpha_numerator,
                alpha_denominator = test_parameters.alpha_denominator;
  bool other_alpha() const { return alpha_numerator != test_parameters.alpha_numerator; }
};
// Of f32. A new kernel or a changed formula gives new ones, which the sequential program prints. Long rows of kernels
// other than softmax are of 1100 elements: 17 readings of a thread in a shape of 64 of them (other_shapes below), and
// those of 16390 in registry_test.cpp nine in the shape of the table.
constexpr Stored stored[] = {
    {"softmax", 64, true, 0x9db6f65f09b8d3abu},
    {"softmax", 1, true, 0x52916e1b95d306acu},
    {"softmax", 7, true, 0x1febca8524151c46u},
    {"softmax", 300, true, 0x78febb8da23a4d31u},
    {"softmax", 1000, true, 0x12c5c0682ea5bbffu},
    {"softmax", 4096, true, 0x4827f5bbe1d3c8f1u},
    {"softmax", 16384, true, 0x9b273e2140843c96u},
    {"softmax", 1, false, 0x52916e1b95d306acu},
    {"softmax", 7, false, 0x1febca8524151c46u},
    {"softmax", 300, false, 0x78febb8da23a4d31u},
    {"softmax", 1000, false, 0x12c5c0682ea5bbffu},
    {"softmax", 16385, false, 0xa2977c21668da5b7u},
    {"softmax", 70000, false, 0x1078c0ccb98f6b6du},
    {"softmax1", 7, true, 0x3a89721e097e6285u},
    {"softmax1", 300, true, 0xc80107dc7e3c907cu},
    {"softmax1", 1100, false, 0x7c8d5f53c56f63c4u},
    {"top-k-softmax", 7, true, 0x1febca8524151c46u},
    {"top-k-softmax", 300, true, 0xe638f334bf4d9441u},
    {"top-k-softmax", 1100, false, 0xbb922492a23daea1u},
    {"sparsemax", 1, true, 0x52916e1b95d306acu},
    {"sparsemax", 7, true, 0x12d50fef3a87ac43u},
    {"sparsemax", 7, false, 0x12d50fef3a87ac43u},
    {"sparsemax", 1100, false, 0x382df33f861202cau},
    {"entmax-1.5", 7, true, 0x8fb48b50e336103bu},
    {"entmax-1.5", 300, true, 0x06d22f8fdb5ad3e4u},
    {"entmax-1.5", 1100, false, 0xb0d81eec3ea2d286u},
    {"relu-normalized", 7, true, 0x9156228f0ec969acu},
    {"relu-normalized", 300, true, 0x7db500414d29c8e9u},
    {"relu-normalized", 1100, false, 0xeeca393bb430ecd2u},
    {"log-softmax", 7, true, 0x22ec19b447fcb173u},
    {"log-softmax", 300, true, 0x9b3932d65c72048au},
    {"log-softmax", 1100, false, 0x7b12cbfae25bb769u},
    {"ssmax", 7, true, 0xcccda99345463fa0u},
    {"ssmax", 1100, false, 0x86de7be16203fb19u},
    {"sigmoid", 7, true, 0x2c8073f995561a48u},
    {"sigmoid", 1100, false, 0x852e105b94182645u},
    {"sigmoid-normalized", 7, true, 0xe8a79f177bf163cbu},
    {"sigmoid-normalized", 1100, false, 0x3c637d40f17f8e3cu},
    {"sa-softmax-v0", 7, true, 0x8dfe8bf4632a0198u},
    {"sa-softmax-v0", 1100, false, 0x3bc38a9e945d6e60u},
    {"sa-softmax-v1", 7, true, 0x8d80b669d6078447u},
    {"sa-softmax-v1", 1100, false, 0xca080bb6b3d63270u},
    {"sa-softmax-v2", 7, true, 0x462d86f1fe1371a1u},
    {"sa-softmax-v2", 1100, false, 0x87e7f951bc02d93du},
    {"sa-softmax-v3", 7, true, 0x05f27fbc2412e23au},
    {"sa-softmax-v3", 1100, false, 0x08bef3be60851a97u},
    {"sa-softmax-v0-vjp", 7, true, 0x3a885fa4729d58bfu},
    {"sa-softmax-v0-vjp", 1100, false, 0xd407dd2df6639bc7u},
    {"sa-softmax-v1-vjp", 7, true, 0x31488231ddd69befu},
    {"sa-softmax-v1-vjp", 1100, false, 0x948b606eceac118cu},
    {"sa-softmax-v2-vjp", 7, true, 0x38c92d9515615ec7u},
    {"sa-softmax-v2-vjp", 1100, false, 0x13faf57c9c27a633u},
    {"sa-softmax-v3-vjp", 7, true, 0x420fe86fd2f097c2u},
    {"sa-softmax-v3-vjp", 1100, false, 0x902ddf858d2815bau},
    {"softmax-vjp", 7, true, 0x4b3a74183f54f667u},
    {"softmax-vjp", 1100, false, 0x5202a26f724db478u},
    {"softmax1-vjp", 7, true, 0x3e6ccffc32a603au},
    {"softmax1-vjp", 1100, false, 0x65cc37c4b59dfba4u},
    {"top-k-softmax-vjp", 7, true, 0x4b3a74183f54f667u},
    {"top-k-softmax-vjp", 1100, false, 0x8da1a3c48d8c2b32u},
    {"ssmax-vjp", 7, true, 0xe8909457ce909cccu},
    {"ssmax-vjp", 1100, false, 0xd8eace8fdd241d72u},
    {"log-softmax-vjp", 7, true, 0x460d54477212aaadu},
    {"log-softmax-vjp", 1100, false, 0xa1d0219507743c76u},
    {"sparsemax-vjp", 7, true, 0x1e04ed24342e52c5u},
    {"sparsemax-vjp", 1100, false, 0x3646436d92e3bb92u},
    {"entmax-1.5-vjp", 7, true, 0x064d1032a524cba2u},
    {"entmax-1.5-vjp", 1100, false, 0xc74efbb5d2a4c22cu},
    {"entmax", 7, true, 0xb2b84b6e131821b9u},
    {"entmax", 200, false, 0x690ccd83ae2b8c6fu},
    {"entmax-vjp", 7, true, 0x7c5c9394a4ed55e2u},
    {"entmax-vjp", 200, false, 0xc89645bc86732fbdu},
    {"entmax", 7, true, 0x10b065ddf2365a6fu, 9, 8},
    {"entmax", 7, true, 0xbcc28acb8fce8b44u, 4, 3},
    {"entmax", 7, true, 0x815a1599cc345754u, (1 << 18) + 1, 1 << 18},
    {"entmax", 7, true, 0xcc9197ed3d46da28u, 4097, 1},
    {"entmax-vjp", 7, true, 0xe063e874227852a0u, 9, 8},
    {"entmax-vjp", 7, true, 0x50c40e308700f3d7u, 4, 3},
    {"entmax-vjp", 7, true, 0xa432fe9295004edbu, (1 << 18) + 1, 1 << 18},
    {"entmax-vjp", 7, true, 0xd9f6230ae2a95ab7u, 4097, 1},
    {"relu-normalized-vjp", 7, true, 0x71f3b02a929433f3u},
    {"relu-normalized-vjp", 1100, false, 0xae97a54dd3f3ad68u},
    {"taylor-softmax", 7, true, 0x23b9c2ca6ad64557u},
    {"taylor-softmax", 1100, false, 0x6b8b640dce176c7au},
    {"taylor-softmax-vjp", 7, true, 0x0dbd16e49072c79bu},
    {"taylor-softmax-vjp", 1100, false, 0x13adf8e064cfbf00u},
    {"sigmoid-vjp", 7, true, 0x99fc5c3dec20ad7bu},
    {"sigmoid-vjp", 1100, false, 0x015e4b67d6f08a08u},
    {"sigmoid-normalized-vjp", 7, true, 0x0abeae363f18ee03u},
    {"sigmoid-normalized-vjp", 1100, false, 0x52d30e902d2c3eb6u},
};

// In every test the same ones, whose programs are built once; from this place on the few are such as PoCL builds in a
// second, where derivatives of self-adjusted softmax take five.
constexpr std::size_t from_place = 13;
bool is_tried(const Stored& one) { return is_taken(from_place + static_cast<std::size_t>(&one - stored)); }

DeviceProgram program_of(const Stored& one, double temperature) {
  attncert_parameters parameters = test_parameters;
  parameters.alpha_numerator = one.alpha_numerator, parameters.alpha_denominator = one.alpha_denominator;
  return device_kernel(one.normalizer).program(temperature, parameters);
}

std::uint64_t sequential_hash(const Stored& one) {
  RowHash hash;  // of all rows at every temperature, masked and not
  for (const double temperature : temperatures)
    for (const bool masked : {false, true}) {
      const DeviceRows rows = device_rows(one.length, masked);
      const DeviceProgram program = program_of(one, temperature);
      for (std::size_t r = 0; r < rows.rows; ++r)
        hash.add(sequential_of(one.normalizer)(kept(rows, r), upstream_of(rows, r), program, one.held));
    }
  return hash.value();
}

std::string name_of(const Stored& one) {
  const std::string alpha = std::to_string(one.alpha_numerator) + "/" + std::to_string(one.alpha_denominator);
  return std::string(one.normalizer) + ", " + std::to_string(one.length) + (one.held ? " held" : " long") +
         (one.other_alpha() ? ", alpha " + alpha : "");
}

TEST(SameBits, TheSequentialProgramHasTheStoredOnes) {
  for (const Stored& one : stored) {
    const std::uint64_t hash = sequential_hash(one);
    EXPECT_EQ(hash, one.hash) << name_of(one) << ": " << std::hex << hash;
  }
}

TEST(SameBits, EveryKernelHasStoredOnesHeldAndLong) {
  for (const DeviceKernel& kernel : device_programs()) {
    EXPECT_NE(sequential_of(kernel.normalizer), nullptr) << kernel.normalizer;
    for (const bool held : {true, false})
      EXPECT_TRUE(std::any_of(std::begin(stored), std::end(stored), [&](const Stored& one) {
        return std::string_view(kernel.normalizer) == one.normalizer && one.held == held;
      })) << kernel.normalizer;
  }
}

// In launches of `at_once` rows, built with `options` too.
std::uint64_t device_hash(const device::Device& device, const Stored& one, const Shape& shape, std::size_t at_once,
                          const char* options = "") {
  RowHash hash;  // of all rows at every temperature, masked and not
  for (const double temperature : temperatures)
    for (const bool masked : {false, true}) {
      const DeviceRows rows = device_rows(one.length, masked);
      DeviceProgram program = program_of(one, temperature);
      program.options += options;
      for (std::size_t first = 0; first < rows.rows; first += at_once) {
        const auto output = launched(device, program, rows, shape, first, at_once);
        if (!output) ADD_FAILURE() << output.error().message;
        if (!output) return 0;
        for (std::size_t r = 0; r < at_once; ++r) {
          const std::span<const float> row(output->data() + r * rows.output_stride, rows.output_stride);
          hash.add(row.first(rows.length));
          for (const float x : row.subspan(rows.length)) EXPECT_EQ(x, untouched) << "beyond the row";
        }
      }
    }
  return hash.value();
}

Shape usual_shape(const Stored& one) { return one.held ? device::shape_for(one.length) : device::long_shape; }
// Shapes that are not the table's for this length: one element a load, few threads and many. Each is a program to
// build: kernels other than softmax have one of rows that are held and one of rows that are not.
std::vector<Shape> other_shapes(const Stored& one) {
  if (!one.held && one.normalizer != std::string_view("softmax")) return {{64, 0, 1}};
  if (!one.held) return {{64, 0, 1}, {256, 0, 1}};
  if (one.normalizer != std::string_view("softmax"))
    return one.length == 7 && !one.other_alpha() ? std::vector<Shape>{{256, 16, 4}} : std::vector<Shape>{};
  std::vector<Shape> shapes;
  for (const Shape& shape : {Shape{64, 8, 1}, Shape{128, 32, 4}, Shape{1024, 16, 4}})
    if (shape.capacity() >= one.length && shape.capacity() < 64 * std::max<std::size_t>(one.length, 9))
      shapes.push_back(shape);
  return shapes;
}

// PoCL without optimisation takes a third of the time for short rows, more for long ones.
const char* quick_options(const device::Device& device, const Stored& one) {
  return device.name().starts_with("Portable") && one.length <= 1100 ? " -cl-opt-disable" : "";
}

// Words of either sign, small and large, so that every carry happens.
TEST(SameBits, TheWordsOfASumCarry) {
  for (std::uint64_t n = 0; n < 100000; ++n) {
    const std::uint64_t coarse = (std::uint64_t{1} << 22) + (mixed(3 * n) >> (n % 40 + 23));
    const auto fine = static_cast<std::int64_t>(mixed(3 * n + 1)) >> (n % 48 + 16);
    const auto finest = static_cast<std::int64_t>(mixed(3 * n + 2)) >> (n % 43 + 16);
    if (static_cast<std::int64_t>(coarse) + (fine >> 23) < 1 << 21) continue;  // no sum: smaller than its largest term
    ASSERT_TRUE(same_reciprocal(coarse, fine, finest)) << coarse << " " << fine << " " << finest;
  }
}

TEST(SameBits, AMeanIsTheQuotientRoundedDown) {
  for (std::uint64_t n = 0; n < 100000; ++n) ASSERT_TRUE(mean_is_right(n)) << n;
}

void expect_stored(bool held) {
  const auto& device = device::device();
  if (!device) GTEST_SKIP() << device.error().message;
  for (const Stored& one : stored) {
    const bool softmax = one.normalizer == std::string_view("softmax");
    if (one.held != held || !is_tried(one)) continue;
    if ((*device)->interprets() && (one.length > (held && softmax ? 300 : 7) || one.other_alpha()))
      continue;  // minutes
    const Shape shape = (*device)->interprets() && !held ? Shape{64, 0, 4} : usual_shape(one);
    EXPECT_EQ(device_hash(**device, one, shape, 12), one.hash) << name_of(one);
  }
}
TEST(SameBits, HeldRowsOnTheDeviceHaveTheStoredOnes) { expect_stored(true); }
TEST(SameBits, LongRowsOnTheDeviceHaveTheStoredOnes) { expect_stored(false); }

TEST(SameBits, OtherShapesOnTheDeviceHaveTheStoredOnes) {
  const auto& device = device::device();
  if (!device) GTEST_SKIP() << device.error().message;
  for (const Stored& one : stored) {
    const std::vector<Shape> shapes = other_shapes(one);
    if (shapes.empty() || !is_tried(one)) continue;
    if ((*device)->interprets() && one.length != 64) continue;
    for (const Shape& shape : shapes)
      EXPECT_EQ(device_hash(**device, one, shape, 12, quick_options(**device, one)), one.hash)
          << name_of(one) << ", " << shape.options();
  }
}

TEST(SameBits, ABatchInPartsAndAgainHasTheStoredOnes) {
  const auto& device = device::device();
  if (!device) GTEST_SKIP() << device.error().message;
  for (const Stored& one : stored) {
    if (!one.held || one.length > 300 || !is_tried(one)) continue;
    if ((*device)->interprets() && one.length != 64) continue;
    for (const std::size_t at_once : {1u, 4u, 12u})
      EXPECT_EQ(device_hash(**device, one, usual_shape(one), at_once), one.hash)
          << name_of(one) << ", " << at_once << " at once";
  }
}

}  // namespace
}  // namespace attncert
