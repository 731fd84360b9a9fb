// A run in shards: merged it is the run that was not cut, byte for byte, whatever stopped a shard on its way.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "cli/shard.hpp"
#include "reports/journal.hpp"
#include "tests/cli/run.hpp"
#include "tests/cli/shards.hpp"
#include "tests/one_in.hpp"

namespace attncert {
namespace {
namespace fs = std::filesystem;

const std::string kernels = "accuracy --quick --normalizer softmax --normalizer sparsemax --normalizer distance ";

std::string survey_tables_in(const fs::path& folder) {
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
    EXPECT_EQ(survey_tables_in(of / "merged"), survey_tables_in(folder / "whole")) << shards;
    for (const char* evidence : {"witnesses/theorem1-upper.json", "certificates/weights-diameter.json"})
      EXPECT_EQ(contents(of / "merged" / evidence), contents(folder / "whole" / evidence));
  }
}

const std::vector<std::size_t> each{1, 2, 7, 64};

TEST(RunShards, OfClaimsMergedAreTheWhole) {
  expect_merged_as_whole(claims, is_taken(1) ? each : std::vector<std::size_t>{7}, fresh_folder("claims"));
}
TEST(RunShards, OfKernelsMergedAreTheWhole) {
  expect_merged_as_whole(kernels, is_taken(1) ? each : std::vector<std::size_t>{3}, fresh_folder("kernels"));
}

TEST(RunShards, OfAModelMergedAreTheWhole) {
  const fs::path folder = fresh_folder("model");
  expect_merged_as_whole("gpt2 --windows 2 --queries 0,7,15 --counts 1,5 ", {2, 7}, folder);
  EXPECT_GT(survey_tables_in(folder / "7/merged").size(), 1000u);
}

TEST(SlowRunShards, OfCertifyMergedAreTheWhole) {
  expect_merged_as_whole("certify --effort quick --cold ", each, fresh_folder("certify"));
}
TEST(SlowRunShards, OfAccuracyMergedAreTheWhole) {
  expect_merged_as_whole("accuracy --quick ", each, fresh_folder("accuracy"));
}
TEST(SlowRunShards, OfFaultsMergedAreTheWhole) { expect_merged_as_whole("faults ", each, fresh_folder("faults")); }
TEST(SlowRunShards, OfGpt2MergedAreTheWhole) { expect_merged_as_whole("gpt2 ", each, fresh_folder("gpt2")); }

// At random moments, from before the first task to after the last.
TEST(RunShards, KilledAtAnyMomentAndResumedAreTheSame) {
  const fs::path folder = fresh_folder("killed");
  run_shards(claims, 2, folder / "calm");
  const std::string other = (folder / "calm/2").string() + " ";
  run_attncert("merge " + other + (folder / "calm/1").string() + " --out " + (folder / "calm/merged").string());
  const std::string expected = ledger_without_times(folder / "calm/merged");
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (unsigned n = 0; n < 20; ++n) {
    if (!is_taken(n)) continue;
    const fs::path out = folder / std::to_string(n), merged = folder / ("merged" + std::to_string(n));
    const std::string shard = claims + "--jobs 1 --shard 1/2 --out " + out.string();
    const double moment = std::uniform_real_distribution(0.0, 1.8)(random);
    run_attncert(shard, "timeout -s KILL " + std::to_string(moment));
    const bool begun = fs::exists(out / "journal.jsonl");
    const Ran ran = run_attncert(shard + (begun ? " --resume" : " --force"));
    ASSERT_EQ(ran.status, 0) << moment << ran.errors;
    run_attncert("merge " + other + out.string() + " --out " + merged.string());
    ASSERT_EQ(ledger_without_times(merged), expected) << moment;
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
  const std::string of = " --resume --out " + (folder / "1").string();
  EXPECT_NE(run_attncert(claims + "--shard 2/2" + of).errors.find("is of shard 1/2, not of 2/2"), std::string::npos);
  EXPECT_NE(run_attncert(claims + "--seed 2 --shard 1/2" + of).errors.find("seed: 1, and 2 now"), std::string::npos);
}

// The run goes on with fewer windows than it has: nothing of it is touched.
TEST(RunShards, AreNotResumedWithFewerTasks) {
  const fs::path folder = fresh_folder("fewer"), file = folder / "run/journal.jsonl";
  const std::string run = "gpt2 --queries 0 --counts 1 --out " + (folder / "run").string();
  run_attncert(run + " --windows 2");
  const std::string before = contents(file);
  const Ran ran = run_attncert(run + " --windows 1 --resume");
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.errors.find("has task window:1, which is none of this plan"), std::string::npos) << ran.errors;
  EXPECT_EQ(contents(file), before);
}

// Lines that hold no record, as disks and editors leave them, cost their tasks and nothing else.
TEST(RunShards, WithDamagedLinesAreResumed) {
  const fs::path folder = fresh_folder("damaged"), file = folder / "1/journal.jsonl";
  run_shards(claims, 1, folder);
  const auto tasks = read_journal(file)->entries.size();
  std::string text = contents(file);
  text.insert(text.find('\n') + 1, "half a li\n");
  text[text.find("\"tried\":") + 8] ^= 1;
  write(file, text);
  const Ran ran = run_attncert(claims + "--shard 1/1 --resume --out " + (folder / "1").string());
  EXPECT_EQ(ran.status, 0);
  EXPECT_NE(ran.errors.find("2 damaged lines were taken away; their tasks run again"), std::string::npos) << ran.errors;
  const Result<StoredJournal> journal = read_journal(file);
  ASSERT_TRUE(journal);
  EXPECT_TRUE(journal->damaged.empty());
  EXPECT_EQ(journal->entries.size(), tasks);
}

// Not to the end of the task, which would take minutes.
TEST(RunShards, AnInterruptIsAnsweredWithinARow) {
  const fs::path folder = fresh_folder("interrupted");
  const Ran ran = run_attncert("accuracy --effort full --normalizer softmax --dtype f32 --out " + folder.string(),
                               "timeout --foreground -k 40 -s INT 5");  // under a sanitizer it starts in 3 s
  EXPECT_EQ(ran.status, 124) << ran.errors;                             // and not 137: it was not killed
  EXPECT_NE(ran.errors.find("go on with --resume"), std::string::npos) << ran.errors;
  EXPECT_TRUE(read_journal(folder / "journal.jsonl")->entries.empty());
}

// A case that is none is refused before there is a folder.
TEST(RunShards, OfACaseThatIsNoneLeaveNoFolder) {
  const fs::path folder = fresh_folder("case");
  const Ran ran =
      run_attncert("accuracy --quick --case nosuch --normalizer sparsemax --out " + (folder / "x").string());
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.errors.find("--case: \"nosuch\" is none of"), std::string::npos) << ran.errors;
  EXPECT_FALSE(fs::exists(folder / "x"));
}

// A file that may not grow is a full disk: half of a line is taken back. PoCL's own files may not grow either.
TEST(RunShards, OnAFullDiskAreResumed) {
  const fs::path folder = fresh_folder("full");
  const std::string shard = claims + "--shard 1/1 --out " + (folder / "1").string();
  run_shards(claims, 1, folder / "calm");
  const auto size = contents(folder / "calm/1/journal.jsonl").size();
  const Ran full =
      run_attncert(shard, "trap '' XFSZ; ulimit -f " + std::to_string(size / 1024) + "; OCL_ICD_VENDORS=none");
  EXPECT_EQ(full.status, 2);
  EXPECT_NE(full.errors.find("cannot be written"), std::string::npos) << full.errors;
  const Result<StoredJournal> half = read_journal(folder / "1/journal.jsonl");
  ASSERT_TRUE(half);
  EXPECT_GT(half->entries.size(), 0u);
  EXPECT_TRUE(half->damaged.empty());
  EXPECT_EQ(contents(folder / "1/journal.jsonl").back(), '\n');
  EXPECT_EQ(run_attncert(shard + " --resume").status, 0);
  EXPECT_EQ(read_journal(folder / "1/journal.jsonl")->entries.size(), half->head.tasks);
}

TEST(RunShards, ForceRemovesNothingOfAnother) {
  const fs::path folder = fresh_folder("foreign");
  write(folder / "ledger.json", "{\"accounts\": []}");
  fs::create_directories(folder / "figures");
  write(folder / "figures/mine.svg", "<svg/>");
  const Ran ran = run_attncert(claims + "--force --out " + folder.string());
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.errors.find("holds files that are not a run's"), std::string::npos) << ran.errors;
  EXPECT_TRUE(fs::exists(folder / "figures/mine.svg"));
  EXPECT_EQ(contents(folder / "ledger.json"), "{\"accounts\": []}");
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

// 3 of 30, ten thousand times: each number in a tenth of the draws, sqrt(10000 x 0.1 x 0.9) = 30 off or so.
TEST(RunShards, AreDrawnEvenly) {
  std::vector<int> times(30);
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    std::mt19937_64 random(seed);
    const std::vector<std::size_t> numbers = cli::drawn(times.size(), 3, random);
    ASSERT_EQ(std::set(numbers.begin(), numbers.end()).size(), 3u);
    for (const std::size_t number : numbers) ++times.at(number);
  }
  for (const int number : times) EXPECT_NEAR(number, 1000, 4 * 30);
  std::mt19937_64 random(1);
  EXPECT_EQ(cli::drawn(3, 100, random).size(), 3u);
  EXPECT_TRUE(cli::drawn(0, 1, random).empty());
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
