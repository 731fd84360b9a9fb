// The command line, end to end, on a few claims: what a run leaves behind, that it repeats itself bit for bit, goes on
// after an interruption, and never loses or half-writes anything.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/run.hpp"

namespace attncert {
namespace {
namespace fs = std::filesystem;

constexpr const char* few = "theorem1-upper softmax-half-over-temperature theorem1-collapse ";

std::string quick(const fs::path& out, const std::string& more = "") {
  return std::string("certify ") + few + "--effort quick --no-kernels --no-real --out " + out.string() + " " + more;
}

nlohmann::json without_times(const fs::path& ledger) {
  nlohmann::json json = nlohmann::json::parse(contents(ledger));
  json.erase("timing");
  return json;
}

TEST(Cli, ARunLeavesLedgerReportsAndCheckedWitnesses) {
  const fs::path out = fresh_folder("run") / "out";
  const Ran ran = run_attncert(quick(out));
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_NE(ran.output.find("theorem1-upper"), std::string::npos);
  EXPECT_NE(ran.output.find("report: " + (out / "report.html").string()), std::string::npos);
  for (const char* file : {"ledger.json", "report.md", "report.html", "journal.jsonl", "witnesses/theorem1-upper.json"})
    EXPECT_GT(contents(out / file).size(), 100u) << file;
  const nlohmann::json ledger = nlohmann::json::parse(contents(out / "ledger.json"));
  ASSERT_EQ(ledger.at("claims").size(), 3u);
  for (const auto& claim : ledger.at("claims")) {
    EXPECT_EQ(claim.at("agrees"), true);
    const bool judged = claim.at("reached") == "refuted" || claim.at("reached") == "proved";
    EXPECT_EQ(claim.at("checker"), judged ? "accepted" : "");
  }
  EXPECT_EQ(run_attncert("check " + (out / "witnesses/theorem1-upper.json").string()).status, 0);
  EXPECT_EQ(run_attncert("report " + (out / "ledger.json").string()).status, 0);
}

TEST(Cli, TheClaimsPageIsMadeFromALedger) {
  const fs::path out = fresh_folder("page") / "out";
  ASSERT_EQ(run_attncert(quick(out)).status, 0);
  const Ran ran = run_attncert("report " + (out / "ledger.json").string() + " --format claims --out " +
                               (out / "claims.md").string());
  EXPECT_EQ(ran.status, 0) << ran.errors;
  const std::string page = contents(out / "claims.md");
  for (const char* part : {"](../properties/claims/witnesses/theorem1-upper/) |", "| **refuted** |",
                           "\nWhy it fails: ", "- **hypotheses**: T \\> 0\n", "softmax-half-over-temperature --seed 1"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  EXPECT_EQ(page.find(out.string()), std::string::npos);
}

// The tightest instance comes from no tape: its file shows it again, and refutes nothing.
TEST(Cli, TheTightestInstanceOfTheMaximiserIsKeptAndShown) {
  const fs::path out = fresh_folder("tightest") / "out";
  const std::string id = "theorem2-lower-literal-close";  // no tape comes as near to its bound
  ASSERT_EQ(run_attncert("certify " + id + " --effort quick --no-kernels --no-real --out " + out.string()).status, 0);
  const nlohmann::json ledger = nlohmann::json::parse(contents(out / "ledger.json"));
  const nlohmann::json& tightest = ledger.at("claims").at(0).at("tightest");
  ASSERT_EQ(tightest.at("replay"), "tightest/" + id + ".json");
  const fs::path file = out / "tightest" / (id + ".json");
  const Ran shown = run_attncert("replay " + file.string());
  EXPECT_EQ(shown.status, 0) << shown.errors;
  EXPECT_NE(shown.output.find(tightest.at("lhs").get<std::string>()), std::string::npos) << shown.output;
  EXPECT_EQ(run_attncert("check " + file.string()).status, 1);
  for (const auto& size : ledger.at("timing").at("throughput")) EXPECT_GT(size.at("per_second").get<double>(), 0);
}

TEST(Cli, EffortAsANumberScalesTheSearch) {
  const fs::path folder = fresh_folder("effort");
  const auto tried = [&](const std::string& effort) {
    const fs::path out = folder / effort;
    const std::string claim = "certify weights-order-sharp --no-kernels --no-real --effort ";
    EXPECT_EQ(run_attncert(claim + effort + " --out " + out.string()).status, 0);
    const nlohmann::json ledger = nlohmann::json::parse(contents(out / "ledger.json"));
    return ledger.at("claims").at(0).at("by_source").at("random").at("tried").get<int>();
  };
  EXPECT_EQ(tried("normal"), 3000);
  EXPECT_EQ(tried("1"), 3000);
  EXPECT_EQ(tried("2.5"), 7500);
}

TEST(Cli, TheSameSeedGivesTheSameLedgerForAnyNumberOfThreads) {
  const fs::path folder = fresh_folder("same");
  ASSERT_EQ(run_attncert(quick(folder / "a", "--seed 7 --jobs 1")).status, 0);
  ASSERT_EQ(run_attncert(quick(folder / "b", "--seed 7 --jobs 4")).status, 0);
  ASSERT_EQ(run_attncert(quick(folder / "c", "--seed 8 --jobs 1")).status, 0);
  EXPECT_EQ(without_times(folder / "a/ledger.json"), without_times(folder / "b/ledger.json"));
  EXPECT_NE(without_times(folder / "a/ledger.json"), without_times(folder / "c/ledger.json"));
  EXPECT_EQ(contents(folder / "a/witnesses/theorem1-upper.json"), contents(folder / "b/witnesses/theorem1-upper.json"));
}

TEST(Cli, AnEditedWitnessIsRejected) {
  const fs::path out = fresh_folder("edited") / "out";
  ASSERT_EQ(run_attncert(quick(out)).status, 0);
  nlohmann::json witness = nlohmann::json::parse(contents(out / "witnesses/theorem1-upper.json"));
  for (auto& token : witness.at("instance").at("tokens"))  // from norm 1/2 to norm 2: the square then bounds
    (token.is_object() ? token.at("value") : token) = {"2"};
  write(out / "edited.json", witness.dump());
  const Ran ran = run_attncert("check " + (out / "edited.json").string());
  EXPECT_EQ(ran.status, 1) << ran.output << ran.errors;
  EXPECT_NE(ran.output.find("rejected"), std::string::npos);
}

TEST(Cli, AnInterruptedRunGoesOnToTheSameLedger) {
  const fs::path folder = fresh_folder("resume");
  ASSERT_EQ(run_attncert(quick(folder / "whole", "--jobs 1")).status, 0);
  fs::create_directories(folder / "cut/witnesses");
  const std::string journal = contents(folder / "whole/journal.jsonl");
  const auto second_line = journal.find('\n', journal.find('\n') + 1);
  write(folder / "cut/journal.jsonl", journal.substr(0, second_line + 30));  // the last line is cut short
  const Ran ran = run_attncert(quick(folder / "cut", "--jobs 1 --resume"));
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_EQ(without_times(folder / "whole/ledger.json"), without_times(folder / "cut/ledger.json"));
}

TEST(Cli, AJournalOfAnotherPlanIsNotResumed) {
  const fs::path out = fresh_folder("other") / "out";
  ASSERT_EQ(run_attncert(quick(out)).status, 0);
  const Ran ran = run_attncert(quick(out, "--resume --seed 99"));
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.errors.find("journal.jsonl"), std::string::npos);
}

TEST(Cli, AnEarlierRunIsReplacedOnlyWhenAsked) {
  const fs::path out = fresh_folder("earlier") / "out";
  ASSERT_EQ(run_attncert(quick(out)).status, 0);
  const std::string before = contents(out / "ledger.json");
  EXPECT_EQ(run_attncert(quick(out, "--seed 5")).status, 2);
  EXPECT_EQ(contents(out / "ledger.json"), before);
  EXPECT_EQ(run_attncert(quick(out, "--seed 5 --force")).status, 0);
  EXPECT_NE(contents(out / "ledger.json"), before);
}

TEST(Cli, AFolderWithOtherFilesIsLeftAlone) {
  const fs::path out = fresh_folder("precious");
  write(out / "thesis.txt", "ten years of work");
  for (const char* more : {"", "--force"}) {
    const Ran ran = run_attncert(quick(out, more));
    EXPECT_EQ(ran.status, 2) << more;
    EXPECT_EQ(contents(out / "thesis.txt"), "ten years of work");
    EXPECT_FALSE(fs::exists(out / "ledger.json"));
  }
}

TEST(Cli, ReplayShowsWhatTheReportNames) {
  const Ran simplest = run_attncert("replay theorem1-upper:1:tape=01");
  EXPECT_EQ(simplest.status, 0) << simplest.errors;
  EXPECT_NE(simplest.output.find("held"), std::string::npos) << simplest.output;
  EXPECT_EQ(run_attncert("replay softmax-half-over-temperature:1:17").status, 0);
}

TEST(Cli, ListNamesEveryClaimAndKernel) {
  const Ran claims = run_attncert("list"), kernels = run_attncert("list --kernels");
  EXPECT_EQ(claims.status, 0);
  std::ptrdiff_t files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(ATTNCERT_CLAIM_FILES)) {
    if (entry.path().extension() != ".cpp") continue;
    ++files;
    EXPECT_NE(("\n" + claims.output).find("\n" + entry.path().stem().string() + " "), std::string::npos)
        << entry.path();
  }
  EXPECT_GT(files, 0);
  EXPECT_EQ(std::count(claims.output.begin(), claims.output.end(), '\n'), files);
  EXPECT_NE(kernels.output.find("softmax.f32"), std::string::npos);
}

}  // namespace
}  // namespace attncert
