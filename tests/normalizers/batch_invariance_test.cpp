// Batch invariance: a row has the bits that it has alone. Tested in batches beyond the caches (pipelines, stores past
// the caches), beside rows of NaN and infinities, at any alignment, in place, under a mask, and for rows too long for
// L2.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

#include "src/normalizers/exponential/softmax_sizes.hpp"
#include "tests/normalizers/call.hpp"
#include "tests/normalizers/oracle.hpp"

namespace attncert {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
const std::vector<std::string> kFamily = {"softmax", "ssmax", "softmax1", "log-softmax"};

bool same_bits(float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); }

using FloatRows = std::vector<std::vector<float>>;

// Ordinary rows come first. Both numbers of rows are prime to the sizes of groups, so every kind of row meets every
// place.
constexpr std::size_t kOrdinary = 13;
FloatRows kinds(std::size_t length) {
  FloatRows rows;
  for (std::uint64_t seed = 0; seed < 8; ++seed) rows.push_back(oracle::normal_logits<float>(length, 3, seed));
  for (std::uint64_t seed = 8; seed < 14; ++seed) rows.push_back(oracle::normal_logits<float>(length, 30, seed));
  for (const float shift : {-300.0f, 250.0f, 300.0f, 1e30f, -1e30f}) {
    rows.push_back(oracle::normal_logits<float>(length, 3, 20));
    for (float& x : rows.back()) x += shift;
  }
  rows.emplace_back(length, 1.5f);
  rows.emplace_back(length, -kInfinity<float>);
  for (const float odd : {kNan, kInfinity<float>, -kInfinity<float>, 88.0f}) {
    rows.push_back(oracle::normal_logits<float>(length, 3, 21));
    rows.back()[length / 2] = odd;
  }
  rows.push_back(oracle::normal_logits<float>(length, 3, 22));
  rows.back().front() = rows.back().back() = -kInfinity<float>;
  rows.push_back(oracle::normal_logits<float>(length, 3, 23));
  rows.back().back() = kNan;
  rows.push_back(oracle::normal_logits<float>(length, 3, 23));  // which of the two it gives must not hang on its place
  rows.back().front() = -kNan;
  rows.back()[length / 2] = kNan;
  for (std::uint64_t seed = 24; rows.size() < 29; ++seed) rows.push_back(oracle::normal_logits<float>(length, 8, seed));
  return rows;
}

struct Place {
  std::size_t stride, offset;  // offset: floats from a multiple of 64 bytes to the output
  bool in_place;
  double temperature;
  double scale = 1;  // s of ssmax
};

class Buffer {
 public:
  explicit Buffer(std::size_t count)
      : bytes_((count * sizeof(float) + 127) / 64 * 64), data_(std::aligned_alloc(64, bytes_)) {}
  ~Buffer() { std::free(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  float* data() { return static_cast<float*>(data_); }

 private:
  std::size_t bytes_;
  void* data_;
};

// As many bytes as a kernel asked for, full of NaN; what lies behind them, 64 bytes at least, stays so.
class Scratch {
 public:
  explicit Scratch(std::size_t bytes)
      : bytes_(bytes), all_((bytes + 127) / 64 * 64), data_(std::aligned_alloc(64, all_)) {
    std::memset(data_, nan, all_);
  }
  ~Scratch() {
    const auto* const bytes = static_cast<const unsigned char*>(data_);
    EXPECT_TRUE(std::all_of(bytes + bytes_, bytes + all_, [](unsigned char byte) { return byte == nan; }));
    std::free(data_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  void* data() const { return data_; }

 private:
  static constexpr unsigned char nan = 0xff;
  std::size_t bytes_, all_;
  void* data_;
};

// One odd row sends its whole block another way, so blocks without one must be there too.
std::size_t kind_of(std::size_t row, std::size_t kinds) {
  return row / 64 % 2 == 0 && kinds > kOrdinary ? row % kOrdinary : row % kinds;
}

// One call on the rows at x.
attncert_status call_rows(const std::string& normalizer, const float* x, float* y, std::size_t count,
                          std::size_t length, const Place& place, const std::vector<std::uint8_t>& masks) {
  const attncert_kernel& kernel = *find_kernel(normalizer, ATTNCERT_F32);
  attncert_parameters parameters = ATTNCERT_DEFAULT_PARAMETERS;
  parameters.scale = place.scale;
  attncert_arguments arguments{};
  arguments.size = sizeof arguments;
  arguments.rows = count;
  arguments.length = arguments.mask_stride = length;
  arguments.input_stride = arguments.output_stride = place.stride;
  arguments.input = x;
  arguments.output = y;
  arguments.mask = masks.empty() ? nullptr : masks.data();
  arguments.temperature = place.temperature;
  arguments.parameters = &parameters;
  arguments.scratch_bytes = kernel.scratch_needed != nullptr ? kernel.scratch_needed(&arguments) : 0;
  const Scratch scratch(arguments.scratch_bytes);
  arguments.scratch = scratch.data();
  return kernel.run(&arguments);
}

std::vector<float> alone(const std::string& normalizer, const std::vector<float>& logits, const Place& place,
                         const std::vector<std::uint8_t>& mask) {
  std::vector<float> weights(logits.size());
  const Place here{logits.size(), 0, false, place.temperature, place.scale};
  EXPECT_EQ(call_rows(normalizer, logits.data(), weights.data(), 1, logits.size(), here, mask), ATTNCERT_OK);
  return weights;
}

// `count` rows, distinct ones in turn; returns the number of the first that differs from itself alone, or -1.
long first_batch_difference(const std::string& normalizer, const FloatRows& distinct, std::size_t count,
                            const Place& place, const std::vector<std::uint8_t>& mask = {}) {
  const std::size_t length = distinct[0].size();
  FloatRows each;
  for (const std::vector<float>& logits : distinct) each.push_back(alone(normalizer, logits, place, mask));
  Buffer input(count * place.stride + place.offset), output(place.in_place ? 0 : count * place.stride + place.offset);
  float* const x = input.data() + place.offset;
  float* const y = place.in_place ? x : output.data() + place.offset;
  for (std::size_t r = 0; r < count; ++r) {
    std::copy_n(distinct[kind_of(r, distinct.size())].begin(), length, x + r * place.stride);
    if (!place.in_place) std::fill_n(y + r * place.stride, length, -1.0f);
  }
  std::vector<std::uint8_t> masks;
  for (std::size_t r = 0; !mask.empty() && r < count; ++r) masks.insert(masks.end(), mask.begin(), mask.end());
  if (call_rows(normalizer, x, y, count, length, place, masks) != ATTNCERT_OK) return 0;
  for (std::size_t r = 0; r < count; ++r) {
    const std::vector<float>& expected = each[kind_of(r, distinct.size())];
    for (std::size_t i = 0; i < length; ++i) {
      if (!same_bits(y[r * place.stride + i], expected[i])) return static_cast<long>(r);
    }
  }
  return -1;
}

class BatchInvariance : public testing::TestWithParam<std::string> {
 protected:
  ForcedInstructionSet forced_{GetParam()};
};

TEST_P(BatchInvariance, BeyondTheCaches) {
  for (const std::size_t length :
       {std::size_t{5}, std::size_t{64}, std::size_t{65}, std::size_t{1024}, std::size_t{4100}}) {
    const std::size_t count = kCacheBytes / (2 * sizeof(float)) / length + 7, even = (length + 15) / 16 * 16;
    ASSERT_TRUE(beyond_caches<float>(count, length));
    const FloatRows distinct = kinds(length);
    const auto alone_too = [&](const char* normalizer, const Place& place) {
      EXPECT_EQ(first_batch_difference(normalizer, distinct, count, place), -1)
          << normalizer << " length " << length << " offset " << place.offset << " in place " << place.in_place;
    };
    alone_too("softmax", {even, 0, false, 1});
    alone_too("softmax", {length + 3, 1, false, 0.7});
    alone_too("softmax", {even, 0, true, 1});
    alone_too("softmax1", {even, 0, false, 0.7});
    alone_too("ssmax", {even, 0, false, 1});
    alone_too("log-softmax", {even, 0, false, 1});
    alone_too("log-softmax", {length + 3, 1, false, 0.7});
    alone_too("log-softmax", {even, 0, true, 1});
  }
}

// The parameter s of ssmax; s < 0 negates the logits into the output first. Every third row of `kinds` lacks some
// logit.
TEST_P(BatchInvariance, ShortRowsOfSsmax) {
  for (const std::size_t length : {std::size_t{5}, std::size_t{16}, std::size_t{33}, std::size_t{64}}) {
    FloatRows distinct = kinds(length);
    for (std::size_t r = 0; r < distinct.size(); r += 3) distinct[r][(r * 7) % length] = -kInfinity<float>;
    for (const double scale : {-0.4, 0.4, 1.0}) {
      EXPECT_EQ(first_batch_difference("ssmax", distinct, 200, {length + 2, 1, false, 1, scale}), -1)
          << length << ' ' << scale;
      EXPECT_EQ(first_batch_difference("ssmax", distinct, 200, {length, 0, true, 0.7, scale}), -1)
          << length << ' ' << scale;
    }
  }
}

// In caches: other stores, another order of the same steps.
TEST_P(BatchInvariance, WithinTheCaches) {
  for (const std::size_t length :
       {std::size_t{1}, std::size_t{5}, std::size_t{48}, std::size_t{64}, std::size_t{100}, std::size_t{512},
        std::size_t{513}, kGroupLength, kGroupLength + 1, std::size_t{5000}}) {
    const FloatRows distinct = kinds(length);
    for (const std::string& normalizer : kFamily) {
      EXPECT_EQ(first_batch_difference(normalizer, distinct, 77, {length, 0, false, 1}), -1) << normalizer << length;
      EXPECT_EQ(first_batch_difference(normalizer, distinct, 77, {length + 5, 3, true, 0.7}), -1)
          << normalizer << length;
    }
  }
}

// A mask that keeps everything changes no bit, though logits then are copied first.
TEST_P(BatchInvariance, MaskedRowsBesideWholeOnes) {
  constexpr std::size_t kLength = 64;
  FloatRows distinct = kinds(kLength);
  for (const std::string& normalizer : kFamily) {
    const std::vector<std::uint8_t> all(kLength, 1);
    EXPECT_EQ(first_batch_difference(normalizer, distinct, 77, {kLength, 0, false, 1}, all), -1) << normalizer;
    for (const std::vector<float>& logits : distinct) {
      const std::vector<float> plain = row<float>(normalizer, logits), masked = row<float>(normalizer, logits, 1, all);
      EXPECT_TRUE(std::equal(masked.begin(), masked.end(), plain.begin(), same<float>)) << normalizer;
    }
  }
}

// Dense rows, whose weights go straight to memory, and sparse ones, whose zeros do.
TEST_P(BatchInvariance, SparseBeyondTheCaches) {
  for (const std::size_t length : {std::size_t{65}, std::size_t{1024}, std::size_t{4100}}) {
    const std::size_t count = kCacheBytes / (2 * sizeof(float)) / length + 7, even = (length + 15) / 16 * 16;
    ASSERT_TRUE(beyond_caches<float>(count, length));
    FloatRows distinct = {oracle::normal_logits<float>(length, 0.0001, 1), oracle::normal_logits<float>(length, 3, 2),
                          std::vector<float>(length, 1.5f), oracle::normal_logits<float>(length, 0.1, 3)};
    distinct.push_back(distinct[0]);
    distinct.back()[length / 2] = kNan;
    for (const char* normalizer : {"sparsemax", "entmax-1.5"}) {
      EXPECT_EQ(first_batch_difference(normalizer, distinct, count, {even, 0, false, 1}), -1) << normalizer << length;
      EXPECT_EQ(first_batch_difference(normalizer, distinct, count, {length + 3, 1, false, 0.7}), -1)
          << normalizer << length;
      EXPECT_EQ(first_batch_difference(normalizer, distinct, count, {even, 0, true, 1}), -1) << normalizer << length;
    }
  }
}

TEST_P(BatchInvariance, BeyondTheCachesUnderAMask) {
  constexpr std::size_t kLength = 257;
  std::vector<std::uint8_t> mask(kLength, 1);
  for (std::size_t i = 0; i < kLength; i += 3) mask[i] = 0;
  const std::size_t count = kCacheBytes / (2 * sizeof(float)) / kLength + 7;
  for (const std::string& normalizer : kFamily) {
    EXPECT_EQ(first_batch_difference(normalizer, kinds(kLength), count, {kLength, 1, false, 1}, mask), -1)
        << normalizer;
  }
}

// A mask of a long row means what -inf there means.
TEST_P(BatchInvariance, LongRows) {
  constexpr std::size_t kLength = kLongRowBytes / sizeof(float) + 77;
  ASSERT_TRUE(is_long<float>(kLength));
  std::vector<std::uint8_t> mask(kLength, 1);
  for (std::size_t i = 1; i < kLength; i += 5) mask[i] = 0;
  FloatRows distinct = {oracle::normal_logits<float>(kLength, 3, 1), oracle::normal_logits<float>(kLength, 30, 2)};
  distinct.push_back(distinct[0]);
  std::sort(distinct[2].begin(), distinct[2].end());  // every block raises the largest
  distinct.push_back(distinct[0]);
  distinct[3][kLength - 1] = kNan;
  distinct.push_back(distinct[3]);  // which of the two it gives must not hang on where the row lies
  distinct[4].front() = -kNan;
  constexpr std::size_t kBeyond = kCacheBytes / (2 * sizeof(float)) / kLength + 3;
  ASSERT_TRUE(beyond_caches<float>(kBeyond, kLength));
  for (const std::string& normalizer : kFamily) {
    EXPECT_EQ(first_batch_difference(normalizer, distinct, 9, {kLength, 0, false, 1}), -1) << normalizer;
    EXPECT_EQ(first_batch_difference(normalizer, distinct, kBeyond, {kLength, 0, false, 1}), -1) << normalizer;
    EXPECT_EQ(first_batch_difference(normalizer, distinct, 5, {kLength + 5, 3, false, 0.7}), -1) << normalizer;
    EXPECT_EQ(first_batch_difference(normalizer, distinct, 4, {kLength, 1, true, 1}, mask), -1) << normalizer;
    std::vector<float> absent = distinct[1];
    for (std::size_t i = 0; i < kLength; ++i) absent[i] = mask[i] != 0 ? absent[i] : -kInfinity<float>;
    const std::vector<float> masked = row<float>(normalizer, distinct[1], 1, mask),
                             plain = row<float>(normalizer, absent);
    EXPECT_TRUE(std::equal(masked.begin(), masked.end(), plain.begin(), same<float>)) << normalizer;
  }
}

// One peak and a million equal logits whose exponentials are small beside it: weights err by their last rounding, so
// they sum to 1 within 1 u when nothing of the small ones is lost on the way. What is added to the peak first is
// smaller still, for four exponentials are added with two roundings.
TEST_P(BatchInvariance, SmallTermsOfALongRowAreNotLost) {
  constexpr std::size_t kLength = std::size_t{1} << 20, kPeak = kLength / 2 + 5, kBeside = 8192;
  std::vector<float> logits(kLength);
  for (int step = 0; step < 32; ++step) {
    logits.assign(kLength, -16.7f + 0.0625f * static_cast<float>(step));
    std::fill_n(logits.begin() + kPeak - kBeside, 2 * kBeside, -40.0f);
    logits[kPeak] = 0;
    const std::vector<float> p = row<float>("softmax", logits);
    const double peak = static_cast<double>(p[kPeak]), small = static_cast<double>(p[0]);
    EXPECT_NEAR(peak + static_cast<double>(kLength - 2 * kBeside) * small, 1, 0x1p-24) << logits[0];
  }
}

// SSMax with s < 0 negates its logits, which in place must happen once, whichever way a long row goes.
TEST_P(BatchInvariance, LongRowsNegatedInPlace) {
  constexpr std::size_t kLength = kLongRowBytes / sizeof(float) + 77;
  const attncert_kernel& kernel = *find_kernel("ssmax", ATTNCERT_F32);
  attncert_parameters parameters{};
  parameters.size = sizeof parameters;
  parameters.scale = -1;
  for (const double spread : {0.1, 3.0, 30.0}) {  // shallow rows, rows of subnormal weights
    const std::vector<float> logits = oracle::normal_logits<float>(kLength, spread, 5);
    std::vector<float> apart(kLength), in_place = logits;
    attncert_arguments arguments{};
    arguments.size = sizeof arguments;
    arguments.rows = 1;
    arguments.length = arguments.input_stride = arguments.output_stride = kLength;
    arguments.temperature = 1;
    arguments.parameters = &parameters;
    arguments.scratch_bytes = kernel.scratch_needed(&arguments);
    Buffer scratch(arguments.scratch_bytes / sizeof(float));
    arguments.scratch = scratch.data();
    arguments.input = logits.data();
    arguments.output = apart.data();
    ASSERT_EQ(kernel.run(&arguments), ATTNCERT_OK);
    arguments.input = arguments.output = in_place.data();
    ASSERT_EQ(kernel.run(&arguments), ATTNCERT_OK);
    EXPECT_EQ(apart, in_place) << spread;
    const auto least = std::min_element(logits.begin(), logits.end()) - logits.begin();
    EXPECT_EQ(std::max_element(apart.begin(), apart.end()) - apart.begin(), least) << spread;
  }
}

INSTANTIATE_TEST_SUITE_P(InstructionSet, BatchInvariance, testing::ValuesIn(instruction_sets()),
                         [](const auto& suite) { return suite.param; });

}  // namespace
}  // namespace attncert
