// One small document in every format, byte for byte as a person would write it, and a ledger of a million rows.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "reports/document.hpp"
#include "reports/formats.hpp"
#include "reports/ledger.hpp"

namespace attncert {
using namespace report;
namespace {

Document small() {
  return {Heading{1, "A & B"},
          Numbers{{{"19", {"refuted", Style::verdict}, "of 32"}}},
          Heading{2, "Left out with its picture"},
          Picture{"<svg/>", "name", {{"words"}}},
          Heading{2, "Rows"},
          Folded{{"claim", "says", "verdict"},
                 {{"claim-x",
                   {{"x"}, {"a_i <= 1", Style::math}, {"proved", Style::verdict}},
                   {Paragraph{{{"Why: "}, {"code", Style::code}}}, Facts{{{"source", {"here"}}}}}}}},
          Table{{"n", "what"}, {{{"1", Style::number}, {"one", Style::plain, "#claim-x"}}}}};
}

TEST(Golden, Markdown) {
  EXPECT_EQ(markdown(small()), R"md(# A \& B

- **19** **refuted** of 32

## Rows

| claim | says | verdict |
|---|---|---|
| [x](#claim-x) | `a_i <= 1` | **proved** |

### <a id="claim-x"></a>x

Why: `code`

- **source**: here

| n | what |
|---:|---|
| 1 | [one](#claim-x) |
)md");
}

TEST(Golden, Terminal) {
  EXPECT_EQ(plain_text(small()), R"txt(A & B

19 refuted of 32

Rows

claim  says      verdict
x      a_i <= 1  proved

x
Why: code

source: here

n  what
1  one
)txt");
}

TEST(Golden, Html) {
  const std::string page = html(small());
  const auto from = page.find("<body>\n") + 7, to = page.find("<script>");
  EXPECT_TRUE(page.starts_with("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"));
  EXPECT_NE(page.find("<title>A &amp; B</title>"), std::string::npos);
  EXPECT_NE(page.find("\n.form0{--c1:'n';--c2:'what';}\n.form0 tr>:nth-child(1){--side:right;--lines:nowrap}\n"),
            page.npos);
  EXPECT_EQ(
      page.substr(from, to - from),
      R"html(<h1>A &amp; B</h1>
<nav aria-label="contents"><ul><li><a href="#section-left-out-with-its-picture">Left out with its picture</a></li>)html"
      R"html(<li><a href="#section-rows">Rows</a></li></ul></nav>
<ul class="numbers"><li><b>19</b><span class="verdict refuted">refuted</span> <small>of 32</small></li></ul>
<h2 id="section-left-out-with-its-picture">Left out with its picture</h2>
<div class="figures">
<figure><svg/><figcaption>words</figcaption></figure>
</div>
<h2 id="section-rows">Rows</h2>
<div class="rows" style="--others:1"><div class="rows-head" role="row"><span role="columnheader">claim</span>)html"
      R"html(<span role="columnheader">verdict</span></div>
<details class="row" id="claim-x"><summary><span class="name">x</span>)html"
      R"html(<span class="says"><math><msub><mi>a</mi><mi>i</mi></msub></math> )html"
      R"html(<math><mo>≤</mo></math> <math><mn>1</mn></math></span>)html"
      R"html(<span class="cell" data-label="verdict"><span class="verdict proved">proved</span></span></summary>)html"
      R"html(<div class="inside"><p>Why: <code>code</code></p>
<dl><dt>source</dt><dd>here</dd>
</dl>
</div></details>
</div>
<table class="form0"><thead><tr><th>n</th><th>what</th></tr></thead>
<tbody><tr><td>1</td><td><a href="#claim-x">one</a></td></tr>
</tbody></table>
)html");
}

TEST(Golden, Latex) {
  const std::string text = latex(small());
  const std::string mark = "\\maketitle\n\n";
  EXPECT_TRUE(text.starts_with("\\documentclass[10pt,a4paper]{article}\n"));
  EXPECT_NE(text.find("\\title{A \\& B}"), std::string::npos);
  const std::string column = ">{\\raggedright\\arraybackslash}p{\\dimexpr";
  EXPECT_EQ(text.substr(text.find(mark) + mark.size()),
            "\\begin{itemize}\n\\item \\textbf{19} \\textbf{refuted} of 32\n\\end{itemize}\n\n\\section*{Rows}\n\n"
            "{\\footnotesize\\begin{longtable}{" +
                // 6, 9 and 8 of 23 characters
                column + "0.260\\linewidth-2\\tabcolsep}" + column + "0.391\\linewidth-2\\tabcolsep}" + column +
                "0.347\\linewidth-2\\tabcolsep}}\nclaim & says & verdict \\\\ \\hline\n\\endhead\n"
                "x & $a_{i}$ $\\le $ $1$ & \\textbf{proved} \\\\\n\\end{longtable}}\n\n"
                "{\\footnotesize\\begin{longtable}{>{\\raggedleft\\arraybackslash}p{\\dimexpr"
                // 4 and 5 of 9
                "0.444\\linewidth-2\\tabcolsep}" +
                column +
                "0.555\\linewidth-2\\tabcolsep}}\nn & what \\\\ \\hline\n\\endhead\n1 & one \\\\\n\\end{longtable}}\n\n"
                "\\appendix\n\\section*{Every row}\n\n\\subsection*{x}\n\nWhy: \\texttt{code}\n\n\\begin{description}\n"
                "\\item[{source}] here\n\\end{description}\n\n\\end{document}\n");
}

// Of a ledger: one file that differs, and one that holds.
Ledger judged() {
  Ledger ledger;
  ledger.judgements.resize(2);
  LedgerJudgement& differs = ledger.judgements[0];
  differs.file = "a.npz", differs.part = "forward", differs.read_as = "f32, \"q\"", differs.verdict = "differs";
  differs.rounding = "f32", differs.elements = 1200, differs.outside = 1, differs.replay = "attncert judge a.npz";
  differs.worst = {{"o[0]", "2", "1", "0.5", 2}};
  ledger.judgements[1].file = "b.npz", ledger.judgements[1].verdict = "holds";
  return ledger;
}

TEST(Golden, Junit) {
  const std::string says = "differs; 1 of 1,200 elements outside; class f32";
  EXPECT_EQ(junit(judged()),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"attncert\">\n"
            "  <testsuite name=\"judgements\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\">\n"
            "    <testcase classname=\"attncert.judgements\" name=\"a.npz, forward\"><failure type=\"differs\" "
            "message=\"" +
                says + "\">" + says +
                "\nrepeat: attncert judge a.npz</failure></testcase>\n"
                "    <testcase classname=\"attncert.judgements\" name=\"b.npz\"></testcase>\n"
                "  </testsuite>\n</testsuites>\n");
}

TEST(Golden, Tyche) {
  EXPECT_EQ(tyche(judged()),
            R"({"type":"test_case","run_start":0.0,"property":"forward","status":"failed",)"
            R"("status_reason":"differs; 1 of 1,200 elements outside; class f32",)"
            R"("representation":"a.npz, forward: f32, \"q\"","how_generated":"attncert judge a.npz",)"
            R"("features":{"share of bound":2.0,"class":"f32"},"coverage":null,"metadata":null})"
            "\n"
            R"({"type":"test_case","run_start":0.0,"property":"judged","status":"passed","status_reason":"holds",)"
            R"("representation":"b.npz","how_generated":"","features":{"share of bound":0.0,"class":""},)"
            R"("coverage":null,"metadata":null})"
            "\n");
}

TEST(Golden, Sarif) {
  const std::string log = sarif(judged()), begin = " \"results\": [";
  EXPECT_EQ(log.substr(log.find(begin)), R"json( "results": [
    {
     "ruleId": "judgement",
     "ruleIndex": 3,
     "kind": "fail",
     "level": "error",
     "message": {
      "text": "differs; 1 of 1,200 elements outside; class f32. Repeat: attncert judge a.npz"
     },
     "locations": [
      {
       "physicalLocation": {
        "artifactLocation": {
         "uri": "a.npz"
        },
        "region": {
         "startLine": 1
        }
       },
       "logicalLocations": [
        {
         "name": "a.npz, forward",
         "fullyQualifiedName": "judgement/a.npz, forward",
         "kind": "resource"
        }
       ]
      }
     ],
     "partialFingerprints": {
      "row/v1": "judgement/a.npz, forward"
     },
     "properties": {
      "replay": "attncert judge a.npz"
     }
    }
   ]
  }
 ]
}
)json");
}

// Ten seconds and ten megabytes for a page, whatever kind of row there are a million of.
TEST(Golden, AMillionRowsMakeAPage) {
  constexpr std::size_t million = 1'000'000, most_bytes = 10'000'000;
  Ledger judged, measured;
  judged.judgements.resize(million);
  measured.kernels.resize(million);
  for (std::size_t n = 0; n < million; ++n) {
    judged.judgements[n].file = "case-" + std::to_string(n);
    judged.judgements[n].verdict = n % 1000 == 0 ? "differs" : "holds";
    measured.kernels[n].kernel = "kernel-" + std::to_string(n);
    measured.kernels[n].worst_fraction = static_cast<double>(n) / million;
  }
  for (const Ledger* ledger : {&judged, &measured}) {
    const auto start = std::chrono::steady_clock::now();
    const std::string page = html(*ledger);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
    EXPECT_LT(page.size(), most_bytes);
    EXPECT_NE(page.find("The first 1,000 of 1,000,000"), std::string::npos);
  }
  EXPECT_NE(html(judged).find("case-999000<"), std::string::npos);      // what differs goes first
  EXPECT_NE(html(measured).find("kernel-999999<"), std::string::npos);  // the worst goes first
}

}  // namespace
}  // namespace attncert
