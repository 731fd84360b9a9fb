// A run in shards: merged it is the run that was not cut, byte for byte, whatever stopped a shard on its way; and a
// merge says what is wrong with a shard.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cli/shard.hpp"
#include "reports/journal.hpp"
#include "tests/cli/run.hpp"

namespace attncert {
namespace {
namespace fs = std::filesystem;

const std::string claims =
    "certify theorem1-upper softmax-half-over-temperature theorem1-collapse weights-diameter lemma2-sqrt2-cap "
    "--effort quick --no-kernels --no-real ";
const std::string kernels = "accuracy --quick --normalizer softmax --normalizer sparsemax --normalizer distance ";

std::string ledger_without_times(const fs::path& folder) {
  nlohmann::ordered_json ledger = nlohmann::ordered_json::parse(contents(folder / "ledger.json"));
  ledger.erase("timing");
  return ledger.dump(1);
}

// "command --shard 1/N --out FOLDER/1", ...; their folders between spaces.
std::string run_shards(const std::string& command, std::size_t shards, const fs::path& folder) {
  std::string folders;
  for (std::size_t n = 1; n <= shards; ++n) {
    const fs::path out = folder / std::to_string(n);
    const Ran ran = run_attncert(command + "--shard " + std::to_string(n) + "/" + std::to_string(shards) + " --out " +
                                 out.string());
    EXPECT_EQ(ran.status, 0) << ran.errors;
    EXPECT_FALSE(fs::exists(out / "ledger.json"));
    folders += out.string() + " ";
  }
  return folders;
}

std::string tables(const fs::path& folder) {
  std::string all;
  for (const char* name :
       {"heads", "selections", "jacobian", "alternatives", "geometry", "checks", "claims", "diagnosis"})
    all += contents(folder / (std::string(name) + ".csv"));
  return all;
}

void expect_merged_as_whole(const std::string& command, const std::vector<std::size_t>& counts,
                            const fs::path& folder) {
  const int status = run_attncert(command + "--out " + (folder / "whole").string()).status;
  for (const std::size_t shards : counts) {
    const fs::path of = folder / std::to_string(shards);
    const std::string folders = run_shards(command, shards, of);
    const Ran merged = run_attncert("merge " + folders + "--out " + (of / "merged").string());
    EXPECT_EQ(merged.status, status) << merged.errors;
    EXPECT_EQ(ledger_without_times(of / "merged"), ledger_without_times(folder / "whole")) << shards;
    EXPECT_EQ(tables(of / "merged"), tables(folder / "whole")) << shards;
    for (const char* evidence : {"witnesses/theorem1-upper.json", "certificates/weights-diameter.json"})
      EXPECT_EQ(contents(of / "merged" / evidence), contents(folder / "whole" / evidence));
  }
}

TEST(RunShards, OfClaimsMergedAreTheWhole) { expect_merged_as_whole(claims, {1, 2, 7, 64}, fresh_folder("claims")); }
TEST(RunShards, OfKernelsMergedAreTheWhole) { expect_merged_as_whole(kernels, {2, 7}, fresh_folder("kernels")); }

TEST(RunShards, OfAModelMergedAreTheWhole) {
  const fs::path folder = fresh_folder("model");
  expect_merged_as_whole("gpt2 --windows 2 --queries 0,7,15 --counts 1,5 ", {2, 7}, folder);
  EXPECT_GT(tables(folder / "7/merged").size(), 1000u);
}

TEST(SlowRunShards, OfEachCommandMergedAreTheWhole) {
  const fs::path folder = fresh_folder("each");
  expect_merged_as_whole("certify --effort quick --cold ", {7}, folder / "certify");
  expect_merged_as_whole("accuracy --quick ", {1, 2, 7, 64}, folder / "accuracy");
  expect_merged_as_whole("faults ", {1, 2, 7, 64}, folder / "faults");
  expect_merged_as_whole("gpt2 ", {1, 2, 7, 64}, folder / "gpt2");
}

TEST(RunShards, KilledAtAnyMomentAndResumedAreTheSame) {
  const fs::path folder = fresh_folder("killed");
  const std::string folders = run_shards(claims, 2, folder / "calm");
  for (int n = 0; n < 20; ++n) {  // from before the first task to after the last
    const fs::path out = folder / std::to_string(n);
    const std::string shard = claims + "--jobs 1 --shard 1/2 --out " + out.string();
    run_attncert(shard, "timeout -s KILL " + std::to_string(0.02 + 0.09 * n));
    const bool begun = fs::exists(out / "journal.jsonl");
    const Ran ran = run_attncert(shard + (begun ? " --resume" : " --force"));
    ASSERT_EQ(ran.status, 0) << ran.errors;
    Result<StoredJournal> calm = read_journal(folder / "calm/1/journal.jsonl"),
                          mine = read_journal(out / "journal.jsonl");
    ASSERT_TRUE(calm && mine);
    const auto records = [](const StoredJournal& journal) {
      std::map<std::string, std::string> all;
      for (const JournalEntry& entry : journal.entries) all[entry.task] = entry.record.text();
      return all;
    };
    EXPECT_EQ(records(*mine), records(*calm));
    EXPECT_EQ(mine->entries.size(), calm->entries.size());
  }
}

TEST(RunShards, ASecondProcessInAFolderIsRefused) {
  const fs::path folder = fresh_folder("two");
  run_shards(claims, 2, folder);
  const std::string before = contents(folder / "1/journal.jsonl");
  const int held = open((folder / "1/.lock").c_str(), O_RDWR);
  ASSERT_EQ(flock(held, LOCK_EX | LOCK_NB), 0);
  for (const char* how : {" --resume", " --force"}) {
    const Ran ran = run_attncert(claims + "--shard 1/2 --out " + (folder / "1").string() + how);
    EXPECT_EQ(ran.status, 2);
    EXPECT_EQ(std::count(ran.errors.begin(), ran.errors.end(), '\n'), 1) << ran.errors;
    EXPECT_NE(ran.errors.find("another process is at work in it"), std::string::npos) << ran.errors;
    EXPECT_EQ(contents(folder / "1/journal.jsonl"), before);
  }
  close(held);
}

TEST(RunShards, AFolderOfAnotherShardIsNotResumed) {
  const fs::path folder = fresh_folder("another");
  run_shards(claims, 2, folder);
  EXPECT_EQ(run_attncert(claims + "--shard 2/2 --resume --out " + (folder / "1").string()).status, 2);
}

// Two shards of which the first is changed, and what a merge of both says.
class TamperedShards : public testing::Test {
 protected:
  void SetUp() override {
    folders_ = run_shards(claims, 2, folder_);
    stored_ = *read_journal(file_);
  }
  Ran merged(const std::string& more = "") {
    fs::remove_all(folder_ / "merged");
    return run_attncert("merge " + folders_ + "--out " + (folder_ / "merged").string() + " " + more);
  }
  void expect_refused(const std::string& why) {
    const Ran ran = merged();
    EXPECT_EQ(ran.status, 2);
    EXPECT_EQ(std::count(ran.errors.begin(), ran.errors.end(), '\n'), 1) << ran.errors;
    EXPECT_NE(ran.errors.find(why), std::string::npos) << ran.errors;
    EXPECT_FALSE(fs::exists(folder_ / "merged/ledger.json"));
  }
  // As a shard of that plan would have written it.
  void write_with(const std::string& old, const std::string& now) {
    StoredJournal changed = stored_;
    const auto at = changed.head.plan.find(old);
    ASSERT_NE(at, std::string::npos);
    changed.head.plan.replace(at, old.size(), now);
    write(file_, journal_text(changed));
  }

  fs::path folder_ = fresh_folder("tampered"), file_ = folder_ / "1/journal.jsonl";
  std::string folders_;
  StoredJournal stored_;
};

TEST_F(TamperedShards, UntouchedItIsMerged) { EXPECT_EQ(merged("--recheck 2").status, 0); }

TEST_F(TamperedShards, ADeletedLine) {
  StoredJournal less = stored_;
  less.entries.pop_back();
  write(file_, journal_text(less));
  expect_refused(stored_.entries.back().task);
  expect_refused("of the " + std::to_string(stored_.head.tasks) + " tasks of shard 1/2");
}

TEST_F(TamperedShards, ADoubledLine) {
  StoredJournal more = stored_;
  more.entries.push_back(more.entries.front());
  write(file_, journal_text(more));
  expect_refused("task " + stored_.entries.front().task + " is there twice");
}

TEST_F(TamperedShards, AnEditedLine) {
  const std::string text = contents(file_);
  for (const char* what : {"\"tried\":", "\"task\":\"", "\"record\":{"}) {
    std::string edited = text;
    edited[edited.find(what) + std::string(what).size()] ^= 1;
    write(file_, edited);
    expect_refused("line 2 of the journal was edited");
  }
}

TEST_F(TamperedShards, AnotherCommitSeedOrMachine) {
  write_with("\"commit\":\"", "\"commit\":\"f");
  expect_refused("is of another plan: commit: ");
  write_with("\"seed\":\"1\"", "\"seed\":\"2\"");
  expect_refused("is of another plan: seed: \"1\", and \"2\" in ");
  write_with("\"instruction sets\":\"", "\"instruction sets\":\"AVX1024 ");
  expect_refused("is of another plan: instruction sets: ");
  EXPECT_EQ(merged("--any-instruction-sets").status, 0);
}

// All shards of a build that is not this one.
TEST_F(TamperedShards, AnotherBuildThanThisOne) {
  write_with("\"commit\":\"", "\"commit\":\"f");
  const fs::path other = folder_ / "2/journal.jsonl";
  StoredJournal second = *read_journal(other);
  second.head.plan = read_journal(file_)->head.plan;
  write(other, journal_text(second));
  expect_refused("is of another plan than the same arguments make here: commit: ");
}

TEST_F(TamperedShards, AFileOutsideOfTheMergedFolder) {
  const fs::path victim = folder_ / "victim.json";
  write(victim, "precious");
  bool edited = false;
  const auto outside = [&](StoredJournal& journal) {
    for (JournalEntry& entry : journal.entries) {
      std::string record = entry.record.text();
      const std::string name = "\"tightest/weights-diameter";
      for (auto at = record.find(name); at != std::string::npos; at = record.find(name, at)) {
        record.replace(at, record.find('"', at + 1) + 1 - at, '"' + victim.string() + '"');
        edited = true;
      }
      entry.record = record;
    }
  };
  for (const char* shard : {"1", "2"}) {
    const fs::path file = folder_ / shard / "journal.jsonl";
    StoredJournal journal = *read_journal(file);
    outside(journal);
    write(file, journal_text(journal));
  }
  ASSERT_TRUE(edited);
  expect_refused("a record names a file that is none of tightest/");
  EXPECT_EQ(contents(victim), "precious");
}

TEST_F(TamperedShards, AFolderNamedTwice) {
  folders_ += (folder_ / "1/").string() + " ";
  expect_refused("is named twice");
}

// A shard that lies writes a line that holds together: nothing in it shows. Where one of n tasks is wrong, a merge that
// runs one again sees it with probability 1/n: 24 draws in 24/n of them, off by more than 3 sqrt(24)/2 < 8 in fewer
// than three of a thousand.
TEST_F(TamperedShards, ALieIsSeenAsOftenAsItsTaskIsRunAgain) {
  StoredJournal lying = stored_;
  ASSERT_GE(lying.entries.size(), 2u);
  const auto held = std::find_if(lying.entries.begin(), lying.entries.end(), [](const JournalEntry& entry) {
    return entry.record.text().find("\"held\":") != std::string::npos;
  });
  ASSERT_NE(held, lying.entries.end());
  std::string record = held->record.text();
  held->record = record.insert(record.find("\"held\":") + 7, "9");
  write(file_, journal_text(lying));
  EXPECT_NE(merged().status, 2);  // without a look nothing is seen
  EXPECT_EQ(merged("--recheck " + std::to_string(lying.entries.size())).status, 2);
  int seen = 0;
  for (int seed = 0; seed < 24; ++seed) {
    const Ran ran = merged("--recheck 1 --recheck-seed " + std::to_string(seed));
    if (ran.status != 2) continue;
    ++seen;
    EXPECT_NE(ran.errors.find("task " + held->task + " comes to something else"), std::string::npos) << ran.errors;
  }
  const double expected = 24.0 / static_cast<double>(lying.entries.size());
  EXPECT_NEAR(seen, expected, 8) << lying.entries.size();
}

TEST(RunShards, StatusSaysHowFarTheyAre) {
  const fs::path folder = fresh_folder("status");
  const std::string folders = run_shards(claims, 2, folder);
  StoredJournal half = *read_journal(folder / "2/journal.jsonl");
  half.entries.resize(1);
  write(folder / "2/journal.jsonl", journal_text(half));
  const Ran ran = run_attncert("status " + folders);
  EXPECT_EQ(ran.status, 0) << ran.errors;
  for (const std::string& part : std::vector<std::string>{"1/2", "2/2", "1/" + std::to_string(half.head.tasks), "all",
                                                          "finished", "violated so far: "})
    EXPECT_NE(ran.output.find(part), std::string::npos) << part << "\n" << ran.output;
}

TEST(RunShards, ThatAreNoneAreRefused) {
  const fs::path folder = fresh_folder("none");
  for (const char* shard : {"0/2", "3/2", "1", "1/", "/2", "-1/2", "1/2/3", "x", "auto"}) {
    const Ran ran = run_attncert(claims + "--out " + (folder / "out").string() + " --shard " + shard);
    EXPECT_EQ(ran.status, 2) << shard;
    EXPECT_FALSE(fs::exists(folder / "out")) << shard;
  }
  EXPECT_EQ(run_attncert(claims + "--shard 1/2").status, 2);  // no folder of its own
}

std::string shard_of(const std::map<std::string, std::string>& variables) {
  const auto shard = cli::shard_named("auto", [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
  return shard ? shard->text() : shard.error().message;
}

TEST(RunShards, AreReadFromTheEnvironment) {
  EXPECT_EQ(shard_of({{"GTEST_SHARD_INDEX", "0"}, {"GTEST_TOTAL_SHARDS", "4"}}), "1/4");
  EXPECT_EQ(shard_of({{"TEST_SHARD_INDEX", "3"}, {"TEST_TOTAL_SHARDS", "4"}}), "4/4");
  EXPECT_EQ(shard_of({{"SLURM_ARRAY_TASK_ID", "2"}, {"SLURM_ARRAY_TASK_COUNT", "4"}}), "3/4");
  EXPECT_EQ(shard_of({{"SLURM_ARRAY_TASK_ID", "5"},
                      {"SLURM_ARRAY_TASK_COUNT", "3"},
                      {"SLURM_ARRAY_TASK_MIN", "1"},
                      {"SLURM_ARRAY_TASK_STEP", "2"}}),
            "3/3");
  EXPECT_EQ(shard_of({{"JOB_COMPLETION_INDEX", "7"}, {"ATTNCERT_SHARDS", "8"}}), "8/8");
  EXPECT_EQ(shard_of({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}}), "2/2");
  for (const auto& wrong : std::vector<std::map<std::string, std::string>>{
           {},
           {{"JOB_COMPLETION_INDEX", "7"}},
           {{"JOB_COMPLETION_INDEX", "8"}, {"ATTNCERT_SHARDS", "8"}},
           {{"OMPI_COMM_WORLD_RANK", "-1"}, {"OMPI_COMM_WORLD_SIZE", "2"}},
           {{"SLURM_ARRAY_TASK_ID", "0"}, {"SLURM_ARRAY_TASK_COUNT", "4"}, {"SLURM_ARRAY_TASK_MIN", "1"}}})
    EXPECT_NE(shard_of(wrong).find("--shard auto: "), std::string::npos);
}

TEST(RunShards, AreDealtByCost) {
  const std::vector<double> costs{1, 9, 1, 1, 8, 1, 1, 1, 1};
  const std::vector<std::size_t> to = cli::dealt(costs, 3);
  std::vector<double> has(3);
  for (std::size_t n = 0; n < costs.size(); ++n) has[to[n]] += costs[n];
  EXPECT_EQ(*std::max_element(has.begin(), has.end()), 9);
  EXPECT_EQ(cli::dealt(costs, 3), to);
  for (const std::size_t shard : cli::dealt({1, 1}, 64)) EXPECT_LT(shard, 64u);
}

}  // namespace
}  // namespace attncert
