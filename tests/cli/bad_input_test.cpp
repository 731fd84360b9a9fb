// Bad input: one line that names what is wrong and the remedy, exit status 2, nothing written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/cli/run.hpp"

namespace attncert {
namespace {
namespace fs = std::filesystem;

const std::string model = ATTNCERT_SOURCE_DIR "/data/tiny-gpt2";

// One line, naming `named`, status 2, and nothing on standard output.
void expect_refused(const std::string& arguments, const std::string& named) {
  const Ran ran = run_attncert(arguments);
  EXPECT_EQ(ran.status, 2) << arguments << "\n" << ran.output << ran.errors;
  EXPECT_EQ(std::count(ran.errors.begin(), ran.errors.end(), '\n'), 1) << arguments << "\n" << ran.errors;
  EXPECT_NE(ran.errors.find(named), std::string::npos) << arguments << "\n" << ran.errors;
  EXPECT_EQ(ran.output, "") << arguments;
}

TEST(BadInput, Usage) {
  expect_refused("certfy", "certfy");
  expect_refused("certify no-such-claim --no-real", "no-such-claim");
  expect_refused("certify --seed banana", "seed");
  expect_refused("certify --effort heroic", "effort");
  for (const char* number : {"0", "-1", "1e9", "nan", "10x"})
    expect_refused(std::string("certify --effort ") + number, "effort");
  expect_refused("certify --jobs 0", "jobs");
  expect_refused("accuracy --isa NEON9", "NEON9");
  expect_refused("accuracy --normalizer hardmax", "hardmax");
  expect_refused("accuracy --kernel softmax.f7", "softmax.f7");
  expect_refused("accuracy --effort quick --case no-such-row", "case");
  expect_refused("accuracy --judge nobody", "nobody");
  expect_refused("accuracy --judge device --row 1,2", "--row");
  expect_refused("replay no-such-claim:1:2", "no-such-claim");
  expect_refused("replay theorem1-upper:1:x", "theorem1-upper:1:x");
  expect_refused("replay theorem1-upper:1:tape=0g", "tape");
  expect_refused("replay theorem1-upper:real:w9:l9:h9:q9:raw:n1", "w9");
}

TEST(BadInput, NoArgumentsSayWhatFor) {
  const Ran ran = run_attncert("");
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.errors, "");
  for (const char* command : {"attncert certify ", "attncert accuracy --library FILE ", "attncert gpt2 "})
    EXPECT_THAT(ran.output, testing::HasSubstr(std::string("\n  ") + command));
}

TEST(BadInput, Witnesses) {
  const fs::path folder = fresh_folder("witnesses");
  write(folder / "broken.json", "{\"format\": \"attncert-witness/1\", ");
  write(folder / "text.json", "not JSON at all");
  for (const char* command : {"check ", "replay "}) {
    expect_refused(command + (folder / "broken.json").string(), "broken.json");
    expect_refused(command + (folder / "text.json").string(), "text.json");
    expect_refused(command + (folder / "missing.json").string(), "missing.json");
  }
}

TEST(BadInput, ACertificateIsNotReplayed) {
  const fs::path file = fresh_folder("certificates") / "c.json";
  write(file, R"({"format": "attncert-certificate/2", "claim": "weights-diameter", "text": "", "domain": "", "by": "",
                  "given": [], "says": [], "rows": [], "found": {"commit": "unknown"}})");
  expect_refused("replay " + file.string(), file.string() + ": is a certificate");
  expect_refused("replay " + file.string(), "attncert check " + file.string() + " judges it");
}

TEST(BadInput, HelpAndVersionStandAlone) {
  for (const char* command : {"check --help w.json", "check w.json --help", "certify --seed 7 --help",
                              "certify lemma1 --help", "accuracy --library x.so --help", "--version --help"})
    expect_refused(command, "give it alone");
  expect_refused("--version list", "--version beside other arguments");
  EXPECT_EQ(run_attncert("--help").status, 0);
  EXPECT_EQ(run_attncert("--version").status, 0);
  EXPECT_EQ(run_attncert("certify --help").status, 0);
}

TEST(BadInput, Ledgers) {
  const fs::path folder = fresh_folder("ledgers");
  write(folder / "ledger.json", "{\"format\": \"attncert-ledger/9\"}");
  expect_refused("report " + (folder / "ledger.json").string(), "ledger.json");
  expect_refused("report " + (folder / "none.json").string(), "none.json");
}

TEST(BadInput, Folders) {
  const fs::path folder = fresh_folder("folders");
  write(folder / "file", "a file");
  const std::string quick = "certify theorem1-upper --no-real --no-kernels --effort quick --out ";
  expect_refused(quick + (folder / "file").string(), "file");
  expect_refused(quick + (folder / "file/below").string(), "below");
  expect_refused(quick + "/proc/attncert", "/proc/attncert");
  expect_refused(quick + (folder / "nothing").string() + " --resume", "journal.jsonl");
  EXPECT_FALSE(fs::exists(folder / "nothing"));
}

class BadModel : public testing::Test {
 protected:
  // A copy of the tiny model with one file replaced.
  std::string damaged(const std::string& file, const std::string& text) {
    const fs::path copy = fresh_folder("model");
    fs::copy(model, copy, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    if (text.empty()) fs::remove(copy / file);
    else write(copy / file, text);
    return copy.string();
  }
  void expect_refused_everywhere(const std::string& folder, const std::string& named) {
    const fs::path out = fresh_folder("model-out") / "out";
    expect_refused("gpt2 --model " + folder, named);
    expect_refused("certify theorem1-upper --no-kernels --effort quick --model " + folder + " --out " + out.string(),
                   named);
    EXPECT_FALSE(fs::exists(out));
  }
};

TEST_F(BadModel, Safetensors) {
  const std::string whole = contents(fs::path(model) / "model.safetensors");
  expect_refused_everywhere(damaged("model.safetensors", ""), "model.safetensors");  // missing
  expect_refused_everywhere(damaged("model.safetensors", whole.substr(0, whole.size() / 2)),
                            "model.safetensors");  // truncated
  std::string lying = whole;
  lying[7] = '\x7f';  // the header's length: far beyond the file
  expect_refused_everywhere(damaged("model.safetensors", lying), "model.safetensors");
  const auto edited = [&](const std::string& from, const std::string& to) {
    std::string text = whole;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  expect_refused_everywhere(damaged("model.safetensors", edited("\"F32\"", "\"Q32\"")), "model.safetensors");  // dtype
  expect_refused_everywhere(damaged("model.safetensors", edited("[512,128]", "[128,512]")),
                            "model.safetensors");  // shape
}

TEST_F(BadModel, ConfigurationAndVocabulary) {
  expect_refused_everywhere(damaged("config.json", "{\"n_embd\": 128}"), "config.json");
  std::string vocabulary = contents(fs::path(model) / "vocab.json");
  const auto last = vocabulary.rfind(',');
  expect_refused_everywhere(damaged("vocab.json", vocabulary.substr(0, last) + "}"),
                            "vocab.json");  // one id is missing
  expect_refused_everywhere(fresh_folder("empty").string(), "config.json");
  expect_refused_everywhere("/no/such/folder", "/no/such/folder");
}

TEST(BadInput, Texts) {
  const fs::path folder = fresh_folder("texts");
  write(folder / "short.txt", "too short for a window");
  write(folder / "empty.txt", "");
  for (const char* file : {"short.txt", "empty.txt", "missing.txt"})
    expect_refused("gpt2 --text " + (folder / file).string(), file);
  expect_refused("gpt2 --text " + folder.string(), folder.filename().string());
}

}  // namespace
}  // namespace attncert
