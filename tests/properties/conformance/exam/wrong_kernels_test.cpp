// The exam of wrong kernels: every fault of the suite, as a kernel of somebody's library under the loosest class of
// budgets that its normalizer has, is seen by a campaign, but for those that their class allows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "properties/conformance/faults/fault_lists.hpp"
#include "tests/cli/run.hpp"

namespace attncert {
namespace {

// docs/faults.md has the proofs ("As kernels of a library").
const std::set<std::string> allowed_by_their_class{"fault.f32-sum", "fault.log-without-log1p"};

const char* const libraries[] = {ATTNCERT_EXAM_FAULTS_0, ATTNCERT_EXAM_FAULTS_1, ATTNCERT_EXAM_FAULTS_2,
                                 ATTNCERT_EXAM_FAULTS_3};

std::vector<std::string> names() {
  std::vector<std::string> list;
  for (const Fault& fault : faults()) list.emplace_back(fault.name);
  for (const Fault& fault : plain::isolated_flaws()) list.emplace_back(fault.name);
  return list;
}

struct Seen {
  bool judged = false, caught = false;
};

// A line of accuracy's table: the kernel, its elements outside and undecided, its laws kept and known, its contract.
const std::regex of_the_table(R"(^(\S+) +plain +\S+ +\S+ +\d+ +(\d+) +(\d+) +\S+ +(\d+)/(\d+)  (.*)$)");

// What the table, the search and the list of violations say of each kernel. An undecided or weak judgement catches
// nothing.
std::map<std::string, Seen> seen_in(const std::string& output) {
  std::map<std::string, Seen> seen;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (std::regex_match(line, found, of_the_table)) {
      const bool breaks = found[2] != "0" || found[4] != found[5] || found[6].str().find("broken") != std::string::npos;
      seen[found[1]] = {true, breaks};
      continue;
    }
    std::istringstream words(line);
    std::string name, word;
    words >> name >> word;
    const bool of_violations = name.ends_with(':');
    if (of_violations) name.pop_back();
    if (const auto one = seen.find(name); line.starts_with("  ") && one != seen.end())
      one->second.caught |= of_violations || (word != "nothing" && word != "not");
  }
  return seen;
}

class WrongKernels : public testing::TestWithParam<std::size_t> {};

TEST_P(WrongKernels, AreCaughtUnlessTheirClassAllowsThem) {
  const std::vector<std::string> all = names();
  const std::size_t first = GetParam() * 64, last = std::min(first + 64, all.size());
  ASSERT_LT(first, all.size());
  const Ran ran = run_attncert(std::string("accuracy --effort quick --library ") + libraries[GetParam()]);
  EXPECT_EQ(ran.status, 1) << ran.errors;
  std::map<std::string, Seen> seen = seen_in(ran.output);
  EXPECT_EQ(seen.size(), last - first);
  for (std::size_t i = first; i < last; ++i) {
    EXPECT_TRUE(seen[all[i]].judged) << all[i];
    EXPECT_NE(seen[all[i]].caught, allowed_by_their_class.contains(all[i])) << all[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Exam, WrongKernels, testing::Range(std::size_t{0}, std::size(libraries)));

TEST(WrongKernelsOfTheExam, AreAll) {
  EXPECT_LE(names().size(), std::size(libraries) * 64) << "one more library for the rest: CMakeLists.txt";
  EXPECT_GT(names().size(), (std::size(libraries) - 1) * 64);
}

}  // namespace
}  // namespace attncert
