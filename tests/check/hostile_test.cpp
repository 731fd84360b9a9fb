// What the checker does with what it should not accept: malformed files, hostile ones and mutated ones. A fixed
// generator: the same cases on every machine.
#include <gtest/gtest.h>

#include <random>

#include "tests/check/examples.hpp"

namespace attncert::examples {
namespace {

using Engine = std::mt19937_64;

std::size_t below(Engine& engine, std::size_t n) { return static_cast<std::size_t>(engine() % n); }

TEST(Usage, HelpAndMisuse) {
  const Outcome help = check(std::vector<std::string>{"--help"});
  EXPECT_EQ(help.exit, 0);
  EXPECT_GT(help.lines.size(), 14U);
  for (const auto& arguments : {std::vector<std::string>{}, {"--nonsense"}, {"/nonexistent/w.json"}, {"/"}}) {
    const Outcome outcome = check(arguments);
    EXPECT_EQ(outcome.exit, 2);
    EXPECT_EQ(outcome.lines.size(), 1U);
  }
}

TEST(Usage, TheWorstFileDecidesTheExit) {
  Folder folder;
  const auto good = folder.put(witness("theorem1-upper", two_halves()));
  const auto bad = folder.put(witness("theorem2-eighty-percent", kite()));
  const auto broken = folder.put(std::string("{"));
  EXPECT_EQ(check({good, good}).exit, 0);
  EXPECT_EQ(check({good, bad, good}).exit, 1);
  const Outcome all = check({broken, bad, good});
  EXPECT_EQ(all.exit, 2);
  ASSERT_EQ(all.lines.size(), 3U);
  EXPECT_EQ(all.lines[0].find(broken + ": "), 0U);
  EXPECT_EQ(all.lines[1].find(bad + ": rejected: "), 0U);
  EXPECT_EQ(all.lines[2].find(good + ": accepted: "), 0U);
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
        edited("\"L\": 2", "\"L\": 3"), edited("\"L\": 2", "\"L\": 99999999999"), edited("\"1/2\"", "\"1/2\", \"1\""),
        edited("witness/1", "witness/9"), edited("\"claim\"", "\"claims\""), std::string(100000, '[')}) {
    const Outcome outcome = check({folder.put(file)});
    EXPECT_EQ(outcome.exit, 2) << file.substr(0, 200);
    EXPECT_EQ(outcome.lines.size(), 1U) << file.substr(0, 200);
  }
}

// A file may ask for much in few bytes: it is refused or judged, in bounded memory and time.
TEST(Hostile, LongRunsAndLongNumbers) {
  ExactInstance wide = two_halves();
  wide.length = largest_witness_length;
  wide.dimension = 1000;
  wide.weights = {{ratio(1, wide.length), wide.length}};
  wide.tokens = {{std::vector<Rational>(1000, Rational(1)), wide.length}};
  ExactInstance crowded = wide;  // all pairs of 65,536 tokens
  crowded.length = 65536;
  crowded.dimension = 1;
  crowded.count = 30000;
  crowded.weights = {{ratio(1, crowded.length), crowded.length}};
  crowded.tokens = {{{Rational(1)}, crowded.length}};
  ExactInstance precise = flat_logits();
  precise.logits[0].value = Rational("1" + std::string(90000, '0') + "/3");
  for (const Witness& hostile :
       {witness("theorem1-upper", wide), witness("theorem1-upper", crowded), witness("theorem2-upper", crowded),
        witness("softmax-quarter-over-temperature", precise)}) {
    const Outcome outcome = check_one(hostile);
    EXPECT_EQ(outcome.exit, 1) << hostile.claim;
    EXPECT_EQ(outcome.lines.size(), 1U);
  }
}

// What would take days is refused: all pairs of tokens of 100,000 digits; every index set of tokens of great width; a
// list of long numbers, each of them within the limits.
TEST(Hostile, WorkIsBounded) {
  const Rational precise("1" + std::string(39000, '0') + "/3");
  ExactInstance digits = two_halves();
  digits.length = 4096;
  digits.count = 2048;
  digits.weights = {{ratio(1, 4096), 4096}};
  digits.tokens = {{{precise}, 2048}, {{-precise}, 2048}};
  ExactInstance wide = two_halves();
  wide.length = 8;
  wide.dimension = 500000;
  wide.weights = {{ratio(1, 8), 8}};
  wide.tokens = {{std::vector<Rational>(wide.dimension, ratio(1, 3)), 8}};
  ExactInstance list = flat_logits();
  list.length = 60000;
  list.logits = {{precise, 30000}, {-precise, 30000}};
  for (const Witness& hostile : {witness("theorem1-upper", digits), witness("theorem1-expectation-main-term", wide),
                                 witness("softmax-quarter-over-temperature", list)}) {
    const Outcome outcome = check_one(hostile);
    ASSERT_EQ(outcome.lines.size(), 1U);
    EXPECT_EQ(outcome.exit, 1) << hostile.claim;
    EXPECT_NE(outcome.lines[0].find("digits"), std::string::npos) << outcome.lines[0].substr(0, 300);
  }
}

// Logits and temperatures far beyond floating point: every verdict is still an exit of its own.
TEST(Hostile, ExtremeExponents) {
  for (const char* logit : {"1", "-1"}) {
    for (const char* temperature : {"1/1", "T", "1/T"}) {
      const std::string huge = "1" + std::string(5000, '0');
      ExactInstance instance = flat_logits();
      instance.logits = {{Rational(logit + std::string(3000, '0')), 1}, {Rational(0), 1}};
      std::string text = temperature;
      if (const auto at = text.find('T'); at != std::string::npos) text.replace(at, 1, huge);
      instance.temperature = Rational(text);
      for (const char* claim : {"softmax-quarter-over-temperature", "softmax-quarter-frobenius"})
        EXPECT_NE(check_one(witness(claim, instance)).exit, -1) << logit << " " << temperature;
    }
  }
}

TEST(Hostile, MutatedFilesNeverCrashIt) {
  const std::vector<std::string> originals = {to_json(witness("theorem1-upper", two_halves())),
                                              to_json(witness("theorem2-upper", antipodal())),
                                              to_json(witness("theorem2-eighty-percent", orthonormal())),
                                              to_json(witness("theorem2-lower-literal", tetrahedron())),
                                              to_json(witness("separability-floor", kite())),
                                              to_json(witness("lemma2-sqrt2-cap", steep())),
                                              to_json(witness("softmax-quarter-over-temperature", flat_logits())),
                                              to_json(collapse()),
                                              to_json(any_normalizer())};
  static constexpr char alphabet[] = "0123456789/-+.eE\"[]{},: \n\t\\ux\x00\xff";
  Engine engine(20251021);
  int seen[3] = {0, 0, 0};
  for (const std::string& original : originals) {
    for (int batch = 0; batch < 6; ++batch) {
      Folder folder;
      std::vector<std::string> files;
      for (int i = 0; i < 40; ++i) {
        std::string text = original;
        for (std::size_t edits = 1 + below(engine, 3); edits > 0; --edits) {
          const std::size_t at = below(engine, text.size());
          const char byte = alphabet[below(engine, sizeof alphabet - 1)];
          switch (below(engine, 4)) {
            case 0:
              text[at] = byte;
              break;
            case 1:
              text.erase(at, 1 + below(engine, 4));
              break;
            case 2:
              text.insert(at, 1, byte);
              break;
            default:
              text[at] = static_cast<char>('0' + below(engine, 10));
          }
        }
        files.push_back(folder.put(text));
      }
      const Outcome outcome = check(files);
      ASSERT_TRUE(outcome.exit >= 0 && outcome.exit <= 2) << "batch " << batch << " of " << original;
      ASSERT_EQ(outcome.lines.size(), files.size());
      for (const std::string& line : outcome.lines) {
        const bool accepted = line.find(": accepted: ") != std::string::npos;
        ++seen[accepted ? 0 : line.find(": rejected: ") != std::string::npos ? 1 : 2];
      }
    }
  }
  for (const int kind : seen) EXPECT_GT(kind, 10);  // the mutations reach every verdict
}

}  // namespace
}  // namespace attncert::examples
