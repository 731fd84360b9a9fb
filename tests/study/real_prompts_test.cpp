// Real attention: the logits of GPT-2 124M on five prompts (ATTNCERT_DATA/gpt2-124m-prompts), every head, every query.
// The softmax kernels, the laws and the claims about logits are put to them, and the Jacobian's norm to the printed
// 1/4.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>

#include "properties/claims/certify/judge.hpp"
#include "properties/claims/certify/real.hpp"
#include "properties/claims/instances/captured.hpp"
#include "properties/conformance/accuracy/budget.hpp"
#include "properties/conformance/accuracy/judge.hpp"
#include "properties/conformance/laws/law_rows.hpp"
#include "src/bounds/jacobian.hpp"
#include "study/claims/captured.hpp"

namespace attncert {
namespace {

constexpr std::size_t prompts = 5, layers = 12, heads = 12;
constexpr std::array<std::size_t, prompts> tokens{6, 6, 6, 7, 6};  // of each prompt

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
  return cells;
}

// Columns layer, head, s_0_0, s_1_0, s_1_1, ...: the logits of query i are the i + 1 columns from 2 + i (i + 1) / 2 on.
void read_prompt(const std::string& file, std::size_t prompt, std::vector<CapturedRow>& rows) {
  std::ifstream stream(file);
  std::string line;
  ASSERT_TRUE(std::getline(stream, line)) << file;
  const auto names = cells_of(line);
  const std::size_t L = tokens[prompt];
  ASSERT_EQ(names.size(), 2 + L * (L + 1) / 2) << file;
  std::size_t number = 0;
  for (; std::getline(stream, line); ++number) {
    const auto cells = cells_of(line);
    ASSERT_EQ(cells.size(), names.size()) << file;
    ASSERT_EQ(cells[0] + "," + cells[1], std::to_string(number / heads) + "," + std::to_string(number % heads)) << file;
    for (std::size_t query = 0, column = 2; query < L; ++query) {
      CapturedRow row{prompt, number / heads, number % heads, query, {}, {}, nullptr};
      for (std::size_t key = 0; key <= query; ++key, ++column) {
        ASSERT_EQ(names[column], "s_" + std::to_string(query) + "_" + std::to_string(key));
        row.logits.push_back(std::stof(cells[column]));
      }
      rows.push_back(std::move(row));
    }
  }
  ASSERT_EQ(number, layers * heads) << file;
}

class RealPrompts : public testing::Test {
 protected:
  void SetUp() override {
    const char* data = std::getenv("ATTNCERT_DATA");
    const std::string folder = std::string(data == nullptr ? "" : data) + "/gpt2-124m-prompts";
    if (data == nullptr || !std::filesystem::exists(folder))
      GTEST_SKIP() << "ATTNCERT_DATA names no folder with gpt2-124m-prompts: these logits are not in the repository";
    for (std::size_t p = 0; p < prompts; ++p)
      ASSERT_NO_FATAL_FAILURE(
          read_prompt(std::string(data) + "/gpt2-124m-prompts/ex" + std::to_string(p) + "_scaled_logits.csv", p, rows));
    ASSERT_EQ(rows.size(), layers * heads * std::accumulate(tokens.begin(), tokens.end(), std::size_t{0}));
  }
  std::vector<CapturedRow> rows;  // prompts as windows
};

bool is_last(const CapturedRow& row) { return row.query + 1 == tokens[row.window]; }

LogitRow as_row(const CapturedRow& row) { return {{row.logits.begin(), row.logits.end()}, 1.0, {}}; }

template <class T>
std::vector<T> weights_of(attncert_dtype dtype, const CapturedRow& row) {
  const std::vector<T> logits(row.logits.begin(), row.logits.end());
  std::vector<T> weights(logits.size());
  EXPECT_EQ(run<T>(*find_kernel("softmax", dtype), logits, weights, 1, logits.size(), 1.0), ATTNCERT_OK);
  return weights;
}

// The judgement of one row of the f64 kernel's weights against the enclosure of the exact ones.
Judgement judged(const CapturedRow& row, const std::vector<double>& weights) {
  const Subject& softmax = *find_subject("softmax");
  return judge_row(softmax, as_row(row), *softmax.truth(as_row(row)), format(ATTNCERT_F64), weights,
                   budget_of(*find_kernel("softmax", ATTNCERT_F64)));
}

TEST_F(RealPrompts, KernelsStayWithinTheirBudgets) {
  for (const std::string& isa : instruction_sets()) {
    const ForcedInstructionSet forced(isa);
    double worst_f32 = 0, worst_f64 = 0;
    for (const CapturedRow& row : rows) {
      SCOPED_TRACE(isa + " " + row_name(row));
      const CheckLine narrow = check_captured(row.logits, weights_of<float>(ATTNCERT_F32, row), {}, true);
      const Judgement wide = judged(row, weights_of<double>(ATTNCERT_F64, row));
      ASSERT_EQ(narrow.sampled, row.logits.size());  // by Interval, all of them
      ASSERT_EQ(wide.elements, row.logits.size());
      EXPECT_EQ(narrow.outside + narrow.undecided + wide.outside + wide.undecided, 0u);
      worst_f32 = std::max(worst_f32, narrow.worst_ulp);
      worst_f64 = std::max(worst_f64, wide.worst_ulp);
    }
    RecordProperty("worst_ulp_f32_" + isa, std::to_string(worst_f32));
    RecordProperty("worst_ulp_f64_" + isa, std::to_string(worst_f64));
  }
}

// The laws that a row can be put to as it stands, on both kernels.
void expect_laws(const CapturedRow& captured, const attncert_kernel& kernel) {
  using namespace laws;
  const Subject& softmax = *find_subject("softmax");
  const LogitRow row = as_row(captured);
  const std::vector<Output> out = outputs(softmax, kernel, row);
  const std::size_t L = out.size();
  LogitRow reversed = row, longer = row;
  std::reverse(reversed.logits.begin(), reversed.logits.end());
  const std::vector<Output> backwards = outputs(softmax, kernel, reversed);
  longer.logits.insert(longer.logits.end(), {100, -100, 0});  // keys that come later, masked as a causal mask does
  longer.mask.assign(L, 1);
  longer.mask.resize(L + 3, 0);
  const std::vector<Output> masked = outputs(softmax, kernel, longer);
  long double sum = 0, slack = 0;
  for (std::size_t i = 0; i < L; ++i) {
    sum += out[i].value;
    slack += out[i].slack;
    EXPECT_GE(out[i].value, 0);                                         // nonnegative
    EXPECT_TRUE(may_agree(out[i], backwards[L - 1 - i], kernel)) << i;  // permutation-equivariant
    EXPECT_TRUE(may_agree(out[i], masked[i], kernel)) << i;             // mask-is-removal
    for (std::size_t j = 0; j < L; ++j) {                               // monotone
      if (row.logits[i] > row.logits[j]) continue;
      EXPECT_LE(out[i].value - out[j].value, out[i].slack + out[j].slack);
    }
  }
  EXPECT_LE(std::abs(sum - 1), slack);  // sums-to-one
  for (std::size_t i = L; i < L + 3; ++i) EXPECT_EQ(masked[i].value, 0);
}

TEST_F(RealPrompts, LawsHold) {
  for (const CapturedRow& row : rows) {
    SCOPED_TRACE(row_name(row));
    for (const attncert_dtype dtype : {ATTNCERT_F32, ATTNCERT_F64}) expect_laws(row, *find_kernel("softmax", dtype));
  }
}

TEST_F(RealPrompts, ClaimsAreJudgedAsExpected) {
  std::size_t judged_claims = 0;
  for (const Claim& claim : claims()) {
    if (!speaks_of(claim.statement, RealRows::logits)) continue;
    ++judged_claims;
    SCOPED_TRACE(claim.statement.id);
    std::map<Decision, std::size_t> count;
    for (const CapturedRow& row : rows) ++count[judge(claim.statement, captured_logits(row)).decision];
    EXPECT_EQ(count[Decision::undecided], 0u);
    const bool holds = claim.expected == Expected::supported || claim.expected == Expected::proved;
    const bool is_quarter = claim.statement.id == "softmax-quarter-over-temperature";
    EXPECT_TRUE(!holds || count[Decision::violated] == 0) << count[Decision::violated] << " rows violate it";
    EXPECT_TRUE(!is_quarter || count[Decision::violated] > 0) << "no row violates it";
    std::ostringstream text;
    for (const auto& [decision, rows_of_it] : count) text << name(decision) << " " << rows_of_it << " ";
    RecordProperty(std::string(claim.statement.id), text.str());
    std::printf("%s: %s\n", std::string(claim.statement.id).c_str(), text.str().c_str());
  }
  EXPECT_GE(judged_claims, 9u);
}

// Whether the spectral norm of the Jacobian at T = 1 exceeds 1/4, decided with the proved error of the bound kernel;
// the f64 weights are off by what the enclosure says at most (an ulp is at most 2^-52 of the value).
TEST_F(RealPrompts, MostLastRowsExceedAQuarter) {
  const Statement& printed = find_claim("softmax-quarter-over-temperature")->statement;
  std::size_t above = 0, below = 0, undecided = 0;
  for (const CapturedRow& row : rows) {
    if (!is_last(row)) continue;
    const auto weights = weights_of<double>(ATTNCERT_F64, row);
    const double relative = judged(row, weights).worst_ulp * 0x1p-52;
    const bounds::Certified norm = bounds::softmax_jacobian<double>(weights, 1.0, relative).spectral;
    const bool surely_above = norm.value - norm.error > 0.25, surely_not = norm.value + norm.error <= 0.25;
    ++(surely_above ? above : surely_not ? below : undecided);
    const Decision by_interval = judge(printed, captured_logits(row)).decision;  // the same question, asked of Interval
    EXPECT_EQ(surely_above, by_interval == Decision::violated) << row_name(row);
  }
  EXPECT_EQ(above + below, 720u);  // 5 prompts, 144 heads
  EXPECT_EQ(undecided, 0u);
  const double share = static_cast<double>(above) / 720;
  EXPECT_NEAR(share, 0.56, 0.005);  // counted by another program, to two digits
  RecordProperty("share_above_a_quarter", std::to_string(share));
  std::printf("Jacobian norm above 1/4 at T = 1: %zu of 720 real GPT-2 rows (%.1f%%), %zu undecided\n", above,
              100 * share, undecided);
}

}  // namespace
}  // namespace attncert
