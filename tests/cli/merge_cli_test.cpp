// A merge says what is wrong with a shard, and status how far shards are.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "cli/shard.hpp"
#include "reports/journal.hpp"
#include "tests/cli/run.hpp"
#include "tests/cli/shards.hpp"

namespace attncert {
namespace {
namespace fs = std::filesystem;

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
  void write_with(const std::string& fact, const std::string& value) {
    StoredJournal changed = stored_;
    ASSERT_TRUE(changed.head.plan.contains(fact));
    changed.head.plan[fact] = value;
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
  write_with("commit", "feed");
  expect_refused(", and feed in ");
  write_with("seed", "2");
  expect_refused("is of another plan: seed: 1, and 2 in ");
  write_with("instruction sets", "AVX1024");
  expect_refused(", and AVX1024 in ");
  EXPECT_EQ(merged("--any-instruction-sets").status, 0);
}

// All shards of a build that is not this one.
TEST_F(TamperedShards, AnotherBuildThanThisOne) {
  write_with("commit", "feed");
  const fs::path other = folder_ / "2/journal.jsonl";
  StoredJournal second = *read_journal(other);
  second.head.plan = read_journal(file_)->head.plan;
  write(other, journal_text(second));
  expect_refused("is of another plan than the same arguments make here: commit: feed, and ");
}

TEST_F(TamperedShards, AHeadThatIsNone) {
  const std::string text = contents(file_);
  const auto at = text.find("\"plan\":{") + 7;
  for (const std::string& plan : {std::string(200'000, '[') + std::string(200'000, ']'), std::string("7")})
    for (const char* command : {"merge", "status"}) {
      write(file_, text.substr(0, at) + plan + text.substr(text.find('}', at) + 1));
      const Ran ran =
          run_attncert(std::string(command) + " " + folders_ + (command[0] == 'm' ? "--out /dev/null/x" : ""));
      EXPECT_EQ(ran.status, 2);
      EXPECT_NE(ran.errors.find("is damaged"), std::string::npos) << ran.errors.substr(0, 1000);
    }
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

// A shard that lies writes a line that holds together: nothing in it shows. It is seen when its task is drawn, and then
// only; how often that is, RunShards.AreDrawnEvenly asks.
TEST_F(TamperedShards, ALieIsSeenWhenItsTaskIsRunAgain) {
  StoredJournal lying = stored_;
  const std::size_t tasks = lying.entries.size();
  ASSERT_GE(tasks, 2u);
  const auto lie = std::ranges::find_if(lying.entries, [](const JournalEntry& entry) {
    return entry.record.text().find("\"held\":") != std::string::npos;
  });
  ASSERT_NE(lie, lying.entries.end());
  std::string record = lie->record.text();
  lie->record = record.insert(record.find("\"held\":") + 7, "9");
  write(file_, journal_text(lying));
  EXPECT_NE(merged().status, 2);  // without a look nothing is seen
  EXPECT_EQ(merged("--recheck " + std::to_string(tasks)).status, 2);
  std::set<bool> outcomes;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    std::mt19937_64 random(seed);
    const bool drawn = cli::drawn(tasks, 1, random)[0] == static_cast<std::size_t>(lie - lying.entries.begin());
    const Ran ran = merged("--recheck 1 --recheck-seed " + std::to_string(seed));
    EXPECT_EQ(ran.status == 2, drawn) << seed;
    const bool named = ran.errors.find("task " + lie->task + " comes to something else") != std::string::npos;
    EXPECT_EQ(named, drawn) << ran.errors;
    outcomes.insert(drawn);
  }
  EXPECT_EQ(outcomes.size(), 2u);  // of these seeds some draw it, and some do not
}

// How long a merge takes is the machine's own: it is interrupted after growing times until one comes to its end.
TEST_F(TamperedShards, AMergeThatIsInterruptedLeavesNothing) {
  const fs::path out = folder_ / "merged";
  int interrupted = 0;
  for (double seconds = 0.02; !fs::exists(out); seconds *= 1.3) {
    const Ran ran = run_attncert("merge " + folders_ + "--recheck 1000 --out " + out.string(),
                                 "timeout --foreground -s INT " + std::to_string(seconds));
    const bool said = ran.errors.find("attncert: interrupted; merge again") != std::string::npos;
    interrupted += said;
    EXPECT_EQ(fs::exists(out / "ledger.json"), fs::exists(out));
    const auto entries = std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
    EXPECT_TRUE(!said || entries == 2) << "the two shards; " << entries << ran.errors;
    ASSERT_TRUE(ran.status == 124 || fs::exists(out)) << ran.errors;
  }
  EXPECT_GT(interrupted, 0);
}

// Where the folder was there, empty, behind a link, it is that again.
TEST_F(TamperedShards, AMergeThatIsRefusedLeavesTheFolderAsItWas) {
  StoredJournal lying = stored_;
  for (JournalEntry& entry : lying.entries) entry.record = std::string("{}");
  write(file_, journal_text(lying));
  fs::create_directories(folder_ / "target");
  fs::create_directory_symlink("target", folder_ / "link");
  for (const char* out : {"link", "target", "new/deep/er"}) {
    const Ran ran = run_attncert("merge " + folders_ + "--out " + (folder_ / out).string());
    EXPECT_EQ(ran.status, 2);
    EXPECT_NE(ran.errors.find("; run it again"), std::string::npos) << ran.errors;  // a record, behind the plan
    EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
    EXPECT_TRUE(fs::is_empty(folder_ / "target"));
    EXPECT_FALSE(fs::exists(folder_ / "new"));
  }
}

TEST_F(TamperedShards, OneThatIsAtWorkIsNotMerged) {
  const int held = open((folder_ / "1/.lock").c_str(), O_RDWR);
  ASSERT_EQ(flock(held, LOCK_EX | LOCK_NB), 0);
  expect_refused("1: a process is at work in it");
  close(held);
  EXPECT_EQ(merged().status, 0);
}

// Kernels that were judged on another machine: rows of its instruction sets are those of its shard.
TEST(MergedKernels, AreThoseOfThePlan) {
  const fs::path folder = fresh_folder("rows"), file = folder / "1/journal.jsonl";
  const std::string command = "merge " + run_shards("accuracy --quick --normalizer sparsemax --dtype f32 ", 1, folder) +
                              "--out " + (folder / "merged").string() + " ";
  const StoredJournal stored = *read_journal(file);
  const auto merged = [&](const PlanFacts& plan, const std::string& record, const std::string& more = "") {
    StoredJournal journal = stored;
    journal.head.plan = plan;
    journal.entries[0].record = record;
    write(file, journal_text(journal));
    fs::remove_all(folder / "merged");
    return run_attncert(command + more);
  };
  const std::string record = stored.entries[0].record.text();
  nlohmann::ordered_json fewer = nlohmann::ordered_json::parse(record), other = fewer, twice = fewer, foreign = fewer;
  fewer["rows"].erase(0);
  other["rows"][0]["isa"] = "AVX1024";
  twice["rows"][1] = twice["rows"][0];
  foreign["rows"][0]["kernel"] = "softmax.f32";
  EXPECT_EQ(merged(stored.head.plan, record).status, 0);
  for (const auto& forged : {fewer, other, twice, foreign}) {
    const Ran ran = merged(stored.head.plan, forged.dump());
    EXPECT_EQ(ran.status, 2);
    EXPECT_NE(ran.errors.find("the record has other rows than the task"), std::string::npos) << ran.errors;
    EXPECT_FALSE(fs::exists(folder / "merged"));
  }
  PlanFacts elsewhere = stored.head.plan;
  for (const char* fact : {"instruction sets", "device"}) {
    ASSERT_TRUE(elsewhere.contains(fact));
    elsewhere[fact] = "another";
  }
  const Ran refused = merged(elsewhere, other.dump());
  EXPECT_NE(refused.errors.find("device: another, and "), std::string::npos) << refused.errors;
  EXPECT_EQ(merged(elsewhere, other.dump(), "--any-instruction-sets").status, 0);
  EXPECT_NE(contents(folder / "merged/ledger.json").find("AVX1024"), std::string::npos);
  EXPECT_EQ(merged(elsewhere, twice.dump(), "--any-instruction-sets").status, 2);
  EXPECT_EQ(merged(elsewhere, foreign.dump(), "--any-instruction-sets").status, 2);
}

// A flag that was switched off is one that was not given.
TEST(MergedArguments, KeepTheirValues) {
  const fs::path folder = fresh_folder("flag");
  const std::string folders =
      run_shards("certify weights-diameter --effort quick --no-kernels --no-real=true --cold=false ", 1, folder);
  const Ran ran = run_attncert("merge " + folders + "--out " + (folder / "merged").string());
  EXPECT_EQ(ran.status, 0) << ran.errors;
}

TEST(ShardStatus, SaysHowFarTheyAre) {
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

TEST(ShardStatus, OfDaysAndOfRecordsThatAreNone) {
  const fs::path folder = fresh_folder("days"), file = folder / "1/journal.jsonl";
  const std::string folders = run_shards(claims, 1, folder);
  StoredJournal journal = *read_journal(file);
  journal.entries.resize(1);
  journal.entries[0].seconds = 100'000;
  journal.entries[0].record = std::string(R"({"rows":[{"worst_fraction":2.0,"kernel":5},{"worst_fraction":"x"},7]})");
  journal.head.cost = 4 * 86'400 + 60;
  journal.head.tasks = 3;
  journal.head.finished = 1;
  journal.head.started = static_cast<std::uint64_t>(time(nullptr)) - 86'400;
  write(file, journal_text(journal));
  const Ran ran = run_attncert("status " + folders);
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_NE(ran.output.find("27:46:40"), std::string::npos) << ran.output;
  EXPECT_NE(ran.output.find("in 7"), std::string::npos) << ran.output;  // a day of four has gone: 72 hours, 71:59
}

// Options are spelt in one way: in another one they could name what a merge then starts.
TEST(MergedArguments, InAnotherSpellingAreRefused) {
  const fs::path folder = fresh_folder("spelling"), file = folder / "1/journal.jsonl";
  const std::string folders = run_shards("accuracy --quick --normalizer sparsemax --dtype f32 ", 1, folder);
  for (const std::vector<std::string>& more : {std::vector<std::string>{"--library", "x.so"}, {"--seed", "2"}}) {
    StoredJournal journal = *read_journal(file);
    journal.head.arguments.insert(journal.head.arguments.end(), more.begin(), more.end());
    fs::create_directories(folder / "forged");
    write(folder / "forged/journal.jsonl", journal_text(journal));
    const Ran ran = run_attncert("merge " + (folder / "forged").string() + " --out " + (folder / "merged").string());
    EXPECT_EQ(ran.status, 2);
    EXPECT_NE(ran.errors.find("are not as this program writes them"), std::string::npos) << ran.errors;
  }
}

// A text that lies elsewhere on each machine is the same text.
TEST(MergedArguments, FilesMayLieElsewhere) {
  const fs::path folder = fresh_folder("files");
  for (const char* text : {"a.txt", "b.txt", "here.txt"})
    fs::copy_file(ATTNCERT_SOURCE_DIR "/data/sample.txt", folder / text);
  const std::string run = "gpt2 --windows 2 --queries 0 --counts 1 --text ";
  run_attncert(run + (folder / "a.txt").string() + " --shard 1/2 --out " + (folder / "1").string());
  run_attncert(run + (folder / "b.txt").string() + " --shard 2/2 --out " + (folder / "2").string());
  fs::remove(folder / "a.txt");
  const std::string merge =
      "merge " + (folder / "1").string() + " " + (folder / "2").string() + " --out " + (folder / "merged").string();
  EXPECT_NE(run_attncert(merge).errors.find("a.txt"), std::string::npos);
  const Ran ran = run_attncert(merge + " --text " + (folder / "here.txt").string());
  EXPECT_EQ(ran.status, 0) << ran.errors;
  const Ran none = run_attncert(merge + "2 --text " + (folder / "here.txt").string() + " --library x.so");
  EXPECT_NE(none.errors.find("--library: the run had none"), std::string::npos) << none.errors;
}

// What a second shard was asked otherwise is named.
TEST(MergedArguments, AreNamedWhereTheyDiffer) {
  const fs::path folder = fresh_folder("arguments"), file = folder / "1/journal.jsonl";
  const std::string folders = run_shards(claims, 2, folder);
  StoredJournal journal = *read_journal(file);
  journal.head.arguments.push_back("--cold=true");
  write(file, journal_text(journal));
  EXPECT_NE(run_attncert("merge " + folders + "--out " + (folder / "merged").string()).errors.find("--cold=true\""),
            std::string::npos);
}

// Nothing that a journal says of times breaks it, and a folder that has none does not end it.
TEST(ShardStatus, TrustsNoTime) {
  const fs::path folder = fresh_folder("times"), file = folder / "1/journal.jsonl";
  const std::string folders = run_shards(claims, 1, folder);
  StoredJournal journal = *read_journal(file);
  journal.entries.resize(2);
  journal.entries[0].seconds = 1e300;
  journal.entries[1].seconds = -5;
  journal.head.started = ~std::uint64_t{0};
  for (const double cost : {1e308, -1e308, 0.0}) {
    for (const std::uint64_t tasks : {std::uint64_t{0}, std::uint64_t{5}, ~std::uint64_t{0}}) {
      journal.head.cost = cost;
      journal.head.tasks = tasks;
      write(file, journal_text(journal));
      const Ran ran = run_attncert("status " + folder.string() + "/none " + folders);
      EXPECT_EQ(ran.status, 2);
      EXPECT_NE(ran.output.find("2/" + std::to_string(tasks)), std::string::npos) << ran.output;
      for (const char* wrong : {"nan", "inf", " -0"})
        EXPECT_EQ(ran.output.find(wrong), std::string::npos) << ran.output;
    }
  }
}

}  // namespace
}  // namespace attncert
