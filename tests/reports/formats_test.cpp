// What every format must hold, and that HTML is well formed, alone in the world, and escapes what it is given.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "reports/formats.hpp"
#include "reports/ledger.hpp"
#include "reports/sections.hpp"
#include "reports/wording.hpp"
#include "src/core/number_text.hpp"
#include "tests/pattern.hpp"
#include "tests/reports/markup.hpp"
#include "tests/reports/sample_ledger.hpp"

namespace attncert {
using namespace report;
namespace {

TEST(Formats, TheMarkupJudgeItselfFindsFaults) {
  EXPECT_EQ(fault_in_markup("<!doctype html>\n<p class=\"a\">x &lt; y<br/></p>"), "");
  for (const char* bad :
       {"<p>", "</p>", "<p><b></p></b>", "<p class=a></p>", "a < b", "a & b", "a > b", "<p title=\"<\"></p>"})
    EXPECT_NE(fault_in_markup(bad), "") << bad;
}

TEST(Formats, TheTableHasEachOnceAndRendersIt) {
  const Ledger ledger = sample_ledger();
  std::set<std::string_view> names, endings;
  for (const ReportFormat& format : report_formats()) {
    EXPECT_TRUE(names.insert(format.name).second) << format.name;
    const bool written = !format.ending.empty();
    EXPECT_TRUE(!written || endings.insert(format.ending).second) << format.ending;
    EXPECT_EQ(find_report_format(format.name), &format);
    const bool of_kernels = format.name == "kernels" || format.name == "sarif";
    const std::string text = Pattern("\\\\allowbreak\\{\\}").replaced_in(format.render(ledger, {}), "");
    EXPECT_TRUE(contains(text, of_kernels ? "sparsemax" : "theorem1-upper")) << format.name;
  }
  EXPECT_EQ(endings, (std::set<std::string_view>{".md", ".html", ".sarif", ".xml"}));
  EXPECT_EQ(find_report_format("pdf"), nullptr);
}

TEST(Formats, HtmlIsWellFormedAndNeedsNothingElse) {
  const std::string page = html(sample_ledger());
  EXPECT_EQ(fault_in_markup(page), "");
  EXPECT_EQ(occurrences(page, "<script"), 1u);
  for (const char* fetch : {"src=", "@import", "url(", "<link", "https://", "javascript:"})
    EXPECT_FALSE(contains(page, fetch)) << fetch;
  // the one kind of address that is there names SVG's vocabulary and is never fetched
  EXPECT_EQ(occurrences(page, "http://"), occurrences(page, "xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_EQ(occurrences(page, "<svg xmlns"), pictures(document(sample_ledger())).size());
}

// A row is a test case; what a kernel declines is skipped, and whatever fails says how to repeat it.
TEST(Formats, JunitHasACaseForEachRow) {
  const Ledger ledger = sample_ledger();
  const std::string text = junit(ledger);
  EXPECT_EQ(fault_in_markup(text.substr(text.find('\n') + 1)), "");
  const std::size_t rows =
      ledger.claims.size() + ledger.kernels.size() + ledger.faults.size() + ledger.judgements.size() + 1;  // real
  EXPECT_EQ(occurrences(text, "<testcase "), rows);
  std::size_t failing = 0;
  for (const LedgerClaim& row : ledger.claims) failing += exit_status(row) != 0;
  for (const KernelResult& row : ledger.kernels) failing += exit_status(row) != 0;
  for (const LedgerFault& row : ledger.faults) failing += exit_status(row) != 0;
  EXPECT_EQ(failing, 2u);  // sparsemax.f64 is outside, "open" undecided
  EXPECT_EQ(occurrences(text, "<failure "), failing + 1);
  EXPECT_EQ(occurrences(text, "<failure type=\"undecided\""), 1u);
  EXPECT_TRUE(contains(text, "<testsuite name=\"judgements\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\">"));
  EXPECT_TRUE(contains(text, "name=\"wrong &lt;&amp;&gt;.safetensors, forward\"><failure type=\"differs\""));
  EXPECT_TRUE(contains(text, "explained by: the scale is 1\nrepeat: attncert judge wrong</failure>"));
  EXPECT_TRUE(contains(text, "name=\"cases/sinks-1.safetensors\"><skipped message=\"refused: no sinks\"/>"));
  EXPECT_EQ(fault_in_markup(junit(Ledger{}).substr(39)), "");
  Ledger outside = ledger;
  outside.real->outside_budget = 2;
  EXPECT_TRUE(contains(junit(outside), "name=\"weights of " + ledger.real->model + "\"><failure type=\"differs\""));
}

// What gave no result is an error, and no failure of the kernel's numbers.
TEST(Formats, JunitTellsErrorsFromFailures) {
  Ledger ledger;
  for (const char* const verdict : {"cannot be read", "failed", "differs", "undecided", "refused", "holds"}) {
    ledger.judgements.emplace_back();
    ledger.judgements.back().file = ledger.judgements.back().verdict = verdict;
  }
  const std::string text = junit(ledger);
  EXPECT_TRUE(contains(text, "tests=\"6\" failures=\"2\" errors=\"2\" skipped=\"1\">"));
  for (const char* const name : {"cannot be read", "failed"})
    EXPECT_TRUE(contains(text, "name=\"" + std::string(name) + "\"><error type=\"no result\"")) << text;
}

// A hunt has executions and no rows; it stands in a table of its own.
TEST(Formats, HuntsAreATable) {
  Ledger ledger;
  ledger.judgements.emplace_back();
  ledger.judgements[0].file = "softmax", ledger.judgements[0].part = "fuzz", ledger.judgements[0].verdict = "differs";
  ledger.judgements[0].why = "a sum of 2", ledger.judgements[0].elements = 123'456;
  const std::string text = markdown(ledger);
  EXPECT_TRUE(contains(text, "## Fuzzing"));
  EXPECT_TRUE(contains(text, "| `softmax` | **differs** | 123,456 |"));
  EXPECT_FALSE(contains(text, "## What was judged"));
}

TEST(Formats, TheFirstScreenNamesWhatIsRefuted) {
  Ledger ledger = sample_ledger();
  // A comma in brackets does not end a place in the paper.
  EXPECT_TRUE(contains(html(ledger), "observation on (0, a) and (0, 2a)</td>"));
  ledger.claims[1].source = "arXiv 2508.17821, Theorem 1, upper bound as printed";
  ledger.claims[1].proof = "One squares too much; numbers and distance-upper tell.";
  ledger.claims[0].statement = "without a square it holds";
  ledger.claims[1].statement = "with a square";
  EXPECT_TRUE(
      contains(markdown(ledger),
               "| Theorem 1, upper bound | [with a square](#claim-theorem1-upper) | L=3 d=2: 1.5 against 0.75 | "
               "[without a square it holds](#claim-distance-upper) | `lhs <= rhs` |"));
  EXPECT_TRUE(contains(markdown(ledger), "heads saturate Measured: mean share at N = L/8: 0.98 (1,600 rows)."));
}

TEST(Formats, TheTitleCountsWhatIsFalse) {
  Ledger ledger = sample_ledger();
  for (LedgerClaim& claim : ledger.claims) claim.group = "corrected";
  EXPECT_EQ(title_of(document(ledger)), "attncert: certification report");
  ledger.claims[0].group = ledger.claims[1].group = ledger.claims[2].group = "printed";
  EXPECT_EQ(title_of(document(ledger)), "attncert: 2 of 3 statements printed in the paper are false");
  // The counterexample in words, for who has no pointer.
  EXPECT_TRUE(contains(html(ledger), "False with L = 3; d = 2; N = 1; T = 1/10; "));
}

// 736 results are not 736 kernels.
TEST(Formats, AKernelOnTwoInstructionSetsIsOneKernel) {
  Ledger ledger;
  for (const char* isa : {"AVX2", "AVX3"}) {
    KernelResult row;
    row.kernel = row.normalizer = "softmax.f32", row.isa = isa, row.dtype = "f32";
    ledger.kernels.push_back(row);
  }
  EXPECT_EQ(summary(ledger), "1 kernel on its instruction sets, 2 results: 2 within budget");
  EXPECT_TRUE(contains(html(ledger),
                       "<b>1</b>within budget <small>of 1 kernel, one result for each of its instruction sets: 2"));
}

// A refuted equality may have a quotient below 1; its mark has the colour of what is refuted.
// A failure is announced with what was computed and what is exact, and is near no budget.
TEST(Formats, AKernelBeyondItsBudgetSaysByHowMuchAndWhere) {
  Ledger ledger = sample_ledger();
  KernelResult& kernel = ledger.kernels[0];
  kernel.worst_fraction = 12.5;
  kernel.outside = 1;
  kernel.worst_entry = "row:3 entry 7: computed 0.5 (0x1p-1), exact 0.25";
  const std::string page = html(ledger);
  EXPECT_TRUE(contains(page, "beyond its budget by a factor of 12.5 on AVX3")) << page;
  EXPECT_FALSE(contains(page, "nearest to its budget on AVX3"));
  EXPECT_TRUE(contains(page, "50 of 4 ulp, absolute error 0.25<"));
  ledger.kernels.pop_back();
  EXPECT_TRUE(contains(html(ledger),
                       "its budget: a failure</a> <small>softmax.f32 on AVX3 at row:3 entry 7: computed 0.5, exact "
                       "0.25;"));
}

// How near the instances came that held, and the nearest of each source, with its command.
TEST(Formats, AClaimSaysHowNearItsInstancesCame) {
  Ledger ledger = sample_ledger();
  LedgerClaim& claim = ledger.claims[0];
  claim.by_source["random"].held_by_tenths = {8'000, 0, 0, 0, 0, 700, 0, 0, 0, 300};
  claim.nearest = {{"random", {0.98, "[0.98, 0.98]", "[1, 1]", "distance-upper:1:5"}},
                   {"search", {0.99, "[0.99, 0.99]", "[1, 1]", "tightest/distance-upper.json"}}};
  const std::string page = html(ledger);
  for (const char* part : {"random: 8,000 held, below 1/2", "random: 700 held, 1/2 to 9/10",
                           "random: 300 held, above 9/10", "search: 1,000 held, below 1/2"})
    EXPECT_TRUE(contains(page, part)) << part;
  EXPECT_TRUE(
      contains(markdown(ledger), "| search | 0.99 | `0.99` | `1` | `attncert replay tightest/distance-upper.json` |"));
}

TEST(Formats, AHistogramShowsWhatIsBeyondTheBudget) {
  Ledger ledger;
  KernelResult kernel;
  kernel.kernel = "k", kernel.worst_fraction = 1e9;
  kernel.shares = {5, 0, 0, 0, 0, 0, 0, 0, 0, 2, 3};
  ledger.kernels = {kernel};
  const std::string page = html(ledger);
  EXPECT_TRUE(contains(page, "within the budget: 7"));
  EXPECT_TRUE(contains(page, "<title>beyond 1: 3</title>"));
}

TEST(Formats, ARefutedEqualityIsMarkedAsRefuted) {
  Ledger ledger = sample_ledger();
  ledger.claims = {ledger.claims[1]};
  ledger.claims[0].tightest->tightness = 0.75;
  const std::string chart = tightness_picture({&ledger.claims[0]}, "t", "n").svg;
  EXPECT_TRUE(contains(chart, "class=\"mark look1\""));
  EXPECT_FALSE(contains(chart, "class=\"mark look2\""));
}

TEST(Formats, TheContentsLeadToEverySection) {
  const std::string page = html(sample_ledger());
  const std::string list = page.substr(page.find("<nav"), page.find("</nav>") - page.find("<nav"));
  EXPECT_EQ(occurrences(list, "<a href=\"#section-"), occurrences(page, "<h2 id=\"section-"));
  EXPECT_TRUE(contains(list, "<a href=\"#section-kernels\">Kernels</a>"));
}

TEST(Formats, HtmlOfAnEmptyRunIsWellFormed) { EXPECT_EQ(fault_in_markup(html(Ledger{})), ""); }

// A ledger from elsewhere may say so (fuzz/corpus/files/ledger-nothing-a-second, ledger-too-many-a-second).
TEST(Formats, WhateverIsDoneInASecondCanBeSaid) {
  Ledger ledger;
  ledger.timing.throughput = {{16, 8, 0}, {0, 8, 5}, {1, 2, 500}};
  EXPECT_EQ(throughput_text(ledger), "0 at L=16 d=8; 5 at L=0 d=8; 500 at L=1 d=2 (1000.00 us a coordinate)");
  ledger.timing.throughput = {{1, 1, 1e56}, {1, 1, -3}};
  EXPECT_EQ(throughput_text(ledger), "1e+56 at L=1 d=1 (0.00 us a coordinate); -3 at L=1 d=1");
}

TEST(Formats, EveryLinkOfHtmlLeadsSomewhere) {
  const std::string page = html(sample_ledger());
  const Pattern link("href=\"#([^\"]*)\"");
  const std::vector<Pattern::Groups> links = link.all_in(page);
  for (const Pattern::Groups& match : links) EXPECT_EQ(occurrences(page, "id=\"" + match[1] + "\""), 1u) << match[1];
  EXPECT_GE(links.size(), 2u);  // the counterexample's, and what is not as expected
}

TEST(Formats, TextThatLooksLikeMarkupStaysText) {
  Ledger ledger = sample_ledger();
  ledger.claims[0].id = "a\"><b>&";
  const std::string page = html(ledger);
  EXPECT_EQ(fault_in_markup(page), "");
  EXPECT_TRUE(contains(page, "if a &lt; b &amp; c &gt; d then &quot;&lt;script&gt;&quot; | `x` holds"));
  EXPECT_TRUE(contains(page, "A &quot;CPU&quot; &lt;i&gt;"));
  const std::string text = markdown(ledger);
  EXPECT_TRUE(contains(text, "if a \\< b \\& c \\> d then \"\\<script\\>\" \\| \\`x\\` holds, \\*really\\*"));
}

TEST(Formats, EachHoldsEveryVerdictWitnessAndCommand) {
  const Ledger ledger = sample_ledger();
  for (const std::string& text : {html(ledger), markdown(ledger)}) {
    for (const LedgerClaim& claim : ledger.claims) {
      EXPECT_TRUE(contains(text, claim.id));
      EXPECT_TRUE(contains(text, claim.reached));
      EXPECT_TRUE(contains(text, claim.replay));
    }
    for (const char* part : {"attncert check witnesses/theorem1-upper.json",
                             "attncert check certificates/subnormal.json",
                             "all simplex points, L",
                             "[1.5, 1.5]",
                             "[0.75, 0.75]",
                             "accepted",
                             "12,345",
                             "softmax.f32",
                             "AVX3",
                             "18446744073709551615",
                             "tiny-gpt2",
                             "g++ 12.2.0",
                             "half of the weight",
                             "in its own words",
                             "o[0, 0, 7, 3]",
                             "0.2500001",
                             "the scale is 1",
                             "attncert judge wrong",
                             "no sinks",
                             "what the checker proves",
                             "below"})
      EXPECT_TRUE(contains(text, part) || contains(text, "\\" + std::string(part))) << part;
  }
}

TEST(Formats, RowsOfAMarkdownTableHaveEqualLength) {
  const std::string text = markdown(sample_ledger());
  std::size_t width = 0, tables = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    const std::string line = text.substr(start, end - start);
    start = end + 1;
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i)
      if (line[i] == '|' && (i == 0 || line[i - 1] != '\\')) ++bars;
    if (!line.starts_with('|')) {
      width = 0;
    } else {
      if (width == 0) ++tables;
      EXPECT_TRUE(width == 0 || bars == width) << line;
      width = bars;
    }
  }
  // What is counted of the paper; what is not as expected; what is refuted; the claims of two groups; kernels, and the
  // instruction sets of two; faults, and those that one check catches; what was judged and what of it differs; the
  // counts of each claim but the measured one, and the parts of one.
  EXPECT_EQ(tables, 12 + sample_ledger().claims.size());
}

TEST(VerdictTable, AlignsItsColumnsAndShowsDashes) {
  Ledger ledger = sample_ledger();
  ledger.claims.push_back(ledger.claims[0]);
  ledger.claims.back().id = "differs";
  ledger.claims.back().reached = "refuted";
  ledger.claims.back().agrees = false;
  const std::string table = verdict_table(ledger, false);
  EXPECT_FALSE(contains(table, "\x1b"));
  const Pattern row(
      R"(distance-upper +supported +supported +22,355 +10,003 +10,000 +0 +3 +0 +128 of 12,480 \(1%\) +1 - 9.1e-13  -)");
  EXPECT_TRUE(row.is_in(table)) << table;
  EXPECT_TRUE(Pattern("theorem1-upper +refuted +refuted .* 4096 +L=3 d=2\n").is_in(table)) << table;
  EXPECT_TRUE(Pattern("theorem1-collapse .* - +inf +1 family\n").is_in(table)) << table;
  EXPECT_TRUE(Pattern("differs .*DIFFERS\n").is_in(table)) << table;
  EXPECT_TRUE(
      contains(table,
               "9 claims: 6 as expected, 1 different, 1 undecided, 1 measured; 2 kernels: 1 within budget; 3 judged: "
               "1 holds, 1 differs, 1 refused\n"))
      << table;
  const std::size_t place = table.find("expected");
  for (std::size_t line = 0, i = 0; i < 8; ++i, line = table.find('\n', line) + 1) {
    EXPECT_EQ(table[line + place - 1], ' ');
    EXPECT_NE(table[line + place], ' ');
  }
}

TEST(VerdictTable, NamesKernelsWhoseLawsAreBrokenOrUndecided) {
  Ledger ledger = sample_ledger();
  ledger.judgements.clear();
  const auto table = [&] { return verdict_table(ledger, false); };
  ledger.kernels[0].laws_undecided = 7;  // cases of one kernel
  EXPECT_TRUE(table().ends_with("; 2 kernels: 1 within budget, 1 leaves a law undecided\n")) << table();
  ledger.kernels[1].laws_undecided = ledger.kernels[1].laws_broken = 1;
  EXPECT_TRUE(table().ends_with(": 1 within budget, 1 breaks a law, 2 leave a law undecided\n")) << table();
  ledger.kernels[0].laws_broken = 2;
  ledger.kernels[0].laws_undecided = ledger.kernels[1].laws_undecided = 0;
  EXPECT_TRUE(table().ends_with(": 1 within budget, 2 break a law\n")) << table();
}

TEST(VerdictTable, NamesKernelsThatBreakTheirContracts) {
  Ledger ledger = sample_ledger();
  ledger.judgements.clear();
  ledger.kernels[1].contract_broken = 3;
  EXPECT_TRUE(verdict_table(ledger, false).ends_with(": 1 within budget, 1 breaks its contract\n"));
}

TEST(VerdictTable, ColourChangesNoCharacterOfTheText) {
  const Ledger ledger = sample_ledger();
  const std::string coloured = verdict_table(ledger, true);
  EXPECT_TRUE(contains(coloured, "\x1b[32m"));
  EXPECT_EQ(Pattern("\x1b\\[[0-9]+m").replaced_in(coloured, ""), verdict_table(ledger, false));
}

TEST(Numbers, ForReaders) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1'000), "1,000");
  EXPECT_EQ(grouped(1'234'567), "1,234,567");
  EXPECT_EQ(short_text(1), "1");
  EXPECT_EQ(short_text(0.5), "0.5");
  EXPECT_EQ(short_text(1 - 0x1p-30), "1 - 9.3e-10");
  EXPECT_EQ(short_text(1 + 0x1p-30), "1 + 9.3e-10");
}

TEST(Numbers, AttainedIsNotApproached) {
  const auto text = [](double tightness, std::uint64_t equality, std::uint64_t violated) {
    LedgerClaim claim;
    claim.tightest = {tightness, "", "", ""};
    claim.counts.equality = equality;
    claim.counts.violated = violated;
    return tightness_text(claim);
  };
  EXPECT_EQ(text(1 - 0x1p-53, 3, 0), "attained");
  EXPECT_EQ(text(1 - 0x1p-53, 0, 0), "1 - 1.1e-16");  // near, and never equal
  EXPECT_EQ(text(1 - 0x1p-49, 3, 0), "1 - 1.8e-15");  // equal elsewhere, where both sides are 0
  EXPECT_EQ(text(1, 0, 0), "attained");               // both sides are exact points
  EXPECT_EQ(text(1, 3, 1), "1");
  EXPECT_EQ(text(1 + 0x1p-52, 3, 1), "1 + 2.2e-16");
  EXPECT_EQ(tightness_text(LedgerClaim{}), "-");
}

}  // namespace
}  // namespace attncert
