// attncert fuzz with engines that are shell scripts, so that each can do what a real one seldom does; attncert replay
// of inputs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/cli/run.hpp"
#include "tests/cli/scripted_engine.hpp"

namespace attncert {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

struct Fuzzed {
  fs::path folder, out;
  Ran ran;
  std::string asked() const { return contents(folder / "asked"); }
};

std::string command(const fs::path& folder, const std::string& arguments) {
  return "fuzz " + arguments + " --engine " + (folder / "engine").string() + " --out " + (folder / "run").string();
}

Fuzzed fuzzed(const std::string& name, const std::string& campaign, const std::string& arguments) {
  const fs::path folder = fresh_folder(name);
  engine(folder, campaign);
  return {folder, folder / "run", run_attncert(command(folder, arguments))};
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(Fuzz, OneLineOfWhatTheEnginesDid) {
  const Fuzzed run = fuzzed("quiet", std::string(progress) + "sleep 0.3\n", "softmax --time 7 --jobs 2 --seed 5");
  EXPECT_EQ(run.ran.status, 0) << run.ran.errors;
  EXPECT_EQ(lines(run.ran.output), 1u);
  EXPECT_THAT(run.ran.output, HasSubstr("softmax: 10000 executions in "));  // 5000 of each
  EXPECT_THAT(run.ran.output,
              HasSubstr("coverage 41, features 55, corpus 3; worst 0.5 of the budget, 2.5 ulp: softmax.f32"));
  EXPECT_THAT(run.ran.output, HasSubstr("; nothing found\n"));
  EXPECT_THAT(run.ran.errors, HasSubstr("softmax: "));  // without a terminal, a line now and then
  EXPECT_THAT(run.asked(), HasSubstr("softmax: -timeout=25 -rss_limit_mb=2048 -max_len=512 -entropic=0 "
                                     "-max_total_time=7 -seed="));
  EXPECT_THAT(run.asked(), HasSubstr((run.out / "corpus").string()));
  EXPECT_THAT(run.asked(), HasSubstr("fuzz/corpus/normalizer"));
  EXPECT_EQ(lines(run.asked()), 2u);
}

// An engine's first input is a record: what an earlier run kept must be out of its way, and in the corpus.
TEST(Fuzz, SetsTheEarlierWorstAside) {
  const std::string kept =
      std::string(progress) + "[ -e \"$ATTNCERT_FUZZ_WORST\" ] && exit 9\necho row > \"$ATTNCERT_FUZZ_WORST\"\n";
  const Fuzzed first = fuzzed("aside", kept, "softmax --time 7");
  EXPECT_EQ(first.ran.status, 0) << first.ran.errors;
  const Ran second = run_attncert(command(first.folder, "softmax --time 7"));
  EXPECT_EQ(second.status, 0) << second.errors;
  EXPECT_EQ(files_in(first.out / "corpus"),
            (std::vector<std::string>{"normalizer-earlier-worst-0", "normalizer-worst-0"}));
}

TEST(Fuzz, NamesTheFileOfTheWorstRow) {
  const Fuzzed run =
      fuzzed("worst",
             std::string(progress) + "case $ATTNCERT_FUZZ_WORST in *-1) echo RECORD 0.75 b >&2;; esac\n" +
                 "echo row > \"$ATTNCERT_FUZZ_WORST\"; sleep 0.3\n",
             "softmax --time 7 --jobs 2");
  EXPECT_EQ(run.ran.status, 0) << run.ran.errors;
  EXPECT_THAT(run.ran.output,
              HasSubstr("; worst b in " + (run.out / "corpus" / "normalizer-worst-1").string() + "; nothing found"));
}

TEST(Fuzz, SeedAndJobDecideTheEnginesSeed) {
  const auto seeds = [](const std::string& arguments) {
    const std::string asked = fuzzed("seeds", progress, "softmax --time 7 " + arguments).asked();
    std::vector<std::string> found;
    for (std::size_t at = asked.find("-seed="); at != std::string::npos; at = asked.find("-seed=", at + 1))
      found.push_back(asked.substr(at, asked.find(' ', at) - at));
    std::sort(found.begin(), found.end());
    return found;
  };
  const auto two = seeds("--seed 5 --jobs 2");
  ASSERT_EQ(two.size(), 2u);
  EXPECT_NE(two[0], two[1]);
  EXPECT_EQ(two, seeds("--seed 5 --jobs 2"));
  EXPECT_NE(seeds("--seed 5"), seeds("--seed 6"));
}

// A file from outside: a second and 256 MiB. A whole target restricts nothing.
TEST(Fuzz, FilesHaveTheirLimits) {
  EXPECT_THAT(fuzzed("files", "exit 0\n", "files --time 1").asked(),
              HasSubstr(": -timeout=1 -rss_limit_mb=256 -max_len=4096 "));
  EXPECT_THAT(fuzzed("reader", "exit 0\n", "safetensors --time 1").asked(), HasSubstr("safetensors: -timeout=1"));
  EXPECT_THAT(fuzzed("files", "exit 0\n", "files --time 1").asked(), testing::StartsWith(": "));
}

TEST(Fuzz, AFindingIsMinimisedAndStoredOnce) {
  const Fuzzed run = fuzzed("crash", std::string(progress) + crash, "normalizer --time 60 --jobs 1");
  EXPECT_EQ(run.ran.status, 1) << run.ran.errors;
  EXPECT_EQ(lines(run.ran.output), 1u);
  EXPECT_THAT(run.ran.output, HasSubstr(": softmax.f32, L=3: 99 ulp at entry 1"));
  EXPECT_THAT(run.ran.output, Not(HasSubstr("(known)")));
  const std::vector<std::string> files = files_in(run.out / "findings");
  ASSERT_EQ(files.size(), 2u);
  EXPECT_THAT(files[0], testing::MatchesRegex("normalizer-[0-9a-f]{12}"));
  EXPECT_EQ(files[1], files[0] + ".txt");
  EXPECT_EQ(contents(run.out / "findings" / files[0]), "\001small");
  const std::string account = contents(run.out / "findings" / files[1]);
  EXPECT_THAT(account, HasSubstr("99 ulp at entry 1"));
  EXPECT_THAT(account, HasSubstr("attncert replay " + (run.out / "findings" / files[0]).string()));
  EXPECT_THAT(account, HasSubstr("commit"));
  EXPECT_TRUE(fs::is_empty(run.out / "artifacts"));
  EXPECT_THAT(run.asked(), HasSubstr("-minimize_crash=1 -max_total_time=30"));

  const Ran again = run_attncert(command(run.folder, "normalizer --time 60"));
  EXPECT_EQ(again.status, 1);
  EXPECT_THAT(again.output, HasSubstr("(known)"));
  EXPECT_EQ(files_in(run.out / "findings"), files);
}

// No word of the target: a sanitizer's then.
TEST(Fuzz, ASanitizersErrorIsAFinding) {
  const Fuzzed run = fuzzed("sanitizer", crash, "files --time 60");
  EXPECT_EQ(run.ran.status, 1) << run.ran.errors;
  EXPECT_THAT(run.ran.output, HasSubstr(": x.cpp:5:7: runtime error: division by zero\n"));
}

// The input is of another claim: the chosen one takes its place, is violated by it, and that is a witness.
TEST(Fuzz, ARefutedClaimLeavesAWitness) {
  const fs::path folder = fresh_folder("claim"), findings = folder / "run/findings";
  const std::string input = ATTNCERT_SOURCE_DIR "/fuzz/corpus/claim/distance-split";
  engine(folder, "cp '" + input + "' \"${prefix}crash-0123\"; exit 77\n", "cp \"$a\" \"$exact\"");
  const Ran ran = run_attncert(command(folder, "theorem1-expectation-main-term --time 60"));
  EXPECT_EQ(ran.status, 0) << ran.output << ran.errors;  // it was expected
  EXPECT_THAT(ran.output, HasSubstr("is violated as expected"));
  EXPECT_THAT(ran.output, HasSubstr("; shrunk to L="));
  ASSERT_TRUE(fs::exists(findings));
  const std::vector<std::string> files = files_in(findings);
  ASSERT_EQ(files.size(), 3u);
  const Ran checked = run_attncert("check " + (findings / files[1]).string());
  EXPECT_EQ(checked.status, 0) << checked.output << checked.errors;
  EXPECT_THAT(checked.output, HasSubstr("accepted: theorem1-expectation-main-term is refuted"));
  EXPECT_LT(contents(findings / files[0]).size(), contents(input).size());  // shrunk
  EXPECT_THAT(run_attncert("replay " + (findings / files[0]).string()).output,
              HasSubstr("claim: theorem1-expectation-main-term at L="));
}

// The process of that number; one that has ended, and that nobody has waited for, does not.
bool runs(const fs::path& pid) {
  return run_command("grep -q '^State:[[:space:]]*[RSD]' /proc/$(cat " + pid.string() + ")/status").status == 0;
}

TEST(Fuzz, AnInterruptLosesNothingAndLeavesNobody) {
  for (const std::string signal : {"INT", "TERM"}) {
    const fs::path folder = fresh_folder("interrupt");
    engine(folder,
           "trap '' INT TERM\necho kept > run/corpus/kept\necho $$ > pid\nsleep 50 & echo $! > pid2\nwait\nsleep 50\n");
    const Ran ran =
        run_command("cd " + folder.string() + "; " ATTNCERT_PROGRAM " " + command(folder, "softmax --time 50") +
                    " & p=$!; while [ ! -s pid2 ]; do sleep 0.05; done; kill -" + signal + " $p; wait $p");
    EXPECT_EQ(ran.status, 130) << ran.errors;
    EXPECT_THAT(ran.output, HasSubstr("interrupted: the same command goes on from"));
    EXPECT_EQ(lines(ran.output), 1u);
    EXPECT_EQ(contents(folder / "run/corpus/kept"), "kept\n");
    EXPECT_FALSE(runs(folder / "pid"));
    EXPECT_FALSE(runs(folder / "pid2"));
  }
}

// An engine that leaves somebody behind who holds its output open: that ends with it.
TEST(Fuzz, WhatAnEngineStartedEndsWithIt) {
  const Fuzzed run =
      fuzzed("straggler", std::string(progress) + "sleep 50 & echo $! > pid2\nexit 0\n", "softmax --time 9");
  EXPECT_EQ(run.ran.status, 0) << run.ran.errors;
  EXPECT_FALSE(runs(run.folder / "pid2"));
}

// A folder's name with a blank and a quote: the commands of the account can be copied.
TEST(Fuzz, TheAccountsCommandsAreQuoted) {
  const fs::path folder = fresh_folder("quotes"), run = folder / "it's a run";
  engine(folder, crash);
  run_command("cd " + folder.string() +
              "; " ATTNCERT_PROGRAM " fuzz normalizer --time 60 --engine ./engine --out \"it's a run\"");
  ASSERT_TRUE(fs::exists(run / "findings"));
  const std::vector<std::string> files = files_in(run / "findings");
  ASSERT_EQ(files.size(), 2u);
  const std::string account = contents(run / "findings" / files[1]),
                    quoted = "'it'\\''s a run/findings/" + files[0] + "'";
  EXPECT_THAT(account, HasSubstr("attncert replay " + quoted + "\n"));
  EXPECT_THAT(account, HasSubstr("cp " + quoted + " fuzz/corpus/normalizer/"));
}

// Interrupted while it minimises: the next run stores what was found.
TEST(Fuzz, AnInterruptLeavesAFindingForTheNextRun) {
  const fs::path folder = fresh_folder("interrupt-finding");
  engine(folder, crash, "echo > minimising; sleep 50");
  const Ran ran =
      run_command("cd " + folder.string() + "; " ATTNCERT_PROGRAM " " + command(folder, "normalizer --time 50") +
                  " & p=$!; while [ ! -s minimising ]; do sleep 0.05; done; kill -INT $p; wait $p");
  EXPECT_EQ(ran.status, 130) << ran.errors;
  EXPECT_THAT(ran.output, HasSubstr("what was found is not stored yet; interrupted"));
  EXPECT_TRUE(fs::is_empty(folder / "run/findings"));
  engine(folder, "exit 0\n");
  EXPECT_EQ(run_attncert(command(folder, "normalizer --time 50")).status, 1);
  EXPECT_EQ(files_in(folder / "run/findings").size(), 2u);
}

// No finding, and no summary either: one line that says why.
void expect_refused(const Ran& ran, const std::string& why) {
  EXPECT_EQ(ran.status, 2) << ran.output;
  EXPECT_EQ(ran.output, "");
  const std::string last =
      ran.errors.substr(ran.errors.rfind("attncert: ") == std::string::npos ? 0 : ran.errors.rfind("attncert: "));
  EXPECT_EQ(lines(last), 1u) << ran.errors;
  EXPECT_THAT(last, HasSubstr(why));
}

TEST(Fuzz, AnEngineThatBreaksIsNoFinding) {
  const std::string why = "; nothing is concluded from it";
  expect_refused(fuzzed("dies", "echo 'cannot open shared object'; exit 127\n", "softmax --time 9").ran,
                 "ended with status 127: cannot open shared object" + why);
  expect_refused(fuzzed("killed", "kill -9 $$\n", "softmax --time 9").ran,
                 "ended by signal 9 (Killed), without a word" + why);
  expect_refused(fuzzed("idle", "exit 0\n", "softmax --time 9").ran,
                 "ended with status 0 and no execution, without a word" + why);
  expect_refused(run_attncert("fuzz softmax --engine /bin/true --out " + (fresh_folder("true") / "run").string()),
                 "/bin/true: ended with status 0 and no execution");
  const fs::path folder = fresh_folder("no-program");
  write(folder / "engine", "no program");
  fs::permissions(folder / "engine", fs::perms::owner_all);
  expect_refused(run_attncert(command(folder, "softmax --time 9")), "cannot be started");
}

TEST(Fuzz, GarbageOfAnEngineIsPassedOver) {
  const Fuzzed run = fuzzed(
      "garbage",
      "head -c 100000 /dev/zero | tr '\\0' x\nprintf '\\n#99999999999999999999999 cov: x ft: corp: \\nRECORD nan "
      "x\\nRECORD\\nRUNS -5\\nRECORD 0.25 \\033[2J\\033]0;x\\007\\n#\\nstat::number_of_executed_units:\\nRUNS 1\\n'\n",
      "softmax --time 9");
  EXPECT_EQ(run.ran.status, 0) << run.ran.errors;
  EXPECT_THAT(run.ran.output, HasSubstr("softmax: 1 executions"));
  EXPECT_THAT(run.ran.output, HasSubstr("worst ?[2J?]0;x?;"));
}

TEST(Fuzz, BadUsageIsOneLine) {
  const fs::path folder = fresh_folder("bad");
  engine(folder, "exit 0\n");
  const std::string out = " --out " + (folder / "run").string(),
                    own = " --engine " + (folder / "engine").string() + out;
  expect_refused(run_attncert("fuzz sofmax" + own),
                 "sofmax: no such subject; the nearest is softmax; attncert list --fuzz");
  expect_refused(run_attncert("fuzz softmax --engine " + (folder / "none").string() + out), "none: is no program");
  for (const char* time : {"0", "-1", "ten", "1e3", "", "31536001", "99999999999999999999"})
    expect_refused(run_attncert("fuzz softmax --time '" + std::string(time) + "'" + own), "--time");
  for (const char* jobs : {"0", "-1", "two", "1025"})
    expect_refused(run_attncert("fuzz softmax --jobs '" + std::string(jobs) + "'" + own), "--jobs");
  expect_refused(run_attncert("fuzz softmax --seed -1" + own), "--seed");
  expect_refused(run_attncert("fuzz"), "subject is required");
  write(folder / "file", "");
  expect_refused(
      run_attncert("fuzz softmax --engine " + (folder / "engine").string() + " --out " + (folder / "file").string()),
      "file/corpus: cannot be written: ");
  EXPECT_FALSE(fs::exists(folder / "asked"));
}

// A program that is not in a checkout, with the replayer beside it.
TEST(Fuzz, WithoutAnEngineItSaysHowToBuildOne) {
  const fs::path folder = fresh_folder("elsewhere"), program = ATTNCERT_PROGRAM;
  fs::copy(program, folder / "attncert");
  fs::copy(program.parent_path() / "attncert_replay", folder / "attncert_replay");
  const std::string start = "cd " + folder.string() + "; ./attncert ";
  expect_refused(run_command(start + "fuzz softmax"),
                 "attncert_fuzz_normalizer: the engine is not built; cmake --preset fuzz && ninja -C build/fuzz "
                 "attncert_fuzz_normalizer");
  engine(folder, progress);
  fs::rename(folder / "engine", folder / "attncert_fuzz_normalizer");
  expect_refused(run_command(start + "fuzz softmax"),
                 "attncert_fuzz_normalizer.options: missing, and this program is in no checkout");
  write(folder / "attncert_fuzz_normalizer.options", "timeout = 7\n");
  expect_refused(run_command(start + "fuzz softmax"), "attncert_fuzz_normalizer.options: says no limit");
  write(folder / "attncert_fuzz_normalizer.options",
        "# for one input\n[libfuzzer]\ntimeout = 7\n[env]\nrss_limit_mb = 1\n");
  EXPECT_EQ(run_command(start + "fuzz softmax --time 1").status, 0);
  const std::string asked = contents(folder / "asked");
  EXPECT_THAT(asked, HasSubstr("-timeout=7"));
  EXPECT_THAT(asked, Not(HasSubstr("rss")));
  EXPECT_TRUE(fs::is_directory(folder / "out/fuzz/softmax/corpus"));
  fs::remove(folder / "attncert_replay");
  expect_refused(run_command(start + "fuzz softmax"), "build the target attncert_replay");
}

TEST(Fuzz, ListNamesEachSubjectOnce) {
  const Ran ran = run_attncert("list --fuzz");
  EXPECT_EQ(ran.status, 0);
  for (const char* name : {"normalizer\n", "  softmax\n", "  entmax-vjp\n", "bound\n", "  distance\n",
                           "  theorem1-upper\n", "files\n", "  safetensors\n", "checker\n"})
    EXPECT_THAT("\n" + ran.output, HasSubstr("\n" + std::string(name)));
  EXPECT_EQ(run_command(ATTNCERT_PROGRAM " list --fuzz | tr -d ' ' | sort | uniq -d").output, "");
}

constexpr const char* corpus = ATTNCERT_SOURCE_DIR "/fuzz/corpus/";

TEST(FuzzReplay, ShowsTheCaseAndItsVerdict) {
  const Ran claim = run_attncert("replay " + std::string(corpus) + "claim/distance-split");
  EXPECT_EQ(claim.status, 0) << claim.errors;
  EXPECT_EQ(claim.output.substr(0, 25), "claim: distance-split at ");
  EXPECT_THAT(claim.output, HasSubstr("worst 0.9"));
  EXPECT_THAT(claim.output, HasSubstr("\n  fine\n"));
}

TEST(FuzzReplay, SaysWhatIsViolated) {
  const std::string input = std::string(corpus) + "normalizer/alpha-one";
  EXPECT_EQ(run_attncert("replay " + input).status, 0);
  const Ran ran = run_attncert("replay " + input, "ATTNCERT_FUZZ_FAULT=entmax-alpha-one");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.output, HasSubstr("violated: "));
  EXPECT_THAT(ran.output, HasSubstr("a parameter out of range is not refused"));
}

TEST(FuzzReplay, TheTargetIsThatOfTheNameOrAsGiven) {
  const fs::path folder = fresh_folder("replay");
  const std::string from = std::string(corpus) + "claim/distance-split";
  fs::copy(from, folder / "claim-0123456789ab");
  fs::copy(from, folder / "other");
  EXPECT_THAT(run_attncert("replay " + (folder / "claim-0123456789ab").string()).output,
              HasSubstr("claim: distance-split"));
  EXPECT_THAT(run_attncert("replay --target claim " + (folder / "other").string()).output,
              HasSubstr("claim: distance-split"));
  EXPECT_EQ(run_attncert("replay " + (folder / "other").string()).status, 2);  // no JSON
  expect_refused(run_attncert("replay --target nonesuch " + (folder / "other").string()), "nonesuch");
  expect_refused(run_attncert("replay --target claim " + (folder / "none").string()), "none: is not there");
  expect_refused(run_attncert("replay --target claim /dev/null"), "/dev/null: is a device, pipe or socket; name");
  expect_refused(run_attncert("replay --target claim " + folder.string()), "replay: is a folder; name");
}

}  // namespace
}  // namespace attncert
