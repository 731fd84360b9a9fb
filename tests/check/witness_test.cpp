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
  FormFamily family;
  family.name = "a name with \"quotes\",\nand a second line";
  family.first = 7;
  family.tokens = {{{ratio(-7, 1), ratio(1, 1)}, true, {{"a", {{ratio(1, 2)}, {0, 1}}}, {"x", {{ratio(-1, 3)}}}}},
                   {{0, 1}, false, {{"a", {{}, {1}}}, {"x", {{}}}}}};
  family.numbers = {{"B", {{1}}}, {"c", {{1}, {2, 3}}}};
  family.value = {{ratio(-1, 2), ratio(1, 4)}, {0, 0, 1}};
  witness.families = {family, family};
  witness.found = {3, "family", "abc"};
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

void expect_same(const std::vector<std::pair<std::string, Form>>& a,
                 const std::vector<std::pair<std::string, Form>>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].first, b[i].first);
    EXPECT_EQ(a[i].second.above, b[i].second.above);
    EXPECT_EQ(a[i].second.below, b[i].second.below);
  }
}

void expect_same(const FormFamily& a, const FormFamily& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.first, b.first);
  expect_same(a.numbers, b.numbers);
  EXPECT_EQ(a.value.above, b.value.above);
  EXPECT_EQ(a.value.below, b.value.below);
  ASSERT_EQ(a.tokens.size(), b.tokens.size());
  for (std::size_t k = 0; k < a.tokens.size(); ++k) {
    EXPECT_EQ(a.tokens[k].count, b.tokens[k].count);
    EXPECT_EQ(a.tokens[k].selected, b.tokens[k].selected);
    expect_same(a.tokens[k].rows, b.tokens[k].rows);
  }
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
  for (std::size_t i = 0; i < a.families.size(); ++i) expect_same(a.families[i], b.families[i]);
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

TEST(Witness, RunsAreNotExpanded) {
  Witness witness = full_instance();
  witness.instance->length = largest_witness_length;
  witness.instance->weights = {{ratio(1, largest_witness_length), largest_witness_length}};
  EXPECT_LT(to_json(witness).size(), 4000U);
}

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
    {"NoInstance", "\"instance\"", "\"instances\"", "lacks \"instance\""},
    {"BothKinds", "\"found\":", "\"families\": [], \"found\":", "unknown key \"families\""},
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

// One edit of families each: the suite's reader has to refuse what the checker's does.
TEST(Witness, FamiliesAreReadStrictlyToo) {
  const std::string text = to_json(full_family());
  ASSERT_TRUE(witness_from_json(text, "x"));
  for (const auto& [name, from, to, word] :
       std::initializer_list<Edit>{{"", "\"first\": 7", "\"first\": 0", "first"},
                                   {"", "\"first\": 7", "\"first\": 1048577", "first"},
                                   {"", "\"first\": 7", "\"last\": 7", "lacks \"first\""},
                                   {"", "\"selected\": 1", "\"selected\": 2", "selected"},
                                   {"", "\"selected\": 1", "\"chosen\": 1", "lacks \"selected\""},
                                   {"", "\"count\": [\"-7\"", "\"count\": [-7", "exact number"},
                                   {"", "\"below\": [\"0\"", "\"beside\": [\"0\"", "lacks \"below\""},
                                   {"", "\"numbers\": {", "\"numbers\": {\"c\": [\"1\"], ", "twice"},
                                   {"", "\"rows\": {", "\"rows\": [], \"row\": {", "row"},
                                   {"", "\"found\"", "\"shrunk_from\": \"\", \"found\"", "shrunk_from"},
                                   {"", "\"found\"", "\"relation\": \"\", \"found\"", "relation"}}) {
    std::string edited = text;
    const auto at = edited.find(from);
    ASSERT_NE(at, std::string::npos) << from << text;
    edited.replace(at, std::string(from).size(), to);
    const auto witness = witness_from_json(edited, "x");
    ASSERT_FALSE(witness) << to;
    EXPECT_NE(witness.error().message.find(word), std::string::npos) << witness.error().message;
  }
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
