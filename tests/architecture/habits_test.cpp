// What reviewers would otherwise look for by eye: compiler flags that change arithmetic, assertions that do
// not falsify a property, and paths that exist on one machine only.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/architecture/sources.hpp"
#include "tests/pattern.hpp"

namespace attncert {
namespace {

bool has(const SourceFile& file, const Pattern& pattern) {
  for (const std::string& line : file.lines)
    if (pattern.is_in(line)) return true;
  return false;
}

// -ffast-math and its kin license what floating point does not do; -march breaks run-time dispatch (Highway).
bool has_unsafe_flag(const SourceFile& file) {
  static const Pattern flag("-(ffast-math|Ofast|funsafe-math|ffp-contract=(fast|on)|march=)");
  return has(file, flag);
}

// Inside a RapidCheck property gtest's macros print and are counted as success; only RC_ASSERT falsifies.
bool mixes_assertions(const SourceFile& file) {
  static const Pattern property(R"(\bRC_GTEST_\w*PROP\b)"), assertion(R"(\b(EXPECT|ASSERT)_[A-Z]+)");
  return has(file, property) && has(file, assertion);
}

bool names_a_machines_folder(const SourceFile& file) {
  static const Pattern folder(R"((^|[^A-Za-z0-9_./])/(work|root|farm|home/[a-z]+|Users/\w+)/)");
  return has(file, folder);
}

std::vector<SourceFile> files(const std::vector<std::string>& endings) {
  return files_ending_in(ATTNCERT_SOURCE_DIR, endings);
}

TEST(Habits, NoFlagChangesArithmetic) {
  const std::vector<SourceFile> build_files =
      files({"CMakeLists.txt", ".cmake", "CMakePresets.json", ".sh", "scripts/certify", "scripts/test",
             "scripts/dependencies", ".ci/run"});
  EXPECT_GT(build_files.size(), 10u);
  for (const SourceFile& file : build_files) EXPECT_FALSE(has_unsafe_flag(file)) << file.path;
}

TEST(Habits, PropertiesAssertThroughRapidCheck) {
  for (const SourceFile& file : files({".cpp", ".hpp"}))
    EXPECT_FALSE(mixes_assertions(file)) << file.path << ": use RC_ASSERT inside properties";
}

TEST(Habits, NoPathOfOneMachine) {
  for (const SourceFile& file : files({".cpp", ".hpp", ".h", ".c", ".txt", ".cmake", ".json", ".md", ".sh", ".py",
                                       "scripts/certify", "scripts/test", "scripts/dependencies", ".ci/run"}))
    EXPECT_FALSE(names_a_machines_folder(file)) << file.path;
}

TEST(Habits, TheJudgesFindWhatTheyLookFor) {
  const auto of = [](const std::string& line) { return SourceFile{"x", {"// a first line", line}}; };
  EXPECT_TRUE(has_unsafe_flag(of("target_compile_options(x PRIVATE -O2 -ffast-math)")));
  EXPECT_TRUE(has_unsafe_flag(of("\"CMAKE_CXX_FLAGS\": \"-march=native\"")));
  EXPECT_FALSE(has_unsafe_flag(of("-ffp-contract=off -O3")));
  // In two pieces, so that this file keeps the habits too.
  const std::string root = "/", home = root + "home/someone", work = root + "work/shared";
  const std::string property = std::string("RC_GTEST") + "_PROP(A, b, ()) {";
  EXPECT_TRUE(names_a_machines_folder(of("cd " + home + "/attncert")));
  EXPECT_TRUE(names_a_machines_folder(of("std::ifstream(\"" + work + "/x\")")));
  EXPECT_FALSE(names_a_machines_folder(of("std::ifstream(\"/proc/cpuinfo\"); // build/work/x")));
  EXPECT_TRUE(mixes_assertions({"x", {property, "  EXPECT_EQ(1, 1);"}}));
  EXPECT_FALSE(mixes_assertions({"x", {property, "  RC_ASSERT(true); ATTNCERT_ASSERT(true);"}}));
  EXPECT_FALSE(mixes_assertions({"x", {"TEST(A, b) { EXPECT_EQ(1, 1); }"}}));
}

}  // namespace
}  // namespace attncert
