// attncert compare and attncert history, as a user runs them: exit status, first line, refusals, files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "reports/ledger.hpp"
#include "tests/cli/run.hpp"

namespace attncert {
namespace {
namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

LedgerClaim claim(const std::string& id, const std::string& verdict) {
  LedgerClaim claim;
  claim.id = id;
  claim.expected = claim.reached = verdict;
  claim.agrees = true;
  claim.counts.tried = claim.counts.admissible = claim.counts.held = 1000;
  claim.tightest = {0.75, "[3, 3]", "[4, 4]", id + ":1:5"};
  return claim;
}

Ledger small_ledger() {
  Ledger ledger;
  ledger.plan = {1, "quick", "", "", {}};
  ledger.environment = {"aaaa",     false,  "g++ 12.2.0", "-O3", "a CPU",           2,
                        "a system", "AVX2", "to nearest", "off", {{"GMP", "6.2.1"}}};
  ledger.claims = {claim("distance-upper", "supported"), claim("theorem1-upper", "refuted")};
  KernelResult kernel;
  kernel.normalizer = "softmax", kernel.kernel = "softmax", kernel.isa = "AVX2", kernel.dtype = "f32";
  kernel.worst_ulp = 0.5, kernel.budget_ulp = 2, kernel.worst_fraction = 0.25, kernel.elements = 5000;
  kernel.contract = "default";
  ledger.kernels = {kernel};
  ledger.faults = {{"fault.zeros", "softmax", "f32", "returns zeros", "", true, "accuracy", 7}};
  LedgerJudgement judged;
  judged.file = "dump.npz", judged.part = "forward", judged.verdict = "holds";
  ledger.judgements = {judged};
  ledger.real = LedgerReal{"tiny-gpt2", "sample.txt", 2, 64, 3, 40'000, 0, 1.25, 4, 0};
  ledger.timing = {"2026-11-01T00:00:00Z", 10, "out/1", {{"a", 1}, {"b", 2}, {"c", 4}}, {{16, 8, 4000}}};
  return ledger;
}

class Compare : public testing::Test {
 protected:
  using Edit = std::function<void(Ledger&)>;

  // "BEFORE AFTER": the small ledger and what the edit makes of it, as a folder of a run and as a file.
  std::string pair(const Edit& edit) const {
    Ledger after = small_ledger();
    edit(after);
    fs::create_directories(folder_ / "a");
    write(folder_ / "a/ledger.json", to_json(small_ledger()));
    write(folder_ / "b.json", to_json(after));
    return (folder_ / "a").string() + " " + (folder_ / "b.json").string() + " ";
  }
  Ran compared(const Edit& edit, const std::string& more = "") const {
    return run_attncert("compare " + pair(edit) + more);
  }
  void expect_refused(const std::string& arguments, const std::string& why) const {
    const Ran ran = run_attncert(arguments);
    EXPECT_EQ(ran.status, 2) << arguments;
    EXPECT_EQ(ran.output, "") << arguments;
    EXPECT_EQ(std::count(ran.errors.begin(), ran.errors.end(), '\n'), 1) << ran.errors;
    EXPECT_THAT(ran.errors, HasSubstr(why));
  }

  fs::path folder_ = fresh_folder("compare");
};

TEST_F(Compare, ALedgerWithItself) {
  const Ran ran = compared([](Ledger&) {});
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.output, StartsWith("no difference: 6 rows the same.\n"));
}

TEST_F(Compare, ARegressionOfEachKindOfRowIsSeen) {
  const std::pair<const char*, Edit> edits[] = {
      {"distance-upper ",
       [](Ledger& ledger) {
         ledger.claims[0].reached = "refuted";
         ledger.claims[0].agrees = false;
       }},
      {"softmax softmax f32 on AVX2 ", [](Ledger& ledger) { ledger.kernels[0].worst_fraction = 1.5; }},
      {"fault.zeros of softmax f32 ", [](Ledger& ledger) { ledger.faults[0].caught_by = ""; }},
      {"dump.npz, forward ", [](Ledger& ledger) { ledger.judgements[0].verdict = "differs"; }},
      {"tiny-gpt2 on sample.txt ", [](Ledger& ledger) { ledger.real->outside_budget = 2; }},
      {"theorem1-upper ", [](Ledger& ledger) { ledger.claims.pop_back(); }}};
  for (const auto& [row, edit] : edits) {
    const Ran ran = compared(edit);
    EXPECT_EQ(ran.status, 1) << row;
    EXPECT_THAT(ran.output, StartsWith("1 regression, 5 rows the same.\n"));
    EXPECT_THAT(ran.output, HasSubstr(std::string("\n") + row));
  }
}

TEST_F(Compare, AnImprovementAndAChangeAreNoFailure) {
  const Ran ran = compared([](Ledger& ledger) {
    ledger.kernels[0].worst_ulp = 0.625;
    ledger.claims.push_back(claim("more", "supported"));
  });
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.output, StartsWith("2 other changes, 5 rows the same.\n"));
}

TEST_F(Compare, WhatCannotBeComparedIsRefusedUnlessAllowed) {
  const std::string seeds = pair([](Ledger& ledger) { ledger.plan.seed = 2; });
  expect_refused("compare " + seeds, "b.json: is of another plan than " + (folder_ / "a/ledger.json").string() +
                                         ": seed is 1 there and 2 here; compare runs of one plan, or give --any-plan");
  EXPECT_EQ(run_attncert("compare --any-plan " + seeds).status, 0);
  const std::string flags = pair([](Ledger& ledger) { ledger.environment.flags = "-O0"; });
  expect_refused("compare " + flags, "or give --any-build");
  EXPECT_EQ(run_attncert("compare --any-build " + flags).status, 0);
  const std::string machines = pair([](Ledger& ledger) { ledger.environment.cpu = "another"; });
  expect_refused("compare " + machines, "or give --any-machine");
  EXPECT_THAT(run_attncert("compare --any-machine " + machines).output, HasSubstr("\ncpu   a CPU   another\n"));
}

TEST_F(Compare, BadInputIsOneLine) {
  const std::string good = (folder_ / "a").string();
  pair([](Ledger&) {});
  fs::create_directories(folder_ / "empty");
  write(folder_ / "broken.json", "{");
  expect_refused("compare " + good + " " + (folder_ / "none").string(), "none");
  expect_refused("compare " + good + " " + (folder_ / "empty").string(), "empty: has no ledger.json; give the folder");
  expect_refused("compare " + (folder_ / "broken.json").string() + " " + good, "broken.json");
  expect_refused("compare " + good, "after");
  expect_refused("compare " + good + " " + good + " --max-slowdown 0.5", "--max-slowdown");
  expect_refused("compare " + good + " " + good + " --out " + good, "is not empty");
  expect_refused("history " + (folder_ / "empty").string(), "has no ledger.json");
}

TEST_F(Compare, ASpeedIsARegressionOnlyBeyondTheRatio) {
  const auto slow = [](Ledger& ledger) { ledger.timing.per_claim = {{"a", 2}, {"b", 4}, {"c", 12}}; };
  EXPECT_EQ(compared(slow).status, 0);
  EXPECT_EQ(compared(slow, "--max-slowdown 2").status, 0);
  const Ran ran = compared(slow, "--max-slowdown 1.9");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.output, StartsWith("1 regression, 6 rows the same.\n"));
}

TEST_F(Compare, JsonAloneGoesToStandardOutput) {
  const Ran ran = compared([](Ledger& ledger) { ledger.faults[0].caught_by = ""; }, "--json");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.errors, StartsWith("1 regression"));
  const auto json = nlohmann::json::parse(ran.output, nullptr, false);
  ASSERT_TRUE(json.is_object()) << ran.output;
  EXPECT_EQ(json["format"], "attncert-comparison/1");
  EXPECT_EQ(json["regressions"], 1);
  EXPECT_EQ(json["kinds"][2]["rows"][0]["changes"][0]["field"], "caught_by");
}

// Written by hand from the edits below.
const char* const golden = R"(# attncert: what changed

1 regression, 1 improvement, 1 other change, 3 rows the same.

|  | ledger | commit | started |
|---|---|---|---|
| before | `a/ledger.json` | `aaaa` | 2026-11-01T00:00:00Z |
| after | `b.json` | `bbbb (with changes)` | 2026-11-02T00:00:00Z |

## claims

1 row the same.

| row | outcome | why | field | before | after | repeat |
|---|---|---|---|---|---|---|
| `distance-upper` | **regression** | undecided, was as expected | `reached` | supported | undecided |  |
|  |  |  | `agrees` | yes | no |  |
|  |  |  | `counts.held` | 1,000 | 999 |  |
|  |  |  | `counts.undecided` | 0 | 1 |  |

## kernels

0 rows the same.

| row | outcome | why | field | before | after | repeat |
|---|---|---|---|---|---|---|
| `softmax softmax f32 on AVX2` | **change** |  | `worst_ulp` | 0.5 | 0.625 |  |
|  |  |  | `worst_fraction` | 0.25 | 0.3125 |  |

## faults

1 row the same.

## judgements

0 rows the same.

| row | outcome | why | field | before | after | repeat |
|---|---|---|---|---|---|---|
| `dump.npz, forward` | **improvement** | as expected, was differs | `verdict` | differs | holds |  |
|  |  |  | `outside` | 3 | 0 |  |

## real

1 row the same.

## speed

)";

TEST_F(Compare, TheMarkdownOfASmallPair) {
  Ledger before = small_ledger(), after = before;
  after.environment.commit = "bbbb", after.environment.dirty = true;
  after.timing.started = "2026-11-02T00:00:00Z", after.timing.seconds = 15;
  after.claims[0].reached = "undecided", after.claims[0].agrees = false;
  --after.claims[0].counts.held, ++after.claims[0].counts.undecided;
  after.kernels[0].worst_ulp = 0.625, after.kernels[0].worst_fraction = 0.3125;
  before.judgements[0].verdict = "differs", before.judgements[0].outside = 3;
  fs::create_directories(folder_ / "a");
  write(folder_ / "a/ledger.json", to_json(before));
  write(folder_ / "b.json", to_json(after));
  const Ran ran = run_attncert("compare a b.json --out out", "cd " + folder_.string() + " &&");
  EXPECT_EQ(ran.status, 1) << ran.errors;
  EXPECT_THAT(ran.output, HasSubstr("report: out/report.html\n"));
  const std::string page = contents(folder_ / "out" / "report.md");
  EXPECT_THAT(page, StartsWith(golden));
  EXPECT_THAT(page, HasSubstr("| the run | 10 s | 15 s | 1.50 | - | 1 |  |\n"
                              "| tasks | 7 s | 7 s | 1.00 | 1.00 to 1.00 | 3 |  |\n"
                              "| instances at L=16 d=8 | 4e+03 a second | 4e+03 a second | 1.00 | - | 1 |  |\n"));
  EXPECT_THAT(contents(folder_ / "out/report.html"), HasSubstr("regression"));
}

TEST_F(Compare, HostileNamesAreShownAsText) {
  const Ran ran = compared(
      [](Ledger& ledger) {
        ledger.claims[0].id = "<script>alert(1)</script>\x1b[2J";
        ledger.judgements[0].file = "`|<b>";
      },
      "--out " + (folder_ / "out").string());
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.output.find('\x1b'), std::string::npos);
  EXPECT_EQ(contents(folder_ / "out/report.html").find("<script>alert"), std::string::npos);
}

TEST_F(Compare, HistoryOfAFolderOfRunsIsInTheOrderOfTime) {
  for (const char* run : {"1", "2", "3"}) {
    Ledger ledger = small_ledger();
    ledger.timing.started = std::string("2026-11-0") + (run[0] == '1' ? '9' : run[0]) + "T00:00:00Z";
    ledger.environment.commit = std::string("commit") + run;
    fs::create_directories(folder_ / "runs" / run);
    write(folder_ / "runs" / run / "ledger.json", to_json(ledger));
  }
  fs::create_directories(folder_ / "runs/unfinished");
  const Ran ran = run_attncert("history " + (folder_ / "runs").string() + " --out " + (folder_ / "out").string());
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_THAT(ran.errors, HasSubstr("runs/unfinished: has no ledger.json, and is left out\n"));
  EXPECT_THAT(ran.output, StartsWith("3 runs, "));
  EXPECT_THAT(ran.output, testing::ContainsRegex("commit2(.|\n)*commit3(.|\n)*commit1"));
  EXPECT_THAT(contents(folder_ / "out/report.html"), HasSubstr("<svg"));
  Ledger other = small_ledger();
  other.plan.seed = 2;
  write(folder_ / "other.json", to_json(other));
  const std::string both = "history " + (folder_ / "runs").string() + " " + (folder_ / "other.json").string();
  fs::remove(folder_ / "runs/unfinished");
  expect_refused(both, "give --any-plan");
  EXPECT_EQ(run_attncert(both + " --any-plan").status, 0);
}

}  // namespace
}  // namespace attncert
