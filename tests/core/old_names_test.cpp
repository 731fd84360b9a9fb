#include "src/core/old_names.hpp"

#include <gtest/gtest.h>

#include <set>

namespace attncert {
namespace {

TEST(OldNames, BecomeThePresentOnes) {
  EXPECT_EQ(present_name("case", "rule:null-input"), "invalid-call:null-input");
  EXPECT_EQ(present_name("case", "invalid-call:null-input"), "invalid-call:null-input");
  EXPECT_EQ(present_name("option", "rule:null-input"), "rule:null-input");
}

// One step leads to the present name, and no old name has two.
TEST(OldNames, NeverLeadToAnotherOldName) {
  std::set<std::string> seen;
  for (const OldName& entry : old_names) {
    EXPECT_TRUE(seen.insert(std::string(entry.kind) + " " + std::string(entry.old_name)).second) << entry.old_name;
    EXPECT_EQ(present_name(entry.kind, entry.old_name), entry.name);
    EXPECT_EQ(present_name(entry.kind, entry.name), entry.name);
  }
}

}  // namespace
}  // namespace attncert
