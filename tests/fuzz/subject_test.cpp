// One subject in place of the one that an input picks: of every target, every subject, whatever the input.
#include "fuzz/subject.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "fuzz/normalizer_case.hpp"
#include "fuzz/target.hpp"
#include "properties/conformance/faults/faults.hpp"

namespace attncert {
namespace {

std::vector<Tape> inputs() {
  std::vector<Tape> list{{}, {tape_version}, Tape(300, 0xff)};
  for (std::uint64_t number = 0; number < 20; ++number)
    list.push_back(random_tape(7, "subject test", number, 12 * number));
  return list;
}

// What a target says of a case begins with its subject; of a normalizer it names the kernel, which may have a name of
// its own.
bool is_of(const FuzzTarget& target, std::string_view subject, const Tape& input) {
  if (target.name == "normalizer") return draw_normalizer_case(input).subject->name == subject;
  return target.subjects->words(input).starts_with(subject);
}

TEST(FuzzSubjects, TheChosenOneTakesThePlace) {
  for (const FuzzTarget& target : fuzz_targets()) {
    const std::vector<std::string_view> names = target.subjects->names();
    for (std::size_t which = 0; which < names.size(); ++which)
      for (const Tape& input : inputs()) {
        const Tape put = target.subjects->put(input, which);
        ASSERT_TRUE(is_of(target, names[which], put))
            << target.name << " " << names[which] << ": " << target.subjects->words(put) << " of " << hex(input);
        ASSERT_EQ(target.subjects->put(put, which), put);
      }
  }
}

TEST(FuzzSubjects, TheNamesAreDifferent) {
  std::set<std::string_view> names;
  std::size_t count = 0;
  for (const FuzzTarget& target : fuzz_targets()) {
    names.insert(target.name);
    ++count;
    for (const std::string_view name : target.subjects->names()) {
      EXPECT_EQ(name.find(' '), std::string_view::npos) << name;
      names.insert(name);
      ++count;
    }
  }
  EXPECT_EQ(names.size(), count);
}

TEST(FuzzSubjects, EachKernelTypeHasAGroupOfItsOwn) { EXPECT_LE(4 * subjects().size(), Guide::groups); }

// What scripts/fuzz-faults measures a search by.
TEST(FuzzSubjects, NameWhatIsWrong) {
  ASSERT_NE(subjects_of_normalizer.wrong, nullptr);
  EXPECT_EQ(subjects_of_normalizer.wrong().size(), faults().size());
  const std::vector<std::string_view> normalizers = subjects_of_normalizer.names();
  for (const auto& [name, subject] : subjects_of_normalizer.wrong())
    EXPECT_NE(std::find(normalizers.begin(), normalizers.end(), subject), normalizers.end()) << name;
  const FuzzSubjects& claims = *find_target("claim")->subjects;
  ASSERT_NE(claims.wrong, nullptr);
  std::set<std::string_view> refuted;
  for (const auto& [name, subject] : claims.wrong()) {
    EXPECT_EQ(name, subject);
    refuted.insert(name);
  }
  EXPECT_TRUE(refuted.contains("theorem1-upper"));
  EXPECT_FALSE(refuted.contains("weights-order-sharp"));  // expected proved
}

TEST(FuzzSubjects, TheEnvironmentChooses) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const Tape input{tape_version, 3, 1};
  const FuzzSubjects& bounds = *find_target("bound")->subjects;
  unsetenv("ATTNCERT_FUZZ_SUBJECT");
  ChosenSubject none(bounds);
  EXPECT_FALSE(none.is_set());
  EXPECT_EQ(none.put(input).data(), input.data());
  setenv("ATTNCERT_FUZZ_SUBJECT", "distance", 1);
  ChosenSubject distance(bounds);
  EXPECT_TRUE(distance.is_set());
  EXPECT_EQ(distance.put(input)[1], 0);
  setenv("ATTNCERT_FUZZ_SUBJECT", "nonesuch", 1);
  EXPECT_EXIT(ChosenSubject(bounds).put(input), testing::ExitedWithCode(2), "nonesuch: no subject");
  unsetenv("ATTNCERT_FUZZ_SUBJECT");
}

}  // namespace
}  // namespace attncert
