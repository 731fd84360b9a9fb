// The mutator of the target `normalizer`: a function of tape and seed, whose floats move as floats.
#include "fuzz/normalizer_mutator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "fuzz/normalizer_case.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {
namespace {

constexpr std::uint64_t seeds = 10000;

// Four logits of f32, three of them given: 1, 2.5 and -3.
Tape with_three_floats() {
  const Tape four{tape_version, 0, 3};  // length kind 0, length 4
  NormalizerCase one = draw_normalizer_case(four);
  one.logits = {{0, 1.0}, {1, 2.5}, {3, -3.0}};
  return with_floats(four, one);
}

TEST(NormalizerMutator, SameSeedSameBytes) {
  const Tape tape = with_three_floats();
  std::set<std::string> results;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    EXPECT_EQ(mutated(tape, seed), mutated(tape, seed));
    results.insert(hex(mutated(tape, seed)));
  }
  EXPECT_GT(results.size(), 50u);
}

TEST(NormalizerMutator, FloatsAreWrittenAsTheyAreRead) {
  const NormalizerCase one = draw_normalizer_case(with_three_floats());
  EXPECT_EQ(one.row.logits, (std::vector<double>{1, 2.5, 0, -3}));
  EXPECT_EQ(with_floats(with_three_floats(), one), with_three_floats());
}

// From any bytes: a case whose kernel can be called, and a tape that the next mutation can start from.
TEST(NormalizerMutator, GivesTapes) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    Tape tape = seed % 5 == 0 ? Tape{} : random_tape(seed, "test", 0, seed % 200);
    for (std::uint64_t more = 0; more < 3; ++more) tape = mutated(tape, seed + more);
    const NormalizerCase one = draw_normalizer_case(tape);
    ASSERT_EQ(one.row.logits.size(), one.longer == 0 ? one.recipe.length : one.longer);
    ASSERT_LE(one.recipe.length, longest_row);
    ASSERT_LE(one.logits.size(), most_elements);
    for (const double value : one.row.logits)
      if (one.kernel != nullptr && !std::isnan(value)) {
        ASSERT_EQ(rounded(one.kernel->dtype_in, value), value);
      }
  }
}

// What the tape gives is spread over a long row, and the tape says its length.
TEST(NormalizerMutator, LongRows) {
  NormalizerCase one = draw_normalizer_case(with_three_floats());
  one.longer = 400;
  const Tape tape = with_floats(with_three_floats(), one);
  const NormalizerCase longer = draw_normalizer_case(tape);
  ASSERT_EQ(longer.row.logits.size(), 400u);
  EXPECT_EQ(longer.row.logits[0], 1);
  EXPECT_EQ(longer.row.logits[100], 2.5);
  EXPECT_EQ(longer.row.logits[300], -3);
  EXPECT_EQ(longer.row.logits[1], 0);
  EXPECT_EQ(with_floats(tape, longer), tape);
  bool past_16_bits = false;
  for (std::uint64_t seed = 0; seed < seeds; ++seed)
    past_16_bits = past_16_bits || draw_normalizer_case(mutated(with_three_floats(), seed)).longer > 65536;
  EXPECT_TRUE(past_16_bits);
}

// Whatever a tape asks for; and a long row of `long` keeps its length in most mutants, and comes past 16 bits in some.
TEST(NormalizerMutator, LengthsAreThoseOfTheTarget) {
  NormalizerCase asked = draw_normalizer_case(with_three_floats());
  asked.longer = 400;
  const Tape tape = with_floats(with_three_floats(), asked);
  std::set<std::size_t> lengths;
  std::size_t kept = 0;
  for (std::uint64_t seed = 0; seed < seeds; seed += 8) {
    const Tape any = random_tape(seed, "lengths", 0, seed % 200);
    EXPECT_EQ(draw_normalizer_case(any, Lengths::short_ones).longer, 0u);
    EXPECT_GT(draw_normalizer_case(any, Lengths::long_ones).longer, longest_row);
    EXPECT_EQ(draw_normalizer_case(mutated(tape, seed, false, Lengths::short_ones)).longer, 0u);
    const NormalizerCase one = draw_normalizer_case(mutated(tape, seed, true, Lengths::long_ones), Lengths::long_ones);
    ASSERT_EQ(one.row.logits.size(), one.longer);
    lengths.insert(one.longer);
    kept += one.longer == 400;
  }
  EXPECT_EQ(draw_normalizer_case(tape, Lengths::short_ones).row.logits, (std::vector<double>{1, 2.5, 0, -3}));
  EXPECT_EQ(draw_normalizer_case(tape, Lengths::long_ones).longer, 400u);
  EXPECT_GT(kept, seeds / 16);
  EXPECT_GT(*lengths.rbegin(), std::size_t{65536});
}

TEST(NormalizerMutator, AnyAlpha) {
  Tape tape = with_three_floats();
  const std::size_t at = draw_normalizer_case(tape).subject_at;
  while (draw_normalizer_case(tape).subject->name != "entmax") ++tape[at];
  NormalizerCase one = draw_normalizer_case(tape);
  one.alpha_above = 3;
  one.alpha_below = 4096;
  const NormalizerCase read = draw_normalizer_case(with_floats(tape, one));
  EXPECT_EQ(read.row.parameters.alpha_numerator, 4099u);
  EXPECT_EQ(read.row.parameters.alpha_denominator, 4096u);
  EXPECT_EQ(with_floats(tape, read), with_floats(tape, one));
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < seeds; ++seed)
    seen.insert(draw_normalizer_case(mutated(with_floats(tape, one), seed)).alpha_below);
  EXPECT_GT(seen.size(), 20u);
}

TEST(NormalizerMutator, MovesFloatsAsFloats) {
  const NormalizerCase before = draw_normalizer_case(with_three_floats());
  bool stepped = false, negated = false, tied = false, special = false, other_temperature = false;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const NormalizerCase after = draw_normalizer_case(mutated(with_three_floats(), seed));
    if (after.logits.size() != 3) continue;
    const double one = after.logits[0].value;
    stepped = stepped || one == 1 + 0x1p-23 || one == 1 - 0x1p-23;
    negated = negated || one == -1;
    tied = tied || one == 2.5;
    special = special || one == 0 || !std::isfinite(one);
    other_temperature = other_temperature || (after.row.temperature != 1 && after.temperature != 0);
  }
  EXPECT_TRUE(stepped && negated && tied && special && other_temperature)
      << stepped << negated << tied << special << other_temperature;
}

}  // namespace
}  // namespace attncert
