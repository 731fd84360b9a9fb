// Families with one mistake: each is refused, and the line says why.
#include <gtest/gtest.h>

#include <functional>

#include "properties/claims/certify/evidence.hpp"
#include "tests/check/examples.hpp"
#include "tests/check/genuine.hpp"

namespace attncert::examples {
namespace {

struct FamilyEdit {
  std::string name;
  std::function<void(FormFamily&)> edit;
  std::string word;
  int status = 1;
};

void expect_refused(const Witness& good, const std::vector<FamilyEdit>& edits, std::size_t which = 0) {
  ASSERT_EQ(judged(good).status, 0);
  for (const FamilyEdit& edit : edits) {
    Witness edited = good;
    edit.edit(edited.families[which]);
    expect_verdict(edited, edit.status, edit.word, edit.name);
  }
}

const Rational little = ratio(1, 1'000'000'000);
const Form nothing{{0}}, unit{{1}}, grows{{0, 1}}, falls{{1}, {0, 1}};

// Of a run: its weight is the first row, its token the second.
Form& weight(FormFamily& family, std::size_t run) { return family.tokens[run].rows[0].second; }
Form& token(FormFamily& family, std::size_t run) { return family.tokens[run].rows[1].second; }
Form& number(FormFamily& family, std::size_t k) { return family.numbers[k].second; }

TEST(FamilyEdits, OfCounts) {
  expect_refused(collapse(),
                 {{"a half",
                   [](FormFamily& f) {
                     f.tokens[0].count = {0, ratio(1, 2)};
                   },
                   "a count is not whole", 2},
                  {"n (n + 1)/2, though whole",
                   [](FormFamily& f) {
                     f.tokens[0].count = {0, ratio(1, 2), ratio(1, 2)};
                   },
                   "a count is not whole", 2},
                  {"negative for some n",
                   [](FormFamily& f) {
                     f.tokens[0].count = {-5, 1};
                   },
                   "a run has no token for some n"},
                  {"negative for all n",
                   [](FormFamily& f) {
                     f.tokens[1].count = {0, -1};
                   },
                   "a run has no token for some n"},
                  {"a negative constant", [](FormFamily& f) { f.tokens[0].count = {-1}; }, "a run has no token"},
                  {"negative far out",
                   [](FormFamily& f) {
                     f.tokens[0].count = {0, 100, -1};
                   },
                   "a run has no token for some n"},
                  {"0", [](FormFamily& f) { f.tokens[0].count = {0}; }, "a run has no token for some n"},
                  {"none", [](FormFamily& f) { f.tokens[0].count = {}; }, "a run has no token for some n"},
                  {"L is the same for all n", [](FormFamily& f) { f.tokens[0].count = f.tokens[1].count = {4}; },
                   "L does not grow with n"},
                  {"N/L changes",
                   [](FormFamily& f) {
                     f.tokens[1].count = {1, 1};
                   },
                   "does not hold"},
                  {"all are selected", [](FormFamily& f) { f.tokens[1].selected = true; }, "the hypothesis N = c L"},
                  {"none is selected", [](FormFamily& f) { f.tokens[0].selected = false; }, "the hypothesis 1 <= N"}});
}

// A run that has no token is in no sum and no maximum, but it is the first token, and L counts it where it is negative.
TEST(FamilyEdits, RunsWithoutTokensShowNothing) {
  Witness zero = any_normalizer();  // F = n of a token that is not there; all others alike
  zero.families[0].tokens[0].count = {0};
  expect_verdict(zero, 1, "family unbounded-logits: a run has no token for some n");
  Witness sinkless = sink();
  sinkless.families[0].tokens[0].count = {0};
  sinkless.families[0].tokens[1].count = {5};
  expect_verdict(sinkless, 1, "a run has no token for some n");
  Witness negative = collapse();  // n - n^2 tokens beyond every bound
  negative.families[0].tokens.push_back({{0, 1, -1}, false, {{"a", {{-77}}}, {"x", {{1000}}}}});
  expect_verdict(negative, 1, "a run has no token for some n");
  EXPECT_NE(why_untrue(negative), "");
}

TEST(FamilyEdits, NumbersThatNoSentenceReadsAreRefused) {
  for (const char* const name : {"C", "x", "i", "T", "M"}) {
    Witness witness = collapse();
    witness.families[0].numbers.push_back({name, {{1}}});
    expect_verdict(witness, 2, "it gives " + std::string(name) + ", which no sentence reads", name);
  }
  Witness long_form = collapse();  // 2^2000 above and below is 1
  const Rational huge = Rational(mpz_class(1) << 2000);
  number(long_form.families[0], 0) = {{huge}, {huge}};
  expect_verdict(long_form, 1, "a coefficient of over 1,024 bits");
}

TEST(FamilyEdits, OfWeightsAndTokens) {
  expect_refused(
      collapse(),
      {{"weights that sum to 2",
        [](FormFamily& f) {
          weight(f, 0) = {{3}, {0, 2}};
        },
        "the hypothesis sum(i: a_i) = 1"},
       {"a weight by 1e-9", [](FormFamily& f) { weight(f, 0).above[0] += little; }, "the hypothesis sum(i: a_i) = 1"},
       {"a negative weight",
        [](FormFamily& f) {
          weight(f, 0) = {{3}, {0, 2}};
          weight(f, 1) = {{-1}, {0, 2}};
        },
        "the hypothesis a_i >= 0"},
       {"no top half",
        [](FormFamily& f) {
          weight(f, 0) = {{1}, {0, 4}};
          weight(f, 1) = {{3}, {0, 4}};
        },
        "the hypothesis max(i not in I: a_i) <= min(i in I: a_i)"},
       {"tokens that grow", [](FormFamily& f) { token(f, 0) = grows; }, "the hypothesis |x_i| <= B"},
       {"a token beyond B", [](FormFamily& f) { token(f, 1).above[0] += little; }, "the hypothesis |x_i| <= B"},
       {"tokens that shrink",
        [](FormFamily& f) {
          token(f, 0) = token(f, 1) = falls;
          f.value = {{-1, 1}, {0, 2}};
        },
        "the closed form is bounded in L"},
       {"tokens moved", [](FormFamily& f) { token(f, 1) = {{-1}}; }, "the value is not the closed form"},
       {"a distance that changes its sign", [](FormFamily& f) { token(f, 0) = {{ratio(1, 2)}}; },
        "which of two numbers is larger is not the same for all n"},
       {"a pole at n = 5",
        [](FormFamily& f) {
          weight(f, 0) = {{1}, {-5, 1}};
        },
        "a denominator may vanish"},
       {"a pole of a token",
        [](FormFamily& f) {
          token(f, 1) = {{1}, {-5, 1}};
        },
        "a denominator may vanish"},
       {"a pole at first",
        [](FormFamily& f) {
          weight(f, 0) = {{1}, {-1, 1}};
        },
        "a denominator may vanish"},
       {"a pole everywhere",
        [](FormFamily& f) {
          weight(f, 0) = {{1}, {0, 0}};
        },
        "a form divides by 0"},
       {"no tokens",
        [](FormFamily& f) {
          for (auto& run : f.tokens) run.rows.pop_back();
        },
        "speaks of x_i, which the file does not give"},
       {"no token in one run", [](FormFamily& f) { f.tokens[1].rows.pop_back(); }, "not given for every token", 2},
       {"no token in the first run", [](FormFamily& f) { f.tokens[0].rows.pop_back(); }, "not given for every token",
        2},
       {"another row", [](FormFamily& f) { f.tokens[0].rows.emplace_back("F", unit); }, "not given for every", 2},
       {"a row that nobody reads",
        [](FormFamily& f) {
          for (auto& run : f.tokens) run.rows.emplace_back("F", unit);
        },
        "it gives F_i, which no sentence reads", 2}});
}

TEST(FamilyEdits, OfNumbersAndTheClosedForm) {
  expect_refused(
      collapse(),
      {{"c depends on n",
        [](FormFamily& f) {
          number(f, 0) = {{0, 1}, {0, 2}};
        },
        "c is not a constant"},
       {"B depends on n", [](FormFamily& f) { number(f, 1) = grows; }, "B is not a constant"},
       {"B grows by 1e-9",
        [](FormFamily& f) {
          number(f, 1) = {{1, little}};
        },
        "B is not a constant"},
       {"another c", [](FormFamily& f) { number(f, 0).above[0] += little; }, "the hypothesis N = c L does not hold"},
       {"no c", [](FormFamily& f) { f.numbers.erase(f.numbers.begin()); }, "c is not a constant"},
       {"no B", [](FormFamily& f) { f.numbers.pop_back(); }, "B is not a constant"},
       {"B below 0", [](FormFamily& f) { number(f, 1) = {{-1}}; }, "the hypothesis |x_i| <= B"},
       {"a number that nobody reads", [](FormFamily& f) { f.numbers.emplace_back("q", unit); },
        "it gives q, which no sentence reads", 2},
       {"what the statement defines", [](FormFamily& f) { f.numbers.emplace_back("s", nothing); },
        "which no sentence reads", 2},
       {"A too", [](FormFamily& f) { f.numbers.emplace_back("A", unit); }, "which no sentence reads", 2},
       {"L",
        [](FormFamily& f) {
          f.numbers.emplace_back("L", Form{{0, 2}});
        },
        "what the tokens come to", 2},
       {"N",
        [](FormFamily& f) {
          f.numbers.emplace_back("N", Form{{0, 1}});
        },
        "what the tokens come to", 2},
       {"the value", [](FormFamily& f) { f.value.above[0] += little; }, "the value is not the closed form"},
       {"no value", [](FormFamily& f) { f.value.above.clear(); }, "the value is not the closed form"},
       {"a value with a pole",
        [](FormFamily& f) {
          f.value = {{2, -3, 1}, {-4, 2}};
        },
        "a denominator may vanish"},
       {"a value over 0", [](FormFamily& f) { f.value.below = {0}; }, "a form divides by 0"},
       {"another name", [](FormFamily& f) { f.name = "equal-token"; }, "it stands where equal-tokens should"},
       {"no tokens at all", [](FormFamily& f) { f.tokens.clear(); }, "from 1 to 16 runs of tokens", 2},
       {"seventeen numbers",
        [](FormFamily& f) {
          for (int k = 0; k < 17; ++k) f.numbers.emplace_back("q" + std::to_string(k), unit);
        },
        "a family has more than 16 numbers", 2},
       {"seventeen numbers of a token",
        [](FormFamily& f) {
          for (int k = 0; k < 17; ++k) f.tokens[0].rows.emplace_back("q" + std::to_string(k), unit);
        },
        "a token of a family has more than 16 numbers", 2}});
}

TEST(FamilyEdits, OfTheOtherDistances) {
  expect_refused(linear(), {{"a sink: its ratio of weights grows",
                             [](FormFamily& f) {
                               f.tokens.insert(f.tokens.begin(), f.tokens[0]);
                               f.tokens[0].count = {1};
                               f.tokens[1].count = {4};
                               weight(f, 0) = {{ratio(1, 2)}};
                               weight(f, 1) = weight(f, 2) = {{1}, {-2, 2}};
                               f.value = {{0, -2, 2}, {-10, -3, 1}};
                             },
                             "the hypothesis max(i: a_i) <= B min(i: a_i)"},
                            {"a weight of 0",
                             [](FormFamily& f) {
                               weight(f, 0) = {{ratio(1, 5)}};
                               weight(f, 1) = nothing;
                               f.value = {{0, 1}, {-5, 1}};
                             },
                             "the hypothesis a_i > 0"},
                            {"tokens of 0",
                             [](FormFamily& f) {
                               token(f, 0) = token(f, 1) = nothing;
                               number(f, 1) = nothing;
                             },
                             "the hypothesis M > 0"},
                            {"tokens off the sphere", [](FormFamily& f) { token(f, 1).above[0] -= little; },
                             "the hypothesis |x_i| = M"},
                            {"M depends on n",
                             [](FormFamily& f) {
                               token(f, 0) = token(f, 1) = number(f, 1) = falls;
                               f.value = {{0, 0, 0, 1}, {-20, 4}};
                             },
                             "M is not a constant"},
                            {"B depends on n", [](FormFamily& f) { number(f, 0) = grows; }, "B is not a constant"},
                            {"N = 4",
                             [](FormFamily& f) {
                               f.tokens[0].count = {4};
                               f.tokens[1].count = {-4, 1};
                             },
                             "the hypothesis N = 5"}});
  expect_refused(sink(), {{"a smaller sink", [](FormFamily& f) { weight(f, 0).above[0] -= little; }, "sum(i: a_i) = 1"},
                          {"a token of norm 2", [](FormFamily& f) { token(f, 2) = {{2}}; }, "the hypothesis x_i = 1"},
                          {"N = 4",
                           [](FormFamily& f) {
                             f.tokens[1].count = {3};
                             f.tokens[2].count = {-4, 1};
                           },
                           "the hypothesis N = 5"},
                          {"from L = 5 on", [](FormFamily& f) { f.first = 5; }, "a run has no token for some n"}});
}

TEST(FamilyEdits, OfNormalizers) {
  expect_refused(any_normalizer(),
                 {{"another logit", [](FormFamily& f) { weight(f, 0).above[0] += little; }, "not the closed form"},
                  {"S", [](FormFamily& f) { f.numbers.emplace_back("S", unit); }, "which no sentence reads", 2}});
  expect_refused(any_normalizer(),
                 {{"F has no zero", [](FormFamily& f) { token(f, 1) = unit; }, "the hypothesis min(i: F_i) = 0"},
                  {"one logit", [](FormFamily& f) { weight(f, 1) = unit; }, "F is no function of the logit"},
                  {"F depends on n",
                   [](FormFamily& f) {
                     weight(f, 0) = falls;
                     token(f, 0) = falls;
                   },
                   "logits and values of F depend on n"},
                  {"F is not bounded", [](FormFamily& f) { token(f, 0) = grows; }, "the hypothesis F_i <= B"},
                  {"logits are not bounded", [](FormFamily& f) { weight(f, 0) = grows; }, "the hypothesis |l_i| <= B"},
                  {"no logits",
                   [](FormFamily& f) {
                     for (auto& run : f.tokens) run.rows.erase(run.rows.begin());
                   },
                   "speaks of l_i, which the file does not give"}},
                 1);
  expect_refused(
      any_normalizer(),
      {{"tau", [](FormFamily& f) { number(f, 0).above[0] += little; }, "the hypothesis a_i = max(l_i - tau, 0)"},
       {"no tau", [](FormFamily& f) { f.numbers.erase(f.numbers.begin()); }, "speaks of tau"},
       {"logits that grow", [](FormFamily& f) { weight(f, 0) = grows; }, "does not hold"},
       {"a weight", [](FormFamily& f) { token(f, 0) = {{1 - little}}; }, "does not hold"},
       {"B", [](FormFamily& f) { number(f, 1) = {{1 - little}}; }, "the hypothesis |l_i| <= B"}},
      2);
  expect_refused(tradeoff(), {{"a first weight below 1",
                               [](FormFamily& f) {
                                 f.tokens[0].rows = {{"l", {{ratio(1, 2)}}}, {"a", {{1, 1}, {0, 2}}}};
                                 f.tokens[1].rows = {{"l", nothing}, {"a", {{1}, {0, 2}}}};
                                 number(f, 0) = {{-1}, {0, 2}};
                                 f.value = {{ratio(1, 2), ratio(1, 2)}};
                               },
                               "the hypothesis a_first = 1"}});
}

TEST(FamilyEdits, OfTheList) {
  const Witness good = any_normalizer();
  Witness edited = good;
  edited.families.erase(edited.families.begin() + 1);
  expect_verdict(edited, 1, "the families are not those that the claim needs");
  edited.families.push_back(good.families[1]);
  expect_verdict(edited, 1, "family zero-of-f: it stands where zero-of-f should", "out of order");
  edited = good;
  edited.families.push_back(good.families[0]);
  expect_verdict(edited, 1, "the families are not those that the claim needs");
  edited = good;
  std::swap(edited.families[0], edited.families[2]);
  expect_verdict(edited, 1, "it stands where unbounded-logits should", "exchanged");
  edited = good;
  edited.families[2].name = edited.families[0].name;
  expect_verdict(edited, 1, "it stands where non-separable should", "a name twice");
  edited = collapse();
  edited.families[0].name = "two\nlines\u0085: accepted: ";
  EXPECT_EQ(judged(edited).line, "rejected: family equal-tokens: it stands where equal-tokens should");
  edited = collapse();
  edited.claim = "distance-linear-in-length";
  edited.text = linear().text;
  expect_verdict(edited, 1, "it stands where equal-weights should");
  for (const char* const claim : {"theorem1-upper", "distance-linear", "theorem1-collapse ", ""}) {
    edited.claim = claim;
    expect_verdict(edited, 1, "none that this checker settles along families", claim);
  }
}

// What the writer does not write: one edit of the text each.
TEST(FamilyEdits, OfTheText) {
  const std::string text = to_json(collapse());
  ASSERT_EQ(check::judge(text).status, 0);
  struct TextEdit {
    const char *from, *to, *word;
  };
  for (const auto& [from, to, word] : std::initializer_list<TextEdit>{
           {"\"first\": 1,", "\"first\": 0,", "a whole number is not from 1"},
           {"\"first\": 1,", "\"first\": 1048577,", "a whole number is not from 1"},
           {"\"first\": 1,", "\"first\": \"1\",", "a whole number is not from 1"},
           {"\"first\": 1,", "\"first\": 1.0,", "a whole number is not from 1"},
           {"\"first\": 1,", "\"first\": -1,", "a whole number is not from 1"},
           {"\"first\": 1,", "", "a family lacks \"first\""},
           {"\"first\": 1,", "\"first\": 1, \"last\": 2,", "a family has an unknown key"},
           {"\"first\": 1,", "\"first\": 1, \"first\": 2,", "a key appears twice"},
           {"\"selected\": 1", "\"selected\": 2", "a whole number is not from 0 to 1"},
           {"\"selected\": 1", "\"selected\": true", "a whole number is not from 0 to 1"},
           {"\"selected\": 1", "\"selected\": 1, \"kind\": 0", "a run of tokens has an unknown key"},
           {"\"selected\": 1,", "", "a run of tokens lacks \"selected\""},
           {"\"count\": [\"0\", \"1\"]", "\"count\": {\"above\": [\"0\", \"1\"], \"below\": [\"1\"]}", "brackets"},
           {"\"count\": [\"0\", \"1\"]", "\"count\": [0, 1]", "quotation marks"},
           {"\"below\": [\"0\", \"2\"]", "\"below\": [\"0\", \"2\"], \"at\": []", "a quotient has an unknown key"},
           {"\"below\": [\"0\", \"2\"]", "\"under\": [\"0\", \"2\"]", "a quotient lacks \"below\""},
           {"\"families\":", "\"instance\": {}, \"families\":", "the document has an unknown key"},
           {"\"families\":", "\"relation\": \"lhs <= rhs\", \"families\":", "the document has an unknown key"},
           {"attncert-families/2", "attncert-families/1", "the format is none that this program reads"},
           {"attncert-families/2", "attncert-witness/1", "lacks"},
           {"\"seed\": 0,", "\"seed\": -1,", "a whole number is not"},
           {"\"replay\": \"family\",", "", "found lacks \"replay\""}}) {
    std::string edited = text;
    const std::size_t at = edited.find(from);
    ASSERT_NE(at, std::string::npos) << from << " in " << text;
    edited.replace(at, std::string(from).size(), to);
    const check::Verdict verdict = check::judge(edited);
    EXPECT_EQ(verdict.status, 2) << to << ": " << verdict.line;
    EXPECT_NE(verdict.line.find(word), std::string::npos) << to << ": " << verdict.line;
  }
}

}  // namespace
}  // namespace attncert::examples
