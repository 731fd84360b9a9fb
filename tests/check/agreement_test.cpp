// The checker against the suite's own judge, which shares no formula with it: on random instances both say the same,
// and of files that were edited in one character none is accepted that the other does not find true.
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

#include "properties/claims/certify/cover.hpp"
#include "properties/claims/certify/evidence.hpp"
#include "properties/claims/certify/judge.hpp"
#include "properties/claims/certify/search.hpp"
#include "tests/check/examples.hpp"

namespace attncert::examples {
namespace {

bool is_accepted(const std::string& line) { return line.find(": accepted: ") != std::string::npos; }

// A spectral norm enters the checker by a lower bound from a vector of floats, which does not show every violation that
// is this near to equality.
constexpr double nearly_equal = 1 + 1e-6;

bool has_spectral_norm(std::string_view id) {
  return id == "lemma2-sqrt2-cap" || id == "softmax-quarter-over-temperature";
}

// Every random instance of a refuted claim is accepted exactly when the suite calls it violated.
TEST(Agreement, OnRandomInstancesOfRefutedClaims) {
  for (const Claim& claim : claims()) {
    const Statement& statement = claim.statement;
    if (claim.expected != Expected::refuted || statement.families() != nullptr) continue;
    Folder folder;
    std::vector<std::string> files;
    std::vector<bool> violated, may_miss;
    for (std::uint64_t number = 0; number < 400; ++number) {
      const Instance instance = instance_of(statement, random_case(statement, 11, number));
      Witness found = witness(std::string(statement.id), instance.exact());
      found.relation = "lhs " + std::string(sign(statement.sided()->relation)) + " rhs";
      files.push_back(folder.put(found));
      const Ruling ruling = judge(statement, instance);
      violated.push_back(ruling.decision == Decision::violated);
      may_miss.push_back(has_spectral_norm(statement.id) && ruling.tightness().value_or(2) < nearly_equal);
    }
    const Outcome outcome = check(files);
    ASSERT_EQ(outcome.lines.size(), files.size()) << statement.id;
    std::size_t refuted = 0;
    for (std::size_t i = 0; i < files.size(); ++i) {
      const bool accepted = is_accepted(outcome.lines[i]);
      EXPECT_EQ(accepted, violated[i] && (accepted || !may_miss[i])) << outcome.lines[i];
      refuted += violated[i] ? 1 : 0;
    }
    EXPECT_GE(refuted, 1u) << statement.id;  // else nothing was compared
  }
}

std::vector<std::string> originals() {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(ATTNCERT_WITNESSES)) {
    if (!entry.is_regular_file()) continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    all.push_back(text.str());
  }
  for (const Claim& claim : claims()) {
    if (claim.statement.sided() == nullptr || !claim.statement.sided()->cover) continue;
    const CoverResult covered = cover(claim.statement);
    EXPECT_TRUE(covered.certificate) << claim.statement.id;
    all.push_back(to_json(*covered.certificate));
  }
  return all;
}

// What was accepted is true in the suite's own arithmetic.
::testing::AssertionResult is_true(const std::string& text) {
  const Result<Evidence> evidence = evidence_from_json(text, "edited");
  if (!evidence) return ::testing::AssertionFailure() << "unreadable: " << evidence.error().message;
  const std::string why_not = why_untrue(*evidence);
  return why_not.empty() ? ::testing::AssertionSuccess() : ::testing::AssertionFailure() << why_not;
}

std::string edited(const std::string& text, std::mt19937_64& engine) {
  static constexpr char alphabet[] = "0123456789/-+.eE\"[]{},: \naLNT<=>";
  std::string result = text;
  const std::size_t at = engine() % text.size();
  const char byte = alphabet[engine() % (sizeof alphabet - 1)];
  switch (engine() % 3) {
    case 0:
      result[at] = byte;
      break;
    case 1:
      result.erase(at, 1);
      break;
    default:
      result.insert(at, 1, byte);
  }
  return result;
}

TEST(Edits, TenThousandSingleCharactersProveNothingFalse) {
  constexpr std::size_t edits = 10'000, batch = 250;
  const std::vector<std::string> all = originals();
  ASSERT_GT(all.size(), 20u);
  std::mt19937_64 engine(20261122);
  std::size_t accepted = 0, refused = 0;
  for (std::size_t done = 0; done < edits; done += batch) {
    Folder folder;
    std::vector<std::string> files, texts;
    for (std::size_t i = 0; i < batch; ++i) {
      texts.push_back(edited(all[(done + i) % all.size()], engine));
      files.push_back(folder.put(texts.back()));
    }
    const Outcome outcome = check(files);
    ASSERT_TRUE(outcome.exit >= 0 && outcome.exit <= 2) << "it crashed in the batch from " << done;
    ASSERT_EQ(outcome.lines.size(), files.size());
    for (std::size_t i = 0; i < batch; ++i) {
      if (!is_accepted(outcome.lines[i])) {
        ++refused;
        continue;
      }
      ++accepted;
      EXPECT_TRUE(is_true(texts[i])) << outcome.lines[i] << "\n" << texts[i].substr(0, 2000);
    }
  }
  EXPECT_GT(accepted, edits / 100);  // edits that change nothing that matters are there as well
  EXPECT_GT(refused, edits / 2);
}

}  // namespace
}  // namespace attncert::examples
