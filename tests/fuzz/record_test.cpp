// What a target says for a person to follow: only where it is asked for, and a record only when it is one.
#include "fuzz/record.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

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

TEST(FuzzRecords, SilentUnlessAskedFor) {
  EXPECT_EXIT((unsetenv("ATTNCERT_FUZZ_RECORDS"), note_some()), testing::ExitedWithCode(0), "^$");
}

}  // namespace
}  // namespace attncert
