// guarded_call gives kernels what kernel.h promises and no more, and sees what they do beside their rows.
#include "properties/conformance/accuracy/guarded_call.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "src/kernel/dtype.hpp"

namespace attncert {
namespace {

constexpr std::size_t wanted = 100;  // bytes of scratch

struct Seen {
  attncert_arguments arguments;
  std::vector<unsigned char> scratch;
  std::vector<double> upstream;
};
Seen seen;

attncert_status look(const attncert_arguments* a) {
  seen.arguments = *a;
  const auto* scratch = static_cast<const unsigned char*>(a->scratch);
  seen.scratch.assign(scratch, scratch + a->scratch_bytes);
  for (std::size_t r = 0; r < a->rows; ++r)
    for (std::size_t i = 0; i < a->length; ++i) {
      store_element(ATTNCERT_F32, a->output, r * a->output_stride + i, 0);
      if (a->upstream != nullptr)
        seen.upstream.push_back(load_element(ATTNCERT_F32, a->upstream, r * a->upstream_stride + i));
    }
  return ATTNCERT_OK;
}

template <int at>
attncert_status write_scratch(const attncert_arguments* a) {
  std::fill_n(static_cast<unsigned char*>(a->scratch), wanted, std::uint8_t{1});
  static_cast<unsigned char*>(a->scratch)[at] = 1;
  return look(a);
}

std::size_t wants(const attncert_arguments*) { return wanted; }

attncert_kernel probe(attncert_status (*run)(const attncert_arguments*), const char* normalizer = "softmax",
                      attncert_dtype dtype = ATTNCERT_F32) {
  return {ATTNCERT_KERNEL_ABI,
          sizeof(attncert_kernel),
          "probe",
          normalizer,
          dtype,
          dtype,
          "any",
          "default",
          run,
          wants,
          nullptr,
          0};
}

std::uintptr_t address(const void* at) { return reinterpret_cast<std::uintptr_t>(at); }

TEST(GuardedCall, AnUpstreamHasAStrideOfItsOwn) {
  seen = {};
  LogitRow batch{{1, 2, 3, 4, 5, 6}, 1, {}};
  batch.upstream = {6, 5, 4, 3, 2, 1};
  Layout layout{.input_padding = 2};
  layout.upstream_padding = 7;
  EXPECT_FALSE(guarded_call(probe(look, "softmax-vjp"), batch, 2, layout).wrote_outside);
  EXPECT_EQ(seen.arguments.input_stride, 5u);
  EXPECT_EQ(seen.arguments.upstream_stride, 10u);
  EXPECT_EQ(seen.upstream, batch.upstream);
}

TEST(GuardedCall, ScratchHoldsWhatWasAskedFor) {
  for (const Found found : {Found::nan, Found::number}) {
    Layout layout;
    layout.scratch = found;
    EXPECT_FALSE(guarded_call(probe(look), {{1, 2, 3}, 1, {}}, 1, layout).wrote_outside);
    EXPECT_EQ(seen.scratch, std::vector<unsigned char>(wanted, static_cast<unsigned char>(found)));
    EXPECT_EQ(address(seen.arguments.scratch) % 128, 64u);  // no more than the promised 64
  }
}

TEST(GuardedCall, SeesWhoWritesBesideItsScratch) {
  const LogitRow row{{1, 2, 3}, 1, {}};
  EXPECT_FALSE(guarded_call(probe(write_scratch<0>), row).wrote_outside);
  EXPECT_FALSE(guarded_call(probe(write_scratch<wanted - 1>), row).wrote_outside);
  EXPECT_TRUE(guarded_call(probe(write_scratch<wanted>), row).wrote_outside);
  EXPECT_TRUE(guarded_call(probe(write_scratch<wanted + 63>), row).wrote_outside);
  EXPECT_TRUE(guarded_call(probe(write_scratch<-1>), row).wrote_outside);
  EXPECT_TRUE(guarded_call(probe(write_scratch<-64>), row).wrote_outside);
}

// Aligned to an element, always; and, over the offsets of a layout, at every such place of 64 bytes.
template <class T>
void expect_every_place(attncert_dtype dtype) {
  std::set<std::uintptr_t> inputs, outputs;
  for (std::size_t offset = 0; offset < 64 / sizeof(T); ++offset) {
    Layout layout;
    layout.offset = offset;
    guarded_call(probe(
                     [](const attncert_arguments* a) {
                       seen.arguments = *a;
                       return ATTNCERT_BAD_ARGUMENT;
                     },
                     "softmax", dtype),
                 {{1, 2, 3}, 1, {}}, 1, layout);
    for (const void* at : {seen.arguments.input, static_cast<const void*>(seen.arguments.output)})
      EXPECT_EQ(address(at) % sizeof(T), 0u);
    inputs.insert(address(seen.arguments.input) % 64);
    outputs.insert(address(seen.arguments.output) % 64);
  }
  EXPECT_EQ(inputs.size(), 64 / sizeof(T));
  EXPECT_EQ(outputs.size(), 64 / sizeof(T));
}

TEST(GuardedCall, BuffersAreAlignedToAnElementAndNoMore) {
  expect_every_place<float>(ATTNCERT_F32);
  expect_every_place<double>(ATTNCERT_F64);
  expect_every_place<std::uint16_t>(ATTNCERT_F16);
  expect_every_place<std::uint16_t>(ATTNCERT_BF16);
}

}  // namespace
}  // namespace attncert
