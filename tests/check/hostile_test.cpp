// What the checker does with what it should not accept: bad usage, malformed files, and files that ask for much.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "tests/check/examples.hpp"
#include "tests/check/genuine.hpp"

namespace attncert::examples {
namespace {

TEST(Usage, HelpAndMisuse) {
  const Outcome help = run_checker({"--help"});
  EXPECT_EQ(help.exit, 0);
  EXPECT_GT(help.lines.size(), 30U);
  Folder folder;
  const std::string good = folder.put(witness("theorem1-upper", two_halves()));
  for (const auto& arguments : {std::vector<std::string>{},
                                {"--nonsense"},
                                {"/nonexistent/w.json"},
                                {"/"},
                                {"/dev/zero"},
                                {"--help", good},  // a folder may hold a file of this name
                                {good, "--help"},
                                {"--help", "--help"},
                                {"--version"},
                                {good, "-"},
                                {""}}) {
    const Outcome outcome = run_checker(arguments);
    EXPECT_EQ(outcome.exit, 2) << (arguments.empty() ? "" : arguments[0]);
    EXPECT_EQ(outcome.lines.size(), 1U) << (arguments.empty() ? "" : arguments[0]);
    EXPECT_EQ(outcome.lines.at(0).find("accepted"), std::string::npos);
  }
}

TEST(Usage, HelpPrintsEverySentence) {
  std::string all;
  for (const std::string& line : run_checker({"--help"}).lines) all += line + "\n";
  for (const check::Statement& statement : check::statements()) {
    if (statement.kind == "block") continue;
    EXPECT_NE(all.find("  " + statement.claim), std::string::npos) << statement.claim;
    EXPECT_NE(all.find(statement.text()), std::string::npos) << statement.claim;
  }
}

TEST(Usage, TheWorstFileDecidesTheExit) {
  Folder folder;
  const auto good = folder.put(witness("theorem1-upper", two_halves()));
  const auto bad = folder.put(witness("theorem2-eighty-percent", kite()));
  const auto broken = folder.put(std::string("{"));
  EXPECT_EQ(run_checker({good, good}).exit, 0);
  EXPECT_EQ(run_checker({good, bad, good}).exit, 1);
  const Outcome all = run_checker({broken, bad, good});
  EXPECT_EQ(all.exit, 2);
  ASSERT_EQ(all.lines.size(), 3U);
  EXPECT_EQ(all.lines[0].find(broken + ": malformed: "), 0U);
  EXPECT_EQ(all.lines[1].find(bad + ": rejected: "), 0U);
  EXPECT_EQ(all.lines[2].find(good + ": accepted: "), 0U);
}

// The words of a line are the checker's: a name cannot end it, or write another.
TEST(Usage, NamesOfFilesCannotSpeakForTheChecker) {
  Folder folder;
  const std::filesystem::path bad = folder.put(witness("theorem2-eighty-percent", kite()));
  const std::string name = "x.json: accepted: all\n\x1b[2Ky\x7f\xc2\x9bz\xe2\x80\xae";  // U+202E turns the line
  std::filesystem::copy_file(bad, bad.parent_path() / name);
  const Outcome outcome = run_checker({(bad.parent_path() / name).string()});
  EXPECT_EQ(outcome.exit, 1);
  ASSERT_EQ(outcome.lines.size(), 1U);
  EXPECT_NE(outcome.lines[0].find("x.json: accepted: all??[2Ky???z???: rejected: "), std::string::npos);
}

// Nor can what stands in a file.
TEST(Usage, TextsOfFilesCannotSpeakForTheChecker) {
  const std::string forged = "z\nother.json: accepted: theorem1-upper is refuted";
  for (const std::string& name : {forged, std::string("\x1b[31mred"), std::string("\u009b31m"), std::string("\u202e"),
                                  std::string("\u2028"), std::string("a\0b", 3)})
    for (const bool of_token : {false, true}) {
      Witness families = collapse();
      if (of_token) {
        for (FormFamily::Tokens& run : families.families[0].tokens) run.rows.push_back({name, {{1}}});
      } else {
        families.families[0].numbers.push_back({name, {{1}}});
      }
      Folder folder;
      const Outcome outcome = run_checker({folder.put(to_json(families))});
      EXPECT_EQ(outcome.exit, 2);
      ASSERT_EQ(outcome.lines.size(), 1U) << outcome.lines.at(0);
      EXPECT_TRUE(
          std::all_of(outcome.lines[0].begin(), outcome.lines[0].end(), [](char c) { return c >= ' ' && c <= '~'; }));
      EXPECT_NE(outcome.lines[0].find(", which no sentence reads"), std::string::npos) << outcome.lines[0];
    }
}

TEST(Malformed, OneLineAndExitTwo) {
  const std::string text = to_json(witness("theorem1-upper", two_halves()));
  const auto edited = [&text](const std::string& from, const std::string& to) {
    std::string copy = text;
    EXPECT_NE(copy.find(from), std::string::npos) << from;
    return copy.replace(copy.find(from), from.size(), to);
  };
  Folder folder;
  for (const std::string& file :
       {std::string(), text.substr(0, text.size() / 2), edited("\"3/4\"", "0.75"), edited("\"3/4\"", "\"3/0\""),
        edited("3/4", std::string(100'001, '9')), edited("\"L\": 2", "\"L\": 3"),
        edited("\"L\": 2", "\"L\": 99999999999"), edited("\"1/2\"", "\"1/2\", \"1\""), edited("witness/1", "witness/9"),
        edited("\"claim\"", "\"claims\""), std::string(100000, '['), text + std::string(1, '\0'),
        text + std::string(1, '\0') + text, text + text, text + "{}", std::string((std::size_t{32} << 20) + 1, ' ')}) {
    const Outcome outcome = run_checker({folder.put(file)});
    EXPECT_EQ(outcome.exit, 2) << file.substr(0, 200);
    ASSERT_EQ(outcome.lines.size(), 1U) << file.substr(0, 200);
    EXPECT_NE(outcome.lines[0].find(": malformed: "), std::string::npos) << outcome.lines[0];
  }
}

ExactInstance long_row(std::size_t length) {
  ExactInstance row = two_halves();
  row.length = length;
  row.weights = {{ratio(1, length), length}};
  row.tokens = {{{Rational(1)}, length}};
  return row;
}

// A file may ask for much in few bytes: it is refused or judged, in bounded memory and time.
TEST(Hostile, LongRunsAndLongNumbers) {
  ExactInstance longest = long_row(largest_witness_length);
  ExactInstance wide = long_row(65536);  // a hundred million numbers in a few kilobytes
  wide.dimension = 1500;
  wide.tokens = {{std::vector<Rational>(1500, Rational(1)), 65536}};
  ExactInstance precise = flat_logits();
  precise.logits[0].value = Rational("1" + std::string(90000, '0') + "/3");
  expect_verdict(witness("theorem1-upper", longest), 1, "more than 65,536 tokens");
  expect_verdict(witness("theorem1-upper", wide), 1, "more than 2^21 numbers");
  expect_verdict(witness("softmax-quarter-over-temperature", precise), 1, "too many digits of l");
  ExactInstance crowded = long_row(65536);  // equal tokens are one or two classes, however many they are
  crowded.count = 30000;
  expect_verdict(witness("theorem1-upper", crowded), 1, "does not exceed");
  expect_verdict(witness("theorem2-upper", crowded), 1, "the hypothesis delta2 > 0");
}

// What would take days is refused: lists of long numbers, and all pairs of tokens of 20,000 digits. That all tokens of
// a half are equal makes them one class, which is judged.
TEST(HostileWork, IsBounded) {
  const Rational precise("1" + std::string(39000, '0') + "/3");
  ExactInstance halves = long_row(4096);
  halves.count = 2048;
  halves.tokens = {{{precise}, 2048}, {{-precise}, 2048}};
  expect_verdict(witness("theorem1-upper", halves), 1, "does not exceed");
  ExactInstance list = long_row(4096);
  list.tokens.clear();
  // One long number counts for all of them, and 4,096 long ones are no file that is read.
  for (long i = 1; i <= 4096; ++i) list.tokens.push_back({{i == 1 ? precise : Rational(i)}, 1});
  expect_verdict(witness("theorem1-upper", list), 1, "too many digits of x");
  for (auto& run : list.tokens) run.value = {precise};
  for (std::size_t i = 0; i < 4096; i += 2) list.tokens[i].value[0] += 1;  // no runs of equal ones
  expect_verdict(witness("theorem1-upper", list), 2, "longer than 32 MiB");
  ExactInstance pairs = long_row(1024);
  pairs.count = 512;
  pairs.tokens.clear();
  const Rational shorter("1" + std::string(20000, '0') + "/3");
  for (long i = 1; i <= 1024; ++i) pairs.tokens.push_back({{shorter * i}, 1});
  expect_verdict(witness("theorem1-upper", pairs), 1, "to judge in minutes");
}

// Two singular values that differ by 2^-3000 relatively: powers do not part them at any precision.
TEST(Hostile, SpectralNormsThatAreNearlyOneAreBounded) {
  Rational step = 1;
  mpq_div_2exp(step.get_mpq_t(), step.get_mpq_t(), 3000);
  ExactInstance near;
  near.length = 30;
  for (std::size_t i = 0; i < 30; ++i) {
    near.F.push_back({Rational(1), 1});
    near.dF.push_back({Rational(42 + step * static_cast<long>(i)), 1});
  }
  const auto begin = std::chrono::steady_clock::now();
  expect_verdict(witness("lemma2-sqrt2-cap", near), 1, "does not exceed");
  near.dF[0].value = 45;
  expect_verdict(witness("lemma2-sqrt2-cap", near), 0, "accepted");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::minutes(1));
}

// A certificate of very many rows is no more work than one instance may be: rows share one limit.
TEST(HostileWork, OfManyRowsIsBounded) {
  Certificate certificate = genuine_certificate("weights-diameter");
  CertificateRow row;
  for (const CertificateRow& each : certificate.rows)
    if (each.instance.length == 4096) row = each;
  row.instance.length = 65536;
  row.instance.weights = row.instance.other_weights = {{ratio(1, 65536), 65536}};
  const Rational root = ratio(14142135623730951, 10000000000000000);
  row.sides = {{0, 0}, {root, root}};
  certificate.rows.assign(4000, row);
  const auto begin = std::chrono::steady_clock::now();
  const check::Verdict verdict = judged(certificate);
  EXPECT_EQ(verdict.status, 1);
  EXPECT_NE(verdict.line.find("to judge in minutes"), std::string::npos) << verdict.line;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::minutes(4));
}

// Sums over runs multiply denominators: what a sentence would come to is known from the sizes of the file.
TEST(Hostile, FamiliesOfHighDegreeAreRefusedBeforeTheyAreWork) {
  Witness witness = linear();
  FormFamily& family = witness.families[0];
  family.first = 16;
  family.tokens[0].count = {1};
  family.tokens[1].count = {-15, 1};
  family.tokens.insert(family.tokens.begin(), 14, family.tokens[0]);
  for (std::size_t k = 0; k < family.tokens.size(); ++k) {
    std::vector<Rational> coefficients(16, Rational(1));
    coefficients[k] += 1;
    family.tokens[k].rows[0].second = {{1}, coefficients};
  }
  const auto begin = std::chrono::steady_clock::now();
  expect_verdict(witness, 2, "runs times degrees of their forms are over 512");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  for (auto& run : family.tokens) run.rows[0].second.below.resize(2);  // 16 runs of degree 1, and a count
  expect_verdict(witness, 1, "the hypothesis sum(i: a_i) = 1 does not hold");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

// Logits and temperatures far beyond floating point. What is far apart at T = 1 is nearly equal at T = 10^5000.
TEST(Hostile, ExtremeExponents) {
  const std::string huge = "1" + std::string(5000, '0');
  for (const char* const logit : {"1", "-1"})
    for (const std::string& temperature : {std::string("1/1"), huge, "1/" + huge}) {
      ExactInstance instance = flat_logits();
      instance.logits = {{Rational(logit + std::string(3000, '0')), 1}, {Rational(0), 1}};
      instance.temperature = Rational(temperature);
      for (const char* claim : {"softmax-quarter-over-temperature", "softmax-quarter-frobenius"})
        expect_verdict(witness(claim, instance), temperature == huge ? 0 : 1,
                       temperature == huge ? "e-5001" : "exceed");
    }
}

}  // namespace
}  // namespace attncert::examples
