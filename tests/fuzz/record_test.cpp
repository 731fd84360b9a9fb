// What a target says for a person to follow: only where it is asked for, and a record only when it is one.
#include "fuzz/record.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace attncert {
namespace {

void note_some() {
  for (const double fraction : {0.25, 0.125, 0.25, 0.5}) note_worst(fraction, [] { return std::string("words"); });
  std::exit(0);
}

void run_a_second() {
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(1100)) note_run();
  std::exit(0);
}

// Processes of their own: the environment is read once.
TEST(FuzzRecords, OnlyANewWorstIsOne) {
  EXPECT_EXIT((setenv("ATTNCERT_FUZZ_RECORDS", "1", 1), note_some()), testing::ExitedWithCode(0),
              "^RECORD 0.25 words\nRECORD 0.5 words\n$");
  EXPECT_EXIT((setenv("ATTNCERT_FUZZ_RECORDS", "1", 1), run_a_second()), testing::ExitedWithCode(0), "^RUNS [0-9]+\n$");
}

void keep_some() {
  const auto run = [](double rank, std::uint8_t input) {
    note_worst(rank, [] { return std::string("words"); });
    if (worst_waits()) keep_worst({&input, 1});
  };
  run(0.25, 'a');
  run(0.5, 'b');
  run(0.375, 'c');
  std::exit(0);
}

TEST(FuzzRecords, TheWorstCaseIsKept) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "attncert-worst";
  std::filesystem::remove(file);
  setenv("ATTNCERT_FUZZ_WORST", file.c_str(), 1);
  EXPECT_EXIT((setenv("ATTNCERT_FUZZ_RECORDS", "1", 1), keep_some()), testing::ExitedWithCode(0), "");
  std::ifstream stream(file, std::ios::binary);
  const std::string kept{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_EQ(kept, "b");
  std::filesystem::remove(file);
  EXPECT_EXIT((unsetenv("ATTNCERT_FUZZ_RECORDS"), keep_some()), testing::ExitedWithCode(0), "^$");
  EXPECT_FALSE(std::filesystem::exists(file));
  unsetenv("ATTNCERT_FUZZ_WORST");
}

TEST(FuzzRecords, SilentUnlessAskedFor) {
  EXPECT_EXIT((unsetenv("ATTNCERT_FUZZ_RECORDS"), note_some()), testing::ExitedWithCode(0), "^$");
}

}  // namespace
}  // namespace attncert
