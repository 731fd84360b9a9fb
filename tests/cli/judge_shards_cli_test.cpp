// attncert accuracy --judge device in shards: a merge opens no device, names those that judged, and says what a device
// did wrong; verdicts are those of a run without.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reports/journal.hpp"
#include "tests/cli/run.hpp"
#include "tests/cli/shards.hpp"

namespace attncert {
namespace {
namespace fs = std::filesystem;
using testing::HasSubstr;

class DeviceJudgedShards : public testing::Test {
 protected:
  void SetUp() override {
    const Ran one = run_attncert(rows + device + "--out " + (folder_ / "one").string());
    if (one.status == 2 && one.errors.find("--judge device: ") != std::string::npos) GTEST_SKIP() << one.errors;
    ASSERT_EQ(one.status, 0) << one.errors;
    folders_ = run_shards(rows + device, 2, folder_);
  }
  Ran merged(const std::string& more = "", const std::string& before = "ATTNCERT_DEVICE=none") {
    fs::remove_all(folder_ / "merged");
    return run_attncert("merge " + folders_ + "--out " + (folder_ / "merged").string() + " " + more, before);
  }
  nlohmann::json ledger(const char* name = "merged") {
    return nlohmann::json::parse(contents(folder_ / name / "ledger.json"));
  }
  // Every record of a shard with `from` as `to`, as a shard would have written it.
  void edit(const char* shard, const std::string& from, const std::string& to) {
    const fs::path file = folder_ / shard / "journal.jsonl";
    StoredJournal journal = *read_journal(file);
    for (JournalEntry& entry : journal.entries) {
      std::string record = entry.record.text();
      for (std::size_t at = record.find(from); at != std::string::npos; at = record.find(from, at + to.size()))
        record.replace(at, from.size(), to);
      entry.record = record;
    }
    write(file, journal_text(journal));
  }
  std::string judge() { return ledger("one")["environment"]["libraries"]["judge:"]; }

  // A task for each type, one a shard.
  const std::string rows =
      "accuracy --quick --normalizer softmax --dtype f16 --dtype bf16 --kernel softmax.f16 --kernel softmax.bf16 "
      "--case normal:s=3:T=0.7:L=257 ";
  const std::string device = "--judge device ";
  fs::path folder_ = fresh_folder("judged-shards");
  std::string folders_;
};

TEST_F(DeviceJudgedShards, ComeToTheRunThatWasNotCut) {
  const Ran ran = merged();
  ASSERT_EQ(ran.status, 0) << ran.errors;
  EXPECT_EQ(ledger()["kernels"], ledger("one")["kernels"]);
  ASSERT_GE(ledger()["kernels"].size(), 2u);
  ASSERT_EQ(run_attncert(rows + "--out " + (folder_ / "processor").string()).status, 0);
  const nlohmann::json with = ledger()["kernels"], alone = ledger("processor")["kernels"];
  ASSERT_EQ(with.size(), alone.size());
  for (std::size_t n = 0; n < alone.size(); ++n)
    for (const char* said : {"kernel", "isa", "elements", "outside", "undecided", "contract", "laws", "replay"})
      EXPECT_EQ(with[n][said], alone[n][said]) << said;
}

TEST_F(DeviceJudgedShards, AreNamedByTheDevicesThatJudged) {
  ASSERT_NE(judge(), "");
  const Ran ran = merged();
  EXPECT_EQ(ledger()["environment"]["libraries"]["judge:"], judge());
  EXPECT_THAT(ran.output, HasSubstr(" of them by a device: " + judge() + "\n"));
  edit("2", judge(), "Another, driver 2");
  EXPECT_THAT(merged("", "").output, HasSubstr(" by a device: Another, driver 2 and " + judge() + "\n"));
  EXPECT_EQ(ledger()["environment"]["libraries"]["judge:"], "Another, driver 2 and " + judge());
}

// With a device and without.
TEST_F(DeviceJudgedShards, AreNotRunAgain) {
  for (const char* before : {"", "ATTNCERT_DEVICE=none"}) {
    const Ran ran = merged("--recheck 2", before);
    EXPECT_EQ(ran.status, 2);
    EXPECT_EQ(ran.errors,
              "attncert: " + (folder_ / "1").string() +
                  ": --recheck: who judged a row, the device or the processor, shows in last digits of its figures "
                  "(--judge device); merge without --recheck, or run the shards without --judge\n");
    EXPECT_FALSE(fs::exists(folder_ / "merged"));
  }
}

TEST_F(DeviceJudgedShards, SayWhyTheyAreUndecided) {
  edit("1", "\"device_contradicted\":0", "\"device_contradicted\":2");
  edit("1", "\"undecided\":0", "\"undecided\":2");
  const Ran ran = merged();
  EXPECT_EQ(ran.status, 3);
  const auto kernels = ledger()["kernels"];
  const auto edited = std::ranges::count_if(kernels, [](const auto& kernel) { return kernel["undecided"] == 2; });
  ASSERT_GT(edited, 0);
  const std::string what = "the processor contradicts the device on " + std::to_string(2 * edited) + " rows: ";
  ASSERT_EQ(ledger()["judgements"].size(), 1u);
  const nlohmann::json row = ledger()["judgements"][0];
  EXPECT_EQ(row["part"], "judge");
  EXPECT_EQ(row["verdict"], "undecided");
  EXPECT_EQ(row["why"], what + judge() + "; judge without it");
  EXPECT_THAT(contents(folder_ / "merged" / "report.md"), HasSubstr(what));
}

}  // namespace
}  // namespace attncert
