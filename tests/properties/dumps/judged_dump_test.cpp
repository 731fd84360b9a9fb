// Dumps of right kernels hold; what is off by more than its bound is found where it is.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "properties/dumps/chosen_rows.hpp"
#include "properties/dumps/judged_rows.hpp"
#include "tests/cli/run.hpp"
#include "tests/properties/dumps/plain_attention.hpp"

namespace attncert {
namespace {

AttentionDump opened(const WrittenDump& written, const std::string& name,
                     const std::map<std::string, std::string>& options = {}) {
  auto dump = AttentionDump::open(written.written(name), options);
  if (!dump) throw std::runtime_error(dump.error().message);
  return std::move(*dump);
}

DumpVerdict verdict_of(const AttentionDump& dump) {
  return judged(dump, chosen_rows(dump, 0, 1), candidates(dump), 1, {});
}

TEST(JudgedDump, RightKernelsHoldOnTenSeeds) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    PlainShape shape;
    shape.queries = 1 + seed % 5;
    shape.keys = 11 + seed * 3;
    PlainInputs inputs = plain_inputs(seed, shape);
    if (seed % 2 == 0) inputs.slopes = {0.5f, 0.25f, 0.125f, 0.0625f};
    if (seed % 3 == 0) inputs.softcap = 0;
    const DumpVerdict verdict = verdict_of(opened(plain_dump(inputs), "right"));
    EXPECT_TRUE(verdict.holds()) << seed;
    EXPECT_EQ(verdict.rows.size(), shape.batches * shape.heads * shape.queries);
    EXPECT_EQ(verdict.vacuous, 0);
    EXPECT_EQ(verdict.too_narrow, "");
  }
}

// e^-inf adds nothing: the head is as one of a kernel without sinks.
TEST(JudgedDump, ASinkOfMinusInfinityIsNone) {
  PlainInputs inputs = plain_inputs(3);
  inputs.sinks = {-INFINITY, 0.5f, -INFINITY, 1};
  WrittenDump written = plain_dump(inputs);
  EXPECT_TRUE(verdict_of(opened(written, "some")).holds());
  WrittenDump none = plain_dump([&] {
    PlainInputs without = inputs;
    without.sinks.clear();
    return without;
  }());
  none.tensors["sinks"] = {{4}, std::vector<float>(4, -INFINITY), {}, false};
  EXPECT_TRUE(verdict_of(opened(none, "none")).holds());
  none.tensors["sinks"].numbers[1] = 0.5f;
  const DumpVerdict verdict = verdict_of(opened(none, "one"));
  EXPECT_FALSE(verdict.holds());
  for (const std::size_t row : verdict.failing_rows) EXPECT_EQ(row / inputs.shape.queries % 4, 1u) << row;
}

TEST(JudgedDump, AnLseMayHaveALastAxisOfOne) {
  WrittenDump written = plain_dump(plain_inputs(4));
  WrittenTensor& lse = written.tensors["lse"];
  lse.shape.push_back(1);
  EXPECT_TRUE(verdict_of(opened(written, "four")).holds());
  lse.numbers[5] += 1;
  EXPECT_TRUE(verdict_of(opened(written, "wrong")).lse_fails);
  lse.shape.back() = 2;
  lse.numbers.resize(2 * lse.numbers.size());
  EXPECT_THROW(opened(written, "two"), std::runtime_error);
}

// A right LSE, stored in bf16 or f16, has the error of its format. Two spacings of it away none is right.
TEST(JudgedDump, AnLseMayBeStoredNarrowly) {
  for (const std::string base : {"e", "2"})
    for (const std::string dtype : {"BF16", "F16"}) {
      Conventions conventions;
      if (base == "2") conventions.lse = Lse::base_2;
      WrittenDump written = plain_dump(plain_inputs(12), conventions);
      written.metadata["lse-base"] = base;
      const std::vector<float> numbers = written.tensors["lse"].numbers;
      const auto stored = [&](std::size_t at, float spacings) {
        WrittenTensor& lse = written.tensors["lse"];
        lse = {lse.shape, {}, {}, false, dtype};
        for (std::size_t n = 0; n < numbers.size(); ++n) {
          const float spacing = std::ldexp(1.0f, std::ilogb(numbers[n]) - (dtype == "F16" ? 10 : 7));
          const float moved = numbers[n] + (n == at ? spacings * spacing : 0);
          const std::uint16_t bits = dtype == "F16" ? Eigen::numext::bit_cast<std::uint16_t>(Eigen::half(moved))
                                                    : Eigen::numext::bit_cast<std::uint16_t>(Eigen::bfloat16(moved));
          lse.bytes.push_back(static_cast<std::uint8_t>(bits));
          lse.bytes.push_back(static_cast<std::uint8_t>(bits >> 8));
        }
        return verdict_of(opened(written, "narrow"));
      };
      EXPECT_TRUE(stored(0, 0).holds()) << dtype << base;
      for (const std::size_t at : {1u, 50u}) {
        const DumpVerdict verdict = stored(at, 3);
        EXPECT_EQ(verdict.failing_rows, std::vector<std::size_t>{at}) << dtype << base;
        EXPECT_TRUE(verdict.lse_fails);
      }
    }
}

TEST(JudgedDump, OfOutputsThatAreZeroTheBoundIsNoShare) {
  PlainInputs inputs = plain_inputs(13);
  std::fill(inputs.v.begin(), inputs.v.end(), 0.0F);
  const WrittenDump written = plain_dump(inputs);
  const DumpVerdict verdict = verdict_of(opened(written, "zero"));
  EXPECT_TRUE(verdict.holds());
  EXPECT_EQ(verdict.shares.weak_rows, 0);
  EXPECT_EQ(verdict.shares.quantile(0.99), 0);
  const Ran ran = run_attncert("judge '" + written.written("zero") + "'");
  EXPECT_NE(ran.output.find("exact outputs are all 0"), std::string::npos) << ran.output;
  EXPECT_EQ(ran.output.find("median"), std::string::npos) << ran.output;
}

// One bit of o, any of the 32: what moves the element by more than its bound is found there, what does not is accepted.
// Exact values and bounds for the expectation come from the unchanged file's row.
TEST(JudgedDump, OneFlippedBitIsFoundOrHolds) {
  PlainShape shape{1, 2, 1, 3, 9, 4, 4};
  std::mt19937_64 engine(7);
  int found = 0, held = 0;
  for (int n = 0; n < 100; ++n) {
    WrittenDump written = plain_dump(plain_inputs(100 + n, shape));
    std::vector<float>& o = written.tensors["o"].numbers;
    const std::size_t at = engine() % o.size(), head = at / 12, query = at / 4 % 3, channel = at % 4;
    const Place place{0, head, query};
    const std::map<std::string, std::string> f32{{"class", "f32"}};
    const AttentionDump right = opened(written, "flip", f32);
    const KeysAndValues shared = right.keys_and_values(0, 0);
    const auto before = elements_of(right, place, right.row(place, shared), candidates(right)[0].rounding);
    const float flipped = std::bit_cast<float>(std::bit_cast<std::uint32_t>(o[at]) ^ (1u << engine() % 32));
    const double moved = std::abs(static_cast<double>(flipped) - before[channel].exact);
    o[at] = flipped;
    const DumpVerdict verdict = verdict_of(opened(written, "flip", f32));
    const bool beyond = !(moved <= before[channel].bound);
    EXPECT_EQ(verdict.failing, beyond ? 1 : 0) << n;
    (beyond ? found : held)++;
    if (!beyond) continue;
    EXPECT_EQ(verdict.worst.list()[0].channel, channel) << n;
    EXPECT_EQ(verdict.failing_rows, std::vector<std::size_t>{head * 3 + query}) << n;
  }
  EXPECT_GE(found, 15);
  EXPECT_GE(held, 15);
}

// Half of a sample are the rows that stray most: one wrong element among thousands of rows is in it.
TEST(JudgedDump, ASampleHasTheRowThatStrays) {
  PlainShape shape{1, 4, 2, 300, 40, 8, 8};
  WrittenDump written = plain_dump(plain_inputs(11, shape));
  for (const std::size_t at : {5u, 2222u, 9599u}) {
    WrittenDump changed = written;
    changed.tensors["o"].numbers[at] += 0.01f;
    const AttentionDump dump = opened(changed, "sampled");
    const auto rows = chosen_rows(dump, 16, 2);
    EXPECT_LE(rows.size(), 16);
    const DumpVerdict verdict = judged(dump, rows, candidates(dump), 2, {});
    ASSERT_EQ(verdict.failing_rows.size(), 1) << at;
    EXPECT_EQ(verdict.failing_rows[0], at / 8);
  }
}

TEST(JudgedDump, LayoutsAndBasesAreSettings) {
  const PlainInputs inputs = plain_inputs(12);
  const PlainShape& s = inputs.shape;
  WrittenDump written = plain_dump(inputs);
  for (const char* name : {"q", "k", "v", "o"}) {
    WrittenTensor& tensor = written.tensors[name];
    const std::vector<float> from = tensor.numbers;
    const std::size_t heads = tensor.shape[1], length = tensor.shape[2], size = tensor.shape[3];
    for (std::size_t n = 0; n < from.size(); ++n) {
      const std::size_t b = n / (heads * length * size), h = n / (length * size) % heads, i = n / size % length;
      tensor.numbers[((b * length + i) * heads + h) * size + n % size] = from[n];
    }
    std::swap(tensor.shape[1], tensor.shape[2]);
  }
  for (float& lse : written.tensors["lse"].numbers) lse *= 1.4426950408889634f;
  written.metadata["layout"] = "blhd";
  EXPECT_FALSE(verdict_of(opened(written, "layout")).holds());
  EXPECT_TRUE(verdict_of(opened(written, "layout", {{"lse-base", "2"}})).holds());
  EXPECT_EQ(opened(written, "layout").shape().queries, s.queries);
}

// What a masked key holds has no influence; what a kept one holds keeps the row from being judged.
TEST(JudgedDump, NoNumbersWhereNothingIsRead) {
  PlainInputs inputs = plain_inputs(13);
  inputs.mask.clear();
  WrittenDump written = plain_dump(inputs);
  for (std::size_t c = 0; c < 8; ++c) {  // the last key of the second batch is beyond its length
    written.tensors["k"].numbers[((1 * 2 + 0) * 37 + 36) * 8 + c] = NAN;
    written.tensors["v"].numbers[((1 * 2 + 1) * 37 + 36) * 8 + c] = INFINITY;
  }
  EXPECT_TRUE(verdict_of(opened(written, "masked")).holds());
  written.tensors["q"].numbers[0] = NAN;
  const DumpVerdict verdict = verdict_of(opened(written, "masked"));
  EXPECT_TRUE(verdict.holds());
  EXPECT_EQ(verdict.reading_no_number(), 1);
  written.tensors["o"].numbers[8] = NAN;
  EXPECT_EQ(verdict_of(opened(written, "masked")).failing, 1);
}

// Outputs of doubles, rounded, are within every class of f32. Weights in f16 may be off by 2^-11, in bf16 by 2^-8:
// outputs that are off by 2^-12 are within the former and no class of f32, by 2^-9 within the latter alone.
TEST(JudgedDump, TheNarrowestClassThatHoldsIsNamed) {
  struct Case {
    std::string declared;
    float off;
    std::string family;  // what the name of the narrower class begins with
  };
  for (const Case& c : {Case{"sbf16-unfused", 0, "f32"}, Case{"pbf16-block-16", 0, "f32"}, Case{"f32", 0, "f32"},
                        Case{"pbf16", 0x1p-12f, "pf16"}, Case{"pbf16", 0x1p-9f, "pbf16"}}) {
    WrittenDump written = plain_dump(plain_inputs(14));
    for (float& o : written.tensors["o"].numbers) o += o * c.off;
    const std::string file = written.written("narrow");
    const auto as = [&](const std::string& rounding) {
      return nlohmann::json::parse(run_attncert("judge --json --class " + rounding + " '" + file + "'").output);
    };
    const auto wide = as(c.declared);
    const std::string narrower = wide.value("within_narrower_class", "none");
    SCOPED_TRACE(c.declared + ": " + narrower);
    EXPECT_EQ(wide["verdict"], "holds");
    ASSERT_TRUE(narrower.starts_with(c.family));
    EXPECT_NE(narrower, c.declared);
    const auto narrow = as(narrower);
    EXPECT_EQ(narrow["verdict"], "holds");
    EXPECT_LE(narrow["bound_share"]["median"], wide["bound_share"]["median"]);  // of bins of an eighth of an octave
    EXPECT_NE(narrow.value("within_narrower_class", ""), c.declared);
  }
}

// Of 512 equal values both sums may be off by 512 units: 2^-24 each in f32, and of the output's in f16 2^-11.
TEST(JudgedDump, BoundsThatSayLittleAreCalledWeak) {
  constexpr std::size_t keys = 512;
  WrittenDump dump;
  dump.tensors["q"] = {{1, 1, 1, 1}, {1}, {}, false};
  dump.tensors["k"] = {{1, 1, keys, 1}, std::vector<float>(keys, 0), {}, false};
  dump.tensors["v"] = {{1, 1, keys, 1}, std::vector<float>(keys, 1), {}, false};
  dump.tensors["o"] = {{1, 1, 1, 1}, {1}, {}, false};
  const std::string file = dump.written("weak");
  const auto judged_as = [&](const std::string& rounding) {
    return nlohmann::json::parse(run_attncert("judge --json --class " + rounding + " '" + file + "'").output);
  };
  const auto single = judged_as("f32-three-pass"), half = judged_as("of16");
  const double least = 2 * keys * 0x1p-24;
  EXPECT_GE(single["bound_share"]["median"], least);
  EXPECT_LE(single["bound_share"]["99%"], 1.2 * least);
  EXPECT_EQ(single["weak_rows"], 0);
  EXPECT_GE(half["bound_share"]["median"], keys * 0x1p-11);
  EXPECT_EQ(half["weak_rows"], 1);
}

TEST(JudgedDump, TheProgramSaysSoAndExits) {
  const WrittenDump right = plain_dump(plain_inputs(14));
  const Ran holds = run_attncert("judge '" + right.written("cli_right") + "'");
  EXPECT_EQ(holds.status, 0) << holds.errors;
  EXPECT_NE(holds.output.find("holds: 936 elements of all 104 rows"), std::string::npos) << holds.output;
  Conventions wrong;
  wrong.top_left = true;
  const std::string file = plain_dump(plain_inputs(14), wrong).written("cli_wrong");
  const Ran differs = run_attncert("judge '" + file + "'");
  EXPECT_EQ(differs.status, 1) << differs.errors;
  EXPECT_NE(differs.output.find("the causal diagonal begins at the top left"), std::string::npos) << differs.output;
  EXPECT_EQ(run_attncert("judge --causal top-left '" + file + "'").status, 0);
  const std::string row = (fresh_folder("repro") / "row.safetensors").string();
  const Ran saved = run_attncert("judge --save-repro '" + row + "' '" + file + "'");
  const Ran again = run_attncert("judge --json '" + row + "'");
  EXPECT_EQ(saved.status, 1);
  EXPECT_EQ(again.status, 1) << again.errors;
  const std::string shown = saved.output.substr(saved.output.find("worst elements"));
  const std::string first = shown.substr(shown.find('\n') + 3, shown.find('[') - shown.find('\n') - 3);
  EXPECT_NE(again.output.find("\"tensor\":\"" + first + "\""), std::string::npos) << again.output;
  const Ran json = run_attncert("judge --json '" + file + "'");
  EXPECT_EQ(json.status, 1);
  EXPECT_NE(json.output.find("\"verdict\":\"differs\""), std::string::npos) << json.output;
}

}  // namespace
}  // namespace attncert
