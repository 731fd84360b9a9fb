// Pictures: well formed alone and in a page, labels that do not meet, values without a place left out.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "reports/plot/elements.hpp"
#include "reports/plot/plot.hpp"
#include "reports/plot/polar.hpp"
#include "reports/plot/row_charts.hpp"
#include "reports/plot/scale.hpp"
#include "reports/plot/style.hpp"
#include "reports/plot/treemap.hpp"
#include "tests/pattern.hpp"
#include "tests/reports/markup.hpp"

namespace attncert::report {
namespace {

Plot plot(bool logarithmic, double least, double most) {
  Plot plot{"A title with <markup> & \"quotes\"", {"abscissa", logarithmic}, {"ordinate", logarithmic}};
  const double middle = std::sqrt(least * most);
  plot.bands.push_back({"a band", 0, {{least, least, middle}, {most, middle, most}}});
  for (int look = 0; look < 10; ++look)
    plot.lines.push_back({"line " + std::to_string(look), look, {{least, least}, {middle, most}, {most, middle}}});
  plot.boxes.push_back({"boxes", 1, {{middle, least, least, middle, most, most}}});
  return plot;
}

Polar polar(double nearest) {
  Polar polar;
  polar.title = "Figure 1: layer 0, head 0";
  polar.circle = nearest;
  polar.circle_label = "r = 0.1, nearest unselected", polar.chosen_label = "selected, 5",
  polar.other_label = "unselected, 2";
  polar.points = {{nearest, 0, false, 0.01}, {1, 2, true, 0.9}, {0, 0, true, 0.05}, {0.5, -1, false, 0.02}};
  return polar;
}

Treemap treemap(std::size_t maps) {
  Treemap treemap{"boxes", {}};
  for (std::size_t n = 0; n < maps; ++n)
    treemap.maps.push_back({"a map whose label is long, " + std::to_string(n),
                            {{0, 0, 0.5, 1, 0, "a label for which there may be no room", "left"},
                             {0.5, 0, 0.5, 0.9, 3, "right", "right"},
                             {0.5, 0.9, 0.5, 0.1, 0, "above", "above"}}});
  return treemap;
}

std::vector<std::string> pictures() {
  std::vector<std::string> all{svg(Plot{}), svg(Polar{}), svg(polar(0.4)), svg(polar(1e-6))};
  for (std::size_t maps = 0; maps < 6; ++maps) all.push_back(svg(treemap(maps)));
  for (const auto& [least, most] : std::vector<std::pair<double, double>>{
           {1, 1024}, {0.01, 10}, {1e-12, 1e7}, {3, 4}, {5, 5}, {0.2, 0.9}, {1e5, 4.9e5}, {0.0009, 0.0041}})
    for (const bool logarithmic : {false, true}) all.push_back(svg(plot(logarithmic, least, most)));
  return all;
}

TEST(Plot, WithoutAnythingToDrawSaysSoInWords) {
  EXPECT_TRUE(contains(svg(Plot{}), "nothing was measured"));
  Plot one_length{"Figure 3", {"L, keys of the row", true}, {"d-tilde", true}};
  one_length.lines.push_back({"median", 0, {{64, 1}}});
  one_length.bands.push_back({"5 to 95%", 0, {{64, 0.5, 2}}});
  const std::string picture = svg(one_length);
  EXPECT_EQ(fault_in_markup(picture), "");
  EXPECT_TRUE(contains(Pattern("</text>\n<text[^>]*>").replaced_in(picture, " "),
                       "all rows have one place on the axis &quot;L, keys of the row&quot;, 64"));
  EXPECT_FALSE(contains(picture, "class=\"grid\""));  // no empty axes
  one_length.lines[0].points.push_back({128, 1});
  EXPECT_FALSE(contains(svg(one_length), "No figure"));
}

TEST(Plot, IsWellFormedWithAndWithoutItsStyle) {
  for (const std::string& picture : pictures()) {
    EXPECT_EQ(fault_in_markup(picture), "");
    EXPECT_EQ(fault_in_markup(standalone(picture)), "");
    EXPECT_TRUE(contains(standalone(picture), "prefers-color-scheme:dark"));
    for (const char* odd : {"nan", "inf", "<script", "href"}) EXPECT_FALSE(contains(picture, odd)) << odd << picture;
  }
}

// Texts of one height must not overlap, and none leaves the picture. How wide a text may be is text_width()'s word
// here; the test of pages in a browser measures it.
TEST(Plot, LabelsDoNotMeet) {
  const Pattern text(R"re(<text x="([-0-9.]+)" y="([-0-9.]+)"([^>]*)>([^<]*)</text>)re"),
      size(R"re(viewBox="0 0 ([0-9.]+) ([0-9.]+)")re"), below(R"re(translate\(0 ([0-9.]+)\))re");
  for (const std::string& picture : pictures()) {
    const auto box = size.first_in(picture), moved = below.first_in(picture);
    ASSERT_TRUE(box && moved);
    std::vector<std::array<double, 3>> spans;  // y, left, right
    for (const Pattern::Groups& match : text.all_in(picture)) {
      const bool title = contains(match[3], "title");
      const double x = std::stod(match[1]), y = std::stod(match[2]) + (title ? 0 : std::stod((*moved)[1]));
      const std::string shown = Pattern("&[a-z]+;").replaced_in(match[4], "&");
      const double width = text_width(shown) * (title ? 1.25 : 1);
      const double left = contains(match[3], "middle") ? x - width / 2 : contains(match[3], "end") ? x - width : x;
      EXPECT_GE(left, 0) << shown;
      EXPECT_LE(left + width, std::stod((*box)[1]) + 1) << shown << picture;
      EXPECT_LE(y, std::stod((*box)[2])) << shown;
      for (const auto& other : spans)
        EXPECT_TRUE(std::fabs(other[0] - y) >= 12 || left >= other[2] || left + width <= other[1]) << shown << " in\n"
                                                                                                   << picture;
      spans.push_back({y, left, left + width});
    }
  }
}

TEST(Plot, LinesOfATextAreNoWiderThanTheirRoom) {
  EXPECT_EQ(wrapped("one two", 1000), std::vector<std::string>{"one two"});
  EXPECT_EQ(wrapped("", 100), std::vector<std::string>{});
  for (const std::string text :
       {"several words that are to be broken somewhere", "onewordthatisfartoolongforitsroom",
        "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9"}) {
    std::string whole;
    for (const std::string& line : wrapped(text, 100)) {
      EXPECT_LE(text_width(line), 100) << line;
      EXPECT_FALSE(static_cast<unsigned char>(line[0]) >= 0x80 && static_cast<unsigned char>(line[0]) < 0xC0);
      whole += line;
    }
    EXPECT_EQ(Pattern(" ").replaced_in(whole, ""), Pattern(" ").replaced_in(text, ""));
  }
}

TEST(Plot, ALineBreaksWhereAValueHasNoPlace) {
  Plot one{"t", {"x", true}, {"y", true}, {}, {{"l", 0, {{1, 1}, {2, 2}, {3, 0}, {4, NAN}, {5, 3}, {6, 4}, {0, 5}}}}};
  const std::string picture = svg(one);
  const auto from = picture.find("d=\"M", picture.find("class=\"line")), to = picture.find('"', from + 4);
  const std::string path = picture.substr(from, to - from);
  EXPECT_EQ(occurrences(path, "M"), 2u) << path;
  EXPECT_EQ(occurrences(path, "L"), 2u) << path;
}

TEST(Plot, BoxesKeepApart) {
  Plot one{"t", {"x", false, 0, 1000}, {"y", false, 0, 1}, {}, {}, {{"b", 0}}};
  for (const double x : {10.0, 12.0, 500.0, 505.0, 990.0}) one.boxes[0].boxes.push_back({x, 0.1, 0.2, 0.3, 0.4, 0.5});
  EXPECT_EQ(occurrences(svg(one), "class=\"median "), 3u);
}

TEST(Plot, ScalesPlaceValuesAndNameThem) {
  const PlotScale linear({"", false, 0, 10}, {}, 100, 200), logarithmic({"", true, 0.01, 100}, {}, 0, 400);
  EXPECT_EQ(linear.place(2.5), 125);
  EXPECT_NEAR(logarithmic.place(1), 200, 1e-9);
  EXPECT_TRUE(linear.shows(0) && linear.shows(10) && !linear.shows(10.1) && !linear.shows(NAN));
  EXPECT_TRUE(logarithmic.shows(0.01) && logarithmic.shows(100) && !logarithmic.shows(0) && !logarithmic.shows(-1));
  std::vector<std::string> labels;
  for (const auto& [value, label] : logarithmic.ticks()) labels.push_back(label);
  EXPECT_EQ(labels, (std::vector<std::string>{"0.01", "0.1", "1", "10", "100"}));
  labels.clear();
  for (const auto& [value, label] : linear.ticks()) labels.push_back(label);
  EXPECT_EQ(labels, (std::vector<std::string>{"0", "2", "4", "6", "8", "10"}));
  labels.clear();
  for (const auto& [value, label] : PlotScale({"", true, 3, 4.5}, {}, 0, 1).ticks()) labels.push_back(label);
  EXPECT_EQ(labels, (std::vector<std::string>{"3", "3.5", "4", "4.5"}));
  EXPECT_EQ(tick_text(1e-5), "1e-5");
  EXPECT_EQ(tick_text(2.5e7), "2.5e7");
  EXPECT_EQ(tick_text(10000), "10000");
  EXPECT_EQ(tick_text(0.1 + 0.2), "0.3");
}

TEST(Plot, AnAxisWhoseFixedEndLiesBeyondAllDataStaysUpright) {
  for (const bool logarithmic : {false, true}) {
    const PlotScale above({"", logarithmic, 5, {}}, {1, 2}, 0, 100), below({"", logarithmic, {}, 1}, {3, 4}, 0, 100),
        at({"", logarithmic, 5, {}}, {1, 5}, 0, 100);
    EXPECT_LT(above.place(1), above.place(2));
    EXPECT_TRUE(above.shows(1) && above.shows(2));
    EXPECT_LT(below.place(3), below.place(4));
    EXPECT_LT(at.place(5), 100);
    EXPECT_GE(at.place(5), 0);
  }
}

// The axis of six ticks at most.
TEST(Polar, SelectedPointsStandAtTheirDistanceAndAngle) {
  Polar one = polar(0.4);
  one.points = {{1, 0, false, 0.1}, {0.5, 2 * std::atan(1.0), true, 0.25}};
  one.circle = 0.5;
  const std::string picture = svg(one);
  EXPECT_TRUE(contains(picture, "cx=\"330.0\" cy=\"164.0\" r=\"2.6\""))
      << picture;                                                                   // 150 px to the right of (180, 164)
  EXPECT_TRUE(contains(picture, "cx=\"180.0\" cy=\"89.0\" r=\"6.0\"")) << picture;  // 75 px up, 3 + 6 sqrt(1/4)
  EXPECT_TRUE(contains(picture, "class=\"ball\" cx=\"180.0\" cy=\"164.0\" r=\"75.0\""));
}

// A file of its own knows its colours; none is left as a name that a program may not know.
TEST(Plot, AFileHasItsColoursInside) {
  const std::string file = standalone(svg(plot(false, 1, 2)));
  EXPECT_FALSE(contains(file, "var("));
  EXPECT_TRUE(contains(file, "stroke:#0072b2") && contains(file, "stroke:#56b4e9"));
}

TEST(RowCharts, AQuotientBeyondOneStandsBeyondTheBorder) {
  QuotientChart chart{"t", {{"a", "0.5", {{0.5, 0, "half"}}}, {"b", "10", {{10, 1, "ten"}}}}};
  const std::string picture = svg(chart);
  EXPECT_EQ(fault_in_markup(picture), "");
  const Pattern mark(R"re(<circle class="mark look[01]" cx="([0-9.]+)"[^>]*><title>(\w+)</title>)re");
  const Pattern border(R"re(<line class="border" x1="([0-9.]+)")re");
  const std::vector<Pattern::Groups> marks = mark.all_in(picture);
  ASSERT_EQ(marks.size(), 2u);
  const double one = std::stod((*border.first_in(picture))[1]);
  EXPECT_LT(std::stod(marks[0][1]), one);
  EXPECT_GT(std::stod(marks[1][1]), one);
}

// A mark just beyond the border is not taken for one on it, and two in one place are both seen.
TEST(RowCharts, NoMarkHidesInTheBorderOrInAnother) {
  const QuotientChart chart{
      "t", {{"a", "", {{1.06, 1, "beyond"}, {0.999, 0, "one"}, {0.9991, 2, "other"}}}, {"b", "", {{1e80, 1, "far"}}}}};
  const std::string picture = svg(chart);
  const Pattern mark(R"re(<circle class="mark look[012]" cx="([0-9.]+)" cy="([0-9.]+)")re");
  const std::vector<Pattern::Groups> marks = mark.all_in(picture);
  ASSERT_EQ(marks.size(), 4u);
  const double one = std::stod((*Pattern(R"re(<line class="border" x1="([0-9.]+)")re").first_in(picture))[1]);
  EXPECT_GT(std::stod(marks[0][1]), one + 4);
  EXPECT_GT(std::fabs(std::stod(marks[1][2]) - std::stod(marks[2][2])), 4);
}

// 1.06 and 1.25 are told from 1 and from each other, beside what is beyond the end.
TEST(RowCharts, AnAxisThatEndsKeepsSmallExcessesApart) {
  const QuotientChart chart{"t",
                            {{"a", "", {{1, 0, "a"}}},
                             {"b", "", {{1.06, 0, "b"}}},
                             {"c", "", {{1.25, 0, "c"}}},
                             {"d", "", {{1000, 0, "d"}}},
                             {"e", "", {{1e89, 0, "e"}}},
                             {"f", "", {{INFINITY, 0, "f"}}}},
                            {},
                            1000};
  const std::string picture = svg(chart);
  std::vector<double> x;
  for (const auto& mark : Pattern(R"re(<circle class="mark look0" cx="([0-9.]+)")re").all_in(picture))
    x.push_back(std::stod(mark[1]));
  ASSERT_EQ(x.size(), 6u);
  constexpr double radius = 4;
  EXPECT_GT(x[1], x[0] + radius);
  EXPECT_GT(x[2], x[1] + 2 * radius);
  EXPECT_EQ(x[4], x[3]);
  EXPECT_EQ(x[5], x[3]);
  EXPECT_TRUE(contains(picture, ">&gt; 1000</text>"));
}

// A label that is wider than the picture goes on in the next line, and none of it is lost.
TEST(RowCharts, LongLabelsAreNotCut) {
  std::string label;
  for (int n = 0; n < 40; ++n) label += (n == 0 ? "word" : " word") + std::to_string(n);
  const std::string picture =
      svg(BarChart{"t", false, {{label, "2", {{2, 1, "two"}}}, {"short", "1", {{1, 0, "one"}}}}});
  for (int n = 0; n < 40; ++n) EXPECT_NE(picture.find("word" + std::to_string(n)), std::string::npos) << n;
}

TEST(RowCharts, BarsAreAsLongAsTheirAmounts) {
  const BarChart chart{"t", false, {{"left", "2", {{2, 1, "two"}}}, {"right", "1", {{1, 0, "one"}}}}};
  const Pattern bar(R"re(<rect class="bar look[01]"[^>]* width="([0-9.]+)"[^>]*><title>)re");
  const std::vector<Pattern::Groups> bars = bar.all_in(svg(chart));
  ASSERT_EQ(bars.size(), 2u);
  EXPECT_NEAR(std::stod(bars[0][1]), 2 * std::stod(bars[1][1]), 0.2);
}

}  // namespace
}  // namespace attncert::report
