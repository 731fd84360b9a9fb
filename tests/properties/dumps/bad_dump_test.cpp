// Files that are no dumps: one line that says what, where and the mend; and files that were damaged at random.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "properties/dumps/chosen_rows.hpp"
#include "properties/dumps/gradients/gradient_diagnosis.hpp"
#include "tests/cli/run.hpp"
#include "tests/properties/dumps/plain_gradients.hpp"

namespace attncert {
namespace {

struct Bad {
  std::string name, expected;
  std::function<void(WrittenDump&)> spoil;
};

void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.name; }

const std::vector<Bad> bad_dumps{
    {"no_output", "tensor \"o\" is missing", [](WrittenDump& d) { d.tensors.erase("o"); }},
    {"unknown_tensor", "tensor \"attn_bias\" is none of",
     [](WrittenDump& d) { d.tensors["attn_bias"] = d.tensors["bias"]; }},
    {"five_axes", "it is to have 2 to 4 axes",
     [](WrittenDump& d) {
       d.tensors["q"].shape = {1, 2, 4, 13, 8};
     }},
    {"other_size", "tensor \"k\" has 4 where 8 are due",
     [](WrittenDump& d) {
       d.tensors["k"].shape = {2, 4, 37, 4};
     }},
    {"other_layout", "layout blhd", [](WrittenDump& d) { d.metadata["layout"] = "blhd"; }},
    {"heads_uneven", "are no multiple",
     [](WrittenDump& d) {
       d.tensors["k"].shape = {2, 3, 37, 8};
       d.tensors["k"].numbers.resize(2 * 3 * 37 * 8);
       d.tensors["v"] = d.tensors["k"];
     }},
    {"short_output", "tensor \"o\" has",
     [](WrittenDump& d) {
       d.tensors["o"].shape = {2, 4, 12, 8};
       d.tensors["o"].numbers.resize(2 * 4 * 12 * 8);
     }},
    {"mask_of_numbers", "one that is added to the scores is called bias",
     [](WrittenDump& d) { d.tensors["mask"] = d.tensors["bias"]; }},
    {"mask_too_small", "tensor \"mask\" has 26 where 13 are due",
     [](WrittenDump& d) {
       d.tensors["mask"].shape = {26, 18};
       d.tensors["mask"].bytes.resize(26 * 18);
     }},
    {"length_beyond", "tensor \"lengths\" has 38 at batch 0",
     [](WrittenDump& d) { d.tensors["lengths"].numbers[0] = 38; }},
    {"length_of_half", "tensor \"lengths\" has 2.5", [](WrittenDump& d) { d.tensors["lengths"].numbers[1] = 2.5; }},
    {"sink_nan", "tensor \"sinks\" has no finite number at head 2",
     [](WrittenDump& d) { d.tensors["sinks"].numbers[2] = NAN; }},
    {"scale_zero", "scale \"0\" is no finite number other than 0", [](WrittenDump& d) { d.metadata["scale"] = "0"; }},
    {"scale_nan", "scale \"nan\"", [](WrittenDump& d) { d.metadata["scale"] = "nan"; }},
    {"corner", "causal \"yes\" is none of", [](WrittenDump& d) { d.metadata["causal"] = "yes"; }},
    {"diagonal", "diagonal \"left\" is neither", [](WrittenDump& d) { d.metadata["diagonal"] = "left"; }},
    {"two_corners", "diagonal \"top-left\" is another corner than that of causal",
     [](WrittenDump& d) { d.metadata["diagonal"] = "top-left"; }},
    {"unknown_setting", "\"softmax_scale\" is no setting of such a file",
     [](WrittenDump& d) { d.metadata["softmax_scale"] = "0.5"; }},
    {"window", "window \"0\" is no count", [](WrittenDump& d) { d.metadata["window"] = "0"; }},
    {"softcap", "softcap \"-1\"", [](WrittenDump& d) { d.metadata["softcap"] = "-1"; }},
    {"base", "lse-base \"10\"", [](WrittenDump& d) { d.metadata["lse-base"] = "10"; }},
    {"class", "class \"f31\" is none of f32, ", [](WrittenDump& d) { d.metadata["class"] = "f31"; }},
    {"empty", "is empty", [](WrittenDump& d) {
       d.tensors["v"].shape = {2, 2, 0, 8};
       d.tensors["v"].numbers.clear();
     }}};

// A tensor of the plain dump, of another type with zeros.
Bad of_type(const std::string& name, const std::string& dtype, std::size_t bytes) {
  return {name + "_" + dtype, "tensor \"" + name + "\" is " + dtype + "; save it as F32", [=](WrittenDump& d) {
            WrittenTensor& tensor = d.tensors[name];
            tensor = {tensor.shape, {}, std::vector<std::uint8_t>(tensor.numbers.size() * bytes), false, dtype};
          }};
}

const std::vector<Bad> whole_numbers{of_type("q", "I64", 8),    of_type("o", "I32", 4), of_type("lse", "I32", 4),
                                     of_type("k", "I8", 1),     of_type("v", "U8", 1),  of_type("bias", "BOOL", 1),
                                     of_type("sinks", "I16", 2)};

class BadDump : public testing::TestWithParam<Bad> {};

TEST_P(BadDump, IsRefused) {
  WrittenDump written = plain_dump(plain_inputs(1));
  GetParam().spoil(written);
  const auto dump = AttentionDump::open(written.written("bad_" + GetParam().name), {});
  ASSERT_FALSE(dump);
  EXPECT_NE(dump.error().message.find(GetParam().expected), std::string::npos) << dump.error().message;
  EXPECT_EQ(dump.error().message.find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Every, BadDump, testing::ValuesIn(bad_dumps),
                         [](const testing::TestParamInfo<Bad>& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(WholeNumbers, BadDump, testing::ValuesIn(whole_numbers),
                         [](const auto& info) { return info.param.name; });

TEST(BadDumps, ExitStatusIsTwo) {
  EXPECT_EQ(run_attncert("judge /nowhere.safetensors").status, 2);
  WrittenDump written = plain_dump(plain_inputs(1));
  const std::string file = written.written("bad_options");
  EXPECT_EQ(run_attncert("judge --scale 0 '" + file + "'").status, 2);
  EXPECT_EQ(run_attncert("judge --rows 0 '" + file + "'").status, 2);
  EXPECT_EQ(run_attncert("judge --all --rows 3 '" + file + "'").status, 2);
}

// A byte or more of the file is another, or its end is cut off: an Error of one line, or a dump whose rows are judged.
void damage_safetensors(int files, std::uint64_t seed) {
  const WrittenDump forward = plain_dump(plain_inputs(1, {1, 2, 1, 2, 3, 2, 2}));
  const WrittenDump backward = plain_gradient_dump(plain_inputs(1, {1, 2, 1, 2, 3, 2, 2}), 1);

  std::mt19937_64 engine(seed);
  const std::string path = fresh_folder("damaged") / "damaged.safetensors";
  std::size_t refused = 0;
  for (int n = 0; n < files; ++n) {
    const std::string whole = (n % 4 == 0 ? backward : forward).file();
    const std::size_t header = whole.find("}}") + 2;
    std::string damaged = whole;
    for (std::uint64_t edits = 1 + engine() % 3; edits > 0; --edits)
      damaged[engine() % (engine() % 2 == 0 ? whole.size() : header)] = static_cast<char>(engine() % 256);
    if (engine() % 8 == 0) damaged.resize(engine() % whole.size());
    write(path, damaged);
    const auto dump = AttentionDump::open(path, {});
    refused += !dump;
    if (!dump) {
      EXPECT_EQ(dump.error().message.find('\n'), std::string::npos) << dump.error().message;
      continue;
    }
    judged(*dump, chosen_rows(*dump, 2, 1), candidates(*dump), 1, {});
    if (!dump->has_gradients()) continue;
    const GradientVerdict verdict = judged_gradients(*dump, 2, 1, {});
    if (verdict.failing > 0) diagnosis_of_gradients(*dump, verdict);
  }
  EXPECT_GE(refused, static_cast<std::size_t>(files / 4));
  EXPECT_LE(refused, static_cast<std::size_t>(files - files / 40));
}

TEST(BadDumps, DamageEndsInALineOrAVerdict) { damage_safetensors(4000, 3); }
TEST(ManyDamages, OfSafetensorsEndInALineOrAVerdict) { damage_safetensors(50'000, 4); }

}  // namespace
}  // namespace attncert
