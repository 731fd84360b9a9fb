// Speeds beside a ledger: read as benchmarks write them, shown in every format that has tables.
#include "reports/bench.hpp"

#include <gtest/gtest.h>

#include <string>

#include "reports/formats.hpp"
#include "src/core/files.hpp"
#include "tests/pattern.hpp"
#include "tests/reports/markup.hpp"
#include "tests/reports/sample_ledger.hpp"

namespace attncert {
namespace {

Result<Bench> read(const std::string& text) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "attncert-bench-test.json";
  EXPECT_TRUE(write_text(file, text));
  return read_bench(file);
}

std::string row(const char* peer, double ratio, const char* bar) {
  return R"({"benchmark":"softmax.f32","length":1024,"memory":"L1","peer":")" + std::string(peer) + R"(","ratio":)" +
         std::to_string(ratio) +
         R"(,"ratio_low":0.5,"ratio_high":4.5,"rounds":41,"nanoseconds":0.2,"peer_nanoseconds":0.1,"bar":)" + bar + "}";
}

std::string file(const std::string& rows) {
  return R"({"machine":{"cpu":"a CPU"},"rows":[)" + rows + R"(],"schema":"attncert-bench-1"})";
}

TEST(Bench, IsShownWithWhatMissesItsBarFirst) {
  Result<Bench> bench =
      read(file(row("memcpy", 2.25, "null") + "," + row("onednn", 0.75, "0.9") + "," + row("xnnpack", 1.5, "1.2")));
  ASSERT_TRUE(bench) << bench.error().message;
  ReportContext context;
  context.bench = *bench;
  for (const char* format : {"markdown", "html", "text", "latex"}) {
    const std::string text = find_report_format(format)->render(sample_ledger(), context);
    for (const char* part : {"bars of speed held", "a CPU", "memcpy", "2.25", "0.50 to 4.50"})
      EXPECT_TRUE(contains(text, part)) << format << " " << part;
    EXPECT_EQ(report::bars_held(*bench).number, "1");
    EXPECT_FALSE(contains(find_report_format(format)->render(sample_ledger(), {}), "bars of speed held"));
  }
  const std::string text = find_report_format("markdown")->render(sample_ledger(), context);
  EXPECT_LT(text.find("| xnnpack | 1.50"), text.find("| memcpy | 2.25"));
  const std::string page = find_report_format("html")->render(sample_ledger(), context);
  EXPECT_EQ(fault_in_markup(page), "");
  EXPECT_TRUE(contains(page, "softmax.f32, 1,024 in L1: 1.50, half of the rounds 0.50 to 4.50, bar 1.20"));
}

TEST(Bench, SaysWhatIsWrongWithAFile) {
  for (const auto& [text, fault] : {std::pair<std::string, const char*>{"{", "is not valid JSON"},
                                    {file(R"({"benchmark":5})"), "rows[0].benchmark is not a text"},
                                    {R"({"schema":"x","machine":{},"rows":[]})", "schema is not"}}) {
    const Result<Bench> bench = read(text);
    ASSERT_FALSE(bench) << text;
    EXPECT_TRUE(contains(bench.error().message, fault)) << bench.error().message;
    EXPECT_TRUE(contains(bench.error().message, "give what a benchmark kept by --json"));
  }
}

}  // namespace
}  // namespace attncert
