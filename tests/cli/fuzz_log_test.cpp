// The lines of a fuzzing engine, as they come: whole, in pieces, and broken.
#include "cli/fuzz_log.hpp"

#include <gtest/gtest.h>

namespace attncert::cli {
namespace {

TEST(FuzzLog, ReadsLibFuzzersLines) {
  FuzzProgress progress;
  take_line("#2048\tpulse  cov: 311 ft: 902 corp: 40/1.2Kb lim: 21 exec/s: 1024 rss: 61Mb", progress);
  EXPECT_EQ(progress.executions, 2048u);
  EXPECT_EQ(progress.coverage, 311u);
  EXPECT_EQ(progress.features, 902u);
  EXPECT_EQ(progress.corpus, 40u);
  take_line("stat::number_of_executed_units: 3000", progress);
  take_line("stat::average_exec_per_sec:     77777", progress);
  take_line("INFO: #9000 cov: 7", progress);
  EXPECT_EQ(progress.executions, 3000u);
  EXPECT_EQ(progress.coverage, 311u);
}

TEST(FuzzLog, ExecutionsNeverFall) {
  FuzzProgress progress;
  take_line("RUNS 500", progress);
  take_line("#400\tNEW    cov: 1 ft: 2 corp: 3/4b", progress);
  EXPECT_EQ(progress.executions, 500u);
  take_line("RUNS 501", progress);
  EXPECT_EQ(progress.executions, 501u);
}

TEST(FuzzLog, KeepsTheWorstRecord) {
  FuzzProgress progress;
  EXPECT_EQ(worst_text(progress), "");
  take_line("RECORD 0.25 0.25 of the budget, 1 ulp: a", progress);
  take_line("RECORD 0.5 0.75 of the budget, 2 ulp: b", progress);
  take_line("RECORD 0.375 0.9 of the budget, 1.5 ulp: c", progress);
  EXPECT_EQ(worst_text(progress), "worst 0.75 of the budget, 2 ulp: b");
  take_line("RECORD inf inf of the budget", progress);
  EXPECT_EQ(worst_text(progress), "worst inf of the budget");
}

TEST(FuzzLog, BrokenLinesSayNothing) {
  FuzzProgress progress;
  for (const char* line : {"", "#", "#x cov: 1x", "RECORD", "RECORD ", "RECORD nan x", "RECORD x", "RUNS", "RUNS -1",
                           "stat::number_of_executed_units:", "stat::number_of_executed_units: x",
                           "#99999999999999999999999 cov: 99999999999999999999999 ft:"})
    take_line(line, progress);
  EXPECT_EQ(progress.executions, 0u);
  EXPECT_EQ(progress.features + progress.corpus, 0u);
  EXPECT_EQ(progress.worst, -1);
}

TEST(FuzzLog, LinesArriveInPieces) {
  FuzzLog log;
  log.take("RU");
  log.take("NS 12");
  EXPECT_EQ(log.progress().executions, 0u);
  log.take("3\nRUNS 9999");
  EXPECT_EQ(log.progress().executions, 123u);
  EXPECT_EQ(log.last_line(), "RUNS 123");
  log.take("\r\n\n");
  EXPECT_EQ(log.last_line(), "RUNS 9999");
}

TEST(FuzzLog, NoLineSwellsOrMovesTheCursor) {
  FuzzLog log;
  log.take(std::string(1 << 20, 'x') + "\n");
  EXPECT_LE(log.last_line().size(), std::size_t{1} << 12);
  log.take("a\033[2J\tb\x7f\n");
  EXPECT_EQ(log.last_line(), "a?[2J b?");
}

TEST(FuzzLog, JobsAddUp) {
  const FuzzProgress jobs[] = {{100, 10, 20, 5, 0.5, "a", 0}, {50, 12, 18, 7, 0.75, "b", 0}, {}};
  const FuzzProgress sum = together(jobs);
  EXPECT_EQ(sum.executions, 150u);
  EXPECT_EQ(sum.coverage, 12u);
  EXPECT_EQ(sum.features, 20u);
  EXPECT_EQ(sum.corpus, 7u);
  EXPECT_EQ(worst_text(sum), "worst b");
  EXPECT_EQ(sum.worst_job, 1u);
}

}  // namespace
}  // namespace attncert::cli
