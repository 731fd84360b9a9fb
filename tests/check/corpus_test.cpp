// The crafted files of fuzz/corpus/checker: the name of each begins with what the checker has to say of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "check/judge.hpp"

namespace attncert {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr double most_seconds = 20;
#elif defined(__has_feature)
constexpr double most_seconds = 20;
#else
constexpr double most_seconds = 1;
#endif

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

bool is_plain(const std::string& line) {
  return std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

// What a terminal or another program could take for more than a line of the checker's is in none; no file takes long.
TEST(Corpus, EveryFileIsJudgedAsItsNameSays) {
  const std::vector<std::string> words{"accepted", "rejected", "malformed"};
  std::map<std::string, std::size_t> groups;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ATTNCERT_SOURCE_DIR "/fuzz/corpus/checker")) {
    const std::string name = entry.path().filename().string(), word = name.substr(0, name.find('-'));
    ASSERT_NE(std::find(words.begin(), words.end(), word), words.end()) << name;
    const std::size_t group = word.size() + 1;
    ++groups[name.substr(group, name.find('-', group) - group)];
    ++files;
    const std::string text = text_of(entry.path());
    const std::clock_t begin = std::clock();
    const check::Verdict verdict = check::judge(text);
    EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, most_seconds) << name;
    EXPECT_EQ(words.at(static_cast<std::size_t>(verdict.status)), word) << name << ": " << verdict.line;
    EXPECT_TRUE(verdict.line.starts_with(word + ": ")) << name << ": " << verdict.line;
    EXPECT_TRUE(is_plain(verdict.line)) << name;
  }
  EXPECT_GE(files, 500u);
  for (const char* const group :
       {"claim", "hypothesis", "touching", "number", "json", "spoof", "family", "certificate", "size", "witness"})
    EXPECT_GE(groups[group], 15u) << group;
}

}  // namespace
}  // namespace attncert
