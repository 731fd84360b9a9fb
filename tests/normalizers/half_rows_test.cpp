// Half rows on the ways that small batches do not take: past the caches (other blocks, streamed stores, misaligned and
// in place) the bits are those of small batches; rows of every sign, with NaN at every place, are the f32 kernel's; and
// so are short rows of every length, in blocks with rows that go another way.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "src/kernel/dtype.hpp"
#include "src/kernel/kernel.hpp"
#include "src/normalizers/half/half_convert.hpp"
#include "tests/normalizers/oracle.hpp"

namespace attncert {
namespace {

constexpr std::uint16_t kGuardBits = 0xABCD;

struct alignas(64) CellLine {
  unsigned char bytes[64];
};

// Halves at any offset from a cache line.
class Cells {
 public:
  Cells(std::size_t count, std::size_t offset) : lines_((count + offset) * 2 / sizeof(CellLine) + 1), offset_(offset) {
    std::fill_n(data(), count, kGuardBits);
  }
  std::uint16_t* data() { return reinterpret_cast<std::uint16_t*>(lines_.data()) + offset_; }

 private:
  std::vector<CellLine> lines_;
  std::size_t offset_;
};

void run_rows(const attncert_kernel& kernel, const void* input, void* output, std::size_t rows, std::size_t length,
              std::size_t stride, double temperature = 1) {
  attncert_arguments arguments{};
  arguments.size = sizeof arguments;
  arguments.rows = rows;
  arguments.length = length;
  arguments.input_stride = arguments.output_stride = stride;
  arguments.input = input;
  arguments.output = output;
  arguments.temperature = temperature;
  arguments.scratch_bytes = kernel.scratch_needed != nullptr ? kernel.scratch_needed(&arguments) : 0;
  std::vector<CellLine> scratch(arguments.scratch_bytes / sizeof(CellLine) + 1);
  arguments.scratch = scratch.data();
  ASSERT_EQ(kernel.run(&arguments), ATTNCERT_OK);
}

class HalfRows : public testing::TestWithParam<std::string> {
 protected:
  ForcedInstructionSet forced_{GetParam()};
};

// count logits of spread 3, every 97th thousand of spread 60 (weights of subnormal f32), now and then NaN, one or two
// of +inf, -inf alone or as whole rows.
std::vector<std::uint16_t> many_logits(attncert_dtype half, std::size_t count) {
  std::vector<float> period = oracle::normal_logits<float>(99991, 3, 5);  // a prime: no two rows are alike
  for (std::size_t i = 0; i < 3000; ++i) period[i] *= 20;
  for (std::size_t i = 30000; i < 30500; ++i) period[i] += 1000;  // a softmax must subtract
  period[50000] = std::nanf("");
  constexpr float infinity = std::numeric_limits<float>::infinity();
  period[70000] = -infinity;
  period[80000] = period[80007] = infinity;
  for (std::size_t i = 85000; i < 87200; ++i) period[i] = -infinity;
  std::vector<std::uint16_t> halves(count);
  narrow(half, period.data(), halves.data(), period.size());
  for (std::size_t i = period.size(); i < count; ++i) halves[i] = halves[i - period.size()];
  return halves;
}

TEST_P(HalfRows, PastTheCachesAsInThem) {
  constexpr std::size_t beyond = (std::size_t{1} << 23) + 5000;  // more elements than softmax_sizes.hpp's caches hold
  for (const attncert_dtype half : {ATTNCERT_F16, ATTNCERT_BF16}) {
    const std::vector<std::uint16_t> input = many_logits(half, beyond + 8192);
    struct Case {
      const char* normalizer;
      std::size_t length, stride, offset;
      double temperature = 1;
    };
    for (const auto& [normalizer, length, stride, offset, temperature] :
         {Case{"softmax", 1001, 1003, 1}, Case{"softmax", 63, 64, 1}, Case{"softmax", 63, 64, 0},
          Case{"softmax", 64, 64, 0}, Case{"softmax", 64, 96, 32}, Case{"softmax", 32, 32, 0},
          Case{"softmax", 48, 64, 0}, Case{"softmax", 16, 32, 0}, Case{"softmax", 129, 131, 1},
          Case{"log-softmax", 129, 129, 1}, Case{"sparsemax", 1001, 1003, 1}, Case{"sparsemax", 1024, 1024, 0},
          Case{"sparsemax", 72, 72, 0}, Case{"sparsemax", 2100, 2100, 8}, Case{"entmax-1.5", 1024, 1024, 0},
          Case{"entmax-1.5", 19, 32, 16}, Case{"sparsemax", 1024, 1024, 0, 1e4},
          Case{"entmax-1.5", 2100, 2100, 8, 1e4}}) {
      const attncert_kernel& kernel = *find_kernel(normalizer, half);
      const std::size_t rows = beyond / length, count = rows * stride;
      Cells expected(count, offset), got(count, offset), logits(count, offset);
      for (std::size_t r = 0; r < rows; ++r) std::memcpy(logits.data() + r * stride, &input[r * length], 2 * length);
      for (std::size_t r = 0; r < rows; r += 500) {  // few enough to stay in cache
        run_rows(kernel, logits.data() + r * stride, expected.data() + r * stride, std::min<std::size_t>(500, rows - r),
                 length, stride, temperature);
      }
      run_rows(kernel, logits.data(), got.data(), rows, length, stride, temperature);
      EXPECT_EQ(std::memcmp(got.data(), expected.data(), 2 * count), 0) << kernel.name << " L " << length;
      run_rows(kernel, logits.data(), logits.data(), rows, length, stride, temperature);
      EXPECT_EQ(std::memcmp(logits.data(), expected.data(), 2 * count), 0) << kernel.name << " in place, L " << length;
    }
  }
}

// One row as the f32 kernel has it, narrowed; any NaN for any other.
void expect_f32_narrowed(const char* normalizer, attncert_dtype half, const std::vector<std::uint16_t>& row,
                         double temperature = 1) {
  std::vector<float> wide(row.size()), weights(row.size());
  std::vector<std::uint16_t> got(row.size() + 1, kGuardBits);
  for (std::size_t i = 0; i < row.size(); ++i) wide[i] = static_cast<float>(load_element(half, row.data(), i));
  run_rows(*find_kernel(normalizer, ATTNCERT_F32), wide.data(), weights.data(), 1, row.size(), row.size(), temperature);
  run_rows(*find_kernel(normalizer, half), row.data(), got.data(), 1, row.size(), row.size(), temperature);
  ASSERT_EQ(got.back(), kGuardBits);
  for (std::size_t i = 0; i < row.size(); ++i) {
    std::uint16_t expected = 0;
    store_element(half, &expected, 0, static_cast<double>(weights[i]));
    if (std::isnan(weights[i])) {
      ASSERT_TRUE(std::isnan(load_element(half, got.data(), i))) << i;
    } else {
      ASSERT_EQ(got[i], expected) << i;
    }
  }
}

void every_sign_and_nan_everywhere(const char* normalizer) {
  constexpr std::size_t length = 203;
  for (const attncert_dtype half : {ATTNCERT_F16, ATTNCERT_BF16}) {
    SCOPED_TRACE(half == ATTNCERT_F16 ? "f16" : "bf16");
    const std::vector<float> logits = oracle::normal_logits<float>(length, 3, 11);
    const std::uint16_t minus_infinity = half == ATTNCERT_F16 ? 0xFC00 : 0xFF80;
    std::vector<std::uint16_t> row(length), negative(length), depths(length);
    narrow(half, logits.data(), row.data(), length);
    for (std::size_t i = 0; i < length; ++i) negative[i] = static_cast<std::uint16_t>(row[i] | 0x8000);
    std::vector<float> deep(length);
    for (std::size_t i = 0; i < length; ++i) deep[i] = -0.6f * static_cast<float>(i);  // down to e^-122
    narrow(half, deep.data(), depths.data(), length);
    expect_f32_narrowed(normalizer, half, row);
    expect_f32_narrowed(normalizer, half, negative);
    expect_f32_narrowed(normalizer, half, depths);
    expect_f32_narrowed(normalizer, half, std::vector<std::uint16_t>(length, 0x8000));
    expect_f32_narrowed(normalizer, half, std::vector<std::uint16_t>(length, minus_infinity));
    for (std::size_t i = 0; i < length; ++i) {
      for (const std::uint16_t special : {std::uint16_t{0x7FFF}, std::uint16_t{0xFFFF}, minus_infinity,
                                          static_cast<std::uint16_t>(minus_infinity & 0x7FFF), std::uint16_t{0x8000}}) {
        std::vector<std::uint16_t> changed = i % 2 == 0 ? row : negative;
        changed[i] = special;
        expect_f32_narrowed(normalizer, half, changed);
        if (testing::Test::HasFatalFailure()) FAIL() << "place " << i << " of " << special;
      }
    }
  }
}

TEST_P(HalfRows, EverySignAndNanEverywhere) {
  for (const char* normalizer : {"softmax", "sparsemax", "entmax-1.5"}) {
    SCOPED_TRACE(normalizer);
    every_sign_and_nan_everywhere(normalizer);
  }
}

// Lengths about every number of vectors and blocks; supports from one logit to all of a row.
TEST_P(HalfRows, SparseRowsOfEveryLength) {
  for (const attncert_dtype half : {ATTNCERT_F16, ATTNCERT_BF16}) {
    for (std::size_t length = 1; length < 3000; length += length < 300 ? 1 : 211) {
      std::vector<std::uint16_t> row(length);
      narrow(half, oracle::normal_logits<float>(length, 3, length).data(), row.data(), length);
      for (const double temperature : {0.01, 1.0, 30.0, 1e4, 5e-324, 1.7e308}) {
        for (const char* normalizer : {"sparsemax", "entmax-1.5"}) {
          expect_f32_narrowed(normalizer, half, row, temperature);
          if (HasFatalFailure()) FAIL() << normalizer << " L " << length << " T " << temperature;
        }
      }
    }
  }
}

// Rows that a block of short rows takes at once, and rows that it cannot: NaN, infinities, far from 0. Their number is
// prime to that of a block, so that every kind meets every place and every other kind.
std::vector<std::vector<std::uint16_t>> short_kinds(attncert_dtype half, std::size_t length) {
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<std::vector<float>> wide;
  for (const double spread : {3.0, 3.0, 3.0, 3.0, 40.0, 40.0, 0.01}) {
    wide.push_back(oracle::normal_logits<float>(length, spread, wide.size() + 1));
  }
  for (const float shift : {-200.0f, 200.0f, -300.0f, 3000.0f}) {
    wide.push_back(oracle::normal_logits<float>(length, 3, wide.size() + 1));
    for (float& x : wide.back()) x += shift;
  }
  for (const float odd : {std::nanf(""), infinity, -infinity, 6e4f, -0.0f}) {
    for (const std::size_t place : {std::size_t{0}, length - 1}) {
      wide.push_back(oracle::normal_logits<float>(length, 3, wide.size() + 1));
      wide.back()[place] = odd;
    }
  }
  wide.emplace_back(length, -infinity);
  wide.emplace_back(length, -0.0f);
  std::vector<std::vector<std::uint16_t>> kinds;
  for (const std::vector<float>& row : wide) {
    kinds.emplace_back(length);
    narrow(half, row.data(), kinds.back().data(), length);
  }
  for (const std::uint16_t nan : {std::uint16_t{0x7FFF}, std::uint16_t{0xFFFF}}) {
    kinds.push_back(kinds[0]);
    kinds.back()[length / 2] = nan;
  }
  return kinds;
}

// Pages between two that nobody may touch.
class Fenced {
 public:
  Fenced() : all_(mmap(nullptr, 4 * page(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    EXPECT_NE(all_, MAP_FAILED);
    EXPECT_EQ(mprotect(first(), 2 * page(), PROT_READ | PROT_WRITE), 0);
  }
  ~Fenced() { munmap(all_, 4 * page()); }
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;

  std::uint16_t* first() const { return reinterpret_cast<std::uint16_t*>(static_cast<char*>(all_) + page()); }
  std::uint16_t* last(std::size_t count) const { return first() + page() - count; }  // of 2 page() bytes

 private:
  static std::size_t page() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }
  void* all_;
};

// A row of every kind at the end of what may be touched, and elsewhere.
TEST_P(HalfRows, NothingBesideTheRowsIsTouched) {
  const Fenced input, output;
  for (const attncert_dtype half : {ATTNCERT_F16, ATTNCERT_BF16}) {
    for (const char* normalizer : {"softmax", "sparsemax", "entmax-1.5"}) {
      const attncert_kernel& kernel = *find_kernel(normalizer, half);
      for (std::size_t length = 1; length <= 1200; length += length < 160 ? 1 : 97) {
        for (const std::vector<std::uint16_t>& row : short_kinds(half, length)) {
          std::copy_n(row.data(), length, input.first());
          run_rows(kernel, input.first(), output.first(), 1, length, length);
          const std::vector<std::uint16_t> weights(output.first(), output.first() + length);
          std::copy_n(row.data(), length, input.last(length));
          run_rows(kernel, input.last(length), output.last(length), 1, length, length);
          ASSERT_TRUE(std::equal(weights.begin(), weights.end(), output.last(length))) << normalizer << " L " << length;
        }
      }
    }
  }
}

// The weights of each row, alone, by the f32 kernel.
std::vector<std::vector<float>> f32_weights(attncert_dtype half, const std::vector<std::vector<std::uint16_t>>& rows,
                                            double temperature) {
  std::vector<std::vector<float>> weights;
  for (const std::vector<std::uint16_t>& row : rows) {
    std::vector<float> wide(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) wide[i] = static_cast<float>(load_element(half, row.data(), i));
    weights.emplace_back(row.size());
    run_rows(*find_kernel("softmax", ATTNCERT_F32), wide.data(), weights.back().data(), 1, row.size(), row.size(),
             temperature);
  }
  return weights;
}

struct ShortBatch {
  std::size_t rows, length, stride, offset;
  double temperature;
};

// `first`: the kind of the first row. Returns the number of the first row that is not the f32 kernel's, or of which
// what lies between the rows changed; else `rows`.
std::size_t first_other_row(attncert_dtype half, const ShortBatch& batch,
                            const std::vector<std::vector<std::uint16_t>>& kinds,
                            const std::vector<std::vector<float>>& weights, std::size_t first) {
  Cells logits(batch.rows * batch.stride, batch.offset), got(batch.rows * batch.stride, batch.offset);
  for (std::size_t r = 0; r < batch.rows; ++r) {
    const std::vector<std::uint16_t>& row = kinds[(first + r) % kinds.size()];
    std::copy(row.begin(), row.end(), logits.data() + r * batch.stride);
  }
  run_rows(*find_kernel("softmax", half), logits.data(), got.data(), batch.rows, batch.length, batch.stride,
           batch.temperature);
  for (std::size_t r = 0; r < batch.rows; ++r) {
    const std::uint16_t* bits = got.data() + r * batch.stride;
    for (std::size_t i = 0; i < batch.stride; ++i) {
      std::uint16_t expected = kGuardBits;
      const float weight = i < batch.length ? weights[(first + r) % kinds.size()][i] : 0.0f;
      if (i < batch.length) store_element(half, &expected, 0, static_cast<double>(weight));
      if (std::isnan(weight) ? !std::isnan(load_element(half, bits, i)) : bits[i] != expected) return r;
    }
  }
  return batch.rows;
}

TEST_P(HalfRows, ShortRowsInAnyBatch) {
  for (const attncert_dtype half : {ATTNCERT_F16, ATTNCERT_BF16}) {
    for (std::size_t length = 1; length <= 66; ++length) {
      const std::vector<std::vector<std::uint16_t>> kinds = short_kinds(half, length);
      ASSERT_EQ(kinds.size(), 25u);
      for (const double temperature : {1.0, 0.7, 1e-3, 0x1p-100}) {  // the last: no row is short
        const std::vector<std::vector<float>> weights = f32_weights(half, kinds, temperature);
        const std::size_t spare = length % 5;
        for (const auto& [rows, first] :
             {std::pair<std::size_t, std::size_t>{1, 2}, {7, 0}, {25 * 17, 0}, {6, 22}, {16, 0}, {33, 5}}) {
          const ShortBatch batch{rows, length, length + spare, (rows + length) % 3, temperature};
          ASSERT_EQ(first_other_row(half, batch, kinds, weights, first), rows)
              << (half == ATTNCERT_F16 ? "f16" : "bf16") << " L " << length << " T " << temperature << " rows " << rows;
        }
      }
    }
  }
}

// Enough weights that some lie within two units in the last place of f32 of the middle between two halves (5 of 65536
// in bf16), where the side that the f32 kernel's falls on is decided by its last bit.
TEST_P(HalfRows, WeightsNearTheMiddleBetweenTwoHalves) {
  constexpr std::size_t count = std::size_t{1} << 20;
  for (const attncert_dtype half : {ATTNCERT_F16, ATTNCERT_BF16}) {
    for (const std::size_t length : {std::size_t{64}, std::size_t{500}, std::size_t{4100}}) {
      const std::size_t rows = count / length, used = rows * length;
      const std::vector<float> logits = oracle::normal_logits<float>(used, 3, length);
      std::vector<std::uint16_t> halves(used), got(used), expected(used);
      std::vector<float> wide(used), weights(used);
      narrow(half, logits.data(), halves.data(), used);
      widen(half, halves.data(), wide.data(), used);
      run_rows(*find_kernel("softmax", ATTNCERT_F32), wide.data(), weights.data(), rows, length, length, 0.7);
      run_rows(*find_kernel("softmax", half), halves.data(), got.data(), rows, length, length, 0.7);
      narrow(half, weights.data(), expected.data(), used);
      std::size_t near = 0;
      for (const float weight : weights) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &weight, sizeof bits);
        near += (bits & 0xFFFF) - 0x7FFEu <= 4 ? 1 : 0;
      }
      EXPECT_GE(near, 20u);
      EXPECT_EQ(got, expected) << (half == ATTNCERT_F16 ? "f16" : "bf16") << " L " << length;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(InstructionSet, HalfRows, testing::ValuesIn(instruction_sets()),
                         [](const auto& suite) { return suite.param; });

}  // namespace
}  // namespace attncert
