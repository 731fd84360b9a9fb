// The theorems behind claims: their names, and that those of refuted claims refute (docs/proofs.md). That they are
// proved is the test "proofs"; that the page of claims shows them, one of tests/reports.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "properties/claims/claim.hpp"
#include "properties/claims/theorem.hpp"

namespace attncert {
namespace {

std::set<std::string> files_of_proofs() {
  std::set<std::string> ids;
  for (const auto& file : std::filesystem::directory_iterator(std::string(ATTNCERT_SOURCE_DIR) + "/proofs/claims")) {
    std::string id = file.path().stem().string();
    std::replace(id.begin(), id.end(), '_', '-');
    ids.insert(id);
  }
  return ids;
}

TEST(Theorems, EachFileIsAClaimAndEachTheoremHasAFile) {
  const std::set<std::string> files = files_of_proofs();
  ASSERT_GE(files.size(), 40u);
  std::set<std::string> ids;
  for (const Theorem& theorem : theorems()) ids.insert(theorem.claim);
  EXPECT_EQ(ids, files) << "proofs/theorems.txt: proofs/check ... --write";
  for (const std::string& id : files) EXPECT_NE(find_claim(id), nullptr) << "proofs/claims: no claim " << id;
}

TEST(Theorems, HaveDomainAxiomsAndStatement) {
  for (const Theorem& theorem : theorems()) {
    EXPECT_FALSE(theorem.domain.empty()) << theorem.claim;
    EXPECT_NE(theorem.assumes.find("functional_extensionality_dep"), std::string::npos) << theorem.claim;
    EXPECT_NE(theorem.states.find("forall"), std::string::npos) << theorem.claim;
  }
}

// A refuted claim has a theorem that refutes, any other one that does not.
TEST(Theorems, AreOfTheExpectedSide) {
  for (const Theorem& theorem : theorems()) {
    const Claim* const claim = find_claim(theorem.claim);
    ASSERT_NE(claim, nullptr) << theorem.claim;
    EXPECT_EQ(theorem.states.find('~') != std::string::npos, claim->expected == Expected::refuted) << theorem.claim;
    EXPECT_EQ(theorem.domain.starts_with("refuted"), claim->expected == Expected::refuted) << theorem.claim;
  }
}

}  // namespace
}  // namespace attncert
