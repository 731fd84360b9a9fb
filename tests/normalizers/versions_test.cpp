// Structures of other versions (include/attncert/kernel.h): a kernel takes larger ones, fills short parameters up with
// the defaults, and refuses arguments that end before the first published version did.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

#include "src/kernel/dtype.hpp"
#include "src/kernel/kernel.hpp"

namespace attncert {
namespace {

constexpr std::size_t length = 5, newer = 64;

using Bytes = std::vector<unsigned char>;

// A structure of another size: what is beyond the known fields is no sensible value of any.
template <class T>
Bytes resized(T structure, std::size_t size) {
  structure.size = static_cast<std::uint32_t>(size);
  Bytes bytes(size, 0xff);
  std::memcpy(bytes.data(), &structure, std::min(size, sizeof structure));
  return bytes;
}

class VersionedCall {
 public:
  explicit VersionedCall(const attncert_kernel& kernel) : kernel_(kernel) {
    for (std::size_t i = 0; i < length; ++i) {
      constexpr double logits[length] = {0.5, -1, 2, 0.25, -3};
      store_element(kernel.dtype_in, input_.data(), i, logits[i]);
      store_element(kernel.dtype_in, upstream_.data(), i, i % 2 == 0 ? 1 : -0.5);
    }
    a_.size = sizeof a_;
    a_.rows = 1;
    a_.length = a_.input_stride = a_.output_stride = a_.upstream_stride = length;
    a_.input = input_.data();
    a_.temperature = 1;
    if (std::string_view(kernel.normalizer).ends_with("-vjp")) a_.upstream = upstream_.data();
    if (kernel.scratch_needed != nullptr) scratch_.resize(kernel.scratch_needed(&a_) / sizeof(Line) + 1);
    a_.scratch = scratch_.data();
    a_.scratch_bytes = scratch_.size() * sizeof(Line);
  }

  // The output after a run; every byte was 0xff before it.
  Bytes output(std::size_t arguments_size, const void* parameters) {
    Bytes bytes(length * format(kernel_.dtype_out).bytes, 0xff);
    a_.output = bytes.data();
    a_.parameters = parameters;
    const Bytes given = resized(a_, arguments_size);
    status = kernel_.run(reinterpret_cast<const attncert_arguments*>(given.data()));
    return bytes;
  }
  attncert_status status = ATTNCERT_OK;

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  const attncert_kernel& kernel_;
  alignas(8) std::array<std::byte, length * sizeof(double)> input_{}, upstream_{};
  std::vector<Line> scratch_;
  attncert_arguments a_{};
};

TEST(Versions, LargerStructuresAndShortParametersAreServed) {
  constexpr attncert_parameters defaults = ATTNCERT_DEFAULT_PARAMETERS;
  for (const attncert_kernel* kernel : built_in_kernels()) {
    VersionedCall call(*kernel);
    const Bytes right = call.output(sizeof(attncert_arguments), nullptr);
    ASSERT_EQ(call.status, ATTNCERT_OK) << kernel->name;
    EXPECT_EQ(call.output(sizeof(attncert_arguments) + newer, nullptr), right) << kernel->name;
    EXPECT_EQ(call.status, ATTNCERT_OK) << kernel->name;
    for (const std::size_t size : {offsetof(attncert_parameters, alpha_numerator), offsetof(attncert_parameters, scale),
                                   sizeof defaults, sizeof defaults + newer}) {
      const Bytes parameters = resized(defaults, size);
      EXPECT_EQ(call.output(sizeof(attncert_arguments), parameters.data()), right) << kernel->name << ", " << size;
    }
  }
}

TEST(Versions, ArgumentsThatEndEarlyAreRefusedAndNothingIsWritten) {
  for (const attncert_kernel* kernel : built_in_kernels()) {
    VersionedCall call(*kernel);
    for (const std::size_t size : {sizeof(std::uint32_t), offsetof(attncert_arguments, upstream_stride)}) {
      const Bytes output = call.output(size, nullptr);
      EXPECT_EQ(call.status, ATTNCERT_BAD_ARGUMENT) << kernel->name << ", " << size;
      EXPECT_EQ(output, Bytes(output.size(), 0xff)) << kernel->name << ", " << size;
    }
  }
}

}  // namespace
}  // namespace attncert
