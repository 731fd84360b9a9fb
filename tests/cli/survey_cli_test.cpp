// attncert gpt2 as a user starts it: the same tables for any number of jobs, an interrupted run goes on, nothing of
// others is replaced.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/run.hpp"

namespace attncert {
namespace {
namespace fs = std::filesystem;

constexpr const char* tables[] = {"heads", "selections", "jacobian", "alternatives", "geometry", "checks", "claims"};

// Few queries and N: what is tested here does not depend on them.
const std::string small = "gpt2 --queries 7,63 --counts 1,5,20 --temperatures 0.1,1 ";

void expect_same_tables(const fs::path& one, const fs::path& other) {
  for (const char* table : tables) {
    const std::string name = std::string(table) + ".csv", text = contents(one / name);
    EXPECT_EQ(text, contents(other / name)) << name;
    EXPECT_GT(std::count(text.begin(), text.end(), '\n'), 1) << name;
  }
}

Ran survey(const fs::path& folder, const std::string& more) {
  return run_attncert(small + "--out " + folder.string() + " " + more);
}

fs::path long_text(const fs::path& folder, int copies) {
  const fs::path text = folder / "long.txt";
  const std::string sample = contents(ATTNCERT_SOURCE_DIR "/data/sample.txt");
  for (int copy = 0; copy < copies; ++copy) std::ofstream(text, std::ios::app) << sample;
  return text;
}

TEST(Survey, TheSameForAnyNumberOfJobs) {
  const fs::path folder = fresh_folder("survey-jobs");
  const std::string run = "--windows 5 --text " + long_text(folder, 3).string() + " --jobs ";
  const Ran one = survey(folder / "one", run + "1"), three = survey(folder / "three", run + "3");
  EXPECT_EQ(one.status, 0) << one.errors;
  EXPECT_EQ(three.status, 0) << three.errors;
  expect_same_tables(folder / "one", folder / "three");
  for (const char* made : {"ks.csv", "diagnosis.csv"})
    EXPECT_EQ(contents(folder / "one" / made), contents(folder / "three" / made));
  std::size_t pictures = 0;
  for (const auto& entry : fs::directory_iterator(folder / "one" / "figures")) {
    EXPECT_EQ(contents(entry.path()), contents(folder / "three" / "figures" / entry.path().filename()));
    ++pictures;
  }
  EXPECT_GE(pictures, 11u);
}

TEST(Survey, GoesOnFromTheLastWholeWindow) {
  const fs::path folder = fresh_folder("survey-resume"), cut = folder / "cut";
  ASSERT_EQ(survey(folder / "whole", "--windows 2").status, 0);
  ASSERT_EQ(survey(cut, "--windows 1").status, 0);
  // What a machine that lost power leaves: half a window behind the last whole one.
  std::ofstream(cut / "heads.csv", std::ios::app) << "1,0,0,7,3.5,0.6";
  std::ofstream(cut / "journal.jsonl", std::ios::app) << "[1,2";
  const Ran resumed = survey(cut, "--windows 2 --resume");
  EXPECT_EQ(resumed.status, 0) << resumed.errors;
  expect_same_tables(folder / "whole", cut);
}

TEST(Survey, AnInterruptLosesNothing) {
  const fs::path folder = fresh_folder("survey-interrupt"), cut = folder / "cut", text = long_text(folder, 100);
  // The program is told to stop as soon as its journal has a window.
  const std::string run = "--text " + text.string() + " --windows 250 ";
  const std::string journal = (cut / "journal.jsonl").string();
  const Ran stopped = survey(cut, run + "& pid=$!; until [ \"$(wc -l 2>/dev/null <" + journal +
                                      " || echo 0)\" -gt 1 ]; do sleep 0.02; done; " + "kill -INT $pid; wait $pid #");
  ASSERT_EQ(stopped.status, 130) << stopped.errors;
  const std::string lines = contents(journal);
  const auto windows = std::count(lines.begin(), lines.end(), '\n') - 1;
  ASSERT_GT(windows, 0);
  ASSERT_LT(windows, 250);
  const std::string more = "--text " + text.string() + " --windows " + std::to_string(windows + 1);
  EXPECT_EQ(survey(cut, more + " --resume").status, 0);
  EXPECT_EQ(survey(folder / "whole", more).status, 0);
  expect_same_tables(folder / "whole", cut);
}

void expect_refused(const fs::path& folder, const std::string& more, const std::string& named) {
  const Ran ran = run_attncert("gpt2 --out " + folder.string() + " " + more);
  EXPECT_EQ(ran.status, 2) << more;
  EXPECT_EQ(std::count(ran.errors.begin(), ran.errors.end(), '\n'), 1) << ran.errors;
  EXPECT_NE(ran.errors.find(named), std::string::npos) << ran.errors;
}

TEST(Survey, ReplacesNothingUnasked) {
  const fs::path folder = fresh_folder("survey-folders");
  expect_refused(folder / "new", "--resume", "no journal to resume");
  ASSERT_EQ(survey(folder / "run", "--windows 1").status, 0);
  expect_refused(folder / "run", "--windows 1", "holds an earlier run");
  expect_refused(folder / "run", small.substr(5) + "--windows 1 --resume --radius 2", "another plan");
  EXPECT_EQ(survey(folder / "run", "--windows 1 --force").status, 0);
  EXPECT_FALSE(contents(folder / "run" / "report.html").empty());
  fs::create_directories(folder / "mine");
  write(folder / "mine" / "letter.txt", "dear");
  expect_refused(folder / "mine", "--force", "not a run's");
  EXPECT_EQ(contents(folder / "mine" / "letter.txt"), "dear");
  fs::resize_file(folder / "run" / "heads.csv", 200);
  EXPECT_EQ(survey(folder / "run", "--windows 1 --resume").status, 0);  // tables are made of the journal
  EXPECT_GT(fs::file_size(folder / "run" / "heads.csv"), 200u);
}

TEST(Survey, BadOptionsAreOneLine) {
  const fs::path folder = fresh_folder("survey-options") / "out";
  expect_refused(folder, "--queries 5,1024", "\"1024\" is not a whole number from 0 to 1023");
  expect_refused(folder, "--queries 5,,7", "--queries");
  expect_refused(folder, "--counts 0", "--counts");
  expect_refused(folder, "--temperatures 1,-1", "\"-1\" is not a positive number");
  expect_refused(folder, "--tokens hidden,hidden", "once each");
  expect_refused(folder, "--tokens keys", "embed, hidden, ln1, value");
  expect_refused(folder, "--scales cube", "raw, unit");
  expect_refused(folder, "--radius 0", "--radius");
  expect_refused(folder, "--temperature 0", "emperature");
  expect_refused(folder, "--normalizer hardmax", "hardmax");
  expect_refused(folder, "--normalizer log-softmax", "log-softmax");
  expect_refused(folder, "--normalizer entmax --alpha 1", "--alpha");
  expect_refused(folder, "--normalizer entmax --alpha 1.0000000001", "--alpha");
  expect_refused(folder, "--temperature 1e-35", "--temperature");
  expect_refused(folder, "--draw 0:4", "4 layers of 4 heads");
  expect_refused(folder, "--draw 1", "\"1\" is not LAYER:HEAD");
  EXPECT_FALSE(fs::exists(folder));
}

TEST(Survey, AResumedRunHasTheSameModel) {
  const fs::path folder = fresh_folder("survey-model"), model = folder / "model";
  fs::create_directories(model);
  for (const char* file : {"config.json", "model.safetensors", "vocab.json", "merges.txt"})
    fs::copy_file(fs::path(ATTNCERT_SOURCE_DIR "/data/tiny-gpt2") / file, model / file);
  const std::string with = small.substr(5) + "--model " + model.string() + " --windows ";
  ASSERT_EQ(run_attncert("gpt2 --out " + (folder / "run").string() + " " + with + "1").status, 0);
  std::string config = contents(model / "config.json");
  const auto heads = config.find("\"n_head\": 4");
  ASSERT_NE(heads, std::string::npos);
  fs::remove(model / "config.json");
  write(model / "config.json", config.replace(heads, 11, "\"n_head\": 2"));
  expect_refused(folder / "run", with + "2 --resume", "another plan");
}

// N beyond the shorter rows, rows of one key, and every normalizer: signs, zeros and sums other than 1 among the
// weights.
TEST(Survey, ShortRowsAndLargeN) {
  const fs::path folder = fresh_folder("survey-counts");
  const Ran ran = run_attncert("gpt2 --windows 1 --queries 0,1,63 --counts 40 --out " + (folder / "run").string());
  EXPECT_EQ(ran.status, 0) << ran.errors;
  const std::string lines = contents(folder / "run" / "selections.csv");
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1 + 16 * 2);
}

TEST(Survey, AnyNormalizerStandsInForSoftmax) {
  const fs::path folder = fresh_folder("survey-normalizers");
  const std::string run = "gpt2 --windows 1 --queries 0,7,15 --counts 1,5 --force --out " + (folder / "run").string();
  const auto table = [&](const char* name) { return contents(folder / "run" / (std::string(name) + ".csv")); };
  ASSERT_EQ(run_attncert(run).status, 0);
  const std::string softmax = table("heads");
  for (const char* normalizer :
       {"sparsemax", "entmax --alpha 1.7", "entmax-1.5", "ssmax --ssmax-scale 0.2", "softmax1", "sigmoid",
        "sigmoid-normalized", "relu-normalized", "taylor-softmax", "top-k-softmax --k 4", "sa-softmax-v0",
        "sa-softmax-v1", "sa-softmax-v2", "sa-softmax-v3", "softmax --temperature 0.5"}) {
    const Ran ran = run_attncert(run + " --normalizer " + normalizer);
    EXPECT_EQ(ran.status, 0) << normalizer << ran.errors;
    EXPECT_NE(table("heads"), softmax) << normalizer;
    // Every weight is checked: 1 + 8 + 16 of each of 16 heads.
    EXPECT_NE(table("checks").find("\n0,48,400,0,0,"), std::string::npos) << normalizer << table("checks");
  }
}

using Cells = std::vector<std::vector<std::string>>;
Cells cells_of(const fs::path& table) {
  Cells lines;
  std::istringstream text(contents(table));
  for (std::string line; std::getline(text, line);) {
    std::istringstream cells(line);
    lines.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) lines.back().push_back(cell);
  }
  return lines;
}

// Numbers of two tables of one shape agree to this, relative to what is 1 or more; `error` columns are not compared.
void expect_close(const Cells& one, const Cells& other, double tolerance) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t line = 1; line < one.size(); ++line)
    for (std::size_t column = 0; column < one[line].size(); ++column) {
      const std::string &a = one[line][column], &b = other[line][column], &name = one[0][column];
      if (a == b || name == "error") continue;
      const double x = std::strtod(a.c_str(), nullptr), y = std::strtod(b.c_str(), nullptr);
      EXPECT_LE(std::fabs(x - y), tolerance * std::max(1.0, std::fabs(x))) << name << ", line " << line << ": " << b;
    }
}

// Without one it says why. With one: the same verdicts, and numbers within what the processor's f32 pass errs by.
TEST(Survey, ADeviceEvaluatesTheSameBounds) {
  const fs::path folder = fresh_folder("survey-device");
  const Ran none = run_attncert("gpt2 --device --out " + (folder / "none").string(), "ATTNCERT_DEVICE=none");
  EXPECT_EQ(none.status, 2);
  EXPECT_EQ(none.errors, "attncert: --device: none is wanted (ATTNCERT_DEVICE)\n");
  const std::string run = "--windows 1 ";
  const Ran device = survey(folder / "device", run + "--device");
  if (device.status == 2 && device.errors.find("--device: ") != std::string::npos) GTEST_SKIP() << device.errors;
  ASSERT_EQ(device.status, 0) << device.errors;
  ASSERT_EQ(survey(folder / "processor", run).status, 0);
  const auto table = [&](const char* where, const char* name) {
    return cells_of(folder / where / (std::string(name) + ".csv"));
  };
  EXPECT_EQ(table("device", "checks"), table("processor", "checks"));
  expect_close(table("processor", "heads"), table("device", "heads"), 1e-8);
  expect_close(table("processor", "jacobian"), table("device", "jacobian"), 1e-8);
  expect_close(table("processor", "selections"), table("device", "selections"), 1e-4);
  Cells processor = table("processor", "claims"), device_claims = table("device", "claims");
  const auto by_interval = std::find(processor[0].begin(), processor[0].end(), "by_interval") - processor[0].begin();
  for (Cells* claims : {&processor, &device_claims})
    for (std::vector<std::string>& line : *claims) line.erase(line.begin() + by_interval);
  EXPECT_EQ(processor, device_claims);
}

// What a device measured elsewhere is put together where there is none.
TEST(Survey, AMergeOfADevicesShardsNeedsNoDevice) {
  const fs::path folder = fresh_folder("survey-device-shards");
  const Ran first = survey(folder / "1", "--windows 1 --scales raw --device --shard 1/2");
  if (first.status == 2 && first.errors.find("--device: ") != std::string::npos) GTEST_SKIP() << first.errors;
  ASSERT_EQ(first.status, 0) << first.errors;
  ASSERT_EQ(survey(folder / "2", "--windows 1 --scales raw --device --shard 2/2").status, 0);
  const Ran merged = run_attncert(
      "merge " + (folder / "1").string() + " " + (folder / "2").string() + " --out " + (folder / "all").string(),
      "ATTNCERT_DEVICE=none");
  EXPECT_EQ(merged.status, 0) << merged.errors;
  EXPECT_NE(contents(folder / "all" / "report.md").find("devices of other processes"), std::string::npos);
}

}  // namespace
}  // namespace attncert
