// scripts/fetch-gpt2 without a network: a folder of files stands for both homes (ATTNCERT_FETCH_BASE).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "tests/cli/run.hpp"

namespace attncert {
namespace {
namespace fs = std::filesystem;

const std::string script = ATTNCERT_SOURCE_DIR "/scripts/fetch-gpt2";

class FetchGpt2 : public testing::Test {
 protected:
  FetchGpt2() {
    if (std::system("command -v curl >/dev/null") != 0) without_curl = true;  // wget knows no file://
  }
  // The script with its table of hashes put right for the files of `home`.
  void write_script() const {
    std::string text = contents(script);
    for (const char* name : {"config.json", "vocab.json", "merges.txt", "model.safetensors"}) {
      const auto line = text.find(std::string("\n") + name + " ") + 1;
      const auto hash = text.find_first_not_of(' ', line + std::string(name).size());
      const Ran sum = run_command("sha256sum <" + (home / name).string());
      text.replace(hash, 64, sum.output.substr(0, 64));
    }
    write(mine, text);
  }
  Ran fetch(const fs::path& of) const {
    return run_command("ATTNCERT_FETCH_BASE=file://" + home.string() + " bash " + of.string() + " " + folder.string());
  }
  static void expect_refused(const Ran& ran, const std::string& what) {
    EXPECT_EQ(ran.status, 2) << ran.output << ran.errors;
    EXPECT_EQ(std::count(ran.errors.begin(), ran.errors.end(), '\n'), 1) << ran.errors;
    EXPECT_NE(ran.errors.find(what), std::string::npos) << ran.errors;
  }

  const fs::path home = fresh_folder("home"), folder = fresh_folder("fetched") / "gpt2",
                 mine = fresh_folder("script") / "fetch-gpt2";
  bool without_curl = false;
};

TEST_F(FetchGpt2, KeepsWhatIsRightAndFetchesTheRest) {
  if (without_curl) GTEST_SKIP() << "curl is not installed";
  for (const char* name : {"config.json", "vocab.json", "merges.txt", "model.safetensors"})
    write(home / name, std::string("this is ") + name);
  write(home / "pg2600.txt", "Well, Prince");
  write_script();
  const Ran first = fetch(mine);
  EXPECT_EQ(first.status, 0) << first.errors;
  EXPECT_NE(first.output.find("model.safetensors: fetched, sha256 as expected"), std::string::npos) << first.output;
  EXPECT_NE(first.output.find("not compared"), std::string::npos) << first.output;
  EXPECT_EQ(contents(folder / "merges.txt"), "this is merges.txt");
  EXPECT_EQ(contents(folder / "war_and_peace.txt"), "Well, Prince");
  write(folder / "vocab.json", "damaged");
  for (const char* gone : {"config.json", "merges.txt", "model.safetensors", "pg2600.txt"}) fs::remove(home / gone);
  const Ran second = fetch(mine);
  EXPECT_EQ(second.status, 0) << second.errors;
  EXPECT_NE(second.output.find("model.safetensors: there already"), std::string::npos) << second.output;
  EXPECT_NE(second.output.find("vocab.json: fetched"), std::string::npos) << second.output;
  EXPECT_EQ(contents(folder / "vocab.json"), "this is vocab.json");
}

TEST_F(FetchGpt2, RefusesAWrongFile) {
  if (without_curl) GTEST_SKIP() << "curl is not installed";
  write(home / "config.json", "not GPT-2's");
  expect_refused(fetch(script), "config.json: what file://");
  EXPECT_TRUE(fs::is_empty(folder));  // not even the part
}

TEST_F(FetchGpt2, RefusesAnEmptyHomeAndAFolderThatCannotBe) {
  if (without_curl) GTEST_SKIP() << "curl is not installed";
  expect_refused(fetch(script), "config.json");
  EXPECT_TRUE(fs::is_empty(folder));
  expect_refused(run_command("bash " + script + " /proc/attncert/gpt2"), "/proc/attncert/gpt2: cannot be made");
}

TEST_F(FetchGpt2, RefusesWhatItCannotDo) {
  expect_refused(run_command("bash " + script + " --banana"), "no option \"--banana\"");
  expect_refused(run_command("bash " + script + " a b"), "one folder at most");
  // A PATH with neither curl nor wget.
  const fs::path tools = fresh_folder("tools");
  for (const char* tool : {"dirname", "mkdir"}) fs::create_symlink(std::string("/usr/bin/") + tool, tools / tool);
  expect_refused(run_command("PATH=" + tools.string() + " /bin/bash " + script + " " + folder.string()),
                 "neither curl nor wget is here");
  const Ran help = run_command("bash " + script + " --help");
  EXPECT_EQ(help.status, 0);
  EXPECT_NE(help.output.find("scripts/fetch-gpt2 [FOLDER]"), std::string::npos);
}

// The two files of the model that the tests have are those that the table names.
TEST_F(FetchGpt2, NamesTheHashesOfGpt2sVocabulary) {
  const char* data = std::getenv("ATTNCERT_DATA");
  if (data == nullptr) GTEST_SKIP() << "ATTNCERT_DATA is not set: GPT-2's vocabulary is not in the repository";
  const std::string table = contents(script);
  for (const char* name : {"vocab.json", "merges.txt"}) {
    const Ran sum = run_command("sha256sum <" + std::string(data) + "/gpt2-tokenizer/" + name);
    EXPECT_NE(table.find(sum.output.substr(0, 64)), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace attncert
