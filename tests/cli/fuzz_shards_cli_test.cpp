// attncert fuzz --shard, and the merge of hunts.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/journal.hpp"
#include "src/core/hash.hpp"
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
  Ran merged(const std::string& more = "") {
    fs::remove_all(folder_ / "merged");
    return run_attncert("merge " + of(1).string() + " " + of(2).string() + " --out " + (folder_ / "merged").string() +
                        " --engine " + (folder_ / "engine").string() + " " + more);
  }
  // The record of a shard with other findings, whose line holds together.
  void claim_findings(int n, const std::vector<std::string>& names) {
    const fs::path file = of(n) / "journal.jsonl";
    StoredJournal journal = *read_journal(file);
    auto record = nlohmann::ordered_json::parse(journal.entries.at(0).record.text());
    record["findings"] = names;
    journal.entries[0].record = record.dump();
    write(file, journal_text(journal));
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

TEST_F(FuzzShards, NamesThatAreNoneAreRefused) {
  for (const int n : {1, 2}) shard(n);
  for (const char* name : {"", ".", "..", "../corpus", "/etc/hostname"}) {
    claim_findings(1, {name});
    const Ran ran = merged();
    EXPECT_EQ(ran.status, 2) << name;
    EXPECT_THAT(ran.errors, HasSubstr("is missing or was edited; run the shard again"));
  }
}

TEST_F(FuzzShards, ALostCorpusIsRefused) {
  for (const int n : {1, 2}) shard(n);
  fs::remove(of(1) / "corpus/normalizer-worst-0");
  EXPECT_THAT(merged().errors, HasSubstr("the worst input is missing; run the shard again"));
  fs::remove_all(of(2) / "corpus");
  EXPECT_THAT(merged().errors, HasSubstr("2/corpus: is missing; run the shard again"));
  fs::create_symlink("corpus", of(2) / "corpus");
  EXPECT_THAT(merged().errors, HasSubstr("2/corpus: is missing; run the shard again"));
  EXPECT_FALSE(fs::exists(folder_ / "merged"));
}

// The journal of a stranger names a program: a merge does not start it.
TEST_F(FuzzShards, AnEngineIsStartedWhereTheMergeNamesIt) {
  for (const int n : {1, 2}) shard(n);
  fs::remove(folder_ / "asked");
  const Ran ran =
      run_attncert("merge " + of(1).string() + " " + of(2).string() + " --out " + (folder_ / "merged").string());
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.errors, HasSubstr("which a merge starts where you name it: --engine FILE"));
  EXPECT_FALSE(fs::exists(folder_ / "asked"));
  write(folder_ / "engine", contents(folder_ / "engine") + "\n# another\n");
  EXPECT_THAT(merged().errors, HasSubstr("is of another plan than the same arguments make here: engine: "));
}

// It passes on the machine that merges: that is said, and nothing is concluded.
TEST_F(FuzzShards, AFindingThatPassesHereIsNamed) {
  for (const int n : {1, 2}) shard(n);
  write(folder_ / "seen", "0");
  const Ran ran = merged();
  EXPECT_EQ(ran.status, 3) << ran.output << ran.errors;
  const std::string said = ": found by a shard, and passes on the machine that merges";
  EXPECT_THAT(ran.output, HasSubstr(finding(1).string() + said));
  EXPECT_THAT(ran.output, HasSubstr("; nothing that is seen here"));

  const std::string bytes = "\002another", name = fmt::format("normalizer-{:016x}", fnv1a(bytes)).substr(0, 23);
  write(of(2) / "findings" / name, bytes);
  claim_findings(2, {finding(2).filename().string(), name});
  write(folder_ / "seen", "1");  // beside one that is seen
  const Ran mixed = merged();
  EXPECT_EQ(mixed.status, 1) << mixed.output << mixed.errors;
  EXPECT_THAT(mixed.output, HasSubstr(name + said));
  EXPECT_THAT(mixed.output, HasSubstr(": softmax.f32, L=3: 99 ulp at entry 1"));
  EXPECT_THAT(contents(folder_ / "merged/ledger.json"), HasSubstr(name));
}

TEST_F(FuzzShards, AreNotTheSameTwice) {
  for (const int n : {1, 2}) shard(n);
  EXPECT_EQ(shard(1).status, 2);  // it is finished
  EXPECT_EQ(shard(1, "--resume").status, 0);
  const Ran ran = merged("--recheck 1");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.errors, HasSubstr("come to something else each time"));
}

TEST_F(FuzzShards, KilledItGoesOn) {
  engine(folder_, "[ -e started ] || { touch started; sleep 50; }\n" + keeps_worst + progress + crash);
  run_command(ATTNCERT_PROGRAM " fuzz softmax --time 60 --engine " + (folder_ / "engine").string() +
              " --shard 1/2 --out " + of(1).string() + " & p=$!; while [ ! -e " + (folder_ / "started").string() +
              " ]; do sleep 0.05; done; kill -9 $p; wait $p");
  EXPECT_EQ(shard(1, "--resume").status, 0);
  EXPECT_EQ(shard(2).status, 0);
  EXPECT_EQ(merged().status, 1);
}

}  // namespace
}  // namespace attncert
