// attncert accuracy --library as a user meets it: what is printed, and the exit status.
#include <gtest/gtest.h>

#include "properties/conformance/external/host/address_sanitizer.hpp"
#include "reports/journal.hpp"
#include "reports/ledger.hpp"
#include "src/core/files.hpp"
#include "tests/cli/run.hpp"

namespace attncert {
namespace {

const std::string quick = "accuracy --effort quick --library ";

TEST(LibraryOption, AGoodLibraryPasses) {
  const Ran ran = run_attncert(quick + ATTNCERT_PLAIN_C_KERNEL);
  EXPECT_EQ(ran.status, 0) << ran.output << ran.errors;
  EXPECT_NE(ran.output.find("plain-c-softmax.f32"), std::string::npos) << ran.output;
  EXPECT_NE(ran.output.find("no violation"), std::string::npos) << ran.output;
}

// What each bad kernel is found to do is tested without the program (external_library_test.cpp); a slow run has all
// here.
void expect_named(const std::vector<std::string>& lines, bool all) {
  std::string kernels = " --kernel good --kernel good_with_scratch";
  for (const std::string& line : lines) kernels += " --kernel " + line.substr(0, line.find(':'));
  const Ran ran = run_attncert(quick + ATTNCERT_BAD_KERNELS + " --time-limit 0.3" + (all ? "" : kernels));
  EXPECT_EQ(ran.status, 1) << ran.output << ran.errors;
  for (const std::string& line : lines)
    EXPECT_NE(ran.output.find(line), std::string::npos) << line << "\n" << ran.output;
  // The kernels behind the crashing ones were judged to the end.
  EXPECT_EQ(ran.output.find("good: "), std::string::npos) << ran.output;
  EXPECT_EQ(ran.output.find("good_with_scratch: "), std::string::npos) << ran.output;
}

TEST(LibraryOption, BadKernelsAreNamedAndTheCampaignGoesOn) {
  expect_named({"crashes: crashed", "hangs: hung", "changes_its_input: changed input"}, false);
}

TEST(SlowLibraryOption, EveryBadKernelIsNamedAndTheCampaignGoesOn) {
  expect_named({"crashes: crashed", "hangs: hung", "exits: ended its process", "writes_behind_its_rows: wrote outside",
                "reads_behind_its_rows: read outside", "changes_its_input: changed input",
                "unlocks_its_input: changed input", "leaves_the_last_unwritten: left unwritten",
                "counts_its_calls: not repeatable", "depends_on_the_batch: batch-dependent",
                "leaves_rounding_changed: environment changed", "invents_a_status: bad status"},
               true);
}

// The kernels' rows know nothing of a second thread or of state: the report says what the exit status does.
TEST(LibraryOption, TheReportIsNoPassWhereTheCommandIsNone) {
  const auto folder = fresh_folder("conduct") / "report";
  const Ran ran = run_attncert(quick + ATTNCERT_CONDUCT_KERNELS + " --kernel leaves_descriptors_open --out '" +
                               folder.string() + "'");
  ASSERT_EQ(ran.status, 1) << ran.output << ran.errors;
  const auto ledger = read_ledger(folder / "ledger.json");
  ASSERT_TRUE(ledger) << ledger.error().message;
  EXPECT_EQ(exit_status(*ledger), 1);
  EXPECT_NE(read_text(folder / "report.xml")->find("<failure "), std::string::npos);
}

// A command of the ledger repeats one kernel, whatever else the library has of its normalizer.
TEST(LibraryOption, OneKernelOfALibraryAndWhatItCalls) {
  const auto folder = fresh_folder("kernel") / "report";
  const Ran ran =
      run_attncert(quick + ATTNCERT_SEARCHED_KERNELS + " --kernel right_softmax --out '" + folder.string() + "'");
  ASSERT_EQ(ran.status, 0) << ran.output << ran.errors;
  const auto ledger = read_ledger(folder / "ledger.json");
  ASSERT_TRUE(ledger) << ledger.error().message;
  ASSERT_EQ(ledger->kernels.size(), 1u);
  EXPECT_NE(ledger->kernels[0].replay.find(" --kernel right_softmax "), std::string::npos) << ledger->kernels[0].replay;
  EXPECT_NE(ledger->kernels[0].worst_entry.find("exact"), std::string::npos) << ledger->kernels[0].worst_entry;
  EXPECT_EQ(ledger->environment.libraries.at("attncert_searched_kernels.so"), "softmax by hand 1.2");
  EXPECT_NE(read_text(folder / "report.html")->find("<h1>attncert: kernels of softmax by hand 1.2</h1>"),
            std::string::npos);
  const Ran unknown = run_attncert(quick + ATTNCERT_SEARCHED_KERNELS + " --kernel nobody");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.errors.find("no kernel is named nobody"), std::string::npos) << unknown.errors;
}

// What is printed, but for the time that the search took.
std::string without_share(const std::string& output) {
  const auto line = output.find(" s of ");
  return line == std::string::npos
             ? output
             : output.substr(0, output.rfind('\n', line)) + output.substr(output.find('\n', line));
}

TEST(LibraryOption, ShardsAreMergedIntoTheWhole) {
  const auto folder = fresh_folder("shards");
  const std::string command = quick + ATTNCERT_CLASS_BREAKERS;
  const Ran one = run_attncert(command + " --out " + (folder / "whole").string());
  std::string folders;
  for (const std::string n : {"1", "2", "3"}) {
    const std::string out = (folder / n).string();
    EXPECT_EQ(run_attncert(command + " --shard " + n + "/3 --out " + out).status, 0);
    folders += " " + out;
  }
  const std::string merge = std::string("merge --library ") + ATTNCERT_CLASS_BREAKERS + folders + " --out ";
  const Ran all = run_attncert(merge + (folder / "merged").string() + " --recheck 1");
  EXPECT_EQ(all.status, one.status) << all.errors;
  const std::string table = all.output.substr(all.output.find('\n') + 1);  // behind what was run again
  const auto reported = table.rfind("report: ");
  EXPECT_EQ(table.substr(0, reported), without_share(one.output).substr(0, reported));
  Result<Ledger> ledgers[] = {read_ledger(folder / "whole/ledger.json"), read_ledger(folder / "merged/ledger.json")};
  for (Result<Ledger>& ledger : ledgers) {
    ASSERT_TRUE(ledger);
    ledger->timing = {};
  }
  EXPECT_EQ(to_json(*ledgers[0]), to_json(*ledgers[1]));

  // A record without its kernel's row, and with that of another kernel.
  const auto file = folder / "1/journal.jsonl";
  Result<StoredJournal> journal = read_journal(file);
  ASSERT_TRUE(journal);
  for (const auto& [old, now] :
       {std::pair("\"rows\":[", "\"rows\":[],\"was\":["), std::pair("\"kernel\":\"", "\"kernel\":\"x")}) {
    StoredJournal forged = *journal;
    std::string record = forged.entries.at(0).record.text();
    record.replace(record.find(old), std::string(old).size(), now);
    forged.entries[0].record = record;
    write(file, journal_text(forged));
    const Ran refused = run_attncert(merge + (folder / "forged").string());
    EXPECT_EQ(refused.status, 2) << refused.output;
    EXPECT_NE(refused.errors.find("the record has other rows than the task"), std::string::npos) << refused.errors;
    EXPECT_FALSE(std::filesystem::exists(folder / "forged"));
  }
}

TEST(LibraryOption, OneRowIsShownEntryByEntry) {
  const Ran ran = run_attncert(std::string("accuracy --row 0,-1,nan,inf --library ") + ATTNCERT_PLAIN_C_KERNEL);
  EXPECT_EQ(ran.status, 0) << ran.output << ran.errors;
  EXPECT_NE(ran.output.find("entry 3: nan"), std::string::npos) << ran.output;
  EXPECT_NE(ran.output.find("contract default: kept"), std::string::npos) << ran.output;
  const Ran half = run_attncert(std::string("accuracy --row 2,2 --temperature 3 --library ") + ATTNCERT_PLAIN_C_KERNEL);
  EXPECT_EQ(half.status, 0) << half.output << half.errors;
  EXPECT_NE(half.output.find("entry 1: 0.5 (0x1p-1)"), std::string::npos) << half.output;
  EXPECT_EQ(run_attncert("accuracy --row 1,,2").status, 2);
  const Ran bad = run_attncert(std::string("accuracy --row 1,2,3 --time-limit 0.3 --library ") + ATTNCERT_BAD_KERNELS);
  EXPECT_EQ(bad.status, 1) << bad.output;
}

TEST(LibraryOption, APlainFloatKernelKeepsTheClassThatItNames) {
  const Ran ran = run_attncert(quick + ATTNCERT_CLASS_MEMBERS + " --normalizer softmax --dtype f32");
  EXPECT_EQ(ran.status, 0) << ran.output << ran.errors;
}

TEST(SlowLibraryOption, PlainFloatKernelsKeepTheClassesThatTheyName) {
  const Ran ran = run_attncert(quick + ATTNCERT_CLASS_MEMBERS);
  EXPECT_EQ(ran.status, 0) << ran.output << ran.errors;
}

TEST(LibraryOption, KernelsBeyondTheirClassAreNamed) {
  for (const char* kernel : {"softmax --dtype bf16", "softmax --dtype f32", "entmax-1.5", "log-softmax"}) {
    const Ran ran = run_attncert(quick + ATTNCERT_CLASS_BREAKERS + " --normalizer " + kernel);
    EXPECT_EQ(ran.status, 1) << ran.output << ran.errors;
  }
}

TEST(LibraryOption, ABudgetOfItsOwnHoldsEveryKernel) {
  const std::string softmax = std::string(" --normalizer softmax --dtype f32");
  const Ran strict = run_attncert(quick + ATTNCERT_CLASS_MEMBERS + softmax + " --budget plain+exp=0.5+compensated");
  EXPECT_EQ(strict.status, 1) << strict.output << strict.errors;
  EXPECT_NE(strict.output.find("--budget plain+exp=0.5+compensated"), std::string::npos) << "to repeat it";
  const Ran unknown = run_attncert(quick + ATTNCERT_CLASS_MEMBERS + " --budget plain+onlin=128");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_EQ(unknown.errors,
            "attncert: --budget plain+onlin=128: \"onlin=128\" no option of a class; write plain, plain+running, "
            "plain+online=128: docs/budgets.md\n");
  const Ran unread = run_attncert(quick + ATTNCERT_SEARCHED_KERNELS + " --budget plain+running+saved");
  EXPECT_EQ(unread.status, 2);
  EXPECT_EQ(
      unread.errors,
      "attncert: --budget plain+running+saved: \"saved\" says nothing of softmax; leave it out: docs/budgets.md\n");
}

// Thresholds that may be off by a tenth say nothing of the weights next to them.
TEST(LibraryOption, AWeakJudgementIsNoPass) {
  const Ran ran =
      run_attncert(quick + ATTNCERT_CLASS_MEMBERS + " --normalizer entmax-1.5 --budget plain+threshold=0.1");
  EXPECT_EQ(ran.status, 3) << ran.output << ran.errors;
  EXPECT_TRUE(ran.output.starts_with("weak: 1 of 1 kernels")) << ran.output;
  const Ran row = run_attncert(std::string("accuracy --row 0,-1 --normalizer entmax-1.5 --library ") +
                               ATTNCERT_CLASS_MEMBERS + " --budget plain+threshold=0.1");
  EXPECT_EQ(row.status, 3) << row.output << row.errors;
  EXPECT_NE(row.output.find("a change of 10% would go unseen"), std::string::npos) << row.output;
}

TEST(LibraryOption, AnOldCaseNameStandsForThePresentOne) {
  const std::string one =
      std::string("accuracy --time-limit 0.3 --library ") + ATTNCERT_INVALID_CALL_KERNELS + " --case ";
  const Ran present = run_attncert(one + "invalid-call:null-input"), old = run_attncert(one + "rule:null-input");
  EXPECT_EQ(present.status, 1) << present.output << present.errors;
  EXPECT_EQ(present.errors, "");
  EXPECT_EQ(old.status, present.status);
  EXPECT_EQ(old.output, present.output);
  EXPECT_EQ(old.errors,
            "attncert: rule:null-input is now called invalid-call:null-input; the old name is accepted in this version "
            "only\n");
}

TEST(LibraryOption, WhatCannotBeUsedIsOneLineAndStatusTwo) {
  const std::string unloadable = ATTNCERT_UNLOADABLE;
  for (const std::string& arguments :
       {quick + "no/such/library.so", quick + unloadable + "1.so", quick + unloadable + "2.so",
        quick + unloadable + "9.so", quick + ATTNCERT_SOURCE_DIR "/README.md", quick + unloadable + "5.so",
        quick + unloadable + "11.so", quick + ATTNCERT_CLASS_MEMBERS + " --budget ''",
        quick + ATTNCERT_PLAIN_C_KERNEL + " --isa AVX2", std::string("accuracy --time-limit 1")}) {
    const Ran ran = run_attncert(arguments);
    EXPECT_EQ(ran.status, 2) << arguments << ran.output << ran.errors;
    EXPECT_EQ(ran.output, "") << arguments;
    EXPECT_FALSE(ran.errors.empty()) << arguments;
  }
}

// A library that opens a GPU maps more than any memory has.
TEST(LibraryOption, TheLimitOfMemoryCanBeLeftOut) {
  const std::string maps_much = quick + ATTNCERT_UNLOADABLE + "13.so";
  if (!external::address_sanitized) {
    EXPECT_EQ(run_attncert(maps_much).status, 2);
  }
  const Ran ran = run_attncert(maps_much + " --memory-limit none");
  EXPECT_EQ(ran.status, 1) << ran.errors;  // its kernel writes nothing
  EXPECT_EQ(run_attncert(maps_much + " --memory-limit 0").status, 2);
}

}  // namespace
}  // namespace attncert
