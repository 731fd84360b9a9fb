// attncert fuzz --shard, and the merge of hunts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/run.hpp"
#include "tests/cli/scripted_engine.hpp"

namespace attncert {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// The input is where it lies: "1/corpus/normalizer-worst-0".
const std::string keeps_worst =
    "echo \"$ATTNCERT_FUZZ_WORST\" | grep -o '[0-9]*/corpus.*' > \"$ATTNCERT_FUZZ_WORST\"\n";

// Hunts of one seed on two machines: other engines' seeds, a corpus each, and merged one corpus and every finding,
// judged again. This engine merges as libFuzzer does: -merge=1 INTO FROM...
class FuzzShards : public testing::Test {
 protected:
  void SetUp() override { engine(folder_, keeps_worst + progress + crash); }
  Ran shard(int n, const std::string& more = "") {
    return run_attncert("fuzz softmax --time 60 --engine " + (folder_ / "engine").string() + " --shard " +
                        std::to_string(n) + "/2 --out " + of(n).string() + " " + more);
  }
  Ran merged() {
    fs::remove_all(folder_ / "merged");
    return run_attncert("merge " + of(1).string() + " " + of(2).string() + " --out " + (folder_ / "merged").string());
  }
  fs::path of(int n) const { return folder_ / std::to_string(n); }
  fs::path finding(int n) const { return of(n) / "findings" / files_in(of(n) / "findings").at(0); }

  fs::path folder_ = fresh_folder("shards");
};

TEST_F(FuzzShards, AreMergedIntoOneCorpusAndItsFindings) {
  for (const int n : {1, 2}) EXPECT_EQ(shard(n).status, 0);  // finished, whatever was found
  const std::string asked = contents(folder_ / "asked");
  std::vector<std::string> seeds;
  for (std::size_t at = asked.find("-seed="); at != std::string::npos; at = asked.find("-seed=", at + 1))
    seeds.push_back(asked.substr(at, asked.find(' ', at) - at));
  ASSERT_EQ(seeds.size(), 2u);
  EXPECT_NE(seeds[0], seeds[1]);
  const Ran ran = merged();
  EXPECT_EQ(ran.status, 1) << ran.errors;
  EXPECT_THAT(ran.output, HasSubstr("softmax: 10000 executions in "));
  EXPECT_THAT(ran.output, HasSubstr(": softmax.f32, L=3: 99 ulp at entry 1"));
  EXPECT_EQ(files_in(folder_ / "merged/findings").size(), 2u);  // both found the same: an input and its account
  EXPECT_EQ(contents(folder_ / "merged/corpus/all"), "1/corpus/normalizer-worst-0\n2/corpus/normalizer-worst-0\n");
  EXPECT_THAT(contents(folder_ / "merged/corpus/normalizer-worst-0"), HasSubstr("1/corpus/normalizer-worst-0"));
  EXPECT_THAT(contents(folder_ / "merged/ledger.json"), HasSubstr("99 ulp at entry 1"));
  EXPECT_TRUE(fs::is_empty(folder_ / "merged/artifacts"));
}

TEST_F(FuzzShards, AFindingThatIsMissingOrEditedIsRefused) {
  for (const int n : {1, 2}) shard(n);
  const fs::path file = finding(2);
  fs::remove_all(finding(1).parent_path());  // of the first shard, whose record names it
  Ran ran = merged();
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.errors, HasSubstr("finding " + file.filename().string() + " is missing or was edited"));
  EXPECT_FALSE(fs::exists(folder_ / "merged"));
  fs::create_directories(of(1) / "findings");
  write(of(1) / "findings" / file.filename(), "another input");
  EXPECT_EQ(merged().status, 2);
  fs::copy_file(file, of(1) / "findings" / file.filename(), fs::copy_options::overwrite_existing);
  EXPECT_EQ(merged().status, 1);
}

// It passes on the machine that merges: that is said, and nothing is concluded.
TEST_F(FuzzShards, AFindingThatPassesHereIsNamed) {
  for (const int n : {1, 2}) shard(n);
  engine(folder_, "exit 0\n");
  run_command("sed -i 's/^  exit 77$/  exit 0/' " + (folder_ / "engine").string());
  const Ran ran = merged();
  EXPECT_EQ(ran.status, 3) << ran.output << ran.errors;
  EXPECT_THAT(ran.output, HasSubstr("findings that pass here: " + finding(1).string()));
}

TEST_F(FuzzShards, AreNotTheSameTwice) {
  for (const int n : {1, 2}) shard(n);
  EXPECT_EQ(shard(1).status, 2);  // it is finished
  EXPECT_EQ(shard(1, "--resume").status, 0);
  const Ran ran = run_attncert("merge " + of(1).string() + " " + of(2).string() + " --recheck 1 --out " +
                               (folder_ / "merged").string());
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.errors, HasSubstr("come to something else each time"));
}

TEST_F(FuzzShards, KilledItGoesOn) {
  engine(folder_, "touch started; sleep 50\n");
  run_command(ATTNCERT_PROGRAM " fuzz softmax --time 60 --engine " + (folder_ / "engine").string() +
              " --shard 1/2 --out " + of(1).string() + " & p=$!; while [ ! -e " + (folder_ / "started").string() +
              " ]; do sleep 0.05; done; kill -9 $p; wait $p");
  engine(folder_, keeps_worst + progress + crash);
  EXPECT_EQ(shard(1, "--resume").status, 0);
  EXPECT_EQ(shard(2).status, 0);
  EXPECT_EQ(merged().status, 1);
}

}  // namespace
}  // namespace attncert
