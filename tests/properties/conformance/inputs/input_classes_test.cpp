// Every class of inputs has rows, for every kernel; a class tells its rows from others; and what is dealt is dealt
// evenly.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "properties/conformance/accuracy/drawn_inputs.hpp"
#include "properties/conformance/inputs/dealing.hpp"
#include "properties/conformance/inputs/wide_row.hpp"
#include "properties/conformance/subjects.hpp"
#include "src/kernel/dtype.hpp"

namespace attncert {
namespace {

const Subject& softmax_normalizer() { return *find_subject("softmax"); }

// "f32 T subnormal": what the rows of an effort do not meet.
std::vector<std::string> missed(const Subject& subject, Effort effort, SharedRows& shared) {
  std::vector<std::string> names;
  for (const Format& f : formats) {
    const InputCoverage coverage = drawn_inputs(subject, f.dtype, effort, 1, shared);
    for (const std::string& name : classes_missed({"", &subject, f.dtype, &coverage}))
      names.push_back(std::string(f.name) + " " + name);
  }
  return names;
}

TEST(InputClasses, EachHasARowForEveryKernelAtQuickEffort) {
  SharedRows shared;
  for (const Subject* subject : subjects())
    EXPECT_EQ(missed(*subject, Effort::quick, shared), std::vector<std::string>{}) << subject->name;
}

// Beyond the lengths of quick effort no class asks for the normalizer.
TEST(InputClasses, TheLongOnesHaveRowsAtNormalEffort) {
  SharedRows shared;
  const InputCoverage coverage = drawn_inputs(softmax_normalizer(), ATTNCERT_F32, Effort::normal, 1, shared);
  EXPECT_EQ(classes_missed({"", &softmax_normalizer(), ATTNCERT_F32, &coverage}), std::vector<std::string>{});
}

TEST(InputClasses, ThePageIsTheProgramsOwn) {
  std::ifstream file(std::string(ATTNCERT_SOURCE_DIR) + "/docs/input-classes.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_TRUE(page == input_classes_page()) << "run attncert list --inputs > docs/input-classes.md";
}

TEST(InputClasses, OneWithoutARowIsMissed) {
  InputCoverage coverage;
  for (std::size_t length = 1; length <= 200; ++length) coverage.add(InputClasses{}.set(), length);
  const CoveredKernel kernel{"", &softmax_normalizer(), ATTNCERT_F32, &coverage};
  EXPECT_EQ(classes_missed(kernel), std::vector<std::string>{});
  coverage.rows[3] = 0;
  EXPECT_EQ(classes_missed(kernel), std::vector<std::string>{input_classes()[3].name});
  EXPECT_NE(coverage_text({&kernel, 1}).find("1 NOT MET"), std::string::npos);
  InputCoverage gap;
  for (std::size_t length = 1; length <= 200; ++length)
    if (length != 131) gap.add(InputClasses{}.set(), length);
  EXPECT_EQ(classes_missed({"", &softmax_normalizer(), ATTNCERT_F32, &gap}),
            std::vector<std::string>{"lengths around 2^7"});
}

std::set<std::string> classes(const LogitRow& row, attncert_dtype dtype, std::string_view normalizer = "softmax") {
  const InputClasses found = classes_of(RowFacts(row, format(dtype)), *find_subject(normalizer));
  std::set<std::string> names;
  for (std::size_t n = 0; n < input_classes().size(); ++n)
    if (found[n]) names.insert(input_classes()[n].name);
  return names;
}

LogitRow long_row(double body, double tail) {  // 200 entries, the last 8 of them behind the last whole vector
  LogitRow row{std::vector<double>(200, body), 1, {}};
  for (std::size_t i = 192; i < 200; ++i) row.logits[i] = tail;
  return row;
}

TEST(InputClasses, TellRowsApart) {
  const double least = 5e-324;
  EXPECT_TRUE(classes({{0, least}, least, {}}, ATTNCERT_F64).contains("T subnormal"));
  EXPECT_TRUE(classes({{0, least}, least, {}}, ATTNCERT_F64).contains("1 / T overflows"));
  EXPECT_TRUE(classes({{0, least}, least, {}}, ATTNCERT_F64).contains("all subnormal, of T's size"));
  EXPECT_FALSE(classes({{0, 1}, 0x1p-1000, {}}, ATTNCERT_F64).contains("T subnormal"));
  EXPECT_TRUE(classes({{0, 1}, 0.1, {}}, ATTNCERT_F32).contains("T no float"));
  EXPECT_FALSE(classes({{0, 1}, 0.25, {}}, ATTNCERT_F32).contains("T no float"));
  EXPECT_TRUE(classes({{-1e31, -2e31}, 1e31, {}}, ATTNCERT_F32).contains("all below -1e30"));
  EXPECT_FALSE(classes({{-1e31, 0}, 1e31, {}}, ATTNCERT_F32).contains("all below -1e30"));
  EXPECT_TRUE(classes(long_row(0, 25), ATTNCERT_F32).contains("tail above the rest by 20 T"));
  EXPECT_TRUE(classes(long_row(25, 0), ATTNCERT_F32).contains("rest above the tail by 20 T"));
  LogitRow ties = long_row(1, 1);
  ties.logits[3] = 0;
  EXPECT_TRUE(classes(ties, ATTNCERT_F32).contains("tie at the top across body and tail"));
  EXPECT_TRUE(classes(long_row(1, 1 + 0x1p-23), ATTNCERT_F32).contains("neighbours at the top across body and tail"));
  EXPECT_FALSE(classes(long_row(1, 1 + 0x1p-20), ATTNCERT_F32).contains("neighbours at the top across body and tail"));
}

TEST(InputClasses, TellMasksAndBlocksApart) {
  LogitRow rising{std::vector<double>(64), 1, {}};
  for (std::size_t i = 0; i < 64; ++i) rising.logits[i] = static_cast<double>(i / 16 * 2 + (i % 16 == 15));
  EXPECT_TRUE(classes(rising, ATTNCERT_F32).contains("each block of 16 raises the maximum"));
  EXPECT_FALSE(classes(rising, ATTNCERT_F32).contains("each block of 8 raises the maximum"));
  LogitRow masked = long_row(0, 5);
  masked.mask.assign(200, 1);
  EXPECT_TRUE(classes(masked, ATTNCERT_F32).contains("all kept, L to 1024"));
  std::fill(masked.mask.begin() + 192, masked.mask.end(), std::uint8_t{0});
  EXPECT_TRUE(classes(masked, ATTNCERT_F32).contains("tail masked, L to 1024"));
  EXPECT_TRUE(classes(masked, ATTNCERT_F32).contains("a masked logit on top"));
  for (std::uint8_t& keep : masked.mask) keep ^= 1;
  EXPECT_TRUE(classes(masked, ATTNCERT_F32).contains("nothing but the tail kept, L to 1024"));
  LogitRow parameter{{0, 1}, 1, {}};
  parameter.parameters.alpha_numerator = 1025;
  parameter.parameters.alpha_denominator = 512;
  EXPECT_TRUE(classes(parameter, ATTNCERT_F32, "entmax").contains("alpha next to 2, above"));
  EXPECT_FALSE(classes(parameter, ATTNCERT_F32).contains("alpha next to 2, above"));
}

TEST(Dealing, GivesEachKindOnceInAsManyCases) {
  for (const std::uint64_t count : {2u, 5u, 18u})
    for (std::uint64_t first = 0; first < 5 * count; first += count) {
      std::set<std::uint64_t> kinds;
      for (std::uint64_t n = first; n < first + count; ++n) kinds.insert(dealt(n, count, 7, 3));
      EXPECT_EQ(kinds.size(), count);
    }
}

TEST(WideRows, RepeatAndHaveTheirLength) {
  for (const std::uint64_t number : {0u, 94u, 95u, 200u, 400u})
    for (const Format& f : formats) {
      const LogitRow row = wide_row(dealt_recipe(number, 5), f.dtype),
                     again = wide_row(dealt_recipe(number, 5), f.dtype);
      EXPECT_EQ(row.logits.size(), wide_length(number));
      EXPECT_EQ(row.temperature, again.temperature);
      EXPECT_EQ(row.mask, again.mask);
      for (std::size_t i = 0; i < row.logits.size(); ++i) {
        EXPECT_TRUE(row.logits[i] == again.logits[i] || std::isnan(row.logits[i]));
        EXPECT_TRUE(std::isnan(row.logits[i]) || rounded(f.dtype, row.logits[i]) == row.logits[i]);
      }
    }
}

}  // namespace
}  // namespace attncert
