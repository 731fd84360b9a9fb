// Kernels with one convention wrong each: the diagnosis names it, and never another one alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "properties/dumps/chosen_rows.hpp"
#include "properties/dumps/diagnosis.hpp"
#include "tests/cli/run.hpp"
#include "tests/properties/dumps/explained.hpp"
#include "tests/properties/dumps/plain_attention.hpp"

namespace attncert {
namespace {

struct Wrong {
  std::string name, expected;  // expected: a part of the sentence that is due
  std::function<void(Conventions&)> get_wrong;
};

void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.name; }

const std::vector<Wrong> of_output{
    {"scale_one", "the scale is 1", [](Conventions& c) { c.scale_factor = std::sqrt(8.0f); }},
    {"scale_size", "the scale is 1 / head size", [](Conventions& c) { c.scale_factor = 1 / std::sqrt(8.0f); }},
    {"scale_inverse", "the scale is divided by", [](Conventions& c) { c.scale_factor = 8; }},
    {"scale_model", "heads times head size", [](Conventions& c) { c.scale_factor = 0.5f; }},
    {"scale_log2e", "times log2(e)", [](Conventions& c) { c.scale_factor = 1.4426950408889634f; }},
    {"scale_ln2", "times ln 2", [](Conventions& c) { c.scale_factor = 0.6931471805599453f; }},
    {"not_causal", "no causal mask", [](Conventions& c) { c.causal = false; }},
    {"top_left", "begins at the top left", [](Conventions& c) { c.top_left = true; }},
    {"diagonal_left", "one key to the left", [](Conventions& c) { c.diagonal = -1; }},
    {"diagonal_right", "one key to the right", [](Conventions& c) { c.diagonal = 1; }},
    {"no_window", "there is no window", [](Conventions& c) { c.window = false; }},
    {"longer_window", "one key longer", [](Conventions& c) { c.longer_window = 1; }},
    {"shorter_window", "one key shorter", [](Conventions& c) { c.longer_window = -1; }},
    {"no_lengths", "lengths are not read", [](Conventions& c) { c.lengths = false; }},
    {"no_mask", "the mask is not read", [](Conventions& c) { c.mask = false; }},
    {"inverted_mask", "the mask is inverted", [](Conventions& c) { c.inverted = true; }},
    {"no_last_key", "the last key is missing", [](Conventions& c) { c.skipped_last = 1; }},
    {"no_first_key", "the first key is missing", [](Conventions& c) { c.skipped_first = 1; }},
    {"whole_tiles", "the last tile of 16 keys", [](Conventions& c) { c.whole_tiles = 16; }},
    {"only_16", "only the first 16 keys", [](Conventions& c) { c.only_first = 16; }},
    {"first_half", "first half", [](Conventions& c) { c.part = 1; }},
    {"second_half", "second half", [](Conventions& c) { c.part = 2; }},
    {"no_cap", "there is no softcap", [](Conventions& c) { c.cap = Cap::none; }},
    {"cap_first", "the softcap comes before the scale", [](Conventions& c) { c.cap = Cap::before_scale; }},
    {"cap_divides", "not multiplied back", [](Conventions& c) { c.cap = Cap::not_multiplied; }},
    {"cap_last", "the softcap comes after the bias", [](Conventions& c) { c.cap = Cap::after_bias; }},
    {"no_bias", "the bias is not read", [](Conventions& c) { c.bias = Bias::none; }},
    {"bias_first", "the bias is added before the scale", [](Conventions& c) { c.bias = Bias::before_scale; }},
    {"bias_base_2", "2^'s exponent", [](Conventions& c) { c.bias = Bias::in_base_2; }},
    {"bias_minus", "the bias is subtracted", [](Conventions& c) { c.bias = Bias::subtracted; }},
    {"no_sink", "the sink is missing", [](Conventions& c) { c.sink = Sink::none; }},
    {"sink_twice", "the sink counts twice", [](Conventions& c) { c.sink = Sink::twice; }},
    {"sink_scaled", "the sink is scaled", [](Conventions& c) { c.sink = Sink::scaled; }},
    {"sink_zero", "the sink is 0", [](Conventions& c) { c.sink = Sink::zero; }},
    {"heads_in_turn", "in turn", [](Conventions& c) { c.heads = Heads::in_turn; }},
    {"heads_first", "the first KV head", [](Conventions& c) { c.heads = Heads::first; }},
    {"first_batch", "every batch reads the first", [](Conventions& c) { c.first_batch = true; }},
    {"late_values", "values lie one key later", [](Conventions& c) { c.late_values = true; }},
    {"keys_for_values", "k is used in place of v", [](Conventions& c) { c.keys_for_values = true; }}};

const std::vector<Wrong> of_lse{
    {"base_2", "lse is in base 2", [](Conventions& c) { c.lse = Lse::base_2; }},
    {"without_maximum", "lacks the maximum", [](Conventions& c) { c.lse = Lse::without_maximum; }},
    {"maximum", "the maximum alone", [](Conventions& c) { c.lse = Lse::maximum; }},
    {"sum", "lse is Z itself", [](Conventions& c) { c.lse = Lse::sum; }},
    {"negative", "the other sign", [](Conventions& c) { c.lse = Lse::negative; }},
    {"mixed", "adds log2(Z)", [](Conventions& c) { c.lse = Lse::mixed; }},
    {"unscaled", "before its scale", [](Conventions& c) { c.lse = Lse::unscaled_maximum; }},
    {"without_sink", "lacks the sink", [](Conventions& c) { c.lse = Lse::without_sink; }}};

JudgedFile judged_with(const PlainInputs& inputs, const Conventions& conventions, const std::string& name) {
  return judged_file(plain_dump(inputs, conventions), name);
}

class OutputConvention : public testing::TestWithParam<Wrong> {};

TEST_P(OutputConvention, IsNamed) {
  Conventions conventions;
  GetParam().get_wrong(conventions);
  const JudgedFile result = judged_with(plain_inputs(1), conventions, GetParam().name);
  EXPECT_TRUE(result.verdict.output_fails);
  EXPECT_TRUE(names(result.explained, GetParam().expected)) << joined(result.explained);
  EXPECT_LE(result.explained.size(), 2) << joined(result.explained);
}

std::string name_of(const testing::TestParamInfo<Wrong>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Every, OutputConvention, testing::ValuesIn(of_output), name_of);

class LseConvention : public testing::TestWithParam<Wrong> {};

TEST_P(LseConvention, IsNamed) {
  Conventions conventions;
  GetParam().get_wrong(conventions);
  const JudgedFile result = judged_with(plain_inputs(2), conventions, "lse_" + GetParam().name);
  EXPECT_FALSE(result.verdict.output_fails);
  ASSERT_TRUE(result.verdict.lse_fails);
  EXPECT_EQ(result.explained.size(), 1) << joined(result.explained);
  EXPECT_TRUE(names(result.explained, GetParam().expected)) << joined(result.explained);
}

INSTANTIATE_TEST_SUITE_P(Every, LseConvention, testing::ValuesIn(of_lse), name_of);

TEST(Conventions, OfAlibiAreNamed) {
  PlainInputs inputs = plain_inputs(3);
  inputs.slopes = {0.5f, 0.25f, 0.125f, 0.0625f};
  Conventions none, opposite;
  none.slope_sign = 0;
  opposite.slope_sign = -1;
  EXPECT_TRUE(judged_with(inputs, {}, "alibi").verdict.holds());
  EXPECT_TRUE(names(judged_with(inputs, none, "no_alibi").explained, "slopes are not read"));
  EXPECT_TRUE(names(judged_with(inputs, opposite, "alibi_sign").explained, "the other sign"));
}

// Without a causal mask too, windows and ALiBi have a diagonal; a file may say where it lies.
TEST(Conventions, OfTheDiagonalOfWindowsAndSlopesAreNamed) {
  for (const bool window : {true, false}) {
    PlainInputs inputs = plain_inputs(5);
    inputs.causal = false;
    inputs.mask.clear();
    inputs.lengths.clear();
    if (!window) inputs.window = 0, inputs.slopes = {0.5f, 0.25f, 0.125f, 0.0625f};
    Conventions top_left;
    top_left.top_left = true;
    EXPECT_TRUE(judged_with(inputs, {}, "bottom_right").verdict.holds());
    WrittenDump dump = plain_dump(inputs, top_left);
    EXPECT_TRUE(names(judged_file(dump, "untold").explained, "slopes begins at the top left"));
    dump.metadata["diagonal"] = "top-left";
    EXPECT_TRUE(judged_file(dump, "told").verdict.holds()) << window;
    const auto opened = AttentionDump::open(dump.written("told"), {});
    ASSERT_TRUE(opened);
    EXPECT_NE(opened->description().find("; diagonal from the top left"), std::string::npos) << opened->description();
    dump = plain_dump(inputs);
    dump.metadata["diagonal"] = "top-left";
    EXPECT_TRUE(names(judged_file(dump, "other").explained, "slopes ends at the bottom right"));
  }
}

TEST(Conventions, OfAWindowsSecondSideIsNamed) {
  PlainInputs inputs = plain_inputs(5);
  inputs.causal = false;
  WrittenDump dump = plain_dump(inputs);
  dump.metadata["window-after"] = "5";
  EXPECT_TRUE(names(judged_file(dump, "one_side").explained, "the window has no second side"));
}

TEST(Conventions, OfADeclaredBaseOfTheLseAreNamed) {
  WrittenDump dump = plain_dump(plain_inputs(3));
  dump.metadata["lse-base"] = "2";
  EXPECT_EQ(judged_file(dump, "natural").explained, std::vector<std::string>{"lse is natural, not in base 2"});
  for (float& lse : dump.tensors["lse"].numbers) lse *= 1.4426950408889634f;
  EXPECT_TRUE(judged_file(dump, "base_2").verdict.holds());
}

// One LSE that strays by a little is near nothing that it could have been.
TEST(Conventions, AStrayLseHasNoName) {
  PlainInputs inputs = plain_inputs(3);
  std::fill(inputs.sinks.begin(), inputs.sinks.end(), -30.0f);
  WrittenDump dump = plain_dump(inputs);
  dump.tensors["lse"].numbers[10] += 1e-4f;
  const JudgedFile result = judged_file(dump, "stray_lse");
  EXPECT_TRUE(result.verdict.lse_fails);
  EXPECT_TRUE(result.explained.empty()) << joined(result.explained);
}

// One convention everywhere and other faults in some rows: the one is no explanation of what was computed.
TEST(Conventions, WhatSomeRowsContradictExplainsNothing) {
  Conventions scale;
  scale.scale_factor = std::sqrt(8.0f);
  WrittenDump dump = plain_dump(plain_inputs(4), scale);
  for (std::size_t n = 0; n < 2 * 8; ++n) dump.tensors["o"].numbers[n] *= -1;  // of two queries
  dump.tensors.erase("lse");
  const JudgedFile result = judged_file(dump, "mixed");
  EXPECT_TRUE(result.explained.empty()) << joined(result.explained);
}

// bf16 with a tile missing lies within the class of scores in bf16 too: that decides nothing. A kernel of that class
// holds as before.
TEST(Conventions, WhatAWiderClassHidesIsUndecided) {
  PlainShape shape{1, 2, 2, 6, 500, 64, 64};
  PlainInputs inputs = plain_inputs(7, shape);
  inputs.softcap = 0;
  inputs.causal = false;
  inputs.window = 0;
  for (std::vector<float>* const none : {&inputs.bias, &inputs.sinks, &inputs.lengths}) none->clear();
  inputs.mask.clear();
  const auto in_bf16 = [](std::vector<float>& numbers) {
    for (float& number : numbers)
      number = std::bit_cast<float>((std::bit_cast<std::uint32_t>(number) + 0x8000u) & 0xffff0000u);
  };
  for (auto* const numbers : {&inputs.q, &inputs.k, &inputs.v}) in_bf16(*numbers);
  const auto judged_half = [&](const Conventions& conventions, const std::string& name) {
    WrittenDump dump = plain_dump(inputs, conventions);
    dump.tensors.erase("lse");
    for (const char* const tensor : {"q", "k", "v", "o"}) {
      in_bf16(dump.tensors[tensor].numbers);
      dump.tensors[tensor].half = true;
    }
    return run_attncert("judge --all '" + dump.written(name) + "'");
  };
  Conventions tile, narrow;
  tile.whole_tiles = 16;  // 500 = 31 * 16 + 4
  narrow.narrow_weights = true;
  const Ran hidden = judged_half(tile, "hidden");
  EXPECT_EQ(hidden.status, 3) << hidden.output;
  EXPECT_NE(hidden.output.find("within the narrowest if the last tile of"), std::string::npos) << hidden.output;
  EXPECT_EQ(judged_half(narrow, "narrow").status, 0);
}

// Two at once: the pair is named, never one of them, nor a third.
TEST(Conventions, TwoAtOnceAreAPair) {
  const auto check = [](const std::string& name, const Conventions& conventions, const std::string& first,
                        const std::string& second) {
    const JudgedFile result = judged_with(plain_inputs(4), conventions, name);
    EXPECT_TRUE(result.verdict.output_fails) << name;
    for (const std::string& explained : result.explained) {
      EXPECT_NE(explained.find(first), std::string::npos) << name << "\n" << joined(result.explained);
      EXPECT_NE(explained.find(second), std::string::npos) << name << "\n" << joined(result.explained);
    }
    EXPECT_FALSE(result.explained.empty()) << name;
  };
  Conventions scale_and_corner, sink_and_bias, heads_and_window;
  scale_and_corner.scale_factor = std::sqrt(8.0f);
  scale_and_corner.top_left = true;
  sink_and_bias.sink = Sink::none;
  sink_and_bias.bias = Bias::none;
  heads_and_window.heads = Heads::in_turn;
  heads_and_window.longer_window = 1;
  check("pair_1", scale_and_corner, "the scale is 1", "top left");
  check("pair_2", sink_and_bias, "sink", "bias");
  check("pair_3", heads_and_window, "in turn", "window");
}

// What no convention explains gets no name: one element a thousand bounds off.
TEST(Conventions, AStrayElementHasNoName) {
  WrittenDump written = plain_dump(plain_inputs(5));
  written.tensors["o"].numbers[100] += 0.01f;
  const auto dump = AttentionDump::open(written.written("stray"), {});
  ASSERT_TRUE(dump);
  const auto classes = candidates(*dump);
  const DumpVerdict verdict = judged(*dump, chosen_rows(*dump, 0, 1), classes, 1, {});
  ASSERT_EQ(verdict.failing, 1);
  EXPECT_EQ(verdict.worst.list()[0].channel, 100 % 8);
  EXPECT_TRUE(diagnosis_of_output(*dump, verdict, classes.back().rounding, 0).explain.empty());
}

// Any kernel may return zeros, or NaN: no convention is blamed for it.
TEST(Conventions, NothingAtAllIsNamedAsThat) {
  for (const auto& [value, expected] : {std::pair{0.0F, "every output is 0"}, {std::nanf(""), "every output is NaN"}}) {
    WrittenDump written = plain_dump(plain_inputs(7));
    std::vector<float>& o = written.tensors["o"].numbers;
    std::fill(o.begin(), o.begin() + 13 * 8, value);  // of the first head
    EXPECT_EQ(judged_file(written, "nothing_of_a_head").explained.at(0),
              std::string(expected).insert(std::string("every output ").size(), "of the rows that differ "));
    std::fill(o.begin(), o.end(), value);
    const auto dump = AttentionDump::open(written.written("nothing"), {});
    ASSERT_TRUE(dump);
    const auto classes = candidates(*dump);
    const DumpVerdict verdict = judged(*dump, chosen_rows(*dump, 0, 1), classes, 1, {});
    EXPECT_EQ(diagnosis_of_output(*dump, verdict, classes.back().rounding, 0).explain,
              std::vector<std::string>{expected});
  }
}

// A convention of o and one of lse at once: the first does not stand alone for both.
TEST(Conventions, WhatTheLseHasBesideIsNamedToo) {
  Conventions both;
  both.top_left = true;
  EXPECT_EQ(judged_with(plain_inputs(8), both, "corner").explained,
            std::vector<std::string>{"the causal diagonal begins at the top left"});
  both.lse = Lse::base_2;
  EXPECT_EQ(judged_with(plain_inputs(8), both, "corner").explained,
            std::vector<std::string>{"the causal diagonal begins at the top left, and lse is in base 2"});
  both.lse = Lse::negative;
  EXPECT_TRUE(names(judged_with(plain_inputs(8), both, "corner").explained, ", and "));
}

// Weights in bf16, where f32 is declared: no convention, but a wider class.
TEST(Conventions, NarrowWeightsAreWithinAWiderClass) {
  PlainInputs inputs = plain_inputs(6);
  Conventions narrow;
  narrow.narrow_weights = true;
  const auto dump = AttentionDump::open(plain_dump(inputs, narrow).written("narrow"), {});
  ASSERT_TRUE(dump);
  const auto classes = candidates(*dump);
  const DumpVerdict verdict = judged(*dump, chosen_rows(*dump, 0, 1), classes, 1, {});
  ASSERT_TRUE(verdict.output_fails);
  for (const std::size_t jobs : {1, 4}) {
    const Diagnosis diagnosis = diagnosis_of_output(*dump, verdict, classes.back().rounding, jobs);
    EXPECT_TRUE(diagnosis.explain.empty()) << joined(diagnosis.explain);
    EXPECT_EQ(diagnosis.wider, "pbf16");
  }
}

TEST(Conventions, AnyNumberOfJobsSaysTheSame) {
  Conventions two;
  two.top_left = two.late_values = true;
  const auto dump = AttentionDump::open(plain_dump(plain_inputs(8), two).written("jobs"), {});
  ASSERT_TRUE(dump);
  const auto classes = candidates(*dump);
  const DumpVerdict verdict = judged(*dump, chosen_rows(*dump, 0, 1), classes, 1, {});
  const Diagnosis one = diagnosis_of_output(*dump, verdict, classes.back().rounding, 1);
  const Diagnosis four = diagnosis_of_output(*dump, verdict, classes.back().rounding, 4);
  EXPECT_EQ(one.explain, four.explain);
  EXPECT_EQ(one.nearest, four.nearest);
  EXPECT_EQ(one.distance, four.distance);
  EXPECT_FALSE(one.explain.empty() && one.nearest.empty());
}

}  // namespace
}  // namespace attncert
