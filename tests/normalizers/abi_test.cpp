// The parts of the ABI (include/attncert/kernel.h) that are not about numbers, on the built-in kernels: scratch_needed,
// and fields that mean nothing. Also what docs/contracts.md promises of the built-in kernels alone: they work in place.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "src/kernel/dtype.hpp"
#include "src/kernel/kernel.hpp"
#include "src/normalizers/exponential/softmax_sizes.hpp"
#include "tests/normalizers/oracle.hpp"

namespace attncert {
namespace {

struct alignas(64) Line {
  std::byte bytes[64];
};
using Lines = std::vector<Line>;

Lines lines_for(std::size_t bytes) { return Lines(bytes / sizeof(Line) + 1); }

// A valid call of rows with gaps between them; a derivative has an upstream.
class Call {
 public:
  Call(const attncert_kernel& kernel, std::size_t rows, std::size_t length)
      : kernel_(kernel), bytes_(format(kernel.dtype_in).bytes) {
    const std::size_t stride = length + gap, elements = rows * stride;
    const bool derivative = std::string_view(kernel.normalizer).ends_with("-vjp");
    a.size = sizeof a;
    a.rows = rows;
    a.length = length;
    a.input_stride = a.output_stride = a.mask_stride = a.upstream_stride = stride;
    a.temperature = 0.75;
    for (Lines* lines : {&input_, &output_, &upstream_}) *lines = lines_for(elements * bytes_);
    // A prime: neither rows nor their neighbours repeat each other soon.
    static const std::vector<double> drawn = oracle::normal_logits<double>(4099, 3, 1);
    for (std::size_t i = 0; i < elements; ++i) {
      const double logit = drawn[i % drawn.size()], slope = drawn[(i + drawn.size() / 2) % drawn.size()];
      store_element(kernel.dtype_in, input_.data(), i, rounded(kernel.dtype_in, logit));
      if (derivative) store_element(kernel.dtype_in, upstream_.data(), i, rounded(kernel.dtype_in, slope));
    }
    a.input = input_.data();
    a.output = output_.data();
    if (derivative) a.upstream = upstream_.data();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  void set(std::size_t index, double value) { store_element(kernel_.dtype_in, input_.data(), index, value); }
  void work_in_place() { a.output = input_.data(); }
  std::size_t scratch() const { return kernel_.scratch_needed == nullptr ? 0 : kernel_.scratch_needed(&a); }
  attncert_status run() {
    scratch_ = lines_for(scratch());
    a.scratch = scratch_.data();
    a.scratch_bytes = scratch();
    return kernel_.run(&a);
  }
  // The values of the rows, one behind the other; any NaN is as good as another.
  std::vector<double> rows() const {
    std::vector<double> dense;
    for (std::size_t r = 0; r < a.rows; ++r)
      for (std::size_t i = 0; i < a.length; ++i)
        dense.push_back(load_element(kernel_.dtype_out, a.output, r * a.output_stride + i));
    return dense;
  }
  attncert_arguments a{};

 private:
  static constexpr std::size_t gap = 3;
  const attncert_kernel& kernel_;
  std::size_t bytes_;
  Lines input_, output_, upstream_, scratch_;
};

bool same_values(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return (std::isnan(x) && std::isnan(y)) || (x == y && std::signbit(x) == std::signbit(y));
  });
}

TEST(Abi, ScratchIsAskedForBeforeThereAreBuffers) {
  for (const attncert_kernel* kernel : built_in_kernels())
    for (const std::size_t length : {std::size_t{5}, std::size_t{700}}) {
      Call call(*kernel, 3, length);
      const std::size_t needed = call.scratch();
      call.a.input = call.a.upstream = nullptr;
      call.a.output = nullptr;
      EXPECT_EQ(call.scratch(), needed) << kernel->name;
    }
}

// scratch_needed may give any number here, but it must return.
TEST(Abi, ScratchIsAskedForWhateverTheArgumentsAre) {
  constexpr std::size_t huge = std::numeric_limits<std::size_t>::max();
  const attncert_parameters bad{sizeof bad, 3, 1, 0, 0, NAN, NAN};
  for (const attncert_kernel* kernel : built_in_kernels()) {
    attncert_arguments nothing{};
    nothing.size = sizeof nothing;
    for (const std::size_t rows : {std::size_t{0}, std::size_t{2}, huge})
      for (const std::size_t length : {std::size_t{0}, std::size_t{5}, huge})
        for (const void* parameters : {static_cast<const void*>(nullptr), static_cast<const void*>(&bad)}) {
          nothing.rows = rows;
          nothing.length = length;
          nothing.parameters = parameters;
          nothing.temperature = NAN;
          if (kernel->scratch_needed != nullptr) std::ignore = kernel->scratch_needed(&nothing);
        }
  }
}

TEST(Abi, NothingToWriteNeedsNoScratch) {
  for (const attncert_kernel* kernel : built_in_kernels())
    for (const bool rows : {false, true}) {
      Call call(*kernel, 2, 5);
      (rows ? call.a.length : call.a.rows) = 0;
      EXPECT_EQ(kernel->run(&call.a), ATTNCERT_OK) << kernel->name;
    }
}

// In one order, whatever the type: scratch, then parameters, then the first element, under a mask too.
TEST(Abi, RefusedParametersComeBehindScratchAndBeforeAnyElement) {
  attncert_parameters bad = ATTNCERT_DEFAULT_PARAMETERS;
  bad.k = 0, bad.order = 3, bad.alpha_numerator = bad.alpha_denominator;
  bad.scale = bad.bias = std::numeric_limits<double>::quiet_NaN();
  std::size_t refused = 0;
  for (const attncert_kernel* kernel : built_in_kernels()) {
    if (kernel->isa == device_isa) continue;
    Call call(*kernel, 3, 5);
    const std::vector<std::uint8_t> keep(3 * call.a.mask_stride, 0);
    call.a.parameters = &bad;
    call.a.mask = keep.data();
    if (call.scratch() > 0) {
      EXPECT_EQ(kernel->run(&call.a), ATTNCERT_SHORT_SCRATCH) << kernel->name;
    }
    if (call.run() != ATTNCERT_BAD_PARAMETER) continue;
    ++refused;
    EXPECT_TRUE(same_values(call.rows(), std::vector<double>(15, 0))) << kernel->name;
  }
  EXPECT_GE(refused, 40u);
}

TEST(Abi, StridesOfBuffersThatAreNotThereSayNothing) {
  for (const attncert_kernel* kernel : built_in_kernels()) {
    Call call(*kernel, 3, 5);
    ASSERT_EQ(call.run(), ATTNCERT_OK) << kernel->name;
    const std::vector<double> right = call.rows();
    for (const std::size_t stride : {std::size_t{0}, std::size_t{4}, std::numeric_limits<std::size_t>::max()}) {
      call.a.mask_stride = stride;
      if (call.a.upstream == nullptr) call.a.upstream_stride = stride;
      EXPECT_EQ(call.run(), ATTNCERT_OK) << kernel->name << ", " << stride;
      EXPECT_TRUE(same_values(call.rows(), right)) << kernel->name << ", " << stride;
    }
  }
}

class InPlace : public testing::TestWithParam<std::string> {
 protected:
  ForcedInstructionSet forced_{GetParam()};
};

// Ordinary rows; from five rows on, also one of each kind of degenerate row.
void spoil(Call& call) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double odd[] = {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()};
  for (std::size_t r = 0; call.a.length >= 5 && r + 2 < call.a.rows; ++r)
    call.set(r * call.a.input_stride + call.a.length / 2, odd[r % std::size(odd)]);
}

TEST_P(InPlace, EveryKernelGivesTheSameBits) {
  for (const attncert_kernel* kernel : built_in_kernels())
    for (const std::size_t length : {1u, 5u, 37u, 64u, 129u, 600u})
      for (const bool masked : {false, true}) {
        Call apart(*kernel, 5, length), in_place(*kernel, 5, length);
        std::vector<std::uint8_t> keep(5 * apart.a.mask_stride, 1);
        for (std::size_t i = 0; i < keep.size(); i += 3) keep[i] = 0;
        for (Call* call : {&apart, &in_place}) {
          spoil(*call);
          if (masked) call->a.mask = keep.data();
        }
        in_place.work_in_place();
        ASSERT_EQ(apart.run(), ATTNCERT_OK) << kernel->name;
        ASSERT_EQ(in_place.run(), ATTNCERT_OK) << kernel->name;
        ASSERT_TRUE(same_values(in_place.rows(), apart.rows()))
            << kernel->name << ", " << length << (masked ? ", masked" : "");
      }
}

// Batches so large that kernels prefetch rows and store past the caches (softmax_sizes.hpp).
TEST(Abi, InPlaceBeyondTheCaches) {
  constexpr std::size_t length = 500;
  for (const auto& [normalizer, dtype] : {std::pair{"softmax", ATTNCERT_F16},
                                          {"softmax", ATTNCERT_BF16},
                                          {"sparsemax", ATTNCERT_F32},
                                          {"entmax-1.5", ATTNCERT_F32}}) {
    const std::size_t rows = dtype == ATTNCERT_F32 ? 8500 : 16900;
    ASSERT_TRUE(dtype == ATTNCERT_F32 ? beyond_caches<float>(rows, length)
                                      : beyond_caches<std::uint16_t>(rows, length));
    const attncert_kernel& kernel = *find_kernel(normalizer, dtype);
    Call apart(kernel, rows, length), in_place(kernel, rows, length);
    in_place.work_in_place();
    for (Call* call : {&apart, &in_place}) ASSERT_EQ(call->run(), ATTNCERT_OK) << kernel.name;
    EXPECT_TRUE(same_values(in_place.rows(), apart.rows())) << kernel.name;
  }
}

INSTANTIATE_TEST_SUITE_P(InstructionSet, InPlace, testing::ValuesIn(instruction_sets()),
                         [](const auto& suite) { return suite.param; });

}  // namespace
}  // namespace attncert
