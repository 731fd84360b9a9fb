// The tape's format is for ever: bytes computed by a separate program (Python, from the description in tape.hpp; its
// SplitMix64 gives the published first output 6457827717110365317 for the state 1234567), widths of choices, ends, hex.
#include "src/core/tape.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <set>

namespace attncert {
namespace {

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

TEST(Tape, SameArgumentsSameBytesForEver) {
  EXPECT_EQ(hex(random_tape(1, "logits", 0, 12)), "011ea88ee1a9726cb8023fad1e");
  EXPECT_EQ(hex(random_tape(20251021, "theorem1-upper", 7, 17)), "010fd451ad4a5ebcbe833204341b92b1bf39");
  EXPECT_EQ(hex(random_tape(most, "", most, 9)), "010a3e123108314af177");
  EXPECT_EQ(hex(random_tape(1, "logits", 0, 0)), "01");
}

TEST(Tape, EveryArgumentMatters) {
  std::set<std::string> tapes;
  for (const std::uint64_t seed : {0, 1})
    for (const char* stream : {"", "a", "b", "ab", "ba"})
      for (const std::uint64_t number : {0, 1, 2}) tapes.insert(hex(random_tape(seed, stream, number, 16)));
  EXPECT_EQ(tapes.size(), 2u * 5u * 3u);
  EXPECT_TRUE(hex(random_tape(3, "x", 4, 40)).starts_with(hex(random_tape(3, "x", 4, 13)))) << "longer: the same start";
}

TEST(Tape, HexRoundTripsAndRejects) {
  const Tape tape = random_tape(7, "hex", 0, 100);
  const auto back = tape_from_hex(hex(tape));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, tape);
  EXPECT_TRUE(tape_from_hex("")->empty());
  for (const char* text : {"0", "012", "0g", "g0", "0A", "0x01", " 01", "01 "}) {
    const auto value = tape_from_hex(text);
    EXPECT_FALSE(value) << text;
    EXPECT_TRUE(value || value.error().message.find(';') != std::string::npos);
  }
}

TEST(Choices, TakeTheFewestBytesLittleEndian) {
  const Tape tape{1, 0x34, 0x12, 0x78, 0x56, 0x34, 0x12, 1, 2, 3, 4, 5, 6, 7, 8, 0xAB};
  Choices choices(tape);
  EXPECT_EQ(choices.used(), 1u) << "the version byte";
  EXPECT_EQ(choices.below(1), 0u);
  EXPECT_EQ(choices.used(), 1u);
  EXPECT_EQ(choices.below(65536), 0x1234u);
  EXPECT_EQ(choices.used(), 3u);
  EXPECT_EQ(choices.below(std::uint64_t{1} << 32), 0x12345678u);
  EXPECT_EQ(choices.used(), 7u);
  EXPECT_EQ(choices.word(), 0x0807060504030201u);
  EXPECT_EQ(choices.used(), 15u);
  EXPECT_EQ(choices.below(256), 0xABu);
  EXPECT_EQ(choices.used(), tape.size());
  EXPECT_EQ(choices.below(256), 0u) << "beyond the last byte";
  EXPECT_EQ(choices.used(), tape.size() + 1);
}

TEST(Choices, WidthsAtTheBorders) {
  const struct {
    std::uint64_t n;
    std::size_t bytes;
  } borders[] = {{1, 0},   {2, 1}, {256, 1}, {257, 2}, {65536, 2}, {65537, 4}, {1ull << 32, 4}, {(1ull << 32) + 1, 8},
                 {most, 8}};
  for (const auto& border : borders) {
    Choices choices(std::span<const std::uint8_t>{});
    EXPECT_EQ(choices.below(border.n), 0u);
    EXPECT_EQ(choices.used(), 1 + border.bytes) << border.n;
  }
}

TEST(Choices, AnEndedTapeGivesTheSimplest) {
  Choices choices(std::span<const std::uint8_t>{});
  EXPECT_EQ(choices.below(1000), 0u);
  EXPECT_EQ(choices.between(-5, 5), -5);
  EXPECT_FALSE(choices.flip());
  EXPECT_EQ(choices.unit(), 0.0);
  EXPECT_EQ(choices.word(), 0u);
  constexpr int items[] = {7, 8, 9};
  EXPECT_EQ(choices.pick(items), 7);
  const Tape half{1, 0xFF};  // a choice of four bytes of which one is there
  Choices cut(half);
  EXPECT_EQ(cut.below(std::uint64_t{1} << 32), 0xFFu);
  EXPECT_GT(cut.used(), half.size());
}

TEST(Choices, ReduceModuloAndStayInRange) {
  const Tape tape{1, 250, 3};
  Choices choices(tape);
  EXPECT_EQ(choices.below(100), 50u);
  EXPECT_EQ(choices.between(-1, 1), -1);
  for (std::uint64_t n = 0; n < 500; ++n) {
    const Tape random = random_tape(5, "range", n, 64);
    Choices drawn(random);
    ASSERT_LT(drawn.below(n + 1), n + 1);
    const std::int64_t low = -static_cast<std::int64_t>(n), high = static_cast<std::int64_t>(3 * n);
    const std::int64_t value = drawn.between(low, high);
    ASSERT_TRUE(low <= value && value <= high);
    const double u = drawn.unit();
    ASSERT_TRUE(0 <= u && u < 1);
  }
  const Tape ones{1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
  Choices whole(ones);
  EXPECT_EQ(whole.between(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()), -1);
  EXPECT_EQ(whole.unit(), 1 - 0x1p-32);
}

TEST(Choices, ReachEveryItem) {
  std::array<int, 5> seen{};
  for (std::uint64_t n = 0; n < 500; ++n) {
    const Tape tape = random_tape(9, "items", n, 8);
    ++seen[Choices(tape).below(5)];
  }
  for (const int count : seen) EXPECT_GT(count, 50);  // 100 each; 50 is 5.6 standard deviations below
}

}  // namespace
}  // namespace attncert
