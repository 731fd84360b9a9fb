// Names that somebody else chose: quotes, tags, control characters, directions of writing, commands of TeX, very long
// words. Every format shows them and interprets none. The text goes into every field of a ledger, by the list of
// fields.
#include <gtest/gtest.h>

#include <string>

#include "reports/formats.hpp"
#include "reports/json_fields.hpp"
#include "reports/plot/style.hpp"
#include "reports/sections.hpp"
#include "tests/pattern.hpp"
#include "tests/reports/markup.hpp"
#include "tests/reports/sample_ledger.hpp"

namespace attncert {
using namespace report;
namespace {

const std::string hostile =
    "\"'><script>alert(1)</script><img src=x onerror=alert(1)>]]>--></style>\x1b[31m\x07\xE2\x80\xAE\xD7\xA9 "
    "[x](javascript:alert(1)) ![x](http://e) | \\input{/etc/passwd} \\end{document} $x$ %n & # ~ ^ _ {} `a``b` "
    "${HOME}\xff";

class Poison {
 public:
  void operator()(const FieldName&, auto&& member) const { put(member); }
  template <class T>
  void put(T& value) const {
    if constexpr (json_fields::Stored<T>) {
      T::fields(value, *this);
    } else if constexpr (std::is_same_v<T, std::string>) {
      value += hostile;
    } else if constexpr (json_fields::Map<T>) {
      for (auto& [key, item] : value) put(item);
      if (!value.empty()) value[hostile] = value.begin()->second;
    } else if constexpr (json_fields::Maybe<T>) {
      if (value) put(*value);
    } else if constexpr (json_fields::List<T>) {
      for (auto& item : value) put(item);
    }
  }
};

Ledger hostile_ledger() {
  Ledger ledger = sample_ledger();
  Poison().put(ledger);
  for (LedgerClaim& claim : ledger.claims)
    if (claim.witness) claim.witness->found.replay = claim.witness->shrunk_from = hostile;
  ledger.claims.push_back(sample_ledger().claims[0]);
  ledger.claims.back().id = ledger.claims.back().relation = std::string(5000, 'x') + hostile;
  return ledger;
}

ReportContext hostile_context() {
  ReportContext context;
  context.bench = Bench{"", {{"cpu", ""}}, {{.benchmark = "softmax", .memory = "L1", .peer = "memcpy", .ratio = 2}}};
  Poison().put(*context.bench);
  return context;
}

std::string rendered(std::string_view format) {
  return find_report_format(format)->render(hostile_ledger(), hostile_context());
}

TEST(HostileText, IsPrintableInEveryFormat) {
  for (const ReportFormat& format : report_formats()) {
    if (format.name == "sarif" || format.name == "tyche" || format.name == "table") continue;  // JSON escapes; below
    const std::string text = format.render(hostile_ledger(), hostile_context());
    for (const char* hidden : {"\x1b", "\x07", "\xE2\x80\xAE", "\xff"})
      EXPECT_FALSE(contains(text, hidden)) << format.name;
  }
}

TEST(HostileText, IsNoMarkup) {
  const std::string page = rendered("html");
  EXPECT_EQ(fault_in_markup(page), "");
  EXPECT_EQ(occurrences(page, "<script"), 1u);
  EXPECT_EQ(occurrences(page, "</style"), 1u);
  for (const char* tag : {"<img", "onerror=alert(1)>", "href=\"javascript", "href=\"http"})
    EXPECT_FALSE(contains(page, tag)) << tag;
  EXPECT_TRUE(contains(page, "&lt;script&gt;alert(1)&lt;/script&gt;"));  // and it is shown
  const std::string cases = rendered("junit");
  EXPECT_EQ(fault_in_markup(cases.substr(cases.find('\n') + 1)), "");
  const Document all = document(hostile_ledger(), hostile_context().bench);
  for (const Picture* picture : pictures(all))
    EXPECT_EQ(fault_in_markup(standalone(picture->svg)), "") << picture->name;
}

// Labels of facts have names of instruction sets and of parts in them.
TEST(HostileText, InALabelIsNoMarkup) {
  const std::string page = html({Heading{1, "t"}, Facts{{{"contract, <img>\"&", {"x"}}}}});
  EXPECT_EQ(fault_in_markup(page), "");
  EXPECT_TRUE(contains(page, "<dt>contract, &lt;img&gt;&quot;&amp;</dt>"));
}

// Names of columns, as those of the runs of a history, stand in the style, where an entity is no character.
TEST(HostileText, InAColumnEndsNoStyle) {
  const std::string page =
      html({Heading{1, "t"}, Table{{"a';}</style><script>alert(1)</script>\n&", "b"}, {{{"1"}, {"2"}}}}});
  EXPECT_EQ(occurrences(page, "</style"), 1u);
  EXPECT_EQ(occurrences(page, "<script"), 1u);
  EXPECT_TRUE(contains(page, "--c1:'a\\27 ;}\\3c /style\\3e \\3c script\\3e alert(1)\\3c /script\\3e \\a \\26 ';"));
}

// A column of numbers is known by its form; among words a number says itself that it is one.
TEST(Tables, OfOneFormAreSetOnce) {
  const auto table = [](Style style) {
    return Table{{"n", "m"}, {{{"1", Style::number}, {"2", style}}, {{"3", Style::number}, {"4"}}}};
  };
  const std::string page = html({Heading{1, "t"}, table(Style::number), table(Style::number), Table{{"n"}, {}}});
  EXPECT_EQ(occurrences(page, "--c2:'m';"), 1u);
  EXPECT_EQ(occurrences(page, "<table class=\"form0\">"), 2u);
  EXPECT_EQ(occurrences(page, "<table class=\"form1\">"), 1u);
  EXPECT_EQ(occurrences(page, "<td>1</td><td class=\"number\">2</td>"), 2u);
  EXPECT_TRUE(contains(page, "\n.form0 tr>:nth-child(1){--side:right;--lines:nowrap}\n"));
}

// A tag, a link or an image of Markdown needs a character that has a backslash before it here, or stands in code.
TEST(HostileText, IsNoMarkdown) {
  const std::string text = rendered("markdown");
  const std::string anchorless = Pattern("<a id=\"[^\"<>]*\"></a>").replaced_in(text, "");
  const std::string without_code = Pattern(R"((?<![\\`])(`+)(?!`).*?(?<!`)\1(?!`))").replaced_in(anchorless, "");
  for (const char* live : {"[^\\\\]<script", "[^\\\\]<img", "[^\\\\]!?\\[x[^\\\\]?\\]\\(j"})
    EXPECT_FALSE(Pattern(live).is_in(without_code)) << live;
}

// A command of TeX begins with a backslash: those that are there are the writer's own.
TEST(HostileText, IsNoCommandOfTex) {
  const std::string text = rendered("latex");
  for (const char* command : {"\\input", "\\end{document} ", "\\mbox{\\input"}) EXPECT_FALSE(contains(text, command));
  EXPECT_EQ(occurrences(text, "\\end{document}"), 1u);
  EXPECT_TRUE(contains(text, "\\textbackslash{}input\\{/etc/passwd\\}"));
  const std::string source = Pattern(R"(\\[{}$&#%_])").replaced_in(text, "");
  EXPECT_EQ(occurrences(source, "{"), occurrences(source, "}"));
  EXPECT_FALSE(contains(Pattern(R"(\$[^$]*\$)").replaced_in(source, ""), "$"));
}

TEST(HostileText, StaysWithinItsTextOfSarif) {
  nlohmann::json log;
  EXPECT_EQ(json_fields::parse(rendered("sarif"), log), "");
  for (const auto& result : log["runs"][0]["results"])
    for (const auto& location : result["locations"]) {
      if (!location.contains("physicalLocation")) continue;
      const std::string uri = location["physicalLocation"]["artifactLocation"]["uri"];
      EXPECT_EQ(Pattern("[A-Za-z0-9._~/%-]+").replaced_in(uri, ""), "");
    }
}

}  // namespace
}  // namespace attncert
