// Every wrong attention kernel is caught in the group of cases that is made for it, every right one holds on all cases,
// and what the rules in use say of them is what docs/faults.md shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>

#include "properties/conformance/attention/attention_faults.hpp"
#include "properties/conformance/attention/called_case.hpp"
#include "properties/conformance/attention/rules_in_use.hpp"
#include "properties/conformance/kills/kill_matrix.hpp"
#include "properties/dumps/attention_dump.hpp"
#include "properties/dumps/cases.hpp"
#include "properties/dumps/chosen_rows.hpp"
#include "properties/dumps/input_kinds.hpp"

namespace attncert {
namespace {

KillPlan attention_plan(bool first_only) {
  KillPlan plan;
  plan.first_only = first_only;
  return plan;
}

// Which tensors a fault of the backward pass makes wrong, where these are not all: by the beginning of its name.
struct WrongTensors {
  std::string_view fault;
  std::set<std::string> tensors;
};
const std::vector<WrongTensors> wrong_tensors{{"fault.backward-dq-", {"dq"}},
                                              {"fault.backward-dk-unscaled", {"dk"}},
                                              {"fault.backward-dk-bf16", {"dk", "dv"}},
                                              {"fault.backward-dsinks-", {"dsinks"}},
                                              {"fault.backward-no-d", {"dq", "dk", "dsinks"}},
                                              {"fault.backward-d-", {"dq", "dk", "dsinks"}},
                                              {"fault.backward-softcap-slope-missing", {"dq", "dk"}},
                                              {"fault.backward-last-query-missing", {"dk", "dv"}},
                                              {"fault.backward-tail-of-queries-missing", {"dk", "dv"}},
                                              {"fault.backward-one-head-of-a-group", {"dk", "dv"}},
                                              {"fault.backward-last-head-overwrites", {"dk", "dv"}},
                                              {"fault.backward-mean-over-heads", {"dk", "dv"}}};

// "heads-1: dk is off by ..."
std::string tensor_of(const std::string& witness) {
  const std::size_t from = witness.find(": ") + 2;
  return witness.substr(from, witness.find(' ', from) - from);
}

class AttentionFault : public testing::TestWithParam<std::size_t> {};

TEST_P(AttentionFault, IsCaughtWhereTheCasesAreMadeForIt) {
  const Fault& fault = attention_faults()[GetParam()];
  const KillSummary line{&fault, kills_of(fault, attention_plan(true))};
  ASSERT_TRUE(line.as_expected()) << fault.name << ": "
                                  << (line.first() != nullptr ? line.first()->witness : "survives");
  if (!fault.wrong) {
    EXPECT_GT(line.kills[0].elements, line.kills[0].undecided) << fault.name;
    return;
  }
  const std::string group = std::string(fault.case_name) + "-";
  EXPECT_EQ(line.first()->witness.substr(0, group.size()), group) << fault.name << ": " << line.first()->witness;
  for (const WrongTensors& wrong : wrong_tensors)
    if (fault.name.starts_with(wrong.fault)) {
      EXPECT_TRUE(wrong.tensors.contains(tensor_of(line.first()->witness))) << line.first()->witness;
    }
}

INSTANTIATE_TEST_SUITE_P(All, AttentionFault, testing::Range(std::size_t{0}, attention_faults().size()),
                         [](const auto& instance) {
                           std::string text;
                           for (const char c : attention_faults()[instance.param].name)
                             text += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
                           return text;
                         });

TEST(AttentionFaults, HaveNamesTextsAndReports) {
  const std::regex report(R"([\w.-]+/[\w.-]+(#\d+|@[0-9a-f]{8}))");  // an issue or a pull request, or a commit
  std::set<std::string_view> names;
  int reported = 0;
  for (const Fault& fault : attention_faults()) {
    EXPECT_TRUE(names.insert(fault.name).second) << fault.name;
    EXPECT_FALSE(fault.text.empty()) << fault.name;
    EXPECT_EQ(fault.wrong, !fault.imitates.empty()) << fault.name;
    const bool is_reported = std::regex_match(std::string(fault.imitates), report);
    EXPECT_TRUE(!fault.wrong || is_reported || fault.imitates.starts_with("class: ")) << fault.name;
    reported += is_reported ? 1 : 0;
  }
  EXPECT_GE(reported, 95);
}

TEST(AttentionFaults, AreManyForwardAndBackwardAndRight) {
  const auto count = [](bool wrong, bool backward) {
    return std::ranges::count_if(attention_faults(), [&](const Fault& fault) {
      return fault.wrong == wrong && (fault.attention->run_backward != nullptr) == backward;
    });
  };
  EXPECT_GE(count(true, false), 60);
  EXPECT_GE(count(true, true), 20);
  EXPECT_GE(count(false, false), 20);
  EXPECT_GE(count(false, true), 5);
}

// A kernel is given rows without a key only where it promises something of them.
TEST(AttentionCases, HaveNoEmptyRowThatNobodyAskedFor) {
  const Fault& plain = *std::ranges::find(attention_faults(), "right.attention-f32", &Fault::name);
  CaseWishes wishes;
  wishes.size = wishes.value_size = 2;
  wishes.features = {std::begin(attention_features), std::end(attention_features)};
  wishes.features.erase("propagates-nan");
  for (const char* const feature : {"empty-rows", "backward", "nan-padding", "kv-scales"})
    wishes.features.erase(feature);
  for (wishes.seed = 1; wishes.seed <= 60; ++wishes.seed)
    for (const CaseFile& file : attention_cases(wishes)) {
      if (!file.name.starts_with("random") && wishes.seed > 1) continue;
      auto inputs = TensorFile::of_safetensors(file.text, file.name);
      ASSERT_TRUE(inputs);
      TensorFile outputs = outputs_of(*plain.attention, *inputs);
      const auto dump = AttentionDump::open(std::move(*inputs), {}, std::move(outputs));
      ASSERT_TRUE(dump);
      for (std::size_t n = 0; n < dump->shape().rows(); ++n) {
        const Place place = dump->place(n);
        const KeysAndValues shared = dump->keys_and_values(place.batch, dump->kv_head(place.head));
        ASSERT_FALSE(reference::kept_keys(dump->row(place, shared).row).empty())
            << file.name << ", seed " << wishes.seed;
      }
    }
}

// The kinds of input that each of these groups has rows of, and no other is needed for.
struct KindOfGroup {
  std::string_view group, kind;
};
constexpr KindOfGroup kinds_of_groups[] = {{"steps", "scores: it rises by 2 in four blocks"},
                                           {"far", "scores: all below -10000"},
                                           {"equal", "scores: all equal"},
                                           {"equal", "keys: 65,536 or more"},
                                           {"edges", "weights: the last key owns half"},
                                           {"padding", "masks: what is removed is NaN"},
                                           {"padding", "keys: NaN is read"},
                                           {"masked", "masks: what is removed is huge"},
                                           {"masked", "masks: the left block has no key"},
                                           {"sinks", "sinks: a sink owns a quarter to three"},
                                           {"cancelling", "values: have an offset"},
                                           {"cancelling", "values: cancel"},
                                           {"empty-rows", "keys: none"}};

// What the default campaign meets, by group; "" is all of them.
using KindsByGroup = std::map<std::string, KindsOfInput>;
void add_campaign(std::uint64_t seed, bool backward, KindsByGroup& kinds) {
  CaseWishes wishes;
  wishes.seed = seed;
  wishes.size = wishes.value_size = 8;
  wishes.features = {std::begin(attention_features), std::end(attention_features)};
  wishes.features.erase("propagates-nan");
  for (const char* const feature : {"kv-scales", "window-after"}) wishes.features.erase(feature);  // of other kernels
  if (!backward) wishes.features.erase("backward");
  const Fault& plain = *std::ranges::find(attention_faults(), "right.attention-f32", &Fault::name);
  for (const CaseFile& file : attention_cases(wishes)) {
    auto inputs = TensorFile::of_safetensors(file.text, file.name);
    ASSERT_TRUE(inputs);
    TensorFile outputs = outputs_of(*plain.attention, *inputs);
    const auto dump = AttentionDump::open(std::move(*inputs), {}, std::move(outputs));
    ASSERT_TRUE(dump) << dump.error().message;
    const KindsOfInput of_case = kinds_of_input(*dump, chosen_rows(*dump, 0, 1));
    for (const std::string& group : {file.name.substr(0, file.name.rfind('-')), std::string()})
      kinds[group].add(of_case);
  }
}

TEST(AttentionCases, AreOfEveryKindOfInput) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    KindsByGroup kinds;
    for (const bool backward : {false, true}) add_campaign(seed, backward, kinds);
    EXPECT_EQ(kinds.at("").missed(), std::vector<std::string>{}) << "seed " << seed;
    for (const KindOfGroup& one : kinds_of_groups)
      EXPECT_EQ(std::ranges::count(kinds.at(std::string(one.group)).missed(), one.kind), 0)
          << one.group << ", " << one.kind;
    // N(0,1) on all keys to a diagonal is none of these.
    for (const char* const kind : {"scores: beyond 100", "weights: underflow in f32", "keys: none", "keys: NaN is read",
                                   "masks: what is removed is huge", "values: have an offset"})
      EXPECT_EQ(std::ranges::count(kinds.at("corners").missed(), kind), 1) << kind;
  }
}

// A rule takes the exact output, and refuses what is far from it, or no number.
TEST(RulesInUse, TellTheExactOutputFromAnother) {
  const std::vector<double> exact{0.5, -1, 2}, lse{1}, far{0.5, -1, 3}, none{0.5, -1, NAN},
      reference{0.5, -1, 2.015625};
  for (const RuleInUse& rule : rules_in_use()) {
    const auto accepts = [&](const std::vector<double>& output) {
      return rule.accepts({ATTNCERT_BF16, false, output, exact, reference, lse, lse});
    };
    EXPECT_TRUE(accepts(exact)) << rule.name;
    EXPECT_FALSE(accepts(far)) << rule.name;
    EXPECT_FALSE(accepts(none)) << rule.name;
  }
}

// Both sides of what each formula allows.
TEST(RulesInUse, DrawTheLineWhereTheirFormulasSay) {
  const std::vector<double> exact{2}, lse{1};
  const auto accepts = [&](std::size_t rule, double output, double reference, double got_lse = 1,
                           bool softcap = false) {
    const std::vector<double> o{output}, r{reference}, l{got_lse};
    return rules_in_use()[rule].accepts({ATTNCERT_F32, softcap, o, exact, r, l, lse});
  };
  EXPECT_TRUE(accepts(0, 2.25, 2.125));
  EXPECT_FALSE(accepts(0, 2.26, 2.125));
  EXPECT_TRUE(accepts(0, 2.375, 2.125, 1, true));
  EXPECT_TRUE(accepts(1, 2.0199, 2));
  EXPECT_FALSE(accepts(1, 2.0201, 2));
  EXPECT_TRUE(accepts(1, 2, 2, 1.00999));  // more than 1e-2 to base 2, less than 1e-2 of the LSE
  EXPECT_FALSE(accepts(1, 2, 2, 1.0101));
  EXPECT_FALSE(accepts(1, INFINITY, 2));
  EXPECT_TRUE(accepts(2, 2.045, 2));  // 0.045^2 / 2.045^2 = 4.84e-4
  EXPECT_FALSE(accepts(2, 2.047, 2));
  EXPECT_TRUE(accepts(3, 2.0099, 2));
  EXPECT_FALSE(accepts(3, 2.0101, 2));
  EXPECT_TRUE(accepts(4, 2.0599, 2));
  EXPECT_FALSE(accepts(4, 2.0601, 2));
  EXPECT_FALSE(accepts(4, 2, 2, 1.0401));
  EXPECT_TRUE(accepts(4, 2, 2, 1.0399));
}

// A gradient has no LSE beside it; under a softcap the first rule allows 3e-4 more: 3 (P - R) + 3e-4 of 2^-10.
TEST(RulesInUse, TakeAGradientAlone) {
  const std::vector<double> exact{2}, reference{2 + 0x1p-10};
  const auto accepts = [&](std::size_t rule, double got, bool softcap = false) {
    const std::vector<double> gradient{got};
    return rules_in_use()[rule].accepts({ATTNCERT_F32, softcap, gradient, exact, reference, {}, {}});
  };
  EXPECT_TRUE(accepts(0, 2 + 0x1.fp-10));
  EXPECT_FALSE(accepts(0, 2 + 3 * 0x1p-10));
  EXPECT_TRUE(accepts(0, 2 + 3 * 0x1p-10 + 2.9e-4, true));
  EXPECT_FALSE(accepts(0, 2 + 3 * 0x1p-10 + 3.1e-4, true));
  for (std::size_t rule = 1; rule < rules_in_use().size(); ++rule) {
    EXPECT_TRUE(accepts(rule, 2)) << rule;
    EXPECT_FALSE(accepts(rule, 2.07)) << rule;
    EXPECT_FALSE(accepts(rule, NAN)) << rule;
  }
}

TEST(SlowAttentionFaults, AreCaughtOnTenSeeds) {
  for (std::uint64_t seed = 2; seed <= 10; ++seed)
    for (const Fault& fault : attention_faults()) {
      KillPlan plan = attention_plan(true);
      plan.seed = seed;
      EXPECT_TRUE((KillSummary{&fault, kills_of(fault, plan)}.as_expected())) << fault.name << ", seed " << seed;
    }
}

// scripts/rules-table puts the table there.
TEST(SlowAttentionFaults, AreMisjudgedByRulesAsTheTableSays) {
  const std::string table = rules_table(summaries(attention_faults(), attention_plan(false)));
  std::ifstream file(ATTNCERT_SOURCE_DIR "/docs/faults.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(table.find("| wrong ones accepted | 0 |"), std::string::npos) << table;
  EXPECT_NE(table.find("| right ones refused | 0 |"), std::string::npos) << table;
  EXPECT_NE(page.find(table), std::string::npos) << "run scripts/rules-table; the table is\n" << table;
}

}  // namespace
}  // namespace attncert
