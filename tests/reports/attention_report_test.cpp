// A folder of small tables becomes a page with every figure, tables that are read again, and a text; nothing in it is
// markup by accident.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "reports/attention/page.hpp"
#include "reports/attention/report.hpp"
#include "src/core/table.hpp"
#include "study/analysis/diagnosis.hpp"
#include "study/analysis/kolmogorov_smirnov.hpp"
#include "tests/reports/markup.hpp"

namespace attncert {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

template <class Line>
class Writer {
 public:
  explicit Writer(const fs::path& folder) : file_(folder / (std::string(Line::table) + ".csv")) {
    file_ << header_line<Line>();
  }
  void operator()(const Line& line) {
    std::string text;
    append_line(text, line);
    file_ << text;
  }

 private:
  std::ofstream file_;
};

// 3 windows, 2 layers of 3 heads, queries 7 and 63; head 2 of layer 1 sinks into token 0.
void write_rows(const fs::path& folder) {
  Writer<HeadLine> heads(folder);
  Writer<SelectionLine> selections(folder);
  Writer<JacobianLine> norms(folder);
  Writer<AlternativeLine> alternatives(folder);
  Writer<GeometryLine> geometry(folder);
  for (std::size_t i = 0; i < 3 * 2 * 3 * 2; ++i) {
    const RowKey row{i / 12, i / 6 % 2, i / 2 % 3, i % 2 == 0 ? 7u : 63u};
    const auto size = static_cast<double>(1 + 3 * row.layer + row.head);
    HeadLine head;
    head.row = row, head.n_eff = 0.1 * size, head.entropy = 1, head.sink = row.layer == 1 && row.head == 2 ? 0.9 : 0.1;
    heads(head);
    for (const TokenScale scale : {TokenScale::raw, TokenScale::unit})
      for (const std::size_t N : {1u, 5u, 32u}) {
        SelectionLine line;
        line.row = row, line.scale = scale, line.N = N;
        if (N >= row.length()) continue;
        line.distance = size, line.printed = 4 * size, line.corrected = 2 * size, line.expectation_printed = size;
        line.second_moment = size, line.separable_least = line.separable_most = N, line.printed_upper = 0.97,
        line.possibly = N;
        selections(line);
      }
    for (const double T : {0.1, 1.0}) {
      JacobianLine line;
      line.row = row, line.temperature = T, line.own = T == 1, line.spectral = 0.2 / T, line.quarter = 0.25 / T,
      line.half = 0.5 / T, line.lower = 0.19 / T, line.upper = 0.21 / T,
      line.random = line.eigenvector = line.pair = {0.1, 0.1, 0.1};
      if (T == 1 || row.query == 63) norms(line);
    }
    if (row.query != 63) continue;
    for (const char* normalizer : {"softmax", "sparsemax"}) {
      AlternativeLine line;
      line.row = row, line.normalizer = normalizer, line.share = 0.5, line.support = 3, line.n_eff = 1, line.N = 1;
      alternatives(line);
    }
    for (std::size_t token = 0; row.window == 0 && token < 64; ++token)
      geometry({row, token, token < 5 ? 1u : 0u, 0.01, 0.1 + 0.01 * static_cast<double>(token),
                0.1 * static_cast<double>(token)});
  }
}

void write_tallies(const fs::path& folder) {
  Writer<CheckLine> checks(folder);
  Writer<ClaimLine> claims(folder);
  for (std::size_t window = 0; window < 3; ++window) {
    checks({window, 12, 432, window == 1 ? 2u : 0u, window == 2 ? 1u : 0u, 10, 1.25, 3.0});
    claims({window, "theorem1-upper", "hidden raw", 100, 90, 60, 30, 0, 0, 4});
    claims({window, "theorem2-lower", "hidden raw", 100, 0, 0, 0, 0, 0, 0});
    claims({window, "distance-upper", "hidden raw", 100, 90, 89, window == 0 ? 1u : 0u, 0, window == 0 ? 0u : 1u, 4});
  }
}

AttentionRun run() {
  AttentionRun run{"tiny-gpt2", "a <text> & more", "softmax", 1, 3, 17, 64, 2, 3, 2, "attncert gpt2 --windows 3"};
  run.environment.commit = "0123abcd";
  run.environment.cpu = "a processor";
  run.started = "2025-10-21T12:00:00Z";
  run.refuted_claims = {"theorem1-upper"};
  run.more = {{"build", "somewhere"}};
  return run;
}

class AttentionReports : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("attncert-report-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    write_rows(folder_);
    write_tallies(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(AttentionReports, PageHoldsAllFiguresAndNeedsNothingElse) {
  const Result<AttentionReport> report = write_attention_report(folder_, run());
  ASSERT_TRUE(report) << report.error().message;
  const std::string page = text_of(folder_ / "report.html");
  EXPECT_EQ(fault_in_markup(page), "");
  for (const char* figure :
       {"Figure 1: layer", "Figure 2: d-tilde", "Figure 3: d-tilde", "Figure 4: separable", "Figure 5: sensitivity"})
    EXPECT_TRUE(contains(page, figure)) << figure;
  EXPECT_EQ(occurrences(page, "<script"), 1u);
  for (const char* fetch : {"src=", "@import", "url(", "<link", "https://", "javascript:"})
    EXPECT_FALSE(contains(page, fetch)) << fetch;
  EXPECT_TRUE(contains(page, "a &lt;text&gt; &amp; more"));
  EXPECT_TRUE(contains(page, "3 windows of 64 tokens each; 17 tokens of the last partial window dropped"));
  EXPECT_TRUE(contains(page, "<dt>complete</dt><dd>yes: "));
  EXPECT_TRUE(contains(page, "Quantiles are of all rows at one N."));
  EXPECT_EQ(occurrences(page, "<svg xmlns"), 4u + 2 + 2 + 2 + 3);  // four heads; raw and unit; three directions
  std::size_t files = 0;
  for (const fs::directory_entry& figure : fs::directory_iterator(folder_ / "figures")) {
    ++files;
    EXPECT_EQ(fault_in_markup(text_of(figure.path())), "") << figure.path();
    EXPECT_TRUE(contains(page, "figures/" + figure.path().filename().string()));
  }
  EXPECT_EQ(files, 13u);
  for (const char* part : {"ks-six-percent", "theorem1-upper", "N\\_s/N", "attncert gpt2 --windows 3", "Criteria"})
    EXPECT_TRUE(contains(text_of(folder_ / "report.md"), part)) << part;
}

// A number that raised a flag does not read as the threshold that it is beyond.
TEST(HeadNumbers, AreToldFromTheThresholds) {
  report::HeadDiagnosis head;
  head.share = 0.8496;
  const std::vector<std::string> titles = report::diagnosis_titles();
  const auto at = static_cast<std::size_t>(std::ranges::find(titles, "N_s/N") - titles.begin());
  EXPECT_EQ(report::diagnosis_cells(head)[at], "0.8496");
  head.share = 0.8321;
  EXPECT_EQ(report::diagnosis_cells(head)[at], "0.83");
}

// Beside what was measured stands what the paper says that it looks like.
TEST_F(AttentionReports, EveryFigureSaysWhatThePrintedClaimWouldLookLike) {
  ASSERT_TRUE(write_attention_report(folder_, run()));
  const std::string page = text_of(folder_ / "report.html");
  std::size_t at = page.find(">Figures<");
  for (const char* said : {"four in five", "level beyond N = 20", "in proportion to L", "0.7 to 0.85", "1/(4T) for"}) {
    const std::size_t figure = page.find("<h3>Figure ", at), picture = page.find("<figure>", figure);
    at = picture;
    const std::string words = page.substr(figure, picture - figure);
    EXPECT_TRUE(contains(words, "As printed") && contains(words, said)) << said << ": " << words;
  }
}

TEST_F(AttentionReports, CountsAreSummedOverWindows) {
  const Result<AttentionReport> report = write_attention_report(folder_, run());
  ASSERT_TRUE(report);
  EXPECT_EQ(report->outside, 2u);
  EXPECT_EQ(report->undecided, 3u);
  EXPECT_EQ(report->violated_true_claims, 1u);
  const std::string page = text_of(folder_ / "report.html");
  EXPECT_TRUE(contains(page,
                       "<td>270</td><td>180</td><td>90</td>"));  // theorem1-upper
  EXPECT_TRUE(contains(page, "VIOLATED"));
  EXPECT_TRUE(contains(report->terminal, "1,296 weights of 36 rows in 3 windows: 2 outside"));
  EXPECT_TRUE(contains(report->terminal, "VIOLATED"));
  EXPECT_TRUE(contains(report->terminal, "and 1 without an admissible row\n"));
  EXPECT_FALSE(contains(report->terminal, "theorem2-lower"));  // in the page only
  EXPECT_TRUE(contains(page, "theorem2-lower"));
}

TEST_F(AttentionReports, ItsOwnTablesAreReadAgain) {
  ASSERT_TRUE(write_attention_report(folder_, run()));
  std::size_t heads = 0, tests = 0;
  double before = INFINITY;
  ASSERT_TRUE(read_table<report::DiagnosisLine>(folder_ / "diagnosis.csv", [&](const report::DiagnosisLine& line) {
    EXPECT_LE(line.head.severity, before);
    before = line.head.severity;
    EXPECT_EQ(contains(line.flags, "sink"), heads++ == 0);
  }));
  EXPECT_EQ(heads, 6u);
  const auto read = read_table<report::KsLine>(folder_ / "ks.csv", [&](const report::KsLine& line) {
    ++tests;
    EXPECT_EQ(line.rejected != 0, line.gap > line.critical);
  });
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(tests, 2u * 3 * 2 * 3);  // scales; readings; n = 10, 18; N = 1, 5, 32
}

// The details element of each flag holds the heads that have it, so that no script is needed to find them.
TEST_F(AttentionReports, HeadsStandByTheirFlags) {
  ASSERT_TRUE(write_attention_report(folder_, run()));
  const std::string page = text_of(folder_ / "report.html");
  std::size_t heads = 0;
  ASSERT_TRUE(read_table<report::DiagnosisLine>(folder_ / "diagnosis.csv", [&](const report::DiagnosisLine& line) {
    ++heads;
    const std::string anchor = fmt::format("head-{}-{}", line.head.layer, line.head.head);
    EXPECT_TRUE(contains(page, "id=\"" + anchor + "\"")) << anchor;
    EXPECT_EQ(occurrences(page, "href=\"#" + anchor + "\""), 1 + occurrences(line.flags, ",")) << anchor;  // or "none"
  }));
  EXPECT_EQ(heads, 6u);
}

// Whichever flag of a head a reader has come for, its row says what helps against that one.
TEST_F(AttentionReports, ARowOfAHeadSaysWhatHelpsAgainstEachOfItsFlags) {
  ASSERT_TRUE(write_attention_report(folder_, run()));
  const std::string page = text_of(folder_ / "report.html");
  std::size_t raised = 0;
  ASSERT_TRUE(read_table<report::DiagnosisLine>(folder_ / "diagnosis.csv", [&](const report::DiagnosisLine& line) {
    const std::size_t from = page.find(fmt::format("id=\"head-{}-{}\"", line.head.layer, line.head.head));
    const std::string row = page.substr(from, page.find("</details>", from) - from);
    for (const std::string name : {"saturated", "indistinct", "broad", "sink", "stiff", "no scale"}) {
      EXPECT_EQ(contains(row, "<dt>what helps against " + name + " alone</dt>"), contains(line.flags, name))
          << name << row;
      raised += contains(line.flags, name);
    }
  }));
  EXPECT_GT(raised, 0u);
}

TEST_F(AttentionReports, PicturesOfTheHeadsAskedForOrAnError) {
  AttentionRun asked = run();
  asked.draw = {{1, 0}, {0, 2}, {1, 0}};
  ASSERT_TRUE(write_attention_report(folder_, asked));
  EXPECT_EQ(occurrences(text_of(folder_ / "report.html"), "Figure 1: layer"), 2u * 2);  // title and accessible name
  EXPECT_TRUE(fs::exists(folder_ / "figures" / "figure-1-layer1-head0.svg"));
  EXPECT_TRUE(fs::exists(folder_ / "figures" / "figure-1-layer0-head2.svg"));
  asked.draw = {{1, 0}, {1, 3}};
  const Result<AttentionReport> report = write_attention_report(folder_, asked);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().message,
            "figure 1: there is no layer 1, head 3; choose among layers 0 to 1 and heads 0 to 2");
}

TEST_F(AttentionReports, FigureFiveOfSoftmaxHasItsBoundsAndThatOfOthersOnlyNorms) {
  const auto figure = [&](const char* file) { return text_of(folder_ / "figures" / file); };
  ASSERT_TRUE(write_attention_report(folder_, run()));
  for (const char* line :
       {"row-wise lower bound", "row-wise upper bound", ">1/(4T)<", "1/(2T), holds", "exact norm", "g, eps = 0.1"})
    EXPECT_TRUE(contains(figure("figure-5-pair.svg"), line)) << line;
  {
    Writer<JacobianLine> norms(folder_);
    JacobianLine line;
    line.row.query = 63, line.own = 1, line.spectral = 0.4;
    line.lower = line.upper = line.quarter = line.half = NAN;
    line.random = line.eigenvector = line.pair = {NAN, NAN, NAN};
    norms(line);
    line.own = 0, line.temperature = 2, line.spectral = 0.2;  // a line takes two temperatures
    norms(line);
  }
  ASSERT_TRUE(write_attention_report(folder_, run()));
  EXPECT_FALSE(fs::exists(folder_ / "figures" / "figure-5-pair.svg"));
  const std::string norms = figure("figure-5.svg");
  EXPECT_TRUE(contains(norms, "exact norm, median"));
  for (const char* line : {"bound", "(4T)", "(2T)", "eps"}) EXPECT_FALSE(contains(norms, line)) << line;
  EXPECT_TRUE(contains(text_of(folder_ / "report.md"), "softmax only"));
}

TEST_F(AttentionReports, TheBaseLineIsThePassesOwnNormalizer) {
  {
    Writer<HeadLine> heads(folder_);
    Writer<AlternativeLine> alternatives(folder_);
    HeadLine head;
    head.row.query = 63, head.n_eff = 30, head.entropy = 3;
    heads(head);
    for (const char* normalizer : {"softmax", "sparsemax"}) {
      AlternativeLine line;
      line.row = head.row, line.normalizer = normalizer, line.n_eff = line.normalizer == "softmax" ? 30 : 10;
      alternatives(line);
    }
  }
  AttentionRun asked = run();
  asked.normalizer = "sparsemax";
  asked.draw = {{0, 0}};
  ASSERT_TRUE(write_attention_report(folder_, run()));
  EXPECT_TRUE(contains(text_of(folder_ / "diagnosis.csv"), "against broad: sparsemax"));
  ASSERT_TRUE(write_attention_report(folder_, asked));
  EXPECT_FALSE(contains(text_of(folder_ / "diagnosis.csv"), "sparsemax"));
}

TEST_F(AttentionReports, FiguresOfAnEarlierReportGo) {
  fs::create_directories(folder_ / "figures");
  std::ofstream(folder_ / "figures" / "figure-2-value-raw.svg") << "old";
  std::ofstream(folder_ / "figures" / "mine.svg") << "kept";
  ASSERT_TRUE(write_attention_report(folder_, run()));
  EXPECT_FALSE(fs::exists(folder_ / "figures" / "figure-2-value-raw.svg"));
  EXPECT_TRUE(fs::exists(folder_ / "figures" / "mine.svg"));
}

TEST_F(AttentionReports, TablesWithoutALineMakeAPageThatSaysSo) {
  for (const std::string& header : {header_line<HeadLine>(), header_line<SelectionLine>(), header_line<JacobianLine>(),
                                    header_line<AlternativeLine>(), header_line<GeometryLine>(),
                                    header_line<CheckLine>(), header_line<ClaimLine>()})
    for (const char* table : {"heads", "selections", "jacobian", "alternatives", "geometry", "checks", "claims"})
      if (text_of(folder_ / (std::string(table) + ".csv")).starts_with(header))
        std::ofstream(folder_ / (std::string(table) + ".csv")) << header;
  const Result<AttentionReport> report = write_attention_report(folder_, run());
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(fault_in_markup(text_of(folder_ / "report.html")), "");
  EXPECT_TRUE(contains(report->terminal, "measured rows\n    none"));
}

TEST_F(AttentionReports, ABrokenTableIsOneLineOfError) {
  std::ofstream(folder_ / "jacobian.csv", std::ios::app) << "0,0,0\n";
  const Result<AttentionReport> report = write_attention_report(folder_, run());
  ASSERT_FALSE(report);
  EXPECT_TRUE(contains(report.error().message, "jacobian.csv:"));
  EXPECT_FALSE(fs::exists(folder_ / "report.html"));
  fs::remove(folder_ / "claims.csv");
  write_rows(folder_);
  EXPECT_TRUE(contains(write_attention_report(folder_, run()).error().message, "claims.csv: cannot be read"));
}

}  // namespace
}  // namespace attncert
