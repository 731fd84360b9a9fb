// The witness file: what is written is read back, and whatever docs/witness.md does not allow is refused in one line.
#include "src/core/witness.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace attncert {
namespace {

Witness full_instance() {
  Witness witness;
  witness.claim = "theorem1-upper";
  witness.relation = "lhs <= rhs";
  ExactInstance instance;
  instance.length = 5;
  instance.dimension = 2;
  instance.count = 2;
  instance.temperature = ratio(1, 4);
  instance.logits = {{ratio(-3, 7), 2}, {ratio(0, 1), 3}};
  instance.weights = {{ratio(1, 5), 5}};
  instance.tokens = {{{ratio(1, 2), ratio(-1, 3)}, 4}, {{ratio(9, 1), ratio(0, 1)}, 1}};
  instance.F = {{ratio(1, 1), 1}, {ratio(2, 1), 4}};
  instance.dF = {{ratio(-1, 9), 5}};
  instance.selected = {1, 4};
  witness.instance = instance;
  witness.found = {18446744073709551615ULL, "theorem1-upper:7:12", "abc"};
  witness.shrunk_from = "L=12 d=3 bits=411";
  return witness;
}

Witness full_family() {
  Witness witness;
  witness.claim = "theorem1-collapse";
  witness.relation = "lhs <= rhs";
  WitnessFamily family;
  family.name = "equal-tokens";
  family.text = "a sentence with \"quotes\",\nand a second line";
  family.rule = "given";
  family.quantity = "distance";
  family.numerator = {ratio(-1, 2), ratio(1, 4)};
  family.denominator = {ratio(1, 1)};
  family.why_all_lengths = "all terms are equal";
  ExactInstance member;
  member.length = largest_witness_length;
  member.dimension = 1;
  member.count = member.length / 2;
  member.weights = {{ratio(1, largest_witness_length), largest_witness_length}};
  member.tokens = {{{ratio(1, 1)}, largest_witness_length}};
  family.members = {member, member};
  witness.families = {family, family};
  return witness;
}

void expect_same(const ExactInstance& a, const ExactInstance& b) {
  EXPECT_EQ(a.length, b.length);
  EXPECT_EQ(a.dimension, b.dimension);
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(a.temperature, b.temperature);
  EXPECT_EQ(a.selected, b.selected);
  const auto same = [](const auto& x, const auto& y) {
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(x[i].count, y[i].count);
      EXPECT_EQ(x[i].value, y[i].value);
    }
  };
  same(a.logits, b.logits);
  same(a.weights, b.weights);
  same(a.tokens, b.tokens);
  same(a.F, b.F);
  same(a.dF, b.dF);
}

void expect_same(const Witness& a, const Witness& b) {
  EXPECT_EQ(a.claim, b.claim);
  EXPECT_EQ(a.relation, b.relation);
  EXPECT_EQ(a.found.seed, b.found.seed);
  EXPECT_EQ(a.found.replay, b.found.replay);
  EXPECT_EQ(a.found.commit, b.found.commit);
  EXPECT_EQ(a.shrunk_from, b.shrunk_from);
  ASSERT_EQ(a.instance.has_value(), b.instance.has_value());
  if (a.instance) expect_same(*a.instance, *b.instance);
  ASSERT_EQ(a.families.size(), b.families.size());
  for (std::size_t i = 0; i < a.families.size(); ++i) {
    const auto &x = a.families[i], &y = b.families[i];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.text, y.text);
    EXPECT_EQ(x.rule, y.rule);
    EXPECT_EQ(x.quantity, y.quantity);
    EXPECT_EQ(x.numerator, y.numerator);
    EXPECT_EQ(x.denominator, y.denominator);
    EXPECT_EQ(x.why_all_lengths, y.why_all_lengths);
    ASSERT_EQ(x.members.size(), y.members.size());
    for (std::size_t k = 0; k < x.members.size(); ++k) expect_same(x.members[k], y.members[k]);
  }
}

TEST(Witness, RoundTripsThroughText) {
  for (const Witness& witness : {full_instance(), full_family()}) {
    const std::string text = to_json(witness);
    EXPECT_EQ(text.back(), '\n');
    const auto again = witness_from_json(text, "here");
    ASSERT_TRUE(again) << again.error().message;
    expect_same(witness, *again);
    EXPECT_EQ(to_json(*again), text);
  }
}

TEST(Witness, RunsAreNotExpanded) { EXPECT_LT(to_json(full_family()).size(), 4000U); }

TEST(Witness, RoundTripsThroughAFileAndLeavesNothingElse) {
  const auto folder = std::filesystem::temp_directory_path() / ("attncert-witness-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const auto file = folder / "w.json";
  ASSERT_TRUE(write_witness(full_instance(), file));
  ASSERT_TRUE(write_witness(full_family(), file));  // over the first
  const auto again = read_witness(file);
  ASSERT_TRUE(again) << again.error().message;
  expect_same(full_family(), *again);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++files;
  EXPECT_EQ(files, 1U);
  std::filesystem::remove_all(folder);
}

TEST(Witness, UnreadableAndUnwritableFilesAreOneLine) {
  const auto missing = read_witness("/nonexistent/w.json");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("/nonexistent/w.json: "), std::string::npos);
  EXPECT_FALSE(read_witness(std::filesystem::temp_directory_path()));
  EXPECT_FALSE(write_witness(full_instance(), "/nonexistent/w.json"));
  EXPECT_FALSE(read_witness("/dev/zero"));  // endless
}

// One edit of a good file each: the piece to replace, what stands in its place, a word that the message must have.
struct Edit {
  const char *name, *from, *to, *word;
};
const Edit edits[] = {
    {"UnknownVersion", "attncert-witness/1", "attncert-witness/2", "unknown"},
    {"MissingFormat", "\"format\"", "\"fmt\"", "format"},
    {"UnknownKey", "\"claim\":", "\"extra\": 1, \"claim\":", "extra"},
    {"KeyTwice", "\"claim\":", "\"claim\": \"a\", \"claim\":", "twice"},
    {"MissingClaim", "\"claim\": \"theorem1-upper\",", "", "claim"},
    {"MissingFound", "\"replay\"", "\"play\"", "replay"},
    {"NoInstance", "\"instance\"", "\"instances\"", "instances"},
    {"BothKinds", "\"found\":", "\"families\": [], \"found\":", "exactly one"},
    {"UnknownKeyInside", "\"L\": 5", "\"M\": 5, \"L\": 5", "M"},
    {"LengthZero", "\"L\": 5", "\"L\": 0", "instance.L"},
    {"LengthBeyond", "\"L\": 5", "\"L\": 1048577", "instance.L"},
    {"LengthWrong", "\"L\": 5", "\"L\": 6", "L is 6"},
    {"LengthText", "\"L\": 5", "\"L\": \"5\"", "instance.L"},
    {"LengthFloat", "\"L\": 5", "\"L\": 5.0", "instance.L"},
    {"LengthNegative", "\"L\": 5", "\"L\": -5", "instance.L"},
    {"LengthHuge", "\"L\": 5", "\"L\": 184467440737095516160", "instance.L"},
    {"NumberBeyondEveryRange", "\"L\": 5", "\"L\": 1e999", "range"},
    {"SelectedMoreThanAll", "\"N\": 2", "\"N\": 6", "instance.N"},
    {"SelectedNotN", "\"N\": 2", "\"N\": 3", "N is 3"},
    {"WidthWrong", "\"d\": 2", "\"d\": 3", "d is 3"},
    {"FloatNumber", "\"1/4\"", "0.25", "exact number"},
    {"WholeNumberBare", "\"1/4\"", "1", "exact number"},
    {"DenominatorZero", "\"1/4\"", "\"1/0\"", "1/0"},
    {"NumberWithPoint", "\"1/4\"", "\"0.25\"", "0.25"},
    {"NumberWithNewline", "\"1/4\"", "\"1\\n4\"", "exact number"},
    {"Null", "\"1/4\"", "null", "exact number"},
    {"CountZero", "\"count\": 4", "\"count\": 0", "count"},
    {"CountBeyond", "\"count\": 4", "\"count\": 1048577", "count"},
    {"CountText", "\"count\": 4", "\"count\": \"4\"", "count"},
    {"CountMissing", ", \"count\": 4", "", "count"},
    {"SelectedOutOfRange", "[1, 4]", "[1, 5]", "selected"},
    {"SelectedTwice", "[1, 4]", "[4, 4]", "increase"},
    {"SelectedFalls", "[1, 4]", "[4, 1]", "increase"},
    {"SelectedWordy", "[1, 4]", "[1, \"4\"]", "selected"},
    {"TooDeep", "[1, 4]", "[[[[[[[[1]]]]]]]]", "deep"},
    {"NotJson", "\"found\"", "found", "not valid JSON"},
    {"SecondDocument", "\"shrunk_from\": \"L=12 d=3 bits=411\"\n}", "\"shrunk_from\": \"\"} {}", "not valid JSON"},
    {"SeedNegative", "18446744073709551615", "-1", "seed"},
};

// GoogleTest would print the addresses in it, and a test's name would change from run to run.
void PrintTo(const Edit& edit, std::ostream* stream) { *stream << edit.name; }

class Refused : public testing::TestWithParam<Edit> {};

TEST_P(Refused, InOneLineThatNamesTheFile) {
  std::string text = to_json(full_instance());
  const auto at = text.find(GetParam().from);
  ASSERT_NE(at, std::string::npos) << text;
  text.replace(at, std::string(GetParam().from).size(), GetParam().to);
  const auto witness = witness_from_json(text, "some.json");
  ASSERT_FALSE(witness);
  const std::string& message = witness.error().message;
  EXPECT_EQ(message.find("some.json: "), 0U) << message;
  EXPECT_NE(message.find(GetParam().word), std::string::npos) << message;
  EXPECT_NE(message.find("; "), std::string::npos) << message;  // the remedy
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(Edits, Refused, testing::ValuesIn(edits), [](const auto& edit) { return edit.param.name; });

TEST(Witness, HostileShapesAreRefusedWithoutWork) {
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("1"), std::string("null"), std::string(1 << 20, '['),
        std::string((std::size_t{32} << 20) + 1, ' '), std::string("{\"format\": 1}"), std::string("\xff\xfe\x00{", 4)})
    EXPECT_FALSE(witness_from_json(text, "x"));
}

TEST(Witness, FamiliesMustNotBeEmpty) {
  std::string text = to_json(full_family());
  const auto begin = text.find("\"families\": ["), end = text.find("\"found\"");
  text.replace(begin, end - begin, "\"families\": [], ");
  const auto witness = witness_from_json(text, "x");
  ASSERT_FALSE(witness);
  EXPECT_NE(witness.error().message.find("families"), std::string::npos);
}

}  // namespace
}  // namespace attncert
